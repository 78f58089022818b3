import type { Draft, StepContext } from '../draft.ts'
import { dropDeploymentFacts } from '../observations.ts'
import { readQueue } from '../payments/account-totals.ts'
import { readEventCounts, sumRecentCounts } from '../payments/counts.ts'
import { countCarried, findNextNonce, readRelayer } from '../payments/nonces.ts'
import { listPhasePayments } from '../payments/payment-states.ts'
import type { Identified, Vitals } from '../port.ts'
import { type Row, schemaVersion } from '../rows.ts'
import { mapOpenPhases } from '../transitions.ts'
import { activeAlerts } from './alerts.ts'
import { readFollowedBlocks, readObservations } from './chain.ts'
import { readGatewayFaults, readGatewayHours } from './gateways.ts'
import { readObstacle } from './obstacles.ts'
import { readIntake } from './operations.ts'

/** Limits how often a row is written only to prove that writing works. */
const probeMs = 10_000

const readMeta = (rows: Draft, name: string): unknown => {
  const row = rows.row('meta', name)
  return row && JSON.parse(row.value)
}

/** Writes a row if none was written lately: an answer then proves that writing works. */
export function probe(rows: Draft): void {
  const last = Number(readMeta(rows, 'probe') ?? 0)
  if (rows.now - last >= probeMs) rows.put('meta', { name: 'probe', value: `${rows.now}` })
}

/** Searches the nonces that changed last, most of which are mined. */
const findLastMined = (rows: Draft): number | undefined =>
  rows
    .list({ table: 'nonces', list: 'phase', group: 'done', newest: true, limit: 10 })
    .find(({ state }) => state === 'mined')?.changed_at

/** Returns the first nonce that is in no block, and since when it has been the first. */
function readFront({ rows, relayer }: StepContext, { open: [first] }: Row<'relayers'>) {
  const row = first && rows.row('nonces', relayer, first[0])
  const ends = [row?.bytes.at(0), row?.bytes.at(-1)]
  const [signed, last] = ends.map((bytes) => bytes && rows.row('transactions', bytes[0]))
  if (row === undefined || signed === undefined || last === undefined) return undefined
  const { nonce, changed_at } = row
  const before = rows.row('nonces', relayer, nonce - 1)
  // A reorganization starts its wait again; before it is the first, it waits for others.
  const began = changed_at > last.recorded_at ? changed_at : signed.recorded_at
  const since = before?.state === 'mined' ? Math.max(began, before.changed_at) : began
  return { nonce, since, gasPriceWei: last.gas_price, failures: last.failures }
}

export function readVitals(
  step: StepContext,
  identity: Identified | undefined,
  hasMoved: boolean | undefined,
): Vitals {
  const { rows, relayer } = step
  const observed = readObservations(step)
  const relayerTotals = readRelayer(rows, relayer)
  return {
    now: rows.now,
    schema: schemaVersion,
    identity,
    observations: hasMoved ? dropDeploymentFacts(observed) : observed,
    intake: readIntake(rows),
    alerts: activeAlerts(rows),
    untoldFrom: rows.list({ table: 'notices', list: 'due', limit: 1 })[0]?.due_at,
    lastMinedAt: findLastMined(rows),
    counts: readEventCounts(rows),
    lately: sumRecentCounts(rows),
    gateways: readGatewayHours(rows),
    gatewayFaults: readGatewayFaults(rows),
    obstacle: readObstacle(rows),
    unlistedAt: readMeta(rows, 'unlisted') as number | undefined,
    nextNonce: findNextNonce(relayerTotals),
    blocks: readFollowedBlocks(step).followedBlocks.slice(0, 6),
    front: readFront(step, relayerTotals),
    carried: countCarried(relayerTotals),
    waiting: readQueue(rows).waiting,
    oldest: mapOpenPhases((phase) => listPhasePayments(rows, phase, 1)[0]?.accepted_at),
  }
}
