import { createCallerAccounts } from '../account/caller-accounts.ts'
import type { NodeService } from '../node/service.ts'
import type { UpstreamBudget } from '../node/upstream/budget.ts'
import { findAlerts } from '../operator/alerting/alerts.ts'
import { createSilenceAlert, updateAlerts } from '../operator/alerting/watch.ts'
import { createTeller, postNotice } from '../operator/alerting/webhook.ts'
import type { HealthData, KnownHealthData } from '../operator/health.ts'
import type { AlertNotice } from '../operator/kept/alerts.ts'
import type { Vitals, WholeLedger } from '../operator/kept/steps.ts'
import { type Deployment, writeAnswer } from '../operator/records.ts'
import { createOperator, type Operator, type OperatorOptions } from '../operator/service.ts'
import type { Identity } from '../relay/ledger/records/identity.ts'
import { cached } from '../runtime/cached.ts'
import { computeClockLead, withTimeLimit } from '../runtime/clock.ts'
import { describeFault, tryOrLog } from '../runtime/log.ts'
import type { RequestCounters } from '../ussd/gateways/request-counters.ts'
import type { Config } from './config.ts'
import { assembleIdentity, assembleRelayer, deriveSignerAddress } from './relay.ts'
import type { Runtime, Stores } from './runtime.ts'
import { assembleOperatorPayments, createServices } from './ussd.ts'

/** Limits the age of a condition that health requests share, since anybody may make them. */
const conditionTtlMs = 1_000
const ledgerTimeoutMs = 2_000
/** Sets after how long without a round a health request starts one: a host may have no cron. */
const wakeAfterMs = 60_000

type OperationsOptions = {
  config: Config
  runtime: Runtime
  stores: Stores
  nodeService: NodeService
  budget: UpstreamBudget | undefined
  counters: RequestCounters
}

/** Assembles what serves operators, checks the ledger and raises alerts. */
export function assembleOperations(options: OperationsOptions) {
  const { config, runtime, stores, nodeService, budget, counters } = options
  const { clock, log, waitUntil } = runtime
  const getIdentity = assembleIdentity(config)
  const deployment = describeDeployment(config, nodeService)
  const webhook = config.webhook && { webhook: config.webhook, fetch: runtime.fetch, clock }
  const events = config.events && { webhook: config.events, fetch: runtime.fetch, clock }
  const tell = events && createTeller({ webhook: events, log })
  const { upstreamBudget: limits } = config
  const silence = createSilenceAlert({ deployment, clock, log, webhook, store: stores.store })
  let lastWakeAt = Number.NEGATIVE_INFINITY

  const createCondition = <Known extends Vitals | undefined>(vitals: Known, aheadMs: number) => ({
    vitals,
    aheadMs,
    isCronRefused: stores.isCronRefused?.(),
    budget: limits && budget && { callsToday: budget.getCallsToday(), callsADay: limits.callsADay },
    terms: config,
  })

  const refreshAlerts = (ledger: WholeLedger) =>
    tryOrLog(log, { level: 'error', event: 'watch.failed' }, async () => {
      const query = { identity: await getIdentity() }
      const { vitals, aheadMs } = await readVitals(runtime, ledger, query)
      await updateAlerts(ledger, createCondition(vitals, aheadMs), { deployment, log, webhook })
      await tell?.(ledger, vitals)
    })

  /** Raises alerts that no round has raised, and starts a round if none ran for a minute. */
  async function raiseAlertsAndWake(known: KnownHealthData): Promise<void> {
    const { observations, now, alerts } = known.vitals
    const hasNewAlert = findAlerts(known, deployment).some(({ name }) =>
      alerts.every((alert) => alert.name !== name),
    )
    if (hasNewAlert) await refreshAlerts(stores.ledger)
    const isRoundOverdue = now - (observations.roundAt ?? 0) >= wakeAfterMs
    if (!isRoundOverdue || clock.now() - lastWakeAt < wakeAfterMs / 2) return
    lastWakeAt = clock.now()
    await refreshAlerts(stores.ledger)
    await stores.wake?.()
  }

  async function readCondition(): Promise<HealthData> {
    try {
      const query = { identity: await getIdentity(), counted: counters.take() }
      const { vitals, aheadMs } = await readVitals(runtime, stores.ledger, query)
      const isEvictionUnknown = stores.readEviction && (await stores.readEviction()) === undefined
      const known = { ...createCondition(vitals, aheadMs), isEvictionUnknown }
      waitUntil(silence.recordAnswer(true))
      const wake = { level: 'warn', event: 'wake.failed' } as const
      waitUntil(tryOrLog(log, wake, () => raiseAlertsAndWake(known)))
      return known
    } catch (error) {
      log({ level: 'error', event: 'ledger.silent', message: describeFault(error) })
      waitUntil(silence.recordAnswer(false))
      return { ...createCondition(undefined, 0), store: stores.store }
    }
  }

  const readSharedCondition = cached(clock, conditionTtlMs, readCondition)
  const readers = {
    deployment,
    readCondition,
    readSharedCondition,
    postNotice: webhook && ((notice: AlertNotice) => postNotice(webhook, notice, deployment)),
  }
  return {
    createOperator: () => assembleOperator(options, readers),
    /** Raises, clears and sends alerts in the background, after each round. */
    startAlertUpdate: (ledger: WholeLedger) => waitUntil(refreshAlerts(ledger)),
    async checkLedger(round: 'done' | 'failed') {
      if (round === 'failed' || silence.isRaised()) await readSharedCondition()
    },
  }
}

type ReaderName = 'deployment' | 'readCondition' | 'readSharedCondition' | 'postNotice'

function assembleOperator(
  { config, runtime, stores, nodeService }: OperationsOptions,
  readers: Pick<OperatorOptions, ReaderName>,
): Operator {
  const relayer = assembleRelayer(config, runtime, nodeService, stores.ledger)
  // The operator vouches for the caller: no payment is held back for too many dials.
  const callers = createServices({ config, runtime, relayer, stores }, () => true)
  return createOperator({
    ...readers,
    ...callers,
    relayer,
    settings: config.menu,
    ownAccounts: createCallerAccounts(config.accountKeySecret),
    country: config.gatewayCountry,
    identity: assembleIdentity(config),
    setBack: stores.setBack,
    ...assembleOperatorPayments(callers),
    newId: () => crypto.randomUUID(),
  })
}

function describeDeployment(config: Config, nodeService: NodeService): Deployment {
  return {
    chain: config.chain,
    relayer: () => deriveSignerAddress(config),
    loan: config.loan,
    unit: config.unit,
    forwarder: config.forwarder,
    guards: config.guards,
    nodes: () => writeAnswer(nodeService.nodes.describe()),
  }
}

/**
 * Reads the ledger's state, and by how much this process's clock is ahead of the ledger's.
 * @throws {Error} the ledger gave no answer, or not in time
 */
async function readVitals(
  { clock }: Runtime,
  ledger: WholeLedger,
  query: { identity: Identity; counted?: ReturnType<RequestCounters['take']> },
) {
  const askedAt = clock.now()
  const answer = ledger.readVitals({ ...query, probes: true })
  const vitals = await withTimeLimit(clock, ledgerTimeoutMs, answer, () => {
    throw new Error('the ledger gave no answer in time')
  })
  return { vitals, aheadMs: computeClockLead(vitals.now, askedAt, clock.now()) }
}
