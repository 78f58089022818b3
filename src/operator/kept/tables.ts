import * as z from 'zod/mini'
import { loanStates } from '../../loan/loan-book.ts'
import type { Draft, StepContext } from '../../relay/ledger/draft.ts'
import { columnTypes, mapNames, type RowIn, table } from '../../relay/ledger/rows.ts'

const { text, integer, textOrNull, integerOrNull, address, wei } = columnTypes

/** Lists the uses of a till: it hands out cash, or takes payments with a reference. */
export const tillKinds = ['agent', 'bill'] as const

/** Defines the tables of what operators keep, beside the relay's in the same store. */
export const keptTables = {
  notices: table(
    ['id'],
    {
      ...mapNames(text, 'id', 'name', 'says'),
      kind: z.enum(['raised', 'cleared']),
      ...mapNames(integer, 'raised_at', 'at', 'due_at', 'attempts'),
    },
    { due: { group: undefined, score: 'due_at' } },
  ),
  /** Lists the till numbers of accounts; a removed one can be assigned again after 90 days. */
  tills: table(
    ['till'],
    {
      ...mapNames(text, 'till', 'name'),
      account: address,
      kind: z.enum(tillKinds),
      /** Holds the number that messages of its payments go to, encrypted, until it is removed. */
      number: z.optional(text),
      added_at: integer,
      removed_at: integerOrNull,
    },
    {
      age: { group: undefined, score: 'added_at' },
      account: { group: 'account', score: 'added_at' },
    },
  ),
  /** Lists payments to accounts with a till, as long as those are stored. */
  takings: table(
    ['session'],
    {
      session: text,
      account: address,
      reference: textOrNull,
      accepted_at: integer,
      /** Holds the digits that caller and agent compare. */
      code: z.optional(text),
      /** Tells when the agent said that the cash was paid out, and in which session. */
      paid_out: z.optional(z.object({ at: integer, by: text })),
    },
    { account: { group: 'account', score: 'accepted_at' } },
  ),
  /** Stores each borrower's last loan, as the contract's events describe it. */
  loans: table(
    ['contract', 'borrower'],
    {
      ...mapNames(text, 'contract', 'listed'),
      borrower: address,
      state: z.enum(loanStates),
      ...mapNames(integer, 'issued_at', 'due_at', 'earlier'),
      ...mapNames(wei, 'lent', 'owed', 'repaid'),
    },
    { state: { group: 'listed', score: 'due_at' } },
  ),
  events: table(
    ['id'],
    {
      ...mapNames(text, 'id', 'account', 'name'),
      ...mapNames(integer, 'seq', 'at'),
      detail: z.record(text, text),
      /** Is the account until it was told. */
      waits: textOrNull,
    },
    {
      age: { group: undefined, score: 'at' },
      order: { group: undefined, score: 'seq' },
      waiting: { group: 'waits', score: 'seq' },
    },
  ),
  /** Lists the accounts with events to tell, and since when the oldest of each waits. */
  event_queues: table(
    ['account'],
    { account: text, ...mapNames(integer, 'due_at', 'attempts', 'since') },
    {
      due: { group: undefined, score: 'due_at' },
      since: { group: undefined, score: 'since' },
    },
  ),
  audit: table(
    ['id'],
    { ...mapNames(text, 'id', 'action'), at: integer, detail: z.record(text, text) },
    { age: { group: undefined, score: 'at' } },
  ),
}

export type KeptRow<Name extends keyof typeof keptTables> = RowIn<typeof keptTables, Name>

export type KeptDraft = Draft & Draft<typeof keptTables>

/** Is what a step works on that knows both sets of tables. */
export type Kept = StepContext & { rows: KeptDraft }
