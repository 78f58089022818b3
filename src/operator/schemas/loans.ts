import * as z from 'zod/mini'
import { unitSchema } from '../../loan/amounts.ts'
import { loanStates } from '../../loan/loan-book.ts'
import { hexAddress, time, wei } from './fields.ts'

export const loansQuery = z.object({
  state: z._default(z.enum(loanStates), 'owed'),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1_000)), 200),
})

export const loanSummary = z.object({
  borrower: hexAddress,
  state: z.enum(loanStates),
  issuedAt: time,
  dueAt: time,
  overdueDays: z.int(),
  lentWei: wei,
  owedWei: wei,
  repaidWei: wei,
  /** Counts the borrower's loans before this one. */
  earlier: z.int(),
})

/** Describes `GET /operator/loans`, the earliest due first. */
export const loansAnswer = z.object({
  /** Holds the last block whose events are in the loan book. */
  block: z.int(),
  head: z.int(),
  /** Is false if final blocks are still missing; the next request reads more of them. */
  isWhole: z.boolean(),
  currency: z.string(),
  unit: unitSchema,
  sums: z.object({
    loans: z.int(),
    lentWei: wei,
    repaidWei: wei,
    writtenOffWei: wei,
    owedWei: wei,
  }),
  /** Sums up the debts by days overdue. */
  ages: z.array(z.object({ name: z.string(), loans: z.int(), owedWei: wei })),
  loans: z.array(loanSummary),
})

export type LoansAnswer = z.infer<typeof loansAnswer>
