import { getUrgentRoundMs } from '../../chain/chains.ts'
import { type Log, tryOrLog } from '../../runtime/log.ts'
import type { LedgerRules } from './draft.ts'
import { createLedgerPort, getDueDelayMs, type Port, type Steps, type SyncPort } from './port.ts'
import { isOpen, type Work } from './work.ts'

/**
 * Tells when the next round is needed. `soon`: no node has taken a transaction, payments wait for a
 * nonce, or one for the block that may assure it. `watching`: nothing is open, but recent blocks
 * may still leave the chain.
 */
export type RoundResult = 'soon' | 'failing' | 'open' | 'watching' | 'idle'

/** Returns after how many ms the next round is due; undefined if none is. */
export function getNextDelayMs(result: RoundResult, roundMs: number): number | undefined {
  switch (result) {
    case 'soon':
      return getUrgentRoundMs(roundMs)
    case 'failing':
      // Sooner than `roundMs`, so that a check every `roundMs` finds it due.
      return Math.max(getUrgentRoundMs(roundMs), roundMs - getUrgentRoundMs(roundMs))
    case 'open':
      return roundMs
    case 'watching':
      return roundMs * 10
    case 'idle':
      return undefined
  }
}

export type LedgerSchedule<Any extends Steps> = {
  rules: LedgerRules
  relayer: string
  /** Sets the time between rounds while work is open; ten times that while blocks are watched. */
  roundMs: number
  runRound: (ledger: Port<Any>) => Promise<RoundResult>
  log: Log
}

/** Is the one timer of a storage. It outlives the instance, and fires at least once. */
type Alarm = {
  /** Returns the Unix time in ms; null if none is set, or while it fires. */
  getAlarm(): Promise<number | null>
  /** Replaces any other time. */
  setAlarm(time: number): Promise<void>
  deleteAlarm(): Promise<void>
}

export type ScheduledLedger<Any extends Steps> = ReturnType<typeof scheduleLedger<Any>>

/** Sets the alarm when work is opened, and runs rounds until nothing is left. */
export function scheduleLedger<Any extends Steps>(
  steps: Any,
  ledger: SyncPort<Any>,
  alarm: Alarm,
  schedule: LedgerSchedule<Any>,
  now: () => number,
) {
  const call = (method: string, args: unknown[]): unknown =>
    (ledger[method] as (...args: unknown[]) => unknown)(...args)

  return {
    ledger: createLedgerPort(steps, async (method, args) => {
      const answer = call(method, args)
      const dueMs = getDueDelayMs(steps, method, args, schedule.roundMs)
      if (dueMs !== undefined) await armAlarm(dueMs)
      return answer
    }),
    /** Starts a round at once if none is due, and within `roundMs` at the latest. */
    async wake(): Promise<void> {
      // If a round is due within its usual time, no second one starts.
      await ((await alarm.getAlarm()) === null ? alarm.setAlarm(now()) : armAlarm(schedule.roundMs))
    },
    /** Runs a round. The alarm may fire twice, so everything here may be repeated. */
    async runDueRound(): Promise<void> {
      // The next alarm is set first, so that alarms continue even if the process dies below. It
      // takes the place of a retry (findings/durable-object-alarm-before-throw.sh).
      await alarm.setAlarm(now() + schedule.roundMs)
      const port = createLedgerPort(steps, async (method, args) => call(method, args))
      await tryOrLog(schedule.log, { level: 'error', event: 'tend.failed' }, async () =>
        setNextAlarm(await schedule.runRound(port)),
      )
    },
  }

  /** Sets the next alarm by what is left; work that came meanwhile keeps its earlier alarm. */
  async function setNextAlarm(result: RoundResult): Promise<void> {
    if (result === 'open') return
    const inMs = getNextDelayMs(result, schedule.roundMs)
    if (inMs !== undefined && (result === 'soon' || result === 'failing')) return armAlarm(inMs)
    if (isOpen(call('readWork', []) as Work)) return
    if (inMs === undefined) return alarm.deleteAlarm()
    await alarm.setAlarm(now() + inMs)
  }

  /** Makes the alarm fire within this time; an earlier alarm stays. */
  async function armAlarm(inMs: number): Promise<void> {
    const time = now() + inMs
    const knownTime = await alarm.getAlarm()
    if (knownTime === null || knownTime > time) await alarm.setAlarm(time)
  }
}

/** Leases a ledger's due rounds, so that another instance can take over those of a dead one. */
export type DueQueue = {
  /** Makes a round due within `inMs`; one that is held becomes due again after that. */
  arm(inMs: number): Promise<void>
  /** Takes the round under a lease, if it is due; returns a token that identifies its holder. */
  take(leaseMs: number): Promise<string | undefined>
  /** Extends the lease; `false` if another instance holds the round now. */
  renew(token: string, leaseMs: number): Promise<boolean>
  /** Returns the round, due after `againInMs` or once armed; does nothing if the lease was lost. */
  release(token: string, againInMs: number | undefined): Promise<void>
}
