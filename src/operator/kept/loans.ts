import type { Address } from 'viem'
import * as z from 'zod/mini'
import type { LoanLog } from '../../loan/calls.ts'
import { applyLoanEvent, type BookedLoan, emptySums, type LoanSums } from '../../loan/loan-book.ts'
import { readMetaAs, saveMetaAs, weiDigits } from '../../relay/ledger/meta.ts'
import { reads, writes } from '../../relay/ledger/port.ts'
import { steps } from '../../relay/ledger/steps.ts'
import type { Kept, KeptDraft, KeptRow } from './tables.ts'

/** Sums up a contract's loans; `next` is the first block that was not read. */
export type LoanBook = { next: number | undefined; sums: LoanSums }

/** Holds all events from block `from`, the book's `next`, up to the block before the new `next`. */
type LoanBooking = {
  contract: Address
  from: number | undefined
  next: number
  logs: readonly LoanLog[]
}

type LoanQuery = { contract: Address; state: BookedLoan['state']; limit: number }

const toMetaName = (contract: Address): string => `loans.${contract.toLowerCase()}`
const toGroup = (contract: string, state: BookedLoan['state']): string =>
  `${contract.toLowerCase()}.${state}`

const savedBook: z.ZodMiniType<{ next: number; sums: LoanSums }> = z.object({
  next: z.int(),
  sums: z.object({
    termSeconds: z.number(),
    loans: z.int(),
    lentWei: weiDigits,
    repaidWei: weiDigits,
    writtenOffWei: weiDigits,
  }),
})

function readLoanBook({ rows }: Kept, contract: Address): LoanBook {
  const saved = readMetaAs(rows, toMetaName(contract), savedBook)
  return saved ?? { next: undefined, sums: emptySums }
}

export function findLoan(rows: KeptDraft, contract: Address, borrower: Address) {
  const row = rows.row('loans', contract.toLowerCase(), borrower)
  return row && toBookedLoan(row)
}

const toRow = (contract: Address, { state, ...loan }: BookedLoan): KeptRow<'loans'> => ({
  contract: contract.toLowerCase(),
  borrower: loan.borrower,
  state,
  listed: toGroup(contract, state),
  issued_at: loan.issuedAt,
  due_at: loan.dueAt,
  lent: `${loan.lentWei}`,
  owed: `${loan.owedWei}`,
  repaid: `${loan.repaidWei}`,
  earlier: loan.earlierLoanCount,
})

const toBookedLoan = (row: KeptRow<'loans'>): BookedLoan => ({
  borrower: row.borrower,
  state: row.state,
  issuedAt: row.issued_at,
  dueAt: row.due_at,
  lentWei: BigInt(row.lent),
  owedWei: BigInt(row.owed),
  repaidWei: BigInt(row.repaid),
  earlierLoanCount: row.earlier,
})

export const loanSteps = {
  /**
   * Adds to an account's state its last loan of a contract, as far as the loan book was read, and
   * the last reminder of it.
   */
  readStanding: reads((step: Kept, account: Address, contract?: Address) => {
    const loan = contract && findLoan(step.rows, contract, account)
    const reminder = step.rows.row('reminders', account)
    const told = reminder?.due_at === loan?.dueAt ? reminder?.told : 'none'
    // Without a number no message is sent.
    const reminded = loan && reminder?.sealed ? told : undefined
    return { ...steps.readStanding(step, account), loan, reminded }
  }),
  /** Returns up to which block a loan contract's events were read, and the sums up to there. */
  readLoanBook: reads(readLoanBook),
  /** Records the events of the blocks that follow; ignores those of any other blocks. */
  bookLoans: writes((step: Kept, { contract, from, next, logs }: LoanBooking): LoanBook => {
    const { rows } = step
    const book = readLoanBook(step, contract)
    if (book.next !== from) return book
    let { sums } = book
    for (const log of logs) {
      const saveLoan = (loan: BookedLoan) => rows.put('loans', toRow(contract, loan))
      const findKnownLoan = (borrower: Address) => findLoan(rows, contract, borrower)
      sums = applyLoanEvent({ sums, findLoan: findKnownLoan, saveLoan }, log)
    }
    saveMetaAs(rows, toMetaName(contract), { next, sums })
    return { next, sums }
  }),
  listLoans: reads(({ rows }: Kept, { contract, state, limit }: LoanQuery) =>
    rows
      .list({ table: 'loans', list: 'state', group: toGroup(contract, state), limit })
      .map(toBookedLoan),
  ),
}
