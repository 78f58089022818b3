import type { Address, Hex } from 'viem'
import { reads, writes } from '../../relay/ledger/port.ts'
import { parts } from '../../relay/ledger/steps.ts'
import { recordAction } from './audit.ts'
import type { PagePosition } from './backup.ts'
import { findLoan } from './loans.ts'
import type { Kept, KeptDraft } from './tables.ts'
import { addTaking } from './takings.ts'
import { listAccountTills } from './tills.ts'

/** Asks for all that is stored about an account, and its loan of a contract. */
type PersonQuery = { account: Address; contract: Address; position: PagePosition }

/** Asks to erase an account. The search of past payments begins at `from`. */
type ErasureRequest = { id: string; account: Address; contract: Address; from: number }

function listReferences(
  rows: KeptDraft,
  { payments, archived }: ReturnType<typeof parts.readPerson>,
): { intent: Hex; reference: string }[] {
  const toReferences = (intent: Hex, reference: string | null | undefined) =>
    reference ? [{ intent, reference }] : []
  return [
    ...payments.flatMap(({ intentId }) => {
      const session = parts.findByIntent(rows, intentId)?.session ?? ''
      return toReferences(intentId, rows.row('takings', session)?.reference)
    }),
    ...archived.flatMap(({ intentId, acceptedAt }) =>
      toReferences(intentId, rows.row('history', intentId, acceptedAt)?.reference),
    ),
  ]
}

function readPerson(step: Kept, { account, contract, position }: PersonQuery) {
  const { rows } = step
  const isFirst = position.part === 0
  const page = parts.readPerson(step, account, position)
  const common = {
    ...page,
    payments: page.payments.map((trace) => addTaking(rows, trace)),
    archived: page.archived.map((record) => addTaking(rows, record)),
    references: listReferences(rows, page),
    tills: isFirst ? listAccountTills(rows, account) : [],
    loan: isFirst ? findLoan(rows, contract, account) : undefined,
  }
  if (page.next !== undefined) return { ...common, audit: [] }
  const { part, from } = position
  const { matches, nextScore } = parts.searchPage(
    (limit) => rows.list({ table: 'audit', list: 'age', from, limit }),
    'at',
    ({ detail }) => detail.account === account || detail.receiver === account,
  )
  const next = nextScore === undefined ? undefined : { part, from: nextScore }
  return { ...common, audit: matches, next }
}

function eraseAccount(step: Kept, { id, account, contract, from }: ErasureRequest) {
  const { rows } = step
  recordAction(rows, { id, action: 'erase', detail: { account } })
  const loan = findLoan(rows, contract, account)
  const isOwed = loan !== undefined && loan.owedWei > 0n
  if (!isOwed) rows.drop('loans', contract.toLowerCase(), account)
  const { gone, kept, next } = parts.eraseAccount(step, { account, from, keepsReminder: isOwed })
  return {
    gone: { ...gone, loans: loan !== undefined && !isOwed ? 1 : 0 },
    kept: { ...kept, loans: isOwed ? 1 : 0 },
    next,
  }
}

export const erasureSteps = {
  /** Returns a page of what is stored about an account: payments, sessions, history, then audit. */
  readPerson: reads(readPerson),
  /**
   * Deletes what is stored about an account, except what protects money. Sessions and payments stay
   * as long as usual, so that a redelivery is answered and pays nothing. After that, the history
   * holds the payments without the account. If `next` is set, another step begins there.
   */
  erase: writes(eraseAccount),
}
