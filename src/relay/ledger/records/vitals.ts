import type { Draft, StepContext } from '../draft.ts'
import { readMeta, saveMeta } from '../meta.ts'
import { dropDeploymentFacts } from '../observations.ts'
import {
  addGatewayCounts,
  countPaymentsByHour,
  type GatewayCounts,
  readEventCounts,
  readGatewayFaults,
  readGatewayHours,
  sampleCounts,
  sumRecentCounts,
} from '../payments/counts.ts'
import { listPhasePayments, readBackedWei } from '../payments/payment-states.ts'
import { countCarried, findNextNonce, readQueue, readRelayerTotals } from '../payments/totals.ts'
import { writes } from '../port.ts'
import { type Row, schemaVersion } from '../rows.ts'
import { mapOpenPhases } from '../transitions.ts'
import { readFollowedBlocks, readObservations } from './chain.ts'
import { checkIdentity, hasMoved, type Identity } from './identity.ts'
import { readIntake } from './operations.ts'
import { listMissing, readPossibleLossAt } from './possible-loss.ts'
import { readRate } from './rates.ts'
import { readObstacle } from './standing.ts'

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

/**
 * Returns the first nonce that is in no block, by its last transaction: since when it waits, and
 * how many sends in a row no node took.
 */
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

/** Limits the payments of a phase that are searched for an assured one. */
const maxSearched = 200

/** Tells the state of a ledger, and of the chain as rounds saw it. Times are Unix times in ms. */
function readVitals(step: StepContext, identity: Identity | undefined) {
  const { rows, relayer } = step
  const observations = readObservations(step)
  const relayerTotals = readRelayerTotals(rows, relayer)
  return {
    now: rows.now,
    schema: schemaVersion,
    /** Tells whether the ledger has the given identity; undefined if none was given. */
    identity: identity && checkIdentity(step, identity),
    observations:
      identity && hasMoved(step, identity) ? dropDeploymentFacts(observations) : observations,
    intake: readIntake(rows),
    /** Names rows that others name, and that are missing: payments wait until one resumes. */
    missing: listMissing(rows),
    /** Tells when an unknown transaction of the key showed that rows may be lost, for a day. */
    possibleLossAt: readPossibleLossAt(rows),
    lastMinedAt: findLastMinedAt(rows),
    /** Counts `<kind>.<event>`, `refused.<reason>` (`own`: without a payment) and gateways'. */
    counts: readEventCounts(rows),
    /** Counts the same events of about the last hour, and of the day (UTC). */
    lately: sumRecentCounts(rows),
    paymentsByHour: countPaymentsByHour(rows),
    gateways: readGatewayHours(rows),
    /** Tells when a bad request or a wrong secret was counted last, by `<gateway>/<event>`. */
    gatewayFaults: readGatewayFaults(rows),
    /** Tells when the oldest assured payment was accepted that no block holds. */
    assuredSince: (['waiting', 'carried'] as const)
      .flatMap((phase) => listPhasePayments(rows, phase, maxSearched))
      .find(({ assured_at: at }) => at !== undefined)?.accepted_at,
    /** Sums up what the operator backs: payments that are final before any block has them. */
    backedWei: readBackedWei(rows),
    /** Sums up what was assured and did not happen. */
    unkept: readMeta(rows, 'unkept'),
    obstacle: readObstacle(rows),
    rate: readRate(rows),
    /** Tells when a caller was last refused whose number is in no numbering plan. */
    unlistedAt: readMeta(rows, 'unlisted'),
    nextNonce: findNextNonce(relayerTotals),
    blocks: readFollowedBlocks(step).followedBlocks.slice(0, 6),
    front: readFirstOpenNonce(step, relayerTotals),
    /** Counts payments of nonces in use, as in {@link Usage}. */
    carried: countCarried(relayerTotals),
    waiting: readQueue(rows).waiting,
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
      return readVitals(step, identity)
    },
  ),
}
