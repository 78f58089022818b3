import { parseEther } from 'viem'
import type { Fault } from '../dev/faults/fault-proxy.ts'
import { createRandom, type Random } from '../dev/random.ts'
import { claimOf, type Told, type Verdict } from '../dev/relays/oracle.ts'
import type { Delivery } from '../dev/relays/relay-workers.ts'
import {
  type Rig,
  type StartRelays,
  startRig,
  stranger,
  UnsettledError,
} from '../dev/relays/rig.ts'
import { sleep } from '../dev/wait.ts'
import { createOperatorClient } from '../ops/operator-client.ts'
import { type Reconciled, reconcile } from '../ops/reconcile/reconcile-deployment.ts'
import { makeSessions, type Session } from './sessions.ts'

export type SoakOptions = {
  /** How many are dialled; or as many as it takes until so many payments were submitted. */
  sessions: number | { untilSubmitted: number }
  /** Sessions at a time. */
  concurrency: number
  /** Sessions that begin in a second, at most. One key carries only so much. */
  perSecond?: number
  seed: number
  /** ms between blocks. */
  blockMs?: number
  /** Share of the requests to the node that each kind of fault strikes. */
  rate?: number
  /** Others than the bundled Worker in workerd. */
  served?: Served
  /** Told now and then how far it is. */
  progress?: (line: string) => void
}

/** Who serves, and what happens to them meanwhile. */
export type Served = {
  start: StartRelays
  /** Where deliveries go, in turns; one that brought nothing goes to the next of them. */
  urls: () => readonly string[]
  events: readonly SoakEvent[]
  /** Faults of their own, by kind. */
  faults: () => Record<string, number>
  /** Nothing happens from now on. */
  calm: () => void
}

/** Something that happens again and again, and has passed when its promise resolves. */
export type SoakEvent = {
  name: string
  /** On average, from the end of one to the beginning of the next. */
  everyMs: number
  happen: () => Promise<unknown>
}

/** What came out of it. */
export type SoakResult = {
  sessions: number
  deliveries: number
  /** Intents that the chain executed or refused. */
  payments: number
  seconds: number
  /** Until the last reply; what was still open then took `settledSeconds` more. */
  paymentsPerSecond: number
  settledSeconds: number
  replyMs: { p50: number; p99: number; longest: number }
  /** Replies of each kind. */
  replies: Record<string, number>
  faults: Record<string, number>
  verdict: Verdict
  /** What never came to an end, in the rig's words: a payment, a nonce, a transaction. */
  stuck: string | undefined
  /** Transactions that wait behind a nonce that nobody holds. */
  gaps: number
  /** The ledger against the contracts' sums and the events of the chain. */
  reconciled: Reconciled
}

/** A gateway gives up on a reply after this time. */
const gatewayMs = 15_000

const operatorToken = 'the-token-of-the-soak'

/** One person pays a few times a minute at most: few people with many payments each wait for themselves. */
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

