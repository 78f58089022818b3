import type { Draft, StepContext } from '../draft.ts'
import { readMeta, saveMeta } from '../meta.ts'
import { dropDeploymentFacts, type Observations } from '../observations.ts'
import {
  type EventCounts,
  readEventCounts,
  sampleCounts,
  sumRecentCounts,
} from '../payments/counts.ts'
import { listPhasePayments } from '../payments/payment-states.ts'
import { readQueueTotals } from '../payments/queue-totals.ts'
import { countCarried, findNextNonce, readRelayerTotals } from '../payments/relayer-totals.ts'
import { writes } from '../port.ts'
import { type Row, schemaVersion } from '../rows.ts'
import { mapOpenPhases, type OpenPhase } from '../transitions.ts'
import { type FollowedBlock, readFollowedBlocks, readObservations } from './chain.ts'
import {
  addGatewayCounts,
  type GatewayCounts,
  type GatewayHours,
  readGatewayFaults,
  readGatewayHours,
} from './gateways.ts'
import { checkIdentity, hasMoved, type Identified, type Identity } from './identity.ts'
import { listMissing } from './missing.ts'
import { type RecordedObstacle, readObstacle } from './obstacles.ts'
import { type Intake, readIntake } from './operations.ts'
import { readPossibleLossAt } from './possible-loss.ts'
import { type KnownRate, readRate } from './rates.ts'

/**
 * Describes the first nonce that is in no block, by its last transaction. `since` is when it began
 * to wait; `failures` counts the sends in a row that no node took.
 */
export type FirstOpenNonce = { nonce: number; since: number; gasPriceWei: string; failures: number }

/** Tells the state of a ledger, and of the chain as rounds saw it. Times are Unix times in ms. */
type Vitals = {
  now: number
  schema: string
  /** Tells whether the ledger has the given identity; undefined if none was given. */
  identity: Identified | undefined
  observations: Observations
  intake: Intake
  /** Names rows that others name, and that are missing: payments wait until an operator resumes. */
  missing: readonly string[]
  /** Tells when an unknown transaction of the key showed that rows may be lost, for a day. */
  possibleLossAt: number | undefined
  /** Tells when a transaction was last seen in a block. */
  lastMinedAt: number | undefined
  /** Counts `<kind>.<event>`, `refused.<reason>` (`own`: ended without a payment) and gateways'. */
  counts: EventCounts
  /** Counts the same events of about the last hour, and of the day (UTC). */
  lately: Readonly<Record<'hour' | 'today', { since: number; counts: EventCounts }>>
  /** Counts what each gateway delivered in each of the last hours. */
  gateways: GatewayHours
  /** Tells when a bad request or a wrong secret was counted last, by `<gateway>/<event>`. */
  gatewayFaults: Readonly<Record<string, number>>
  obstacle: RecordedObstacle | undefined
  rate: KnownRate | undefined
  /** Tells when a caller was last refused whose number is in no numbering plan. */
  unlistedAt: number | undefined
  nextNonce: number
  /** Lists the last followed blocks, the latest first. */
  blocks: readonly FollowedBlock[]
  front: FirstOpenNonce | undefined
  /** Counts payments of nonces in use, as in {@link Usage}. */
  carried: number
  waiting: number
  /** Tells when the oldest payment of each open phase was accepted. */
  oldest: Readonly<Record<OpenPhase, number | undefined>>
}

/** Limits how often a row is written only to prove that writing works. */
const probeIntervalMs = 10_000

/** Writes a row, unless one was written a moment ago: an answer then proves that writing works. */
function writeProbe(rows: Draft): void {
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

function readVitals(
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

export const vitalsSteps = {
  /**
   * Returns the state for operators. With `probes` it writes a row, to prove that it can. `counted`
   * is what gateways delivered since the asker's last report.
   */
  readVitals: writes(
    (
      step,
      asked: { identity?: Identity; probes?: boolean; counted?: GatewayCounts | undefined } = {},
    ) => {
      const { identity, probes = false, counted } = asked
      if (probes) {
        writeProbe(step.rows)
        sampleCounts(step.rows)
      }
      addGatewayCounts(step.rows, counted)
      return readVitals(
        step,
        identity && checkIdentity(step, identity),
        identity && hasMoved(step, identity),
      )
    },
  ),
}
