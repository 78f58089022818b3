import type { At, Draft } from '../draft.ts'
import { countsOf } from '../life/counts.ts'
import { isLive, nextNonce, relayerOf } from '../life/nonces.ts'
import { paymentsIn } from '../life/payments.ts'
import { lookAtQueue } from '../life/sums.ts'
import type { Identified, NotedObstacle, Vitals } from '../port.ts'
import { schemaVersion } from '../rows.ts'
import { type Seen, type Sight, sight, withSeen } from '../sight.ts'
import { perOpenPhase } from '../transitions.ts'
import { activeAlerts } from './alerts.ts'
import { intakeOf } from './operations.ts'

/** How often a row is written only to know that rows can be written. */
const probeMs = 10_000

const metaOf = (rows: Draft, name: string): unknown => {
  const row = rows.row('meta', name)
  return row && JSON.parse(row.value)
}

/** What rounds have seen of the chain. What another version wrote in another form is seen again. */
export const sightOf = (rows: Draft): Sight => sight.safeParse(metaOf(rows, 'sight')).data ?? {}

export function noteSeen(rows: Draft, seen: Seen): void {
  const value = JSON.stringify(withSeen(sightOf(rows), seen, rows.now))
  rows.put('meta', { name: 'sight', value })
}

/** What was seen of other contracts and of another key says nothing of these. */
const ofAnyDeployment = ({ funds, contracts, ...sight }: Sight): Sight => sight

export function forgetSeen(rows: Draft): void {
  rows.put('meta', { name: 'sight', value: JSON.stringify(ofAnyDeployment(sightOf(rows))) })
}

/** Writes a row where none was written lately: what comes back after it could be written. */
export function probe(rows: Draft): void {
  const last = Number(metaOf(rows, 'probe') ?? 0)
  if (rows.now - last >= probeMs) rows.put('meta', { name: 'probe', value: `${rows.now}` })
}

/** Of the nonces that changed last, most of which a block took. */
const lastMinedOf = (rows: Draft): number | undefined =>
  rows
    .list({ table: 'nonces', list: 'phase', group: 'done', newest: true, limit: 10 })
    .find(({ state }) => state === 'mined')?.changed_at

/** What those who run the service go by. */
export function vitalsOf(
  at: At,
  identity: Identified | undefined,
  hasMoved: boolean | undefined,
): Vitals {
  const { rows, relayer } = at
  const seen = sightOf(rows)
  const known = relayerOf(rows, relayer)
  return {
    now: rows.now,
    schema: schemaVersion,
    identity,
    sight: hasMoved ? ofAnyDeployment(seen) : seen,
    intake: intakeOf(rows),
    alerts: activeAlerts(rows).map(({ name, says, raisedAt }) => ({ name, says, raisedAt })),
    untoldFrom: rows.list({ table: 'notices', list: 'due', limit: 1 })[0]?.due_at,
    lastMinedAt: lastMinedOf(rows),
    counts: countsOf(rows),
    obstacle: metaOf(rows, 'obstacle') as NotedObstacle | undefined,
    unlistedAt: metaOf(rows, 'unlisted') as number | undefined,
    nextNonce: nextNonce(known),
    carried: known.open.length + known.leases.filter((lease) => isLive(lease, rows.now)).length,
    waiting: lookAtQueue(rows).waiting,
    oldest: perOpenPhase((phase) => paymentsIn(rows, phase, 1)[0]?.accepted_at),
  }
}
