import { type Counts, countBy, quantile } from '../dev/count.ts'
import type { Fault } from '../dev/faults/fault-proxy.ts'
import { inLanes } from '../dev/lanes.ts'
import { createRandom, type Random } from '../dev/random.ts'
import { readClaim } from '../dev/relays/oracle.ts'
import { type Delivery, postDelivery } from '../dev/relays/relay-workers.ts'
import { type Rig, type StartRelays, startRig, UnsettledError } from '../dev/relays/rig.ts'
import { sleep } from '../dev/wait.ts'
import { createOperatorClient } from '../ops/operator-client.ts'
import { reconcile } from '../ops/reconcile/reconcile-deployment.ts'
import { makeSessions, type Session } from './sessions.ts'

type SoakOptions = {
  /** Sessions that must be told of a payment before dialling ends. */
  payments: number
  concurrency: number
  /** Limits the sessions that begin in a second, because one key carries no more. */
  perSecond?: number
  seed: number
  isOverToken?: boolean | undefined
  /** Share of the node's requests that meet each kind of fault. */
  rate?: number
  served?: Served
  progress?: (line: string) => void
}

export type Served = {
  start: StartRelays
  /** Addresses that get the deliveries in turn; one without a reply goes to the next address. */
  urls: () => readonly string[]
  events: readonly Disturbance[]
  /** Stops all faults. */
  stopFaults: () => void
}

type Disturbance = {
  name: string
  /** Average time from the end of one fault to the next. */
  everyMs: number
  run: () => Promise<unknown>
}

export type SoakResult = Awaited<ReturnType<typeof soak>>

/** Time that a gateway waits for a reply. */
const gatewayMs = 15_000

const operatorToken = 'the-token-of-the-soak'

const blockMs = 400

/** Most payments of one caller, who waits for each before the next. */
const sessionsPerCaller = 10
const fewestCallers = 150
const mostCallers = 1_000

/** Every kind of fault, each of which strikes at the given rate. */
const faults: readonly Fault[] = [
  { kind: 'drop_request' },
  { kind: 'drop_reply' },
  { kind: 'delay_request', ms: 2_500 },
  { kind: 'delay_reply', ms: 2_500 },
  { kind: 'status', status: 429 },
  { kind: 'status', status: 500 },
  { kind: 'html' },
  { kind: 'truncated' },
  { kind: 'lagging', blocks: 3 },
]

/** Plays sessions against the real Worker over a bad line to the chain, and judges the outcome. */
export async function soak(options: SoakOptions) {
  const { payments, seed, rate = 0.01, served, progress = () => {} } = options
  const callers = Math.ceil(payments / sessionsPerCaller)
  const rig = await startRig({
    ...(served && { relays: served.start }),
    blockMs,
    seed,
    isOverToken: options.isOverToken ?? false,
    callers: Math.min(mostCallers, Math.max(fewestCallers, callers)),
    variables: { OPERATOR_TOKEN: operatorToken },
    workers: 2,
  })
  try {
    for (const fault of faults) rig.faults.script({ fault, rate })
    const urls = served?.urls ?? (() => [rig.relay.url])
    const line: Line = { rig, urls, turns: 0, latencies: [], submitted: new Set() }
    const ofChain = disturbChain(rig, createRandom(seed, 'chain'), rate)
    const events = [...ofChain, ...(served?.events ?? [])]
    const disturbances = startDisturbances(createRandom(seed, 'disturbances'), events)
    const { played, seconds } = await playAll(line, options)
    await disturbances.stop()
    await rig.faults.accept()
    rig.faults.clear()
    served?.stopFaults()
    progress('waiting for what is still open')
    const { stuck, settledSeconds } = await waitUntilSettled(rig)
    const verdict = await rig.judge()
    const at = (share: number) => Math.round(quantile(line.latencies, share))
    const origin = urls()[0] ?? rig.relay.url
    const nodeUrl = rig.chain.anvil.url
    const operator = createOperatorClient({ origin, token: operatorToken, nodeUrl })
    return {
      sessions: played,
      deliveries: rig.told.length,
      /** Intents that the chain executed or refused. */
      payments: verdict.executed + verdict.failed,
      /** Time until the last reply; open payments then took `settledSeconds` more. */
      seconds,
      settledSeconds,
      replyMs: { p50: at(0.5), p99: at(0.99), longest: at(1) },
      replies: countBy(rig.told.map(({ reply }) => (reply ? readClaim(reply) : 'no reply'))),
      faults: { ...countBy(rig.faults.log.map(({ fault }) => fault)), ...disturbances.counts },
      verdict,
      /** Names payments that never settled. */
      stuck,
      /** Transactions that wait behind a nonce that nobody holds. */
      gaps: rig.rootstock.pool.queued().length,
      /** The ledger against the contracts' sums and the events of the chain. */
      reconciled: await reconcile(operator, { fromBlock: 0, eachAccount: true }),
    }
  } finally {
    await rig.stop()
  }
}

