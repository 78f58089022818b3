import type { Draft, StepContext } from '../draft.ts'
import { readMeta } from '../meta.ts'
import { readEventCounts } from '../payments/counts.ts'
import { findCarrier, isCarriedBy, listTransactionRows } from '../payments/nonces.ts'
import { getPaymentRow } from '../payments/payment-states.ts'
import type { Identity } from '../port.ts'
import { checkIdentity } from '../records/identity.ts'
import {
  getScore,
  type Listing,
  type Row,
  schemaVersion,
  type TableName,
  toKey,
  toRowName,
} from '../rows.ts'
import { phaseNames } from '../transitions.ts'
import type { ExportEntry, ExportHead, ExportPage, ExportPosition } from './export-format.ts'
import { readScorePage } from './score-page.ts'

/** Sets how many rows a page reads at first. It reads more if all of them have one score. */
const initialLimit = 50

/** Holds a row with its sort score. `entry` is undefined if another entry contains the row. */
type ListedRow = { name: string; score: number; entry: ExportEntry | undefined }

/** Reads the rows of a list from a score on, the lowest score first. */
type ListReader = (step: StepContext, from: number, limit: number) => ListedRow[]

/** Selects a list of a table, or one group of it. */
type ListSelection<Name extends TableName> = { table: Name; list: string; group?: string }

function createListReader<Name extends TableName>(
  selectList: (step: StepContext) => ListSelection<Name>,
  toEntry: (row: Row<Name>, step: StepContext) => ExportEntry | undefined,
): ListReader {
  return (step, from, limit) => {
    const selection = selectList(step)
    const { table, list } = selection
    const listing = { ...selection, from, limit } as Listing<Name>
    return step.rows.list(listing).map((row) => ({
      name: toRowName(table, toKey(table, row)),
      score: getScore(table, list, row),
      entry: toEntry(row, step),
    }))
  }
}

const createTableReader = <Name extends TableName>(
  table: Name,
  toEntry: (row: Row<Name>, step: StepContext) => ExportEntry | undefined,
): ListReader => createListReader<Name>(() => ({ table, list: 'age' }), toEntry)

/** Exports a nonce with all transactions that were signed for it. */
function exportNonce(nonce: Row<'nonces'> | undefined, { rows }: StepContext): ExportEntry {
  return nonce === undefined ? {} : { nonce, transactions: listTransactionRows(rows, nonce) }
}

/** Exports a nonce, unless it carries a payment: that payment's entry has the nonce already. */
function exportEmptyNonce(nonce: Row<'nonces'>, step: StepContext): ExportEntry | undefined {
  const hasPayment = nonce.sessions.some((session) =>
    isCarriedBy(getPaymentRow(step.rows, session), nonce),
  )
  return hasPayment ? undefined : exportNonce(nonce, step)
}

/** Exports a payment with the nonce that carries it, and with the row of the till that it paid. */
function exportPayment(payment: Row<'payments'>, step: StepContext): ExportEntry {
  const taking = step.rows.row('takings', payment.session)
  const nonceEntry = exportNonce(findCarrier(step.rows, payment), step)
  return { payment, ...nonceEntry, ...(taking && { taking }) }
}

function exportSession(session: Row<'sessions'>, step: StepContext): ExportEntry {
  const payment = getPaymentRow(step.rows, session.session)
  return { session, ...(payment && exportPayment(payment, step)) }
}

/** Lists what is exported. Sessions are first: their order never changes, so none is missed. */
const listReaders: readonly ListReader[] = [
  createTableReader('sessions', exportSession),
  // These payments have lost the row of their session.
  ...phaseNames.map((group) =>
    createListReader<'payments'>(
      () => ({ table: 'payments', list: 'phase', group }),
      (payment, step) => {
        const session = step.rows.row('sessions', payment.session)
        return session === undefined ? exportPayment(payment, step) : undefined
      },
    ),
  ),
  createListReader<'nonces'>(
    ({ relayer }) => ({ table: 'nonces', list: 'number', group: relayer }),
    exportEmptyNonce,
  ),
  // These nonces belong to a former key of the relayer.
  createListReader<'nonces'>(
    () => ({ table: 'nonces', list: 'phase', group: 'done' }),
    (nonce, step) => (nonce.relayer === step.relayer ? undefined : exportEmptyNonce(nonce, step)),
  ),
  createTableReader('history', (history) => ({ history })),
  createTableReader('audit', (audit) => ({ audit })),
  // `shown` has values that sessions stored, `holds` accounts that an operator holds.
  createTableReader('shown', (shown) => ({ shown })),
  createTableReader('aliases', (alias) => ({ alias })),
  createTableReader('holds', (hold) => ({ hold })),
  createTableReader('tills', (till) => ({ till })),
]

export const exportListCount = listReaders.length

/** Returns a page of what a restore needs. */
export function exportPage(
  step: StepContext,
  identity: Identity,
  { part: listIndex, from }: ExportPosition,
): ExportPage {
  const { rows } = step
  const identityCheck = checkIdentity(step, identity)
  if (identityCheck.kind === 'different')
    return { kind: 'other_ledger', names: identityCheck.names }
  if (rows.row('meta', 'identity.chain') === undefined) return { kind: 'unused_ledger' }
  const head = createExportHead(rows, identity)
  const readList = listReaders[listIndex]
  if (readList === undefined) return { kind: 'page', head, entries: [], next: undefined }
  const { items, nextScore } = readScorePage(initialLimit, (limit) => readList(step, from, limit))
  // Each kind of database orders rows of equal score differently, so they are sorted here.
  const entries = items
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .flatMap(({ entry }) => entry ?? [])
  const hasNextList = listIndex + 1 < listReaders.length
  const nextList = hasNextList ? { part: listIndex + 1, from: 0 } : undefined
  const next = nextScore === undefined ? nextList : { part: listIndex, from: nextScore }
  return { kind: 'page', head, entries, next }
}

function createExportHead(rows: Draft, { chainId, fingerprints }: Identity): ExportHead {
  const head = readMeta(rows, 'head')
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
