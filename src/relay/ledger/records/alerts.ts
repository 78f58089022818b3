import type { Draft } from '../draft.ts'
import type { ActiveAlert, AlertChange, AlertNotice, Finding } from '../port.ts'
import type { Row } from '../rows.ts'

/** Delays the next attempt at a notice, doubling each time up to the longest. */
const againMs = 30_000
const longestAgainMs = 3_600_000
/** Limits how long an undelivered notice is kept. */
const noticeMs = 30 * 24 * 60 * 60 * 1000

export function activeAlerts(rows: Draft): readonly ActiveAlert[] {
  const known = rows.row('meta', 'alerts')
  return known === undefined ? [] : (JSON.parse(known.value) as ActiveAlert[])
}

const mostPast = 50

/** Returns the last cleared alerts, the latest first. */
export function pastAlerts(rows: Draft): ActiveAlert[] {
  const known = rows.row('meta', 'past_alerts')
  return known === undefined ? [] : (JSON.parse(known.value) as ActiveAlert[])
}

/** Raises new findings, clears those not found for `alertEndMs`, and stores a notice of each. */
export function noteAlerts(
  rows: Draft,
  found: readonly Finding[],
  { isTold, alertEndMs }: { isTold: boolean; alertEndMs: number },
): AlertChange {
  const before = activeAlerts(rows)
  const isFound = ({ name }: Finding) => found.some((one) => one.name === name)
  const raised = found
    .filter(({ name }) => before.every((one) => one.name !== name))
    .map(({ name, says }) => ({ name, says, raisedAt: rows.now }))
  const [continued, cleared] = [[] as ActiveAlert[], [] as ActiveAlert[]]
  for (const alert of before) {
    const { calmSince = rows.now } = alert
    const says = found.find(({ name }) => name === alert.name)?.says ?? alert.says
    if (isFound(alert)) continued.push({ ...alert, says, calmSince: undefined })
    else if (rows.now - calmSince >= alertEndMs) cleared.push(alert)
    else continued.push({ ...alert, calmSince })
  }
  const after = JSON.stringify([...continued, ...raised])
  if (after !== JSON.stringify(before)) rows.put('meta', { name: 'alerts', value: after })
  if (cleared.length > 0) {
    const past = [...cleared, ...pastAlerts(rows)].slice(0, mostPast)
    rows.put('meta', { name: 'past_alerts', value: JSON.stringify(past) })
  }
  if (isTold) {
    for (const alert of raised) notice(rows, alert, 'raised')
    for (const alert of cleared) notice(rows, alert, 'cleared')
  }
  return { raised, cleared }
}

function notice(
  { now, put }: Draft,
  { name, says, raisedAt }: ActiveAlert,
  kind: AlertNotice['kind'],
): void {
  const id = `${name}:${raisedAt}:${kind}`
  put('notices', {
    ...{ id, name, kind, says },
    ...{ raised_at: raisedAt, at: now, due_at: now, attempts: 0 },
  })
}

/** Takes due notices: no other process gets them until they are due again. */
export function takeNotices(rows: Draft, limit: number): AlertNotice[] {
  const due = rows
    .list({ table: 'notices', list: 'due', limit })
    .filter(({ due_at }) => due_at <= rows.now)
  for (const row of due) {
    const attempts = row.attempts + 1
    const pauseMs = Math.min(longestAgainMs, againMs * 2 ** row.attempts)
    if (rows.now - row.at > noticeMs) rows.drop('notices', row.id)
    else rows.put('notices', { ...row, attempts, due_at: rows.now + pauseMs })
  }
  return due.map(toNotice)
}

const toNotice = ({ id, name, kind, says, raised_at, at }: Row<'notices'>): AlertNotice => ({
  ...{ id, name, kind, says },
  ...{ raisedAt: raised_at, at },
})
