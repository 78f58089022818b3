import type { ObstacleKind } from '../../refusal.ts'
import type { Draft } from '../draft.ts'
import type { NotedObstacle, Refused } from '../port.ts'

/** Limits how often one obstacle is logged. */
const obstacleMs = 60_000

/** Returns the last obstacle, if there was one. */
export function readObstacle(rows: Draft): NotedObstacle | undefined {
  const row = rows.row('meta', 'obstacle')
  return row && (JSON.parse(row.value) as NotedObstacle)
}

const saveObstacle = (rows: Draft, noted: NotedObstacle): void =>
  rows.put('meta', { name: 'obstacle', value: JSON.stringify(noted) })

/** Records an obstacle; it is news if it is another one, and once a minute. */
export function noteObstacle(rows: Draft, kind: ObstacleKind | undefined): Refused {
  if (kind === undefined) return { kind: 'refused' }
  const last = readObstacle(rows)
  const isSame = last?.kind === kind
  const isNews = !isSame || rows.now - last.toldAt >= obstacleMs
  saveObstacle(rows, { kind, at: rows.now, toldAt: isNews ? rows.now : last.toldAt })
  return isNews ? { kind: 'refused', isNews } : { kind: 'refused' }
}

/** Records that a payment was accepted, which ends the obstacle. */
export function endObstacle(rows: Draft): void {
  const last = readObstacle(rows)
  if (last !== undefined && last.endedAt === undefined) {
    saveObstacle(rows, { ...last, endedAt: rows.now })
  }
}
