import type { ObstacleKind } from '../../refusal.ts'
import type { Draft } from '../draft.ts'
import { type MetaValue, readMeta, saveMeta } from '../meta.ts'

/** Tells whether a session is closed; `unsure`: it is not, as lost rows may have paid for it. */
type Refused = ({ kind: 'refused' } | { kind: 'unsure' }) & {
  /** Asks to log the obstacle: it is new, or was logged over a minute ago. */
  isNews?: true
}

/** Limits how often one obstacle is logged. */
const logIntervalMs = 60_000

export const readObstacle = (rows: Draft): MetaValue<'obstacle'> | undefined =>
  readMeta(rows, 'obstacle')

/** Records an obstacle. It is news if it differs from the last one, and once a minute. */
export function recordObstacle(rows: Draft, kind: ObstacleKind | undefined): Refused {
  if (kind === undefined) return { kind: 'refused' }
  const last = readObstacle(rows)
  const isSame = last?.kind === kind
  const isNews = !isSame || rows.now - last.toldAt >= logIntervalMs
  const toldAt = isNews ? rows.now : last.toldAt
  saveMeta(rows, 'obstacle', { kind, at: rows.now, toldAt } satisfies MetaValue<'obstacle'>)
  return isNews ? { kind: 'refused', isNews } : { kind: 'refused' }
}

/** Ends the obstacle, because a payment was accepted. */
export function endObstacle(rows: Draft): void {
  const last = readObstacle(rows)
  if (last !== undefined && last.endedAt === undefined) {
    saveMeta(rows, 'obstacle', { ...last, endedAt: rows.now })
  }
}
