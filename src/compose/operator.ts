import { createCallerAccounts } from '../account/caller-accounts.ts'
import { createMemory } from '../account/memory.ts'
import { createSessionKeys } from '../account/session-keys.ts'
import { createLoanReader } from '../loan/reader.ts'
import type { NodeService } from '../node/service.ts'
import type { UpstreamBudget } from '../node/upstream/budget.ts'
import { findAlerts } from '../operator/alerting/alerts.ts'
import { createSilenceAlert } from '../operator/alerting/silence.ts'
import { watchAlerts } from '../operator/alerting/watch.ts'
import type { Condition, KnownCondition } from '../operator/health.ts'
import { type Deployment, isoOrNull } from '../operator/records.ts'
import { createOperator, type Operator, type OperatorOptions } from '../operator/service.ts'
import type { Identity, Ledger, Vitals } from '../relay/ledger/port.ts'
import { cached } from '../runtime/cached.ts'
import { shiftClock } from '../runtime/clock.ts'
import { describeFault } from '../runtime/log.ts'
import { withTimeLimit } from '../runtime/time-limit.ts'
import type { Tally } from '../ussd/gateways/tally.ts'
import type { Config } from './config.ts'
import {
  assembleAccounts,
  assembleDepositClaim,
  assembleIdentity,
  assembleRelayer,
  deriveSignerAddress,
  readLoan,
} from './relay.ts'
import type { Runtime, Stores } from './runtime.ts'
import { assembleCashOut } from './ussd.ts'

/** Shares one reading of the ledger among health requests, since anyone may ask. */
const sharedMs = 1_000
const ledgerWithinMs = 2_000
/** Starts a round on a health request if none ran for this long: not every host has a cron. */
const wakeAfterMs = 60_000

type Served = {
  config: Config
  runtime: Runtime
  stores: Stores
  nodeService: NodeService
  budget: UpstreamBudget | undefined
  tally: Tally
}

export function assembleOperations(served: Served) {
  const { config, runtime, stores, nodeService, budget, tally } = served
  const { clock, log, background } = runtime
  const identity = assembleIdentity(config)
  const deployment = describeDeployment(config, nodeService)
  const webhook = config.webhook && { webhook: config.webhook, fetch: runtime.fetch, clock }
  const { upstreamBudget: limits } = config
  const silence = createSilenceAlert({ deployment, clock, log, webhook, store: stores.store })
  let wokenAt = Number.NEGATIVE_INFINITY

  const around = <Known extends Vitals | undefined>(vitals: Known, aheadMs: number) => ({
    vitals,
    aheadMs,
    budget: limits && budget && { callsToday: budget.getCallsToday(), callsADay: limits.callsADay },
    terms: config,
  })

  async function watchLedger(ledger: Ledger): Promise<void> {
    try {
      const { vitals, aheadMs } = await readVitals(runtime, ledger, {
        identity: await identity(),
      })
      await watchAlerts(ledger, around(vitals, aheadMs), { deployment, log, webhook })
    } catch (error) {
      log({ level: 'error', event: 'watch.failed', message: describeFault(error) })
    }
  }

  /** Reports findings that no round has raised, and starts a round if none came for a minute. */
  async function tellAndWake(known: KnownCondition): Promise<void> {
    const { observations, now, alerts } = known.vitals
    const isNews = findAlerts(known, deployment).some(({ name }) =>
      alerts.every((a) => a.name !== name),
    )
    if (isNews) await watchLedger(stores.ledger)
    if (now - (observations.roundAt ?? 0) < wakeAfterMs || clock.now() - wokenAt < wakeAfterMs / 2)
      return
    wokenAt = clock.now()
    await watchLedger(stores.ledger)
    await stores.wake?.()
  }

  async function condition(): Promise<Condition> {
    try {
      const asked = { identity: await identity(), counted: tally.take() }
      const { vitals, aheadMs } = await readVitals(runtime, stores.ledger, asked)
      const known = around(vitals, aheadMs)
      background(silence.recordAnswer(true))
      const warn = (error: unknown) =>
        log({ level: 'warn', event: 'wake.failed', message: describeFault(error) })
      background(tellAndWake(known).catch(warn))
      return known
    } catch (error) {
      log({ level: 'error', event: 'ledger.silent', message: describeFault(error) })
      background(silence.recordAnswer(false))
      return { ...around(undefined, 0), store: stores.store }
    }
  }

  const shared = cached(clock, sharedMs, condition)
  const known = { deployment, condition, sharedCondition: shared }
  return {
    operator: () => assembleOperator(served, known),
    /** Raises, clears and sends alerts in the background, after each round. */
    watch: (ledger: Ledger) => background(watchLedger(ledger)),
    /** Checks after a round whether the ledger answers. */
    async checkLedger(round: 'done' | 'failed') {
      if (round === 'failed' || silence.isRaised()) await shared()
    },
  }
}

function assembleOperator(
  { config, runtime, stores, nodeService }: Served,
  known: Pick<OperatorOptions, 'deployment' | 'condition' | 'sharedCondition'>,
): Operator {
  const relayer = assembleRelayer(config, runtime, nodeService, stores.ledger)
  return createOperator({
    ...known,
    relayer,
    accounts: assembleAccounts(config, stores.ledger),
    ownAccounts: createCallerAccounts(config.accountKeySecret),
    loan: createLoanReader(readLoan(relayer, config.loan)),
    country: config.gatewayCountry,
    memory: createMemory(stores.memory),
    keys: createSessionKeys(config.accountIdSecret),
    limits: config.limits,
    identity: assembleIdentity(config),
    setBack: stores.setBack,
    claimDeposit: assembleDepositClaim(config, relayer),
    cashOut: assembleCashOut({ config, runtime, relayer, stores }),
    newId: () => crypto.randomUUID(),
  })
}

function describeDeployment(config: Config, nodeService: NodeService): Deployment {
  return {
    chain: config.chain,
    relayer: () => deriveSignerAddress(config),
    loan: config.loan,
    forwarder: config.forwarder,
    guards: config.guards,
    nodes: () =>
      nodeService.nodes
        .describe()
        .map(({ name: label, height, heightAt, unknownHeaderAt, p95Ms, unproved, ...rest }) => ({
          label,
          height: height ?? null,
          heightAt: isoOrNull(heightAt),
          unknownHeaderAt: isoOrNull(unknownHeaderAt),
          p95Ms: p95Ms ?? null,
          believed: unproved,
          ...rest,
        })),
  }
}

/** @throws {Error} the ledger gave no answer, or not in time */
async function readVitals(
  { clock }: Runtime,
  ledger: Ledger,
  by: { identity: Identity; counted?: ReturnType<Tally['take']> },
) {
  const before = clock.now()
  const asked = ledger.readVitals({ ...by, probes: true })
  const vitals = await withTimeLimit(clock, ledgerWithinMs, asked, () => {
    throw new Error('the ledger gave no answer in time')
  })
  return { vitals, aheadMs: shiftClock(vitals.now, before, clock.now()) }
}
