import { type Address, decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem'
import * as z from 'zod/mini'
import { getQuantum, parseAmount } from '../../loan/amounts.ts'
import { toPlainDigits } from '../../runtime/digits.ts'
import { toPaymentSummary } from '../records.ts'
import { addressText, hexAddress, phone, wei } from '../schemas/fields.ts'
import { payment } from '../schemas/payments.ts'
import { type ActionOptions, callerAction, recordInAudit, refuseRequest } from './action.ts'
import { notPayable, parsePayable } from './wallets.ts'

/** Sets the windows in each of which an account's inlet is swept once at most. */
const windowMs = 6 * 60 * 60 * 1000

const nodeTimeoutMs = 5_000

const hasNoInlets = refuseRequest(409, 'an account of the currency has no inlet: deposit for it')

/**
 * Credits what arrived at the inlet of a number's account, if it is at least `least`: as its caller
 * would, by a payment that its own key signs. A window is a session, which pays once at most.
 */
export const sweepFor = callerAction({
  request: z.object({ phone, least: z.string().check(z.maxLength(40)) }),
  /** Holds what was there before, and the window's payment; null if that was too little. */
  answer: z.object({ account: hexAddress, arrivedWei: wei, payment: z.nullable(payment) }),
  async run(options, { phone, address: account }, { least }) {
    const { deployment, loan, sweep } = options
    const { clock } = options.relayer
    if (deployment.unit.token === null) return hasNoInlets
    const parsed = parseAmount(least, deployment.unit)
    if (parsed.kind === 'fault') return refuseRequest(400, 'least is not an amount')
    const arrivedWei = await readWaiting(options, await loan.readInlet(account))
    const answer = { account, arrivedWei: `${arrivedWei}` }
    if (arrivedWei < parsed.wei) return { ...answer, payment: null }
    const key = `sweep-${Math.floor(clock.now() / windowMs)}`
    await recordInAudit(options, 'sweep', { account, key }, `sweep:${account}:${key}`)
    return { ...answer, ...(await describePaid(options, await sweep({ key, phone }))) }
  },
})

const notKnownYet = refuseRequest(
  503,
  'it is not known yet whether it was sent: repeat the same request',
)

/** Describes what became of a payment of an operator, which the same request repeats. */
export async function describePaid(
  { deployment, relayer: { ledger } }: ActionOptions,
  { intentId, answer }: Awaited<ReturnType<ActionOptions['sweep']>>,
) {
  const [record] = (await ledger.readPage({ intent: intentId, limit: 1 })).payments
  if (record !== undefined) return { payment: toPaymentSummary(deployment.chain, record) }
  switch (answer.kind) {
    case 'screen':
      return refuseRequest(409, answer.screen.lines.join(' '))
    case 'closed':
      return refuseRequest(409, 'it was refused: nothing was sent')
    case 'failed':
    case 'ended':
    case 'late':
    case 'unsent':
    case 'uncertain':
      return notKnownYet
  }
}

/** Reads what lies at an address and waits to be credited. @throws {Error} no node answers */
export async function readWaiting(
  { deployment: { unit }, relayer: { node, clock } }: ActionOptions,
  address: Address,
): Promise<bigint> {
  const signal = clock.timeout(nodeTimeoutMs)
  if (unit.token === null) return await node.getBalance(address, signal)
  const call = { abi: erc20Abi, functionName: 'balanceOf' } as const
  const data = encodeFunctionData({ ...call, args: [address] })
  const outcome = await node.call({ to: unit.token.address as Address, data }, signal)
  return decodeFunctionResult({ ...call, data: outcome.data }) / getQuantum(unit)
}

/** Limits a key's age, far below the 7 days for which the ledger remembers intents. */
const keyLifetimeSeconds = 24 * 60 * 60

export const cashOutFor = callerAction({
  request: z.object({
    phone,
    to: addressText,
    /** Holds an amount in the pool's unit, or `all`. Digits may be of any script. */
    amount: z.pipe(z.string().check(z.maxLength(40)), z.transform(toPlainDigits)),
    /** Holds the idempotency key, `<Unix s>-<random>`; it expires after a day. */
    key: z.string().check(z.regex(/^[0-9]{10}-[A-Za-z0-9_-]{16,64}$/)),
  }),
  answer: z.object({ payment }),
  async run(options, caller, { key, to, amount }) {
    const { deployment, cashOut } = options
    const { clock } = options.relayer
    const { phone, address: account } = caller
    const recipient = parsePayable(to, deployment, account)
    if (recipient === undefined) return notPayable
    const parsed = amount === 'all' ? undefined : parseAmount(amount, deployment.unit)
    if (parsed?.kind === 'fault') return refuseRequest(400, 'this is not an amount')
    const ageSeconds = clock.now() / 1_000 - Number(key.slice(0, key.indexOf('-')))
    if (Math.abs(ageSeconds) > keyLifetimeSeconds) {
      return refuseRequest(409, 'the key is not of the last 24 hours: nothing was sent')
    }
    const detail = { account, to: recipient, amount, key }
    // Not of the payment: the same key again pays nothing twice.
    const once = `cash-out:${account}:${key}:${recipient}:${amount}`
    await recordInAudit(options, 'cash-out', detail, once)
    const order = { key, phone, to: recipient, amountWei: parsed?.wei ?? 'all' } as const
    const paid = await cashOut(order)
    const { kind } = paid.answer
    if (kind === 'ended' || kind === 'closed') {
      const outcome = kind === 'ended' ? 'may have paid' : 'was refused'
      return refuseRequest(409, `the key was used for another cash-out, which ${outcome}`)
    }
    return await describePaid(options, paid)
  },
})
