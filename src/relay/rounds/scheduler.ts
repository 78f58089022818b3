import { getUrgentRoundMs } from '../../chain/chains.ts'
import type { Clock } from '../../runtime/clock.ts'
import { describeFault, type Log, tryOrLog } from '../../runtime/log.ts'
import { type DueQueue, getNextDelayMs, type RoundResult } from '../ledger/schedule.ts'

export type RoundsOptions = {
  queue: DueQueue
  runRound: () => Promise<RoundResult>
  /** Is called after each round, and when the queue could not be read. */
  onRoundEnd?: (how: 'done' | 'failed') => void
  /** Pause between rounds in ms; ten times as long while no payment is open. */
  roundMs: number
  clock: Clock
  log: Log
}

export type Rounds = ReturnType<typeof createRounds>

/** Pause between two wakings of the ledger, in case no round was ever made due. */
const wakeEveryMs = 60_000

/** Length of a lease in rounds; a process that does not renew its lease counts as dead. */
const leaseRounds = 3

/** Runs the rounds of a ledger whose storage has no alarm. */
export function createRounds({ queue, runRound, onRoundEnd, roundMs, clock, log }: RoundsOptions) {
  const leaseMs = roundMs * leaseRounds
  let wakeController = new AbortController()

  /** Runs the round that is due. Never rejects. */
  async function work(): Promise<void> {
    try {
      const token = await queue.take(leaseMs)
      if (token !== undefined) await runDueRound(token)
    } catch (error) {
      log({ level: 'error', event: 'rounds.failed', message: describeFault(error) })
      onRoundEnd?.('failed')
    }
  }

  async function runDueRound(token: string): Promise<void> {
    const ended = new AbortController()
    const renewing = renewLease(token, ended.signal)
    let nextInMs: number | undefined = roundMs
    try {
      const result = await runRound()
      nextInMs = getNextDelayMs(result, roundMs)
      if (result === 'soon') wakeController.abort()
      onRoundEnd?.('done')
    } catch (error) {
      log({ level: 'error', event: 'tend.failed', message: describeFault(error) })
      onRoundEnd?.('failed')
    } finally {
      ended.abort()
      await renewing
    }
    // If this fails, the round becomes due again when its lease ends.
    const release = () => queue.release(token, nextInMs)
    await tryOrLog(log, { level: 'error', event: 'rounds.failed' }, release)
  }

  /** Renews the lease while a round runs, because slow nodes make a round long. */
  async function renewLease(token: string, ended: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(roundMs, ended)
      if (ended.aborted) return
      const isOurs = await queue.renew(token, leaseMs).catch(() => true)
      if (!isOurs) return
    }
  }

  const wake = (): Promise<void> =>
    tryOrLog(log, { level: 'error', event: 'wake.failed' }, () => queue.arm(roundMs))

  async function watch(signal: AbortSignal): Promise<void> {
    let wokenAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      if (clock.now() - wokenAt >= wakeEveryMs) {
        wokenAt = clock.now()
        await wake()
      }
      await work()
      await waitForNextRound(signal)
    }
  }

  /** Waits for the next round; `checkSoon` shortens the wait to a few seconds. */
  async function waitForNextRound(signal: AbortSignal): Promise<void> {
    await clock.sleep(
      roundMs - getUrgentRoundMs(roundMs),
      AbortSignal.any([signal, wakeController.signal]),
    )
    wakeController = new AbortController()
    await clock.sleep(getUrgentRoundMs(roundMs), signal)
  }

  return { wake, work, watch, checkSoon: (): void => wakeController.abort() }
}

/**
 * Has a cron run due rounds, and tells whether it does. Where the platform refuses it, the service
 * goes on without one.
 */
export async function startCron(
  define: (run: () => Promise<void>) => Promise<void>,
  rounds: Pick<Rounds, 'wake' | 'work'> | undefined,
  log: Log,
): Promise<boolean> {
  try {
    await define(async () => {
      await rounds?.wake()
      await rounds?.work()
    })
    return true
  } catch (error) {
    log({
      level: 'error',
      event: 'cron.failed',
      message: `No cron runs rounds, so keep a process running: ${describeFault(error)}`,
    })
    return false
  }
}
