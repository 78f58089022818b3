import type { UpstreamBudget } from '../node/upstream/budget.ts'
import type { HealthAnswer } from '../operator/answers.ts'
import { healthOf } from '../operator/health.ts'
import type { Identity, Ledger, Vitals } from '../relay/ledger/port.ts'
import { cached } from '../runtime/cached.ts'
import { faultOf } from '../runtime/log.ts'
import type { Config } from './config.ts'
import { assembleIdentity } from './relay.ts'
import type { Runtime } from './runtime.ts'
import type { Stores } from './stores.ts'

/** How long those who ask for health share one look at the ledger. */
const healthMs = 2_000

/** A ledger that is silent for so long does not answer. */
const ledgerWithinMs = 2_000

/** Where no round was for so long, health has one begin: not everything that serves has a cron. */
const wakeAfterMs = 60_000

/** Whether payments can be carried, by what the ledger has. */
export function assembleHealth(
  config: Config,
  runtime: Runtime,
  stores: Stores,
  budget: UpstreamBudget | undefined,
): () => Promise<HealthAnswer> {
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

  return cached(clock, healthMs, async () =>
    healthOf({
      vitals: await vitals(),
      budget: limits && budget && { asked: budget.today(), callsADay: limits.callsADay },
      terms: config,
    }),
  )
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
