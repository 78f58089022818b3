import type { Draft, StepContext } from '../draft.ts'
import { readEventCounts } from '../payments/counts.ts'
import { findCarrier, isCarriedBy, listTransactions } from '../payments/nonces.ts'
import { getPaymentRow } from '../payments/payment-states.ts'
import type { Identity } from '../port.ts'
import { checkIdentity } from '../records/identity.ts'
import { getTable, type Listing, type Row, schemaVersion, type tables, toRowName } from '../rows.ts'
import { phaseNames } from '../transitions.ts'
import type { ExportEntry, ExportHead, ExportPage, ExportPlace } from './export-format.ts'

/** Limits the rows of a page, unless more of them share one score. */
const pageRows = 50

type Found = { name: string; score: number; entry: ExportEntry | undefined }
type Part = (step: StepContext, from: number, limit: number) => Found[]

/** Reads one list, each row with its entry; undefined if not exported by itself. */
function createPart<Name extends keyof typeof tables>(
  toListing: (step: StepContext) => Pick<Listing<Name>, 'table' | 'list' | 'group'>,
  toEntry: (step: StepContext, row: Row<Name>) => ExportEntry | undefined,
): Part {
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

/** Exports a nonce with all that was signed for it. */
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

/** Tells whether the nonce is exported with the payments that it carries. */
const isCarrying = (rows: Draft, nonce: Row<'nonces'>): boolean =>
  nonce.sessions.some((session) => isCarriedBy(getPaymentRow(rows, session), nonce))

const exportLoneNonce = (step: StepContext, nonce: Row<'nonces'>): ExportEntry | undefined =>
  isCarrying(step.rows, nonce) ? undefined : exportNonce(step, nonce)

/** Orders the lists so that no change is missed meanwhile: a decided session keeps its place. */
const parts: readonly Part[] = [
  createPart<'sessions'>(() => ({ table: 'sessions', list: 'age' }), exportSession),
  // For payments whose session's row is lost.
  ...phaseNames.map((group) =>
    createPart<'payments'>(
      () => ({ table: 'payments', list: 'phase', group }),
      (at, payment) =>
        at.rows.row('sessions', payment.session) === undefined
          ? exportPayment(at, payment)
          : undefined,
    ),
  ),
  createPart<'nonces'>(
    ({ relayer }) => ({ table: 'nonces', list: 'number', group: relayer }),
    exportLoneNonce,
  ),
  createPart<'nonces'>(
    () => ({ table: 'nonces', list: 'phase', group: 'done' }),
    // For nonces of a former key.
    (at, nonce) => (nonce.relayer === at.relayer ? undefined : exportLoneNonce(at, nonce)),
  ),
  createPart<'history'>(
    () => ({ table: 'history', list: 'age' }),
    (_, history) => ({ history }),
  ),
  createPart<'audit'>(
    () => ({ table: 'audit', list: 'age' }),
    (_, audit) => ({ audit }),
  ),
  createPart<'shown'>(
    () => ({ table: 'shown', list: 'age' }),
    (_, shown) => ({ shown }),
  ),
  createPart<'aliases'>(
    () => ({ table: 'aliases', list: 'age' }),
    (_, alias) => ({ alias }),
  ),
  createPart<'holds'>(
    () => ({ table: 'holds', list: 'age' }),
    (_, hold) => ({ hold }),
  ),
  createPart<'tills'>(
    () => ({ table: 'tills', list: 'age' }),
    (_, till) => ({ till }),
  ),
]

export const partCount = parts.length

/** Returns a page of what a restore needs. */
export function exportPage(
  step: StepContext,
  identity: Identity,
  { part, from }: ExportPlace,
): ExportPage {
  const { rows } = step
  const same = checkIdentity(step, identity)
  if (same.kind === 'different') return same
  if (rows.row('meta', 'identity.chain') === undefined) return { kind: 'different', names: [] }
  const head = createHead(rows, identity)
  const list = parts[part]
  if (list === undefined) return { kind: 'page', head, entries: [], next: undefined }
  const { items, next: end } = readListPage(pageRows, (limit) => list(step, from, limit))
  const entries = items
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .flatMap(({ entry }) => entry ?? [])
  const follows = part + 1 < parts.length ? { part: part + 1, from: 0 } : undefined
  return { kind: 'page', head, entries, next: end === undefined ? follows : { part, from: end } }
}

/** Reads at least one score of a list; `next` is the next page's score, if there is one. */
export function readListPage<Item extends { score: number }>(
  rows: number,
  list: (limit: number) => Item[],
): { items: Item[]; next: number | undefined } {
  for (let limit = rows; ; limit *= 2) {
    const found = list(limit)
    const end = found.at(-1)?.score
    if (end === undefined || found.length < limit) return { items: found, next: undefined }
    const items = found.filter(({ score }) => score < end)
    if (items.length > 0) return { items, next: end }
  }
}

function createHead(rows: Draft, { chainId, fingerprints }: Identity): ExportHead {
  const known = rows.row('meta', 'head')
  const head = known && (JSON.parse(known.value) as { number: number; hash: string })
  return {
    ...{ format: 'ussd-relay-ledger', schema: schemaVersion, exportedAt: rows.now },
    ...{ chainId, fingerprints, counts: readEventCounts(rows) },
    head: head === undefined ? null : { number: head.number, hash: head.hash },
  }
}
