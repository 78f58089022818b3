import { createCallerAccounts } from '../account/keys.ts'
import { createLoanReader } from '../loan/reader.ts'
import type { NodeService } from '../node/service.ts'
import type { UpstreamBudget } from '../node/upstream/budget.ts'
import type { Condition } from '../operator/health.ts'
import { createOperator, type Operator } from '../operator/service.ts'
import type { Identity, Ledger, Vitals } from '../relay/ledger/port.ts'
import { cached } from '../runtime/cached.ts'
import { faultOf } from '../runtime/log.ts'
import type { Config } from './config.ts'
import { assembleIdentity, assembleRelayer, readLoan } from './relay.ts'
import type { Runtime } from './runtime.ts'
import type { Stores } from './stores.ts'

/** How long those who ask share one look at the ledger. */
const sharedMs = 2_000

/** A ledger that is silent for so long does not answer. */
const ledgerWithinMs = 2_000

/** Where no round was for so long, who asks has one begin: not everything that serves has a cron. */
const wakeAfterMs = 60_000

/** What those who run the service are told, and what they do. */
export function assembleOperator(
  config: Config,
  runtime: Runtime,
  stores: Stores,
  nodeService: NodeService,
  budget: UpstreamBudget | undefined,
): Operator {
  const relayer = assembleRelayer(config, runtime, nodeService, stores.ledger)
  return createOperator({
    subject: {
      chain: config.chain,
      relayer: relayer.signer.address,
      ...{ loan: config.loan, forwarder: config.forwarder },
      nodes: () =>
        nodeService.nodes.standings().map(({ name, height = null, latencyMs = null, ...rest }) => ({
          ...{ label: name, height, latencyMs, ...rest },
        })),
    },
    relayer,
    condition: assembleCondition(config, runtime, stores, budget),
    accounts: createCallerAccounts(config.accountKeySecret),
    loan: createLoanReader(readLoan(relayer, config.loan)),
    country: config.gatewayCountry,
    newId: () => crypto.randomUUID(),
  })
}

/** What is known of the deployment, by what the ledger has. */
function assembleCondition(
  config: Config,
  runtime: Runtime,
  stores: Stores,
  budget: UpstreamBudget | undefined,
): () => Promise<Condition> {
  const { clock, log, background } = runtime
  const identity = assembleIdentity(config)
  const limits = config.upstreamBudget
  let wokenAt = Number.NEGATIVE_INFINITY

  async function wakeIfLate({ sight, now }: Vitals): Promise<void> {
    if (stores.wake === undefined || now - (sight.roundAt ?? 0) < wakeAfterMs) return
    if (clock.now() - wokenAt < wakeAfterMs / 2) return
    wokenAt = clock.now()
    await stores.wake()
  }

  async function vitals(): Promise<Vitals | undefined> {
    try {
      const known = await vitalsWithin(runtime, stores.ledger, await identity())
      background(wakeIfLate(known).catch(() => undefined))
      return known
    } catch (error) {
      log({ level: 'error', event: 'ledger.silent', message: faultOf(error) })
      return undefined
    }
  }

  return cached(clock, sharedMs, async () => ({
    vitals: await vitals(),
    budget: limits && budget && { asked: budget.today(), callsADay: limits.callsADay },
    terms: config,
  }))
}

/** @throws {Error} the ledger gave no answer, or not in time */
async function vitalsWithin(
  { clock }: Runtime,
  ledger: Ledger,
  identity: Identity,
): Promise<Vitals> {
  const done = new AbortController()
  try {
    const known = await Promise.race([
      ledger.vitals({ identity, probes: true }),
      clock.sleep(ledgerWithinMs, done.signal).then(() => undefined),
    ])
    if (known === undefined) throw new Error('the ledger gave no answer in time')
    return known
  } finally {
    done.abort()
  }
}