/** Plays sessions against the real Worker, whose way to the chain is bad, and judges the outcome. */
export async function soak({
  sessions,
  concurrency,
  perSecond = Number.POSITIVE_INFINITY,
  seed,
  blockMs = 400,
  rate = 0.01,
  served,
  progress = () => {},
}: SoakOptions): Promise<SoakResult> {
  const random = createRandom(seed, 'sessions')
  const rig = await startRig({
    ...(served === undefined ? {} : { relays: served.start }),
    blockMs,
    seed,
    callers: callersFor(sessions),
    variables: { OPERATOR_TOKEN: operatorToken },
    workers: 2,
    depositWei: parseEther('5'),
    loansWei: parseEther('500'),
  })
  try {
    for (const fault of faults) rig.faults.script({ fault, rate })
    const stage: Stage = {
      rig,
      urls: served === undefined ? () => [rig.relay.url] : served.urls,
      turns: 0,
      latencies: [],
      submitted: new Set(),
    }
    const weather = startWeather(createRandom(seed, 'weather'), [
      ...(rate === 0 ? [] : chainEvents(rig, createRandom(seed, 'chain'), { rate, blockMs })),
      ...(served?.events ?? []),
    ])
    const dialling = dialled(sessions, stage, random)
    const { played, seconds } = await playAll(stage, dialling, { concurrency, perSecond, progress })
    await weather.stop()
    await rig.faults.accept()
    rig.faults.clear()
    served?.calm()
    progress('waiting for what is still open')
    const { stuck, seconds: settledSeconds } = await settle(rig)
    const verdict = await rig.judge()
    const reconciled = await reconcileAll(rig, stage.urls()[0])
    const payments = verdict.executed + verdict.failed
    return {
      sessions: played,
      deliveries: rig.told.length,
      payments,
      seconds,
      paymentsPerSecond: payments / seconds,
      settledSeconds,
      replyMs: spread(stage.latencies),
      replies: countBy(rig.told, ({ reply }: Told) =>
        reply === undefined ? 'no reply' : claimOf(reply),
      ),
      faults: {
        ...countBy(rig.faults.log, ({ fault }) => fault),
        ...weather.counts,
        ...served?.faults(),
      },
      verdict,
      stuck,
      gaps: rig.rootstock.pool.queued().length,
      reconciled,
    }
  } finally {
    await rig.stop()
  }
}

/** What the ledger says, held against the chain. */
function reconcileAll(rig: Rig, url: string | undefined): Promise<Reconciled> {
  const operator = createOperatorClient({
    ...{ origin: url ?? rig.relay.url, token: operatorToken },
    nodeUrl: rig.chain.anvil.url,
  })
  return reconcile(operator, { fromBlock: 0, eachAccount: true })
}

/** Plays sessions, so many at a time and a second, and then what is delivered late of them. */
async function playAll(
  stage: Stage,
  dialling: Iterator<Session>,
  {
    concurrency,
    perSecond,
    progress,
  }: Required<Pick<SoakOptions, 'concurrency' | 'perSecond' | 'progress'>>,
): Promise<{ played: number; seconds: number }> {
  const started = performance.now()
  const late: Delivery[] = []
  let played = 0
  let begun = 0
  await inParallel(concurrency, dialling, async (session) => {
    const waitMs = started + (begun * 1000) / perSecond - performance.now()
    begun += 1
    if (waitMs > 0) await sleep(waitMs)
    await play(stage, session)
    if (session.late !== undefined) late.push(session.late)
    played += 1
    if (played % 500 === 0) progress(`${played} sessions, ${stage.submitted.size} submitted`)
  })
  progress(`${late.length} late deliveries`)
  await inParallel(concurrency, late.values(), (delivery) => deliver(stage, delivery))
  return { played, seconds: (performance.now() - started) / 1000 }
}

function callersFor(sessions: SoakOptions['sessions']): number {
  const expected = typeof sessions === 'number' ? sessions : sessions.untilSubmitted
  const wanted = Math.ceil(expected / sessionsPerCaller)
  return Math.min(mostCallers, Math.max(fewestCallers, wanted))
}

/** What the sessions of one run share. */
type Stage = {
  rig: Rig
  urls: () => readonly string[]
  turns: number
  latencies: number[]
  /** Sessions that were told that something was submitted. */
  submitted: Set<string>
}

/** So many sessions, or as many as it takes. */
function* dialled(
  wanted: SoakOptions['sessions'],
  { rig, submitted }: Stage,
  random: Random,
): Generator<Session> {
  const count = typeof wanted === 'number' ? wanted : Number.POSITIVE_INFINITY
  const enough = typeof wanted === 'number' ? count : wanted.untilSubmitted
  for (const session of makeSessions(random, rig.callers, [stranger], count)) {
    if (submitted.size >= enough) return
    yield session
  }
}

