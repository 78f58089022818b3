import { type Address, type Hex, zeroAddress } from 'viem'
import { getCallRules } from '../../../src/loan/kinds.ts'
import type { PaymentSummary } from '../../../src/operator/schemas/payments.ts'
import { type Account, replay, type Totals } from '../../contracts/loan-books.ts'
import type { Booked } from '../../contracts/reads.ts'

export type Spending = {
  intent: Hex
  account: Address
  outcome: 'executed' | 'failed'
  hash: Hex
  block: number
  at: number
}

/** Holds what is compared, with addresses and hashes in lower case. */
export type Books = {
  payments: readonly PaymentSummary[]
  head: number
  spendings: readonly Spending[]
  events: readonly Booked[]
  /** The contract's sums at the head, and its currency. */
  totals: Totals
  heldWei: bigint
  accounts: ReadonlyMap<Address, Pick<Account, 'balanceWei' | 'owedWei'>>
}

const noticedWithin = 12

const spentForMs = 7 * 24 * 60 * 60 * 1000

/** Lists all differences, each in a sentence; none if ledger, contracts and events agree. */
export function differences(given: Books): string[] {
  const books = { ...given, payments: withNames(given) }
  const byIntent = Map.groupBy(books.spendings, keyOf)
  return [
    ...books.payments.flatMap((payment) =>
      ofPayment(payment, byIntent.get(keyOf(payment))?.at(-1), books),
    ),
    ...unknownSpendings(books),
    ...[...byIntent.values()].flatMap(repeated),
    ...ofContract(books),
  ]
}

export const keyOf = ({ intent, account }: { intent: string; account: string }) =>
  `${intent} ${account}`.toLowerCase()

/** Names payments by the chain of which the ledger has erased the account. */
function withNames({ payments, spendings }: Books): PaymentSummary[] {
  const accounts = new Map(spendings.map(({ intent, account }) => [intent.toLowerCase(), account]))
  return payments.map((payment) => {
    const account = accounts.get(payment.intent.toLowerCase())
    return payment.account === zeroAddress && account ? { ...payment, account } : payment
  })
}

/** Compares a payment with the last time that the chain spent its intent. */
function ofPayment(payment: PaymentSummary, spent: Spending | undefined, books: Books): string[] {
  const { intent, state, block } = payment
  const is = `Payment ${intent} is ${state} in the ledger`
  switch (state) {
    case 'queued':
    case 'signed':
      if (spent === undefined || spent.block > books.head - noticedWithin) return []
      return [`${is}; block ${spent.block} has ${spent.outcome} it.`]
    case 'expired':
      return spent ? [`${is}; block ${spent.block} has ${spent.outcome} it.`] : []
    case 'mined':
    case 'confirmed':
    case 'reverted':
      if (block !== null && block > books.head) return []
      if (spent === undefined) return [`${is}; the chain has not spent its intent.`]
      return [...ofOutcome(payment, spent), ...ofAmount(payment, spent, books.events)]
  }
}

function ofOutcome({ intent, outcome, block, hash }: PaymentSummary, spent: Spending): string[] {
  const pairs = [
    ['outcome', outcome, spent.outcome],
    ['block', block, spent.block],
    ['transaction', hash?.toLowerCase(), spent.hash],
  ] as const
  return pairs.flatMap(([what, ledger, chain]) => {
    if (ledger === chain) return []
    return [`Payment ${intent}: ${what} ${ledger} in the ledger, ${chain} in the chain.`]
  })
}

/** Compares the moved amount with the ledger's; without one there, something must have moved. */
function ofAmount(payment: PaymentSummary, spent: Spending, events: readonly Booked[]): string[] {
  if (spent.outcome !== 'executed') return []
  const name = getCallRules(payment.kind).event
  const account = payment.account.toLowerCase()
  const wanted = payment.spendsWei === '0' ? undefined : payment.spendsWei
  const isMoved = events.some(
    ({ eventName, args, hash }) =>
      eventName === name &&
      hash === spent.hash &&
      payerOf(args) === account &&
      (!wanted || ('amount' in args && `${args.amount}` === wanted)),
  )
  if (isMoved) return []
  const what = wanted ?? 'any'
  return [`Payment ${payment.intent}: its transaction ${spent.hash} has not moved ${what} wei.`]
}

function payerOf(args: Booked['args']): string | undefined {
  if ('from' in args) return `${args.from}`
  if ('borrower' in args) return args.borrower
  return 'account' in args ? args.account : undefined
}

/** Finds the first block of payments, of which there may be too many for one call's arguments. */
export const firstBlock = (payments: Iterable<Pick<PaymentSummary, 'block'>>): number =>
  [...payments].reduce((first, { block }) => Math.min(first, block ?? first), Infinity)

/** Compares from the first block that the ledger knows: it has deleted what is older. */
function unknownSpendings({ payments, spendings }: Books): string[] {
  const known = new Set(payments.map(keyOf))
  const since = firstBlock(payments)
  return spendings
    .filter((spending) => spending.block >= since && !known.has(keyOf(spending)))
    .map(
      ({ intent, account, outcome, block }) =>
        `Block ${block} has ${outcome} intent ${intent} of ${account}; the ledger has no such payment.`,
    )
}

function repeated(spendings: readonly Spending[]): string[] {
  return spendings.slice(1).flatMap(({ intent, at, block }, index) => {
    const before = spendings[index] as Spending
    if (at - before.at >= spentForMs) return []
    return [`Intent ${intent} was spent twice: in blocks ${before.block} and ${block}.`]
  })
}

function ofContract({ events, totals, heldWei, accounts, head }: Books): string[] {
  const books = replay(events)
  const least = totals.balancesWei + totals.freeWei
  const sums: [what: string, told: bigint, added: bigint | undefined][] = [
    ['all balances', totals.balancesWei, books.totals.balancesWei],
    ['all that is owed', totals.owedWei, books.totals.owedWei],
    ['the free pool', totals.freeWei, books.totals.freeWei],
  ]
  for (const [address, { balanceWei, owedWei }] of accounts) {
    const added = books.accounts.get(address)
    sums.push([`the balance of ${address}`, balanceWei, added?.balanceWei])
    sums.push([`the loan of ${address}`, owedWei, added?.owedWei])
  }
  const found = sums.flatMap(([what, told, added = 0n]) => {
    if (told === added) return []
    return [
      `At block ${head} the loan contract has ${told} wei as ${what}; its events come to ${added}.`,
    ]
  })
  if (heldWei >= least) return found
  return [...found, `The loan contract has ${heldWei} wei, less than the ${least} that it owes.`]
}
