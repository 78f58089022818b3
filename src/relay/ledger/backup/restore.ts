import type { Draft, StepContext } from '../draft.ts'
import { addTransaction } from '../payments/clues.ts'
import { readEventCounts } from '../payments/counts.ts'
import { saveNonce } from '../payments/nonces.ts'
import { getPaymentRow, savePayment } from '../payments/payment-states.ts'
import { readRelayerTotals } from '../payments/relayer-totals.ts'
import type { Identity, RestoreAnswer, RestoreBegun, RestoreRequest } from '../port.ts'
import { readFollowedBlocks, saveHead } from '../records/chain.ts'
import { identify, isAnythingOpen } from '../records/identity.ts'
import { readIntake, recordAction, saveIntake } from '../records/operations.ts'
import { type Row, schemaVersion, type TableName, toKey } from '../rows.ts'
import { phaseRules } from '../transitions.ts'
import type { ExportEntry, ExportHead } from './export-format.ts'

/** Begins a restore. Until it ends no session is decided, because a later entry may decide it. */
export function beginRestore(
  step: StepContext,
  { id, head, identity, adds: mayAddToUsed }: RestoreRequest,
): RestoreBegun {
  const { rows } = step
  const { exportedAt } = head
  if (head.schema !== schemaVersion) return { kind: 'other_schema', schema: schemaVersion }
  const names = listDifferences(head, identity)
  if (names.length > 0) return { kind: 'other_ledger', names }
  const intake = readIntake(rows)
  if (intake.kind === 'restoring') {
    return { kind: intake.exportedAt === exportedAt ? 'begun' : 'other_restore' }
  }
  const isOpen = isAnythingOpen(step)
  const isNewer = hasSessionAfter(rows, exportedAt)
  if (!mayAddToUsed && (isOpen || isNewer)) return { kind: 'in_use', isOpen, isNewer }
  const identified = identify(step, identity)
  if (identified.kind === 'different') return { kind: 'other_ledger', names: identified.names }
  saveIntake(rows, { kind: 'restoring', since: rows.now, exportedAt, after: intake.kind })
  const detail = { exportedAt: new Date(exportedAt).toISOString() }
  recordAction(rows, { id, action: 'restore', detail })
  restoreCounts(rows, head.counts)
  restoreHead(step, head.head)
  return { kind: 'begun' }
}

/** Names the values that differ: the export is of another deployment, or a key has changed. */
function listDifferences(head: ExportHead, { chainId, fingerprints }: Identity): string[] {
  type Values = Readonly<Record<string, string>>
  const exported: Values = { chain: `${head.chainId}`, ...head.fingerprints }
  const present: Values = { chain: `${chainId}`, ...fingerprints }
  const names = new Set([...Object.keys(exported), ...Object.keys(present)])
  return [...names].filter((name) => exported[name] !== present[name])
}

function hasSessionAfter(rows: Draft, time: number): boolean {
  const [last] = rows.list({ table: 'sessions', list: 'age', newest: true, limit: 1 })
  return last !== undefined && last.decided_at > time
}

/** Takes the higher of two counts, so that restoring twice counts once. */
function restoreCounts(rows: Draft, exported: ExportHead['counts']): void {
  const counts = { ...readEventCounts(rows) }
  for (const [name, count] of Object.entries(exported)) {
    counts[name] = Math.max(counts[name] ?? 0, count)
  }
  rows.put('meta', { name: 'counts', value: JSON.stringify(counts) })
}

/** Sets the last followed block back to the export's, so that rounds read later blocks again. */
function restoreHead(step: StepContext, exported: ExportHead['head']): void {
  const { head: present } = readFollowedBlocks(step)
  if (exported === null || (present !== undefined && present.number < exported.number)) return
  saveHead(step.rows, exported)
}

