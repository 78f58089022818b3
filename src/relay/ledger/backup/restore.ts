import type { Draft, StepContext } from '../draft.ts'
import { readEventCounts } from '../payments/counts.ts'
import { readRelayer, saveNonce } from '../payments/nonces.ts'
import { getPaymentRow, savePayment } from '../payments/payment-states.ts'
import type { RestoreAnswer, RestoreBegun, RestoreRequest } from '../port.ts'
import { readFollowedBlocks, saveHead } from '../records/chain.ts'
import { identify, isAnythingOpen } from '../records/identity.ts'
import { readIntake, recordAction, saveIntake } from '../records/operations.ts'
import { isHeld } from '../records/standing.ts'
import { type Row, schemaVersion } from '../rows.ts'
import { phaseRules } from '../transitions.ts'
import type { ExportEntry, ExportHead } from './export-format.ts'

/** Begins a restore. Until its end no session is decided, because a later entry may decide it. */
export function beginRestore(
  step: StepContext,
  { id, head, identity, adds }: RestoreRequest,
): RestoreBegun {
  const { rows } = step
  if (head.schema !== schemaVersion) return { kind: 'other_schema', schema: schemaVersion }
  const names = listDifferences(head, identity)
  if (names.length > 0) return { kind: 'other_ledger', names }
  const intake = readIntake(rows)
  if (intake.kind === 'restoring') {
    return { kind: intake.exportedAt === head.exportedAt ? 'begun' : 'other_restore' }
  }
  const [isOpen, isNewer] = [isAnythingOpen(step), isNewerThan(rows, head.exportedAt)]
  if (!adds && (isOpen || isNewer)) return { kind: 'in_use', isOpen, isNewer }
  const identified = identify(step, identity)
  if (identified.kind === 'different') return { kind: 'other_ledger', names: identified.names }
  const { exportedAt } = head
  saveIntake(rows, { kind: 'restoring', since: rows.now, exportedAt, after: intake.kind })
  const detail = { exportedAt: new Date(exportedAt).toISOString() }
  recordAction(rows, { id, action: 'restore', detail })
  restoreCounts(rows, head)
  // The restored rows were checked against no later block than the export's.
  const { head: lastHead } = readFollowedBlocks(step)
  const exportedHead = head.head
  if (exportedHead !== null && (lastHead?.number ?? exportedHead.number) >= exportedHead.number) {
    saveHead(rows, exportedHead)
  }
  return { kind: 'begun' }
}

/** Names what differs if the export is of another deployment, or from before a key changed. */
function listDifferences(
  head: ExportHead,
  { chainId, fingerprints }: RestoreRequest['identity'],
): string[] {
  type Values = Readonly<Record<string, string>>
  const exported: Values = { chain: `${head.chainId}`, ...head.fingerprints }
  const present: Values = { chain: `${chainId}`, ...fingerprints }
  const names = new Set([...Object.keys(exported), ...Object.keys(present)])
  return [...names].filter((name) => exported[name] !== present[name])
}

function isNewerThan(rows: Draft, exportedAt: number): boolean {
  const [last] = rows.list({ table: 'sessions', list: 'age', newest: true, limit: 1 })
  return last !== undefined && last.decided_at > exportedAt
}

/** Takes the higher of two counts, so that restoring twice counts once. */
function restoreCounts(rows: Draft, { counts: exported }: ExportHead): void {
  const counts = { ...readEventCounts(rows) }
  for (const [name, times] of Object.entries(exported)) {
    counts[name] = Math.max(counts[name] ?? 0, times)
  }
  rows.put('meta', { name: 'counts', value: JSON.stringify(counts) })
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
  // Lost totals are counted again before anything is added to them.
  const relayers = entries.flatMap(({ nonce }) => nonce?.relayer ?? [])
  for (const relayer of new Set([step.relayer, ...relayers])) {
    if (rows.row('relayers', relayer) === undefined)
      rows.put('relayers', readRelayer(rows, relayer))
  }
  const added = entries.filter((entry) => restoreEntry(rows, entry)).length
  return { kind: 'restored', added, kept: entries.length - added }
}

/** Ends a restore, and sets the intake to what it was before. */
export function endRestore({ rows }: StepContext, exportedAt: number): RestoreAnswer {
  const intake = readIntake(rows)
  if (intake.kind !== 'restoring' || intake.exportedAt !== exportedAt) return { kind: 'not_begun' }
  saveIntake(
    rows,
    intake.after === 'open' ? { kind: 'open' } : { kind: intake.after, since: rows.now },
  )
  return { kind: 'restored', added: 0, kept: 0 }
}

function restoreEntry(rows: Draft, entry: ExportEntry): boolean {
  const { session, payment, nonce, history, audit, shown, alias, hold, till, taking } = entry
  if (history !== undefined && !isArchived(rows, history)) {
    rows.put('history', history)
    return true
  }
  if (audit !== undefined && rows.row('audit', audit.id) === undefined) {
    rows.put('audit', audit)
    return true
  }
  if (shown !== undefined) return restoreShown(rows, shown)
  if (alias !== undefined && rows.row('aliases', alias.account) === undefined) {
    rows.put('aliases', alias)
    return true
  }
  if (hold !== undefined && !isHeld(rows, hold.account)) {
    rows.put('holds', hold)
    return true
  }
  if (till !== undefined && rows.row('tills', till.till) === undefined) {
    rows.put('tills', till)
    return true
  }
  if (session === undefined && payment === undefined) return restoreNonce(rows, entry)
  if (isSessionKnown(rows, entry)) return false
  if (session !== undefined) rows.put('sessions', session)
  if (payment !== undefined) restorePayment(rows, payment)
  if (taking !== undefined) rows.put('takings', taking)
  // If the nonce carries other payments here, a round assigns another nonce to this one.
  if (nonce !== undefined) restoreNonce(rows, entry)
  return true
}

function restoreShown(rows: Draft, shown: Row<'shown'>): boolean {
  if (rows.row('shown', shown.session, shown.step, shown.name) !== undefined) return false
  rows.put('shown', shown)
  return true
}

const isArchived = (rows: Draft, { intent_id, accepted_at }: Row<'history'>): boolean =>
  rows.row('history', intent_id, accepted_at) !== undefined

/** Tells whether this ledger has decided the entry's session, or knows its intent. */
function isSessionKnown(rows: Draft, { session, payment }: ExportEntry): boolean {
  const name = session?.session ?? payment?.session ?? ''
  const isAnswered = rows.row('sessions', name) !== undefined
  const intent = payment && rows.row('intents', payment.intent_id)
  return (
    [getPaymentRow(rows, name), getPaymentRow(rows, intent?.session)].some(Boolean) || isAnswered
  )
}

/** Restores a payment. One that waits counts an attempt: rounds then check its intent first. */
function restorePayment(rows: Draft, payment: Row<'payments'>): void {
  const { intent_id, session, phase, attempts } = payment
  rows.put('intents', { intent_id, session })
  savePayment(rows, undefined, {
    ...payment,
    attempts: phaseRules[phase].needsNonce ? Math.max(1, attempts) : attempts,
  })
}

function restoreNonce(rows: Draft, { nonce, transactions = [] }: ExportEntry): boolean {
  if (nonce === undefined) return false
  if (rows.row('nonces', nonce.relayer, nonce.nonce) !== undefined) return false
  saveNonce(rows, nonce)
  for (const transaction of transactions) rows.put('transactions', transaction)
  return true
}
