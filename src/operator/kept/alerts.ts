import * as z from 'zod/mini'
import { readMetaAs, saveMetaAs } from '../../relay/ledger/meta.ts'
import { reads, writes } from '../../relay/ledger/port.ts'
import { steps } from '../../relay/ledger/steps.ts'
import { getRetryDelayMs } from '../../relay/ledger/values.ts'
import { readEventVitals } from './events.ts'
import type { Kept, KeptDraft, KeptRow } from './tables.ts'

type Finding = { name: string; says: string }

/** Tells when an alert was raised, and since when it is not found any more (Unix times in ms). */
export type ActiveAlert = z.infer<typeof savedAlerts>[number]

/** Reports that an alert was raised or cleared. Each attempt to deliver it has the same id. */
export type AlertNotice = ActiveAlert & { id: string; kind: 'raised' | 'cleared'; at: number }

const maxNoticeAgeMs = 30 * 24 * 60 * 60 * 1000

const savedAlerts = z.array(
  z.object({
    name: z.string(),
    says: z.string(),
    raisedAt: z.int(),
    calmSince: z.optional(z.int()),
  }),
)

const listAlerts = (rows: KeptDraft, name: 'alerts' | 'past_alerts'): ActiveAlert[] =>
  readMetaAs(rows, name, savedAlerts) ?? []

const maxPastAlerts = 50

/** Adds what is found now to alerts: new ones last, and since when the causes of others ended. */
export function mergeAlerts(
  before: readonly ActiveAlert[],
  findings: readonly Finding[],
  now: number,
): ActiveAlert[] {
  const continued = before.map((alert) => {
    const says = findings.find(({ name }) => name === alert.name)?.says
    return says === undefined
      ? { ...alert, calmSince: alert.calmSince ?? now }
      : { ...alert, says, calmSince: undefined }
  })
  const raised = findings.filter(({ name }) => before.every((alert) => alert.name !== name))
  return [...continued, ...raised.map(({ name, says }) => ({ name, says, raisedAt: now }))]
}

function recordAlerts(
  { rows, rules: { alertEndMs } }: Kept,
  findings: readonly Finding[],
  { mustNotify }: { mustNotify: boolean },
) {
  const before = listAlerts(rows, 'alerts')
  const merged = mergeAlerts(before, findings, rows.now)
  const raised = merged.slice(before.length)
  const isOver = ({ calmSince }: ActiveAlert) =>
    calmSince !== undefined && rows.now - calmSince >= alertEndMs
  const cleared = merged.filter(isOver)
  const after = JSON.stringify(merged.filter((alert) => !isOver(alert)))
  if (after !== JSON.stringify(before)) rows.put('meta', { name: 'alerts', value: after })
  if (cleared.length > 0) {
    saveMetaAs(
      rows,
      'past_alerts',
      [...cleared, ...listAlerts(rows, 'past_alerts')].slice(0, maxPastAlerts),
    )
  }
  if (mustNotify) {
    for (const alert of raised) saveNotice(rows, alert, 'raised')
    for (const alert of cleared) saveNotice(rows, alert, 'cleared')
  }
  return { raised, cleared }
}

function saveNotice(
  { now, put }: KeptDraft,
  { name, says, raisedAt }: ActiveAlert,
  kind: AlertNotice['kind'],
): void {
  const id = `${name}:${raisedAt}:${kind}`
  const times = { raised_at: raisedAt, at: now, due_at: now }
  put('notices', { id, name, kind, says, ...times, attempts: 0 })
}

function takeNotices({ rows }: Kept, limit: number): AlertNotice[] {
  const due = rows
    .list({ table: 'notices', list: 'due', limit })
    .filter(({ due_at }) => due_at <= rows.now)
  for (const row of due) {
    const attempts = row.attempts + 1
    if (rows.now - row.at > maxNoticeAgeMs) rows.drop('notices', row.id)
    else rows.put('notices', { ...row, attempts, due_at: rows.now + getRetryDelayMs(attempts) })
  }
  return due.map(toNotice)
}

function toNotice({ raised_at: raisedAt, ...row }: KeptRow<'notices'>): AlertNotice {
  const { due_at: _, attempts: __, ...notice } = row
  return { ...notice, raisedAt }
}

export const alertSteps = {
  /** Adds to the ledger's vitals the alerts, and when the next notice is due. */
  readVitals: writes((step: Kept, asked?: Parameters<typeof steps.readVitals>[1]) => {
    const [next] = step.rows.list({ table: 'notices', list: 'due', limit: 1 })
    const alerts = listAlerts(step.rows, 'alerts')
    const told = { alerts, nextNoticeAt: next?.due_at, ...readEventVitals(step) }
    return { ...steps.readVitals(step, asked), ...told }
  }),
  listPastAlerts: reads(({ rows }: Kept) => listAlerts(rows, 'past_alerts')),
  /**
   * Raises alerts for new findings, and clears those that were not found for some time. With
   * `mustNotify` it stores a notice of each for delivery.
   */
  recordAlerts: writes(recordAlerts),
  /** Takes due notices; each is due again later, until it is deleted. */
  takeNotices: writes(takeNotices),
  deleteNotice: writes(({ rows }: Kept, id: string) => rows.drop('notices', id)),
}
