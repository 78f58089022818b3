import { soonMs } from '../../chain/chains.ts'
import type { Clock } from '../../runtime/clock.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import { type DueQueue, type HeldTask, roundTask } from '../ledger/due-queue.ts'
import { againAfterMs, type RoundResult } from '../ledger/schedule.ts'

export type RoundsOptions = {
  queue: DueQueue
  tend: () => Promise<RoundResult>
  /** Runs after each round, and when none could start. */
  onRoundEnd?: (how: 'done' | 'failed') => void
  /** Sets the pause between rounds; it is ten times that while blocks are only watched. */
  roundMs: number
  clock: Clock
  log: Log
}

/** Runs the rounds of a ledger whose storage has no alarm. */
export type Rounds = {
  /** Makes a round due within `roundMs`. */
  wake(): Promise<void>
  /** Runs what is due. Never rejects. */
  work(): Promise<void>
  /** Runs what becomes due, until the signal aborts. */
  watch(signal: AbortSignal): Promise<void>
  /** Makes the watch check within seconds. */
  soon(): void
}

/** Wakes a ledger this often besides, in case work was never armed. */
const wakeEveryMs = 60_000

/** Counts a holder as dead after this many rounds without a renewed lease. */
const leaseRounds = 3

export function createRounds({
  queue,
  tend,
  onRoundEnd,
  roundMs,
  clock,
  log,
}: RoundsOptions): Rounds {
  const leaseMs = roundMs * leaseRounds
  let hurry = new AbortController()

  async function work(): Promise<void> {
    try {
      for (const held of await queue.take(leaseMs)) await round(held)
    } catch (error) {
      log({ level: 'error', event: 'rounds.failed', message: describeFault(error) })
      onRoundEnd?.('failed')
    }
  }

  async function round(held: HeldTask): Promise<void> {
    const ended = new AbortController()
    const renewing = keep(held, ended.signal)
    let nextInMs: number | undefined = roundMs
    try {
      const result = await tend()
      nextInMs = againAfterMs(result, roundMs)
      if (result === 'soon') hurry.abort()
      onRoundEnd?.('done')
    } catch (error) {
      log({ level: 'error', event: 'tend.failed', message: describeFault(error) })
      onRoundEnd?.('failed')
    } finally {
      ended.abort()
      await renewing
    }
    try {
      await queue.done(held, nextInMs)
    } catch (error) {
      // The task becomes due again when its lease ends.
      log({ level: 'error', event: 'rounds.failed', message: describeFault(error) })
    }
  }

  /** Renews the lease while a round runs: slow nodes make it long. */
  async function keep(held: HeldTask, ended: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(roundMs, ended)
      if (ended.aborted) return
      const isOurs = await queue.renew(held, leaseMs).catch(() => true)
      if (!isOurs) return
    }
  }

  async function wake(): Promise<void> {
    try {
      await queue.arm(roundTask, roundMs)
    } catch (error) {
      log({ level: 'error', event: 'wake.failed', message: describeFault(error) })
    }
  }

  async function watch(signal: AbortSignal): Promise<void> {
    let wokenAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      if (clock.now() - wokenAt >= wakeEveryMs) {
        wokenAt = clock.now()
        await wake()
      }
      await work()
      await pause(signal)
    }
  }

  /** Waits for the next round, or less after {@link Rounds.soon}: each check costs. */
  async function pause(signal: AbortSignal): Promise<void> {
    await clock.sleep(roundMs - soonMs(roundMs), AbortSignal.any([signal, hurry.signal]))
    hurry = new AbortController()
    await clock.sleep(soonMs(roundMs), signal)
  }

  return { wake, work, watch, soon: () => hurry.abort() }
}
