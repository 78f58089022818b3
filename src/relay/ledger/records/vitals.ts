import type { Draft, StepContext } from '../draft.ts'
import { readMeta, saveMeta } from '../meta.ts'
import { listMissing } from '../missing.ts'
import { dropDeploymentFacts } from '../observations.ts'
import { readEventCounts, sumRecentCounts } from '../payments/counts.ts'
import { listPhasePayments } from '../payments/payment-states.ts'
import { readQueueTotals } from '../payments/queue-totals.ts'
import { countCarried, findNextNonce, readRelayerTotals } from '../payments/relayer-totals.ts'
import type { Identified, Vitals } from '../port.ts'
import { type Row, schemaVersion } from '../rows.ts'
import { mapOpenPhases } from '../transitions.ts'
import { listActiveAlerts } from './alerts.ts'
import { readFollowedBlocks, readObservations } from './chain.ts'
import { readGatewayFaults, readGatewayHours } from './gateways.ts'
import { readObstacle } from './obstacles.ts'
import { readIntake } from './operations.ts'
import { readPossibleLossAt } from './possible-loss.ts'
import { readRate } from './rates.ts'

/** Limits how often a row is written only to prove that writing works. */
const probeIntervalMs = 10_000

/** Writes a row, unless one was written a moment ago: an answer then proves that writing works. */
export function writeProbe(rows: Draft): void {
  const last = readMeta(rows, 'probe') ?? 0
  if (rows.now - last >= probeIntervalMs) saveMeta(rows, 'probe', rows.now)
}

/** Returns when a nonce was last found in a block: most of the last changed ones are. */
const findLastMinedAt = (rows: Draft): number | undefined =>
  rows
    .list({ table: 'nonces', list: 'phase', group: 'done', newest: true, limit: 10 })
    .find(({ state }) => state === 'mined')?.changed_at

/** Returns the first nonce that is in no block, and since when it waits for one. */
function readFirstOpenNonce({ rows, relayer }: StepContext, { open }: Row<'relayers'>) {
  const row = open[0] && rows.row('nonces', relayer, open[0][0])
  const hashes = [row?.bytes.at(0)?.[0], row?.bytes.at(-1)?.[0]]
  const [first, last] = hashes.map((hash) => hash && rows.row('transactions', hash))
  if (!row || !first || !last) return undefined
  const { nonce, changed_at } = row
  const before = rows.row('nonces', relayer, nonce - 1)
  // Its wait begins when it is signed, or when its block has left the chain.
  const startedAt = changed_at > last.recorded_at ? changed_at : first.recorded_at
  // No block takes it before the nonce below it.
  const since = before?.state === 'mined' ? Math.max(startedAt, before.changed_at) : startedAt
  return { nonce, since, gasPriceWei: last.gas_price, failures: last.failures }
}

export function readVitals(
  step: StepContext,
  identity: Identified | undefined,
  hasMoved: boolean | undefined,
): Vitals {
  const { rows, relayer } = step
  const observations = readObservations(step)
  const relayerTotals = readRelayerTotals(rows, relayer)
  return {
    now: rows.now,
    schema: schemaVersion,
    identity,
    observations: hasMoved ? dropDeploymentFacts(observations) : observations,
    intake: readIntake(rows),
    missing: listMissing(rows),
    possibleLossAt: readPossibleLossAt(rows),
    alerts: listActiveAlerts(rows),
    nextNoticeAt: rows.list({ table: 'notices', list: 'due', limit: 1 })[0]?.due_at,
    lastMinedAt: findLastMinedAt(rows),
    counts: readEventCounts(rows),
    lately: sumRecentCounts(rows),
    gateways: readGatewayHours(rows),
    gatewayFaults: readGatewayFaults(rows),
    obstacle: readObstacle(rows),
    rate: readRate(rows),
    unlistedAt: readMeta(rows, 'unlisted'),
    nextNonce: findNextNonce(relayerTotals),
    blocks: readFollowedBlocks(step).followedBlocks.slice(0, 6),
    front: readFirstOpenNonce(step, relayerTotals),
    carried: countCarried(relayerTotals),
    waiting: readQueueTotals(rows).waitingCount,
    oldest: mapOpenPhases((phase) => listPhasePayments(rows, phase, 1)[0]?.accepted_at),
  }
}
