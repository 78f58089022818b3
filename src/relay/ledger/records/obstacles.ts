import type { ObstacleKind } from '../../refusal.ts'
import type { Draft } from '../draft.ts'
import type { RecordedObstacle, Refused } from '../port.ts'

/** Limits how often one obstacle is logged. */
const logIntervalMs = 60_000

/** Returns the last obstacle, if there was one. */
export function readObstacle(rows: Draft): RecordedObstacle | undefined {
  const row = rows.row('meta', 'obstacle')
  return row && (JSON.parse(row.value) as RecordedObstacle)
}

const saveObstacle = (rows: Draft, obstacle: RecordedObstacle): void =>
  rows.put('meta', { name: 'obstacle', value: JSON.stringify(obstacle) })

/** Records an obstacle. It is news if it differs from the last one, and once a minute. */
export function recordObstacle(rows: Draft, kind: ObstacleKind | undefined): Refused {
  if (kind === undefined) return { kind: 'refused' }
  const last = readObstacle(rows)
  const isSame = last?.kind === kind
  const isNews = !isSame || rows.now - last.toldAt >= logIntervalMs
  saveObstacle(rows, { kind, at: rows.now, toldAt: isNews ? rows.now : last.toldAt })
  return isNews ? { kind: 'refused', isNews } : { kind: 'refused' }
}

/** Ends the obstacle, because a payment was accepted. */
export function endObstacle(rows: Draft): void {
  const last = readObstacle(rows)
  if (last !== undefined && last.endedAt === undefined) {
    saveObstacle(rows, { ...last, endedAt: rows.now })
  }
}
