import {
  type Abi,
  type AbiEvent,
  type Address,
  type ContractEventName,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  getAddress,
  type Hex,
  numberToHex,
  stringToHex,
} from 'viem'
import { microLoanAbi } from '../../src/loan/abi.ts'
import type { LoanLog } from '../../src/loan/calls.ts'
import type { LocalWorth } from '../../src/loan/local-worth.ts'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import type { OfferDecision, OpenSlot, PaymentOffer } from '../../src/relay/ledger/acceptance.ts'
import type { RequestExecution } from '../../src/relay/ledger/carrying.ts'
import type { Execution, Order, Screen, SignedTransaction } from '../../src/relay/ledger/values.ts'

// Payments of a test, made of their sessions' names.

export const alice: Address = '0x1111111111111111111111111111111111111111'
export const bob: Address = '0x2222222222222222222222222222222222222222'
export const carol: Address = '0x3333333333333333333333333333333333333333'

export const id = (text: string): Hex => stringToHex(text, { size: 32 })

export const screenOf = (session: string): Screen => ({
  kind: 'end',
  lines: [session, 'Please wait.'],
})

export const question = (session: string, account = alice, input = 'input') => ({
  ...{ session, input, account },
})

/** What an order's caller agreed to in local money. */
export const agreed: LocalWorth = {
  ...{ currency: 'KES', cents: '100000', micros: '12900000000000', readAt: 1_790_700_000_000 },
}

/** Signs the request of each order here. */
export const signature = '0xabcd'

export const orderOf = (session: string, account = alice, more: Partial<Order> = {}): Order => ({
  request: {
    ...{ from: account, intentId: id(session), gas: 150_000, deadline: 4_000_000_000 },
    ...{ data: '0x1234', signature },
  },
  kind: 'transfer',
  spendsWei: 10n ** 30n,
  ...more,
})

/** Creates the numbered request of an account of its own. */
export const requestOf = (number: number, data: Hex = '0x'): Order['request'] => ({
  ...{ from: getAddress(numberToHex(1_000 + number, { size: 20 })), data, gas: 1 },
  ...{ intentId: numberToHex(number, { size: 22 }), deadline: 1_800_000_000 },
  signature: `0x${'11'.repeat(32)}${'22'.repeat(32)}1b`,
})

export const transactionOf = (name: string, gasPriceWei = 100n): SignedTransaction => ({
  hash: id(`tx ${name}`),
  raw: id(`raw ${name}`),
  gasPriceWei,
})

export const unlimited = {
  openPayments: 1_000,
  transfersADay: undefined,
  sentADayWei: undefined,
}

/** Has room for all payments of a test, which blocks take ten at a time. */
export const room = {
  ...{ open: 1_000, waiting: 1_000, isPriceTooHigh: false },
  ...{ paymentsInBlock: 10, blockMs: 25_000 },
}

/** Creates an account's offered payment; `order` overrides parts of its order. */
export const offerOf = (
  session: string,
  account = alice,
  { order, ...more }: Partial<Omit<PaymentOffer, 'order'>> & { order?: Partial<Order> } = {},
): PaymentOffer => ({
  ...question(session, account),
  answerCount: 3,
  order: orderOf(session, account, order),
  screens: { carried: screenOf(session), queued: screenOf(session) },
  limits: unlimited,
  capacity: room,
  chainNonce: 0,
  poolNonce: 0,
  gasPriceWei: 100n,
  version: undefined,
  ...more,
})

/** Creates a session's refusal with its screen. */
export const refusingOf = (session: string, account = alice) => ({
  ...question(session, account),
  answerCount: 3,
  screen: screenOf('No'),
})

export const executionIn = (
  block: number,
  more: Partial<RequestExecution> = {},
): RequestExecution => ({
  ...{ outcome: 'executed', reason: '', hash: id('mined'), signature },
  executed: orderOf('s').request,
  block: { number: block, hash: id(`block ${block}`) },
  ...more,
})

