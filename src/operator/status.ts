import { phasesWithoutOutcome } from '../relay/ledger/transitions.ts'
import { listCurrentAlerts } from './alerting/alerts.ts'
import { describeGatewayFault, listGatewayFaults } from './alerting/gateways.ts'
import { computeTopUp, countAffordable, describeHealth, type KnownHealthData } from './health.ts'
import type { Vitals } from './kept/steps.ts'
import { type Deployment, toAlert, toIso, writeAnswer } from './records.ts'
import type { StatusAnswer } from './schemas/status.ts'
import { version } from './version.ts'

/** Describes the intake, which is drained once no payment and no nonce is open. */
export function describeIntake(intake: Vitals['intake'], hasOpenPayments: boolean) {
  if (intake.kind === 'open') return { state: intake.kind }
  const isDrained = intake.kind === 'draining' && !hasOpenPayments
  const state = isDrained ? ('drained' as const) : intake.kind
  return { state, since: toIso(intake.since) }
}

/** Describes a deployment; `chainNonce` is null if no node was asked, or answers. */
export function describeStatus(
  deployment: Deployment,
  healthData: KnownHealthData,
  chainNonce: number | null,
): Omit<StatusAnswer, 'you'> {
  const { vitals, budget } = healthData
  const { chain, loan, forwarder } = deployment
  const { lately, observations } = vitals
  const { head } = observations
  const hasOpenPayments =
    vitals.carried > 0 || Object.values(vitals.oldest).some((at) => at !== undefined)
  const answer = writeAnswer({
    now: toIso(vitals.now),
    version,
    schema: vitals.schema,
    network: chain.name,
    chainId: chain.id,
    currency: chain.currency,
    unit: deployment.unit,
    alerts: listCurrentAlerts(healthData, deployment).map(toAlert),
    relayers: [describeRelayer(deployment, healthData, chainNonce)],
    contracts: { loan, forwarder, ...describeContracts(deployment, vitals) },
    backedWei: vitals.backedWei,
    head: head && { number: head.number, at: head.timestampSeconds * 1_000 },
    blocks: vitals.blocks.map(({ number, fullness }) => ({ number, fullness })),
    guards: [...deployment.guards],
    nodes: deployment.nodes(),
    callsToday: budget && { ...budget.callsToday, limit: budget.callsADay },
    lately,
    paymentsByHour: vitals.paymentsByHour,
    gatewayFaults: Object.fromEntries(
      Object.entries(vitals.gatewayFaults).map(([name, at]) => [name, toIso(at)]),
    ),
  })
  const intake = describeIntake(vitals.intake, hasOpenPayments)
  return { ...answer, intake, health: describeHealth(healthData) }
}

function describeRelayer(
  { relayer }: Deployment,
  { vitals, terms }: KnownHealthData,
  chainNonce: number | null,
) {
  const { observations, oldest } = vitals
  const affordable = countAffordable(vitals, terms)
  const topUp = computeTopUp(vitals, terms)
  const open = phasesWithoutOutcome.flatMap((phase) => oldest[phase] ?? [])
  return {
    address: relayer(),
    balanceWei: observations.balanceWei?.value,
    gasPriceWei: observations.gasPriceWei?.value,
    maxGasPriceWei: terms.fees.maxWei,
    lastsFor: affordable?.atCurrentPrice,
    lastsAtWorst: affordable?.atHighestPrice,
    wantedWei: topUp?.atCurrentPriceWei,
    wantedAtWorstWei: topUp?.atHighestPriceWei,
    nonces: { ledger: vitals.nextNonce, chain: chainNonce },
    inFlight: vitals.carried,
    queued: vitals.waiting,
    oldestAt: open.length === 0 ? undefined : Math.min(...open),
    lastMinedAt: vitals.lastMinedAt,
  }
}

function describeContracts({ unit }: Deployment, { observations: { contracts, token } }: Vitals) {
  const { state, at, pool } = contracts ?? {}
  const told = unit.token && { token: token?.state, tokenAt: token?.at }
  const known = { state, at, ...told }
  if (pool === undefined) return { ...known, pool }
  const { issuableWei, at: poolAt = contracts?.at ?? 0, ...balances } = pool
  return {
    ...known,
    pool: {
      ...balances,
      capLeftWei: issuableWei,
      isPaused: state === 'loan_paused',
      at: poolAt,
    },
  }
}

/** Returns what may be lent now: the lesser of pool and cap; 0 while no loan is given. */
export function computeLendableWei({
  contracts: { pool, state },
  intake,
}: Pick<StatusAnswer, 'contracts' | 'intake'>): bigint | undefined {
  if (intake.state !== 'open' || (state ?? 'ready') !== 'ready') return 0n
  if (pool === null) return undefined
  const [capWei, poolWei] = [BigInt(pool.capLeftWei), BigInt(pool.liquidityWei)]
  return capWei < poolWei ? capWei : poolWei
}

export const describeGatewayFaults = ({ lately, gatewayFaults }: StatusAnswer): string[] =>
  listGatewayFaults(lately.hour.counts, gatewayFaults).map(describeGatewayFault)

/** Sets for how long a height may be shown again and again before a node is called still. */
const stillMs = 120_000

/** Describes a node: its state, and whether it lags behind the others or its head stands still. */
export function describeNode(
  { state, height, heightAt, heightSince }: StatusAnswer['nodes'][number],
  { nodes }: Pick<StatusAnswer, 'nodes'>,
): string {
  if (state !== 'able' || height === null) return state
  const behind = Math.max(...nodes.map((other) => other.height ?? 0)) - height
  const shownMs = Date.parse(heightAt ?? '') - Date.parse(heightSince ?? '')
  if (behind > 1) return `able, but ${behind} blocks behind`
  return shownMs > stillMs ? `able, but without a new block since ${heightSince}` : state
}
