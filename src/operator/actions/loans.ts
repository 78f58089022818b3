import type { Address } from 'viem'
import type { Node } from '../../chain/node.ts'
import { formatExactly } from '../../loan/amounts.ts'
import { encodeReadCall } from '../../loan/calls.ts'
import { type BookedLoan, loanEventTopics, loanStates } from '../../loan/loan-book.ts'
import type { Relayer } from '../../relay/relayer.ts'
import { writeLocalTime } from '../../runtime/time-zone.ts'
import type { LoanBook } from '../kept/loans.ts'
import type { WholeLedger } from '../kept/steps.ts'
import { type Deployment, toIso, writeAnswer } from '../records.ts'
import type { LoansAnswer } from '../schemas/loans.ts'

export type LoanBookOptions = {
  deployment: Pick<Deployment, 'loan' | 'unit'>
  relayer: Pick<Relayer<WholeLedger>, 'ledger' | 'node' | 'clock' | 'rules'>
}

const maxRequestsForList = 60
const readTimeoutMs = 15_000
const nodeTimeoutMs = 5_000

/** Lists the upper limits of the age groups of debts, in days overdue. */
const ageDays = [0, 7, 30, 90, Number.POSITIVE_INFINITY]
const ageNames = ['not_due', 'to_7_days', 'to_30_days', 'to_90_days', 'older'] as const
const dayMs = 86_400_000
const maxLoans = 20_000

type LoanBookReading = { book: LoanBook; head: number; isWhole: boolean }

/** Adds the contract's final events to the loan book, as far as the time of one answer allows. */
export async function updateLoanBook(
  { deployment: { loan }, relayer }: LoanBookOptions,
  maxRequests = maxRequestsForList,
): Promise<LoanBookReading> {
  const { ledger, node, clock, rules } = relayer
  const endsAt = clock.now() + readTimeoutMs
  const { number: head } = await node.getHead(clock.timeout(nodeTimeoutMs))
  const last = head - Math.max(0, rules.confirmations - 1)
  let book = await ledger.readLoanBook(loan)
  const from = book.next ?? (await findCreationBlock(relayer, loan, last))
  let requests = 0
  const createSignal = () => {
    requests += 1
    return clock.timeout(nodeTimeoutMs)
  }
  const filter = { address: loan, topics: [loanEventTopics] }
  const parts = node.readLogs(filter, { from, to: last }, createSignal)
  for await (const { to, logs } of parts) {
    const events = logs.map(({ topics, data }) => ({ topics, data }))
    book = await ledger.bookLoans({ contract: loan, from: book.next, next: to + 1, logs: events })
    // Another request, which books the same events, may have come further.
    if (book.next !== to + 1 || requests >= maxRequests || clock.now() >= endsAt) break
  }
  return { book, head, isWhole: (book.next ?? 0) > last }
}

/** Finds the block that created the contract by halving the range; 0 if nodes lack old states. */
async function findCreationBlock(
  { node, clock }: { node: Node; clock: Relayer['clock'] },
  loan: Address,
  last: number,
): Promise<number> {
  const hasCode = async (block: number) => {
    const call = { to: loan, data: encodeReadCall('terms') }
    const { data } = await node.call(call, clock.timeout(nodeTimeoutMs), block)
    return data !== '0x'
  }
  try {
    let [newestWithoutCode, oldestWithCode] = [-1, Math.max(0, last)]
    while (oldestWithCode - newestWithoutCode > 1) {
      const middle = Math.floor((newestWithoutCode + oldestWithCode) / 2)
      if (await hasCode(middle)) oldestWithCode = middle
      else newestWithoutCode = middle
    }
    return oldestWithCode
  } catch {
    return 0
  }
}

export async function readLoans(
  options: LoanBookOptions,
  { state, limit }: { state: BookedLoan['state']; limit: number },
): Promise<LoansAnswer> {
  const { deployment, relayer } = options
  const { book, head, isWhole } = await updateLoanBook(options)
  const now = relayer.clock.now()
  const owed = await listLoans(options, 'owed')
  const loans = state === 'owed' ? owed.slice(0, limit) : await listLoans(options, state, limit)
  const { termSeconds: _, ...sums } = book.sums
  return writeAnswer({
    block: (book.next ?? 0) - 1,
    head,
    isWhole,
    currency: deployment.unit.symbol,
    unit: deployment.unit,
    sums: { ...sums, owedWei: sumDebts(owed) },
    ages: ageNames.map((name, group) => {
      const groupLoans = owed.filter((loan) => findAgeGroup(loan, now) === group)
      return { name, loans: groupLoans.length, owedWei: sumDebts(groupLoans) }
    }),
    loans: loans.map((loan) => toLoanAnswer(loan, now)),
  })
}

const sumDebts = (loans: readonly BookedLoan[]) =>
  loans.reduce((sum, { owedWei }) => sum + owedWei, 0n)

/** Counts the days since an unpaid loan was due; 0 for others. */
const countOverdueDays = ({ dueAt, state }: BookedLoan, now: number): number =>
  state === 'owed' ? Math.max(0, Math.ceil((now - dueAt * 1_000) / dayMs)) : 0

const findAgeGroup = (loan: BookedLoan, now: number): number =>
  ageDays.findIndex((days) => countOverdueDays(loan, now) <= days)

export function toLoanAnswer(booked: BookedLoan, now: number): LoansAnswer['loans'][number] {
  const { earlierLoanCount: earlier, ...loan } = booked
  const times = { issuedAt: toIso(loan.issuedAt * 1_000), dueAt: toIso(loan.dueAt * 1_000) }
  return writeAnswer({ ...loan, ...times, earlier, overdueDays: countOverdueDays(booked, now) })
}

const columns =
  'borrower,state,issued_at,due_at,overdue_days,lent,owed,repaid,earlier_loans,currency'

/** Writes all loans as CSV (RFC 4180), amounts in the pool's unit, times as the console does. */
export async function writeLoansCsv(options: LoanBookOptions, timeZone = 'UTC'): Promise<string> {
  const { clock } = options.relayer
  const { unit } = options.deployment
  await updateLoanBook(options)
  const lines: string[] = [columns]
  for (const state of loanStates) {
    for (const loan of await listLoans(options, state)) {
      const money = [loan.lentWei, loan.owedWei, loan.repaidWei].map((wei) =>
        formatExactly(wei, unit),
      )
      const times = [loan.issuedAt, loan.dueAt].map((at) => writeLocalTime(at * 1_000, timeZone))
      const days = countOverdueDays(loan, clock.now())
      const rest = [loan.earlierLoanCount, unit.symbol]
      lines.push([loan.borrower, state, ...times, days, ...money, ...rest].join())
    }
  }
  return `${lines.join('\r\n')}\r\n`
}

const listLoans = (
  { relayer, deployment: { loan: contract } }: LoanBookOptions,
  state: BookedLoan['state'],
  limit = maxLoans,
) => relayer.ledger.listLoans({ contract, state, limit })