/** Creates a session's adoption by a ledger that lost its rows. */
export function adoptionOf(session: string, execution: Execution, more: Partial<Order> = {}) {
  const order = orderOf(session, alice, more)
  return {
    ...{ ...question(session), answerCount: 3, screen: screenOf(session), order },
    execution: { executed: order.request, ...execution },
  }
}

/** Signs what is named after the sessions that it carries. */
export const signByName: OpenSlot = () => (offers) =>
  transactionOf(offers.map(({ session }) => session).join())

/** Queues payments, as where no transaction may be signed. */
export const queue = (ledger: WholeLedger, ...offers: readonly PaymentOffer[]) =>
  ledger.acceptOffers(offers, () => undefined)

/** Offers payments at once; `nonce` is that of the transaction that carries them. */
export async function offer(
  ledger: WholeLedger,
  ...offers: readonly PaymentOffer[]
): Promise<{ verdicts: OfferDecision[]; nonce: number | undefined }> {
  const answers = await ledger.acceptOffers(offers, signByName)
  const verdicts = answers.map(({ sending: _, ...verdict }) => verdict)
  return { verdicts, nonce: answers.find(({ sending }) => sending !== undefined)?.sending?.nonce }
}

/** Offers one payment, and tells what became of it. */
export async function judge(ledger: WholeLedger, ...parts: Parameters<typeof offerOf>) {
  const { verdicts, nonce } = await offer(ledger, offerOf(...parts))
  const { screen: _, ...verdict } = verdicts[0] as { kind: string; screen?: Screen }
  return { ...verdict, nonce }
}

/** Has a payment accepted: the nonce that carries it. */
export async function accept(
  ledger: WholeLedger,
  ...parts: Parameters<typeof offerOf>
): Promise<number | undefined> {
  const { kind, nonce } = await judge(ledger, ...parts)
  if (kind !== 'accepted') throw new Error(`${parts[0]} was ${kind}`)
  return nonce
}

/** Signs for a free nonce as a round does: what was said of it. */
export async function fillNonce(
  ledger: WholeLedger,
  filling: Parameters<WholeLedger['findSlot']>[0],
  transaction: SignedTransaction,
): Promise<'taken' | 'recorded' | 'changed'> {
  const slot = await ledger.findSlot(filling)
  if (slot === undefined) return 'taken'
  return (await ledger.fill({ ...filling, replacedHash: slot.pending?.hash, transaction })).kind
}

export const mineAt = (
  ledger: WholeLedger,
  session: string,
  nonce: number,
  execution: RequestExecution,
) =>
  ledger.recordMined({
    ...{ nonce, sessions: [session], hash: transactionOf(session).hash, block: execution.block },
    executions: { [session]: execution },
  })

/** Has a payment that a nonce carries made, in a block that is final. */
export async function settle(ledger: WholeLedger, session: string, nonce: number, number = 9) {
  const execution = executionIn(number, { hash: transactionOf(session).hash })
  await mineAt(ledger, session, nonce, execution)
  return ledger.confirm([session], execution.block.hash)
}

/** Creates a log of the loan contract. */
export function loanLog(
  eventName: ContractEventName<typeof microLoanAbi>,
  args: Readonly<Record<string, unknown>>,
): LoanLog {
  const event = getAbiItem({ abi: microLoanAbi as Abi, name: eventName }) as AbiEvent
  const plain = event.inputs.filter(({ indexed }) => indexed !== true)
  const data = encodeAbiParameters(
    plain,
    plain.map(({ name = '' }) => args[name]),
  )
  const topics = encodeEventTopics({ abi: microLoanAbi as Abi, eventName, args } as never)
  return { topics: topics as Hex[], data }
}

/** Creates the log of a loan of 10 with a fee of 1, due at a Unix time in s. */
export const lentTo = (borrower: Address, dueAt: number): LoanLog =>
  loanLog('LoanIssued', { borrower, amount: 10n, fee: 1n, dueAt: BigInt(dueAt) })
