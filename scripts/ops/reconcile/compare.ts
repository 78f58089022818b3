import type { Address, Hex } from 'viem'
import { callRulesOf } from '../../../src/loan/kinds.ts'
import type { PaymentSummary } from '../../../src/operator/answers.ts'
import { type Account, replay, type Totals } from '../../contracts/loan-books.ts'
import type { Booked } from '../../contracts/loan-events.ts'

export type Spending = {
  intent: Hex
  account: Address
  outcome: 'executed' | 'failed'
  hash: Hex
  block: number
  at: number
}

/** All that is compared. Addresses and hashes are in lower case. */
export type Books = {
  payments: readonly PaymentSummary[]
  head: number
  spendings: readonly Spending[]
  events: readonly Booked[]
  /** What the contract says at the head, and what currency it has. */
  totals: Totals
  heldWei: bigint
  accounts: ReadonlyMap<Address, Pick<Account, 'balanceWei' | 'owedWei'>>
}

const noticedWithin = 12

const spentForMs = 7 * 24 * 60 * 60 * 1000

/** Every difference, each in a sentence. None: the ledger, the contracts and the events tell the same. */
export function differences(books: Books): string[] {
  const byIntent = Map.groupBy(books.spendings, keyOf)
  return [
    ...books.payments.flatMap((payment) =>
      ofPayment(payment, byIntent.get(keyOf(payment)) ?? [], books),
    ),
    ...unknownSpendings(books),
    ...[...byIntent.values()].flatMap(repeated),
    ...ofContract(books),
  ]
}

export const keyOf = ({ intent, account }: { intent: string; account: string }) =>
  `${intent} ${account}`.toLowerCase()

/** What the ledger says of a payment, against the last time that the chain spent its intent. */
function ofPayment(
  payment: PaymentSummary,
  spendings: readonly Spending[],
  books: Books,
): string[] {
  const { intent, state } = payment
  const spent = spendings.at(-1)
  switch (state) {
    case 'queued':
    case 'signed':
      if (spent === undefined || spent.block > books.head - noticedWithin) return []
      return [
        `Payment ${intent} is ${state} in the ledger; block ${spent.block} has ${spent.outcome} it.`,
      ]
    case 'expired':
      if (spent === undefined) return []
      return [
        `Payment ${intent} has expired in the ledger; block ${spent.block} has ${spent.outcome} it.`,
      ]
    case 'mined':
    case 'confirmed':
    case 'reverted':
      if (payment.block !== null && payment.block > books.head) return []
      if (spent === undefined) {
        return [`Payment ${intent} is ${state} in the ledger; the chain has not spent its intent.`]
      }
      return [...ofOutcome(payment, spent), ...ofAmount(payment, spent, books.events)]
  }
}

function ofOutcome({ intent, ...told }: PaymentSummary, spent: Spending): string[] {
  const pairs = [
    ['outcome', told.outcome, spent.outcome],
    ['block', told.block, spent.block],
    ['transaction', told.hash?.toLowerCase(), spent.hash],
  ] as const
  return pairs
    .filter(([, ledger, chain]) => ledger !== chain)
    .map(
      ([what, ledger, chain]) =>
        `Payment ${intent}: ${what} ${ledger} in the ledger, ${chain} in the chain.`,
    )
}

/** What was executed has moved what the ledger says; where that says no amount, something. */
function ofAmount(payment: PaymentSummary, spent: Spending, events: readonly Booked[]): string[] {
  if (spent.outcome !== 'executed') return []
  const name = callRulesOf(payment.kind).moves
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

const payerOf = (args: Booked['args']): string | undefined =>
  'from' in args ? `${args.from}` : 'borrower' in args ? args.borrower : accountOf(args)

const accountOf = (args: Booked['args']) => ('account' in args ? args.account : undefined)

/** The first block that has one of the payments. Of hundreds of thousands: no call takes so many arguments. */
export const firstBlock = (payments: Iterable<Pick<PaymentSummary, 'block'>>): number =>
  [...payments].reduce((first, { block }) => Math.min(first, block ?? first), Infinity)

/** From the first block on that the ledger knows of: what is older, it has forgotten. */
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
  return spendings.flatMap((spending, index) => {
    const before = spendings[index - 1]
    if (before === undefined || spending.at - before.at >= spentForMs) return []
    return [
      `Intent ${spending.intent} was spent twice: in blocks ${before.block} and ${spending.block}.`,
    ]
  })
}

function ofContract({ events, totals, heldWei, accounts, head }: Books): string[] {
  const books = replay(events)
  const sums = [
    ['all balances', totals.balancesWei, books.totals.balancesWei],
    ['all that is owed', totals.owedWei, books.totals.owedWei],
    ['the free pool', totals.freeWei, books.totals.freeWei],
  ] as const
  const least = totals.balancesWei + totals.freeWei
  return [
    ...sums.flatMap(([what, told, added]) => differ(what, told, added, head)),
    ...(heldWei < least
      ? [`The loan contract has ${heldWei} wei, less than the ${least} that it owes.`]
      : []),
    ...[...accounts].flatMap(([address, told]) => {
      const added = books.accounts.get(address)
      return [
        ...differ(`the balance of ${address}`, told.balanceWei, added?.balanceWei ?? 0n, head),
        ...differ(`the loan of ${address}`, told.owedWei, added?.owedWei ?? 0n, head),
      ]
    }),
  ]
}

function differ(what: string, told: bigint, added: bigint, head: number): string[] {
  if (told === added) return []
  return [
    `At block ${head} the loan contract has ${told} wei as ${what}; its events come to ${added}.`,
  ]
}
