import type { Draft, StepContext } from '../draft.ts'
import { readEventCounts } from '../payments/counts.ts'
import { findCarrier, isCarriedBy, listTransactions } from '../payments/nonces.ts'
import { getPaymentRow } from '../payments/payment-states.ts'
import type { Identity } from '../port.ts'
import { checkIdentity } from '../records/identity.ts'
import { getTable, type Listing, type Row, schemaVersion, type tables, toRowName } from '../rows.ts'
import { phaseNames } from '../transitions.ts'
import type { ExportEntry, ExportHead, ExportPage, ExportPlace } from './export-format.ts'

/** Sets the rows of a page; more of them if they have the same score. */
const minPageRows = 50

/** Holds a row's name, its score in the list, and its entry; undefined if another entry has it. */
type ListedEntry = { name: string; score: number; entry: ExportEntry | undefined }
/** Reads one of the lists that are exported one after the other. */
type ExportList = (step: StepContext, from: number, limit: number) => ListedEntry[]

function createExportList<Name extends keyof typeof tables>(
  toListing: (step: StepContext) => Pick<Listing<Name>, 'table' | 'list' | 'group'>,
  toEntry: (step: StepContext, row: Row<Name>) => ExportEntry | undefined,
): ExportList {
  return (step, from, limit) => {
    const listing = toListing(step)
    const { key, lists } = getTable(listing.table)
    const score = lists[listing.list]?.score ?? ''
    return step.rows.list<Name>({ ...listing, from, limit }).map((row) => {
      const cells = row as Readonly<Record<string, string | number>>
      const name = toRowName(
        listing.table,
        key.map((column) => cells[column] ?? ''),
      )
      return { name, score: Number(cells[score]), entry: toEntry(step, row) }
    })
  }
}

/** Exports a nonce with all transactions that were signed for it. */
function exportNonce({ rows }: StepContext, nonce: Row<'nonces'> | undefined): ExportEntry {
  if (nonce === undefined) return {}
  const transactions = listTransactions(nonce).flatMap(
    ({ hash }) => rows.row('transactions', hash) ?? [],
  )
  return { nonce, transactions }
}

const exportPayment = (step: StepContext, payment: Row<'payments'>): ExportEntry => {
  const taking = step.rows.row('takings', payment.session)
  return {
    payment,
    ...exportNonce(step, findCarrier(step.rows, payment)),
    ...(taking && { taking }),
  }
}

function exportSession(step: StepContext, session: Row<'sessions'>): ExportEntry {
  const payment = getPaymentRow(step.rows, session.session)
  return { session, ...(payment && exportPayment(step, payment)) }
}

/** Tells whether a nonce carries a payment, whose entry has it then. */
const isCarrying = (rows: Draft, nonce: Row<'nonces'>): boolean =>
  nonce.sessions.some((session) => isCarriedBy(getPaymentRow(rows, session), nonce))

const exportLoneNonce = (step: StepContext, nonce: Row<'nonces'>): ExportEntry | undefined =>
  isCarrying(step.rows, nonce) ? undefined : exportNonce(step, nonce)

/** Lists sessions first, by the time of decision: one that changes meanwhile keeps its place. */
const exportLists: readonly ExportList[] = [
  createExportList<'sessions'>(() => ({ table: 'sessions', list: 'age' }), exportSession),
  // For payments whose session's row is lost.
  ...phaseNames.map((group) =>
    createExportList<'payments'>(
      () => ({ table: 'payments', list: 'phase', group }),
      (step, payment) =>
        step.rows.row('sessions', payment.session) === undefined
          ? exportPayment(step, payment)
          : undefined,
    ),
  ),
  createExportList<'nonces'>(
    ({ relayer }) => ({ table: 'nonces', list: 'number', group: relayer }),
    exportLoneNonce,
  ),
  createExportList<'nonces'>(
    () => ({ table: 'nonces', list: 'phase', group: 'done' }),
    // For nonces of a former key.
    (step, nonce) => (nonce.relayer === step.relayer ? undefined : exportLoneNonce(step, nonce)),
  ),
  createExportList<'history'>(
    () => ({ table: 'history', list: 'age' }),
    (_, history) => ({ history }),
  ),
  createExportList<'audit'>(
    () => ({ table: 'audit', list: 'age' }),
    (_, audit) => ({ audit }),
  ),
  createExportList<'shown'>(
    () => ({ table: 'shown', list: 'age' }),
    (_, shown) => ({ shown }),
  ),
  createExportList<'aliases'>(
    () => ({ table: 'aliases', list: 'age' }),
    (_, alias) => ({ alias }),
  ),
  createExportList<'holds'>(
    () => ({ table: 'holds', list: 'age' }),
    (_, hold) => ({ hold }),
  ),
  createExportList<'tills'>(
    () => ({ table: 'tills', list: 'age' }),
    (_, till) => ({ till }),
  ),
]

export const exportListCount = exportLists.length

/** Returns a page of what a restore needs. */
export function exportPage(
  step: StepContext,
  identity: Identity,
  { part: listIndex, from }: ExportPlace,
): ExportPage {
  const { rows } = step
  const identityCheck = checkIdentity(step, identity)
  if (identityCheck.kind === 'different') return identityCheck
  if (rows.row('meta', 'identity.chain') === undefined) return { kind: 'different', names: [] }
  const head = createExportHead(rows, identity)
  const readList = exportLists[listIndex]
  if (readList === undefined) return { kind: 'page', head, entries: [], next: undefined }
  const { items, next } = readScoresPage(minPageRows, (limit) => readList(step, from, limit))
  const entries = items
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .flatMap(({ entry }) => entry ?? [])
  if (next !== undefined)
    return { kind: 'page', head, entries, next: { part: listIndex, from: next } }
  const isLastList = listIndex + 1 === exportLists.length
  const nextList = isLastList ? undefined : { part: listIndex + 1, from: 0 }
  return { kind: 'page', head, entries, next: nextList }
}

/**
 * Reads a page of a list: all rows of at least one score, because the next page begins at the next
 * score. That is `next`, unless the list ends.
 */
export function readScoresPage<Item extends { score: number }>(
  minItems: number,
  readList: (limit: number) => Item[],
): { items: Item[]; next: number | undefined } {
  for (let limit = minItems; ; limit *= 2) {
    const items = readList(limit)
    const lastScore = items.at(-1)?.score
    if (lastScore === undefined || items.length < limit) return { items, next: undefined }
    const complete = items.filter(({ score }) => score < lastScore)
    if (complete.length > 0) return { items: complete, next: lastScore }
  }
}

function createExportHead(rows: Draft, { chainId, fingerprints }: Identity): ExportHead {
  const stored = rows.row('meta', 'head')
  const head = stored && (JSON.parse(stored.value) as { number: number; hash: string })
  return {
    format: 'ussd-relay-ledger',
    schema: schemaVersion,
    exportedAt: rows.now,
    chainId,
    fingerprints,
    counts: readEventCounts(rows),
    head: head === undefined ? null : { number: head.number, hash: head.hash },
  }
}