/** Adds the rows that are missing. A second call with the same entries changes nothing. */
export function restore(
  step: StepContext,
  exportedAt: number,
  entries: readonly ExportEntry[],
): RestoreAnswer {
  const { rows } = step
  const intake = readIntake(rows)
  if (intake.kind !== 'restoring' || intake.exportedAt !== exportedAt) return { kind: 'not_begun' }
  // Lost totals are counted again before the rows of entries change them.
  const relayers = entries.flatMap(({ nonce }) => nonce?.relayer ?? [])
  for (const relayer of new Set([step.relayer, ...relayers])) {
    addIfMissing(rows, 'relayers', readRelayerTotals(rows, relayer))
  }
  const added = entries.filter((entry) => restoreEntry(rows, entry)).length
  return { kind: 'restored', added, kept: entries.length - added }
}

/** Ends a restore, and sets the intake to what it was before. */
export function endRestore({ rows }: StepContext, exportedAt: number): RestoreAnswer {
  const intake = readIntake(rows)
  if (intake.kind !== 'restoring' || intake.exportedAt !== exportedAt) return { kind: 'not_begun' }
  const { after } = intake
  saveIntake(rows, after === 'open' ? { kind: 'open' } : { kind: after, since: rows.now })
  return { kind: 'restored', added: 0, kept: 0 }
}

/** Adds an entry's rows, unless the ledger has them. Tells whether it added any. */
function restoreEntry(rows: Draft, entry: ExportEntry): boolean {
  const { session, payment, nonce, history, audit, shown, alias, hold, till, taking } = entry
  if (history !== undefined) return addIfMissing(rows, 'history', history)
  if (audit !== undefined) return addIfMissing(rows, 'audit', audit)
  if (shown !== undefined) return addIfMissing(rows, 'shown', shown)
  if (alias !== undefined) return addIfMissing(rows, 'aliases', alias)
  if (hold !== undefined) return addIfMissing(rows, 'holds', hold)
  if (till !== undefined) return addIfMissing(rows, 'tills', till)
  if (session === undefined && payment === undefined) return restoreNonce(rows, entry)
  if (isSessionKnown(rows, entry)) return false
  if (session !== undefined) rows.put('sessions', session)
  if (taking !== undefined) rows.put('takings', taking)
  if (payment !== undefined) restorePayment(rows, payment)
  // If the ledger uses the nonce for other payments, a round finds another one for this payment.
  if (nonce !== undefined) restoreNonce(rows, entry)
  return true
}

function addIfMissing<Name extends TableName>(rows: Draft, table: Name, row: Row<Name>): boolean {
  if (rows.row(table, ...toKey(table, row)) !== undefined) return false
  rows.put(table, row)
  return true
}

/** Tells whether the ledger has decided the entry's session, or has a payment of its intent. */
function isSessionKnown(rows: Draft, { session, payment }: ExportEntry): boolean {
  const name = session?.session ?? payment?.session ?? ''
  const intent = payment && rows.row('intents', payment.intent_id)
  return (
    rows.row('sessions', name) !== undefined ||
    [name, intent?.session].some((known) => getPaymentRow(rows, known) !== undefined)
  )
}

/** Restores a payment. A waiting one counts as attempted: rounds check whether it was paid. */
function restorePayment(rows: Draft, payment: Row<'payments'>): void {
  const { intent_id, session, phase } = payment
  const minAttempts = phaseRules[phase].needsNonce ? 1 : 0
  rows.put('intents', { intent_id, session })
  const attempts = Math.max(minAttempts, payment.attempts)
  savePayment(rows, undefined, { ...payment, attempts })
}

function restoreNonce(rows: Draft, { nonce, transactions = [] }: ExportEntry): boolean {
  if (nonce === undefined) return false
  if (rows.row('nonces', nonce.relayer, nonce.nonce) !== undefined) return false
  saveNonce(rows, nonce)
  for (const transaction of transactions) {
    // It may have left after the export.
    const sent_at = transaction.sent_at ?? transaction.recorded_at
    addTransaction(rows, { ...transaction, sent_at })
  }
  return true
}