type Line = {
  rig: Rig
  urls: () => readonly string[]
  turns: number
  latencies: number[]
  submitted: Set<string>
}

/** Plays sessions at the set concurrency and rate, and then their late deliveries. */
async function playAll(
  line: Line,
  { payments, seed, concurrency, perSecond = Number.POSITIVE_INFINITY, progress }: SoakOptions,
): Promise<{ played: number; seconds: number }> {
  const started = performance.now()
  const { rig, submitted } = line
  const late: Delivery[] = []
  let played = 0
  let begun = 0
  function* wanted() {
    for (const session of makeSessions(createRandom(seed, 'sessions'), rig.callers)) {
      if (submitted.size >= payments) return
      yield session
    }
  }
  await inLanes(concurrency, wanted(), async (session) => {
    const waitMs = started + (begun++ * 1000) / perSecond - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    await playSession(line, session)
    if (session.late !== undefined) late.push(session.late)
    played += 1
    if (played % 500 === 0) progress?.(`${played} sessions, ${submitted.size} submitted`)
  })
  progress?.(`${late.length} late deliveries`)
  await inLanes(concurrency, late.values(), (delivery) => deliver(line, delivery))
  return { played, seconds: (performance.now() - started) / 1000 }
}

async function playSession(line: Line, { steps }: Session): Promise<void> {
  for (const { delivery, ...how } of steps) {
    if (how.kind === 'deliver') {
      await Promise.all(Array.from({ length: how.times }, () => deliver(line, delivery)))
      continue
    }
    line.rig.note(delivery)
    const signal = AbortSignal.timeout(how.afterMs)
    await postDelivery(nextUrl(line), delivery, signal).catch(() => undefined)
  }
}

/** Delivers, and repeats once without an answer, as gateways do. */
async function deliver(line: Line, delivery: Delivery): Promise<void> {
  for (let tries = 0; tries < 2; tries += 1) {
    const url = nextUrl(line)
    const entry = line.rig.note(delivery)
    const started = performance.now()
    try {
      entry.reply = await postDelivery(url, delivery, AbortSignal.timeout(gatewayMs))
      line.latencies.push(performance.now() - started)
      if (readClaim(entry.reply) === 'submitted') line.submitted.add(delivery.sessionId)
      return
    } catch {
      // No answer at all, which claims nothing.
    }
  }
}

function nextUrl(line: Line): string {
  const urls = line.urls()
  line.turns += 1
  return urls[line.turns % urls.length] ?? line.rig.relay.url
}

/** Creates the chain's and the pool's disturbances: refusals, evictions, reorganizations. */
function disturbChain({ faults, rootstock }: Rig, random: Random, rate: number): Disturbance[] {
  const windowMs = 100
  return [
    {
      name: 'refused',
      everyMs: windowMs / rate,
      async run() {
        await faults.refuse()
        await sleep(windowMs)
        await faults.accept()
      },
    },
    { name: 'evicted', everyMs: blockMs * 20, run: () => rootstock.evictAll() },
    {
      name: 'reorganized',
      everyMs: blockMs * 30,
      run() {
        const depth = random.int(1, 3)
        return rootstock.reorg({ depth, transactions: random.pick(['returned', 'dropped']) })
      },
    },
  ]
}

function startDisturbances(random: Random, events: readonly Disturbance[]) {
  const counts: Counts = {}
  const stopping = new AbortController()
  const running = events.map(async ({ name, everyMs, run }) => {
    for (;;) {
      await sleep(everyMs * (0.5 + random.next()), stopping.signal)
      if (stopping.signal.aborted) return
      await run()
      counts[name] = (counts[name] ?? 0) + 1
    }
  })
  return {
    counts,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

/** Waits until nothing is open; describes what still is after the time limit. */
async function waitUntilSettled(rig: Rig) {
  const started = performance.now()
  let stuck: string | undefined
  try {
    await rig.settle()
  } catch (error) {
    if (!(error instanceof UnsettledError)) throw error
    stuck = error.message
  }
  return { stuck, settledSeconds: (performance.now() - started) / 1000 }
}