async function play(stage: Stage, { steps }: Session): Promise<void> {
  for (const step of steps) {
    switch (step.kind) {
      case 'deliver':
        await Promise.all(Array.from({ length: step.times }, () => deliver(stage, step.delivery)))
        break
      case 'hang_up':
        stage.rig.abandon(step.delivery)
        await post(twoUrls(stage)[0], step.delivery, AbortSignal.timeout(step.afterMs)).catch(
          () => undefined,
        )
        break
    }
  }
}

/** Delivers, and once more where nothing came back, as gateways do. */
async function deliver(stage: Stage, delivery: Delivery): Promise<void> {
  for (const url of twoUrls(stage)) {
    const entry = stage.rig.note(delivery)
    const started = performance.now()
    try {
      entry.reply = await post(url, delivery, AbortSignal.timeout(gatewayMs))
      stage.latencies.push(performance.now() - started)
      if (claimOf(entry.reply) === 'submitted') stage.submitted.add(delivery.sessionId)
      return
    } catch {
      // No answer at all, which claims nothing.
    }
  }
}

/** Whose turn it is, and who comes next. */
function twoUrls(stage: Stage): [string, string] {
  const urls = stage.urls()
  const at = (index: number) => urls[index % urls.length] ?? stage.rig.relay.url
  stage.turns += 1
  return [at(stage.turns), at(stage.turns + 1)]
}

async function post(url: string, { phone, sessionId, text }: Delivery, signal: AbortSignal) {
  const response = await fetch(`${url}/ussd`, {
    method: 'POST',
    body: new URLSearchParams({ phoneNumber: phone, sessionId, text }),
    signal,
  })
  return { status: response.status, text: await response.text() }
}

/** What happens to a chain and its pool all by itself: windows of refusal, evictions, reorganizations. */
function chainEvents(
  rig: Rig,
  random: Random,
  { rate, blockMs }: { rate: number; blockMs: number },
): SoakEvent[] {
  const windowMs = 100
  return [
    {
      name: 'refused',
      everyMs: windowMs / rate,
      async happen() {
        await rig.faults.refuse()
        await sleep(windowMs)
        await rig.faults.accept()
      },
    },
    { name: 'evicted', everyMs: blockMs * 20, happen: () => rig.rootstock.evictAll() },
    {
      name: 'reorganized',
      everyMs: blockMs * 30,
      happen: () =>
        rig.rootstock.reorg({
          depth: random.int(1, 3),
          transactions: random.pick(['returned', 'dropped']),
        }),
    },
  ]
}

/** Lets events happen, each on its own, until it is stopped. */
function startWeather(random: Random, events: readonly SoakEvent[]) {
  const counts: Record<string, number> = {}
  const stopping = new AbortController()
  const running = events.map(repeat)
  return {
    counts,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }

  async function repeat({ name, everyMs, happen }: SoakEvent): Promise<void> {
    for (;;) {
      await sleep(everyMs * (0.5 + random.next()), stopping.signal)
      if (stopping.signal.aborted) return
      await happen()
      counts[name] = (counts[name] ?? 0) + 1
    }
  }
}

/** Waits until nothing is open, and says what still is after a time in which everything should be. */
async function settle(rig: Rig): Promise<{ stuck: string | undefined; seconds: number }> {
  const started = performance.now()
  const since = () => (performance.now() - started) / 1000
  try {
    await rig.settle()
    return { stuck: undefined, seconds: since() }
  } catch (error) {
    if (!(error instanceof UnsettledError)) throw error
    return { stuck: error.message, seconds: since() }
  }
}

async function inParallel<Item>(
  width: number,
  items: Iterator<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const lane = async () => {
    for (;;) {
      const next = items.next()
      if (next.done) return
      await work(next.value)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
}

function spread(values: number[]): SoakResult['replyMs'] {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  return { p50: at(0.5), p99: at(0.99), longest: at(1) }
}

function countBy<Item>(items: readonly Item[], name: (item: Item) => string) {
  const counts: Record<string, number> = {}
  for (const item of items) counts[name(item)] = (counts[name(item)] ?? 0) + 1
  return counts
}
