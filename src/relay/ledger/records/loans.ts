import type { Address } from 'viem'
import * as z from 'zod/mini'
import {
  applyLoanEvent,
  type BookedLoan,
  emptySums,
  type LoanSums,
} from '../../../loan/loan-book.ts'
import type { Draft } from '../draft.ts'
import { readMetaAs, saveMeta, weiDigits } from '../meta.ts'
import type { LoanBook, LoanBooking, LoanQuery } from '../port.ts'
import type { Row } from '../rows.ts'

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

/** Returns up to which block a contract's events were read, and the sums until there. */
export function readLoanBook(rows: Draft, contract: Address): LoanBook {
  const saved = readMetaAs(rows, toMetaName(contract), savedBook)
  return saved ?? { next: undefined, sums: emptySums }
}

/** Records the events of the blocks that follow; ignores any others. */
export function bookLoans(rows: Draft, { contract, from, next, logs }: LoanBooking): LoanBook {
  const book = readLoanBook(rows, contract)
  if (book.next !== from) return book
  let { sums } = book
  for (const log of logs) {
    const saveLoan = (loan: BookedLoan) => rows.put('loans', toRow(contract, loan))
    const findKnownLoan = (borrower: Address) => findLoan(rows, contract, borrower)
    sums = applyLoanEvent({ sums, findLoan: findKnownLoan, saveLoan }, log)
  }
  saveMeta(rows, toMetaName(contract), { next, sums })
  return { next, sums }
}

/** Returns a borrower's last loan, if the events show one. */
export function findLoan(
  rows: Draft,
  contract: Address,
  borrower: Address,
): BookedLoan | undefined {
  const row = rows.row('loans', contract.toLowerCase(), borrower)
  return row && toBookedLoan(row)
}

/** Returns a contract's loans in a state, by due date. */
export const listLoans = (rows: Draft, { contract, state, limit }: LoanQuery): BookedLoan[] =>
  rows
    .list({ table: 'loans', list: 'state', group: toGroup(contract, state), limit })
    .map(toBookedLoan)

const toRow = (contract: Address, { state, ...loan }: BookedLoan): Row<'loans'> => ({
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

const toBookedLoan = (row: Row<'loans'>): BookedLoan => ({
  borrower: row.borrower,
  state: row.state,
  issuedAt: row.issued_at,
  dueAt: row.due_at,
  lentWei: BigInt(row.lent),
  owedWei: BigInt(row.owed),
  repaidWei: BigInt(row.repaid),
  earlierLoanCount: row.earlier,
})
