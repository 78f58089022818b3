import { parseEther } from 'viem'
import type { Fault } from '../../test/support/faults/fault-proxy.ts'
import { claimOf, type Told, type Verdict } from '../../test/support/faults/oracle.ts'
import { createRandom, pick, type Random } from '../../test/support/faults/random.ts'
import type { Delivery } from '../../test/support/faults/relay-workers.ts'
import { type Rig, startRig, stranger, UnsettledError } from '../../test/support/faults/rig.ts'
import { makeSessions, type Session } from './sessions.ts'

export type SoakOptions = {
  sessions: number
  /** Sessions at a time. */
  concurrency: number
  seed: number
  /** ms between blocks. */
  blockMs?: number
  /** Share of the requests to the node that each kind of fault strikes. */
  rate?: number
  /** Told now and then how far it is. */
  progress?: (line: string) => void
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
}

/** A gateway gives up on a reply after this time. */
const GATEWAY_MS = 15_000

const CALLERS = 150

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
  seed,
  blockMs = 400,
  rate = 0.01,
  progress = () => {},
}: SoakOptions): Promise<SoakResult> {
  const random = createRandom(seed)
  const rig = await startRig({
    blockMs,
    seed,
    callers: CALLERS,
    workers: 2,
    depositWei: parseEther('20'),
    loansWei: parseEther('500'),
  })
  try {
    for (const fault of faults) rig.faults.script({ fault, rate })
    const weather = startWeather(rig, createRandom(seed + 1), { rate, blockMs })
    const started = performance.now()
    const latencies: number[] = []
    const plays = makeSessions(random, rig.callers, [stranger], sessions)
    const late: Delivery[] = []
    let played = 0
    await inParallel(concurrency, plays, async (session) => {
      await play(rig, session, latencies)
      if (session.late !== undefined) late.push(session.late)
      played += 1
      if (played % 500 === 0) progress(`${played} of ${sessions} sessions`)
    })
    progress(`${late.length} late deliveries`)
    await inParallel(concurrency, late.values(), (delivery) => deliver(rig, delivery, latencies))
    const seconds = (performance.now() - started) / 1000
    await weather.stop()
    rig.faults.clear()
    progress('waiting for what is still open')
    const { stuck, seconds: settledSeconds } = await settle(rig, sessions)
    const verdict = await rig.judge()
    const payments = verdict.executed + verdict.failed
    return {
      sessions,
      deliveries: rig.told.length,
      payments,
      seconds,
      paymentsPerSecond: payments / seconds,
      settledSeconds,
      replyMs: spread(latencies),
      replies: countBy(rig.told, ({ reply }: Told) =>
        reply === undefined ? 'none' : claimOf(reply),
      ),
      faults: { ...countBy(rig.faults.log, ({ fault }) => fault), ...weather.counts },
      verdict,
      stuck,
      gaps: rig.rootstock.pool.queued().length,
    }
  } finally {
    await rig.stop()
  }
}

async function play(rig: Rig, { steps }: Session, latencies: number[]): Promise<void> {
  for (const step of steps) {
    switch (step.kind) {
      case 'deliver':
        await Promise.all(
          Array.from({ length: step.times }, () => deliver(rig, step.delivery, latencies)),
        )
        break
      case 'hang_up':
        rig.abandon(step.delivery)
        await post(rig, step.delivery, AbortSignal.timeout(step.afterMs)).catch(() => undefined)
        break
    }
  }
}

/** Delivers, and once more where nothing came back, as gateways do. */
async function deliver(rig: Rig, delivery: Delivery, latencies: number[]): Promise<void> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const entry = rig.note(delivery)
    const started = performance.now()
    try {
      entry.reply = await post(rig, delivery, AbortSignal.timeout(GATEWAY_MS))
      latencies.push(performance.now() - started)
      return
    } catch {
      // No answer at all, which claims nothing.
    }
  }
}

async function post(rig: Rig, { phone, sessionId, text }: Delivery, signal: AbortSignal) {
  const response = await fetch(`${rig.relay.url}/ussd`, {
    method: 'POST',
    body: new URLSearchParams({ phoneNumber: phone, sessionId, text }),
    signal,
  })
  return { status: response.status, text: await response.text() }
}

/** What happens to a chain and its pool all by itself: windows of refusal, evictions, reorganizations. */
function startWeather(
  rig: Rig,
  random: Random,
  { rate, blockMs }: { rate: number; blockMs: number },
) {
  const counts: Record<string, number> = {}
  const stopping = new AbortController()
  const windowMs = 100
  const running = [
    every(windowMs / rate, 'refused', async () => {
      await rig.faults.refuse()
      await pause(windowMs)
      await rig.faults.accept()
    }),
    every(blockMs * 20, 'evicted', async () => {
      await rig.rootstock.evictAll()
    }),
    every(blockMs * 30, 'reorganized', () =>
      rig.rootstock.reorg({
        depth: 1 + Math.floor(random() * 3),
        transactions: pick(random, ['returned', 'dropped']),
      }),
    ),
  ]
  return {
    counts,
    async stop() {
      stopping.abort()
      await Promise.all(running)
      await rig.faults.accept()
    },
  }

  async function every(ms: number, name: string, happen: () => Promise<void>): Promise<void> {
    if (rate === 0) return
    for (;;) {
      await pause(ms * (0.5 + random()))
      if (stopping.signal.aborted) return
      await happen()
      counts[name] = (counts[name] ?? 0) + 1
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (stopping.signal.aborted) return resolve()
      const timer = setTimeout(done, ms)
      stopping.signal.addEventListener('abort', done)
      function done(): void {
        clearTimeout(timer)
        stopping.signal.removeEventListener('abort', done)
        resolve()
      }
    })
  }
}

/** Waits until nothing is open, and says what still is after a time in which everything should be. */
async function settle(
  rig: Rig,
  sessions: number,
): Promise<{ stuck: string | undefined; seconds: number }> {
  const started = performance.now()
  const since = () => (performance.now() - started) / 1000
  try {
    // One key carries fifteen transactions a block at best: many sessions leave a long queue.
    await rig.settle(60_000 + sessions * 60)
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
