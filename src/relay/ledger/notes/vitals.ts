import type { At, Draft } from '../draft.ts'
import { countsOf } from '../life/counts.ts'
import { carriedBy, nextNonce, openNonces, relayerOf } from '../life/nonces.ts'
import { paymentsIn } from '../life/payments.ts'
import { lookAtQueue } from '../life/sums.ts'
import type { Identified, Vitals } from '../port.ts'
import { schemaVersion } from '../rows.ts'
import { ofAnyDeployment } from '../sight.ts'
import { perOpenPhase } from '../transitions.ts'
import { activeAlerts } from './alerts.ts'
import { sightOf, trailOf } from './chain-notes.ts'
import { obstacleOf } from './obstacles.ts'
import { intakeOf } from './operations.ts'

/** Limits how often a row is written only to prove that rows can be written. */
const probeMs = 10_000

/** Limits the blocks of which it is told how full they were. */
const toldBlocks = 6

const metaOf = (rows: Draft, name: string): unknown => {
  const row = rows.row('meta', name)
  return row && JSON.parse(row.value)
}

/** Writes a row where none was written lately: an answer then proves that it could. */
export function probe(rows: Draft): void {
  const last = Number(metaOf(rows, 'probe') ?? 0)
  if (rows.now - last >= probeMs) rows.put('meta', { name: 'probe', value: `${rows.now}` })
}

/** Looks at the nonces that changed last, most of which a block took. */
const lastMinedOf = (rows: Draft): number | undefined =>
  rows
    .list({ table: 'nonces', list: 'phase', group: 'done', newest: true, limit: 10 })
    .find(({ state }) => state === 'mined')?.changed_at

export function vitalsOf(
  at: At,
  identity: Identified | undefined,
  hasMoved: boolean | undefined,
): Vitals {
  const { rows, relayer } = at
  const seen = sightOf(at)
  const known = relayerOf(rows, relayer)
  return {
    now: rows.now,
    schema: schemaVersion,
    identity,
    sight: hasMoved ? ofAnyDeployment(seen) : seen,
    intake: intakeOf(rows),
    alerts: activeAlerts(rows),
    untoldFrom: rows.list({ table: 'notices', list: 'due', limit: 1 })[0]?.due_at,
    lastMinedAt: lastMinedOf(rows),
    counts: countsOf(rows),
    obstacle: obstacleOf(rows),
    unlistedAt: metaOf(rows, 'unlisted') as number | undefined,
    nextNonce: nextNonce(known),
    blocks: trailOf(at).trail.slice(0, toldBlocks),
    signedAt: openNonces(at)[0]?.transactions.at(-1)?.recordedAt,
    carried: carriedBy(known),
    waiting: lookAtQueue(rows).waiting,
    oldest: perOpenPhase((phase) => paymentsIn(rows, phase, 1)[0]?.accepted_at),
  }
}
