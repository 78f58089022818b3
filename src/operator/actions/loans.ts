import { type Address, formatEther } from 'viem'
import type { Node } from '../../chain/node.ts'
import { encodeReadCall } from '../../loan/calls.ts'
import { type BookedLoan, loanEventTopics, loanStates } from '../../loan/loan-book.ts'
import type { Ledger, LoanBook } from '../../relay/ledger/port.ts'
import type { Relayer } from '../../relay/relayer.ts'
import type { LoansAnswer } from '../answers.ts'
import { type Subject, toIso } from '../records.ts'

type LoanBookOptions = {
  subject: Pick<Subject, 'loan' | 'chain'>
  relayer: Pick<Relayer, 'ledger' | 'node' | 'clock' | 'rules'>
}

/** Limits the blocks per event request, and the requests per answer. */
const mostBlocks = 2_000
const mostPieces = 60
const readWithinMs = 15_000
const nodeTimeoutMs = 5_000

/** Lists the limits of age groups of overdue loans, in days. */
const ageDays = [0, 7, 30, 90, Number.POSITIVE_INFINITY]
const ageNames = ['not_due', 'to_7_days', 'to_30_days', 'to_90_days', 'older'] as const
const dayMs = 86_400_000
/** Limits the loans that are summed or exported. */
const mostLoans = 20_000

type Read = { book: LoanBook; head: number; isWhole: boolean }

/** Reads the contract's final events from where the loan book ends. */
async function readOn({ subject: { loan }, relayer }: LoanBookOptions): Promise<Read> {
  const { ledger, node, clock, rules } = relayer
  const until = clock.now() + readWithinMs
  const { number: head } = await node.head(clock.timeout(nodeTimeoutMs))
  const last = head - Math.max(0, rules.confirmations - 1)
  let book = await ledger.readLoanBook(loan)
  let blocks = mostBlocks
  for (let pieces = 0; pieces < mostPieces && clock.now() < until; pieces++) {
    const from = book.next ?? (await createdAt(relayer, loan, last))
    if (from > last) break
    const to = Math.min(last, from + blocks - 1)
    const range = { address: loan, topics: [loanEventTopics], fromBlock: from, toBlock: to }
    try {
      const logs = await node.logs(range, clock.timeout(nodeTimeoutMs))
      const told = logs.map(({ topics, data }) => ({ topics, data }))
      const noted = { contract: loan, from: book.next, next: to + 1, logs: told }
      book = await ledger.bookLoans(noted)
    } catch (error) {
      if (to === from) throw error
      blocks = Math.ceil((to - from + 1) / 2)
    }
  }
  return { book, head, isWhole: (book.next ?? 0) > last }
}

/** Finds the contract's first block; 0 if the node has no state of old blocks. */
async function createdAt(
  { node, clock }: { node: Node; clock: Relayer['clock'] },
  loan: Address,
  last: number,
): Promise<number> {
  const isThere = async (block: number) => {
    const call = { to: loan, data: encodeReadCall('terms') }
    const { data } = await node.call(call, clock.timeout(nodeTimeoutMs), block)
    return data !== '0x'
  }
  try {
    let [without, withIt] = [-1, Math.max(0, last)]
    while (withIt - without > 1) {
      const middle = Math.floor((without + withIt) / 2)
      if (await isThere(middle)) withIt = middle
      else without = middle
    }
    return withIt
  } catch {
    return 0
  }
}

export async function loanBookNow(
  of: LoanBookOptions,
  { state, limit }: { state: BookedLoan['state']; limit: number },
): Promise<LoansAnswer> {
  const { subject, relayer } = of
  const { book, head, isWhole } = await readOn(of)
  const now = relayer.clock.now()
  const listed = (of: BookedLoan['state'], most: number) =>
    relayer.ledger.listLoans({ contract: subject.loan, state: of, limit: most })
  const owed = await listed('owed', mostLoans)
  const loans = state === 'owed' ? owed.slice(0, limit) : await listed(state, limit)
  const { loans: count, lentWei, repaidWei, writtenOffWei } = book.sums
  return {
    ...{ block: (book.next ?? 0) - 1, head, isWhole, currency: subject.chain.currency },
    sums: {
      ...{ loans: count, lentWei: `${lentWei}`, repaidWei: `${repaidWei}` },
      ...{ writtenOffWei: `${writtenOffWei}`, owedWei: `${addDebts(owed)}` },
    },
    ages: ageNames.map((name, place) => {
      const own = owed.filter((loan) => countDays(loan, now) === place)
      return { name, loans: own.length, owedWei: `${addDebts(own)}` }
    }),
    loans: loans.map((loan) => toLoan(loan, now)),
  }
}

const addDebts = (loans: readonly BookedLoan[]) =>
  loans.reduce((sum, { owedWei }) => sum + owedWei, 0n)

/** Returns the days by which a loan is overdue; 0 if it is not. */
const overdueDays = ({ dueAt, state }: BookedLoan, now: number): number =>
  state === 'owed' ? Math.max(0, Math.ceil((now - dueAt * 1_000) / dayMs)) : 0

const countDays = (loan: BookedLoan, now: number): number =>
  ageDays.findIndex((days) => overdueDays(loan, now) <= days)

export const toLoan = (loan: BookedLoan, now: number): LoansAnswer['loans'][number] => ({
  ...{ borrower: loan.borrower, state: loan.state, earlier: loan.earlier },
  ...{ issuedAt: toIso(loan.issuedAt * 1_000), dueAt: toIso(loan.dueAt * 1_000) },
  overdueDays: overdueDays(loan, now),
  ...{ lentWei: `${loan.lentWei}`, owedWei: `${loan.owedWei}`, repaidWei: `${loan.repaidWei}` },
})

const columns = 'borrower,state,issued_at,due_at,overdue_days,lent,owed,repaid,earlier_loans'

/** Writes all loans as CSV (RFC 4180), amounts in the chain's currency. */
export async function loansAsCsv(of: LoanBookOptions): Promise<string> {
  const { ledger, clock } = of.relayer
  await readOn(of)
  const lines: string[] = [columns]
  for (const state of loanStates) {
    for (const loan of await listAll(ledger, of.subject.loan, state)) {
      const told = toLoan(loan, clock.now())
      const money = [loan.lentWei, loan.owedWei, loan.repaidWei].map((wei) => formatEther(wei))
      const { borrower, issuedAt, dueAt, overdueDays: days, earlier } = told
      lines.push([borrower, state, issuedAt, dueAt, days, ...money, earlier].join())
    }
  }
  return `${lines.join('\r\n')}\r\n`
}

const listAll = (ledger: Ledger, contract: Address, state: BookedLoan['state']) =>
  ledger.listLoans({ contract, state, limit: mostLoans })
