import { getUrgentRoundMs } from '../../chain/chains.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import { createLedgerPort, getDueDelayMs, type LedgerMethod } from './methods.ts'
import { isOpen, type Ledger, type LedgerRules } from './port.ts'
import type { SqlLedger } from './stores/sqlite.ts'

/** Tells what a round left open; `soon`: an untaken transaction, or payments without a nonce. */
export type RoundResult = 'soon' | 'failing' | 'open' | 'watching' | 'idle'

/** Returns after how many ms the next round is due; undefined if none is. */
export function getNextDelayMs(result: RoundResult, roundMs: number): number | undefined {
  switch (result) {
    case 'soon':
      return getUrgentRoundMs(roundMs)
    case 'failing':
      // Due by the next check, however it is rounded.
      return Math.max(getUrgentRoundMs(roundMs), roundMs - getUrgentRoundMs(roundMs))
    case 'open':
      return roundMs
    case 'watching':
      return roundMs * 10
    case 'idle':
      return undefined
  }
}

export type LedgerSchedule = {
  rules: LedgerRules
  relayer: string
  /** Is the ms between rounds while work is open; ten times that while blocks are only watched. */
  roundMs: number
  runRound: (ledger: Ledger) => Promise<RoundResult>
  log: Log
}

/** Is a storage's one timer, which outlives its instance and fires at least once. */
export type Alarm = {
  /** Returns the Unix time in ms; null if none is set, or while it fires. */
  getAlarm(): Promise<number | null>
  /** Replaces any other time. */
  setAlarm(time: number): Promise<void>
  deleteAlarm(): Promise<void>
}

export type KeptLedger = {
  /** Sets the alarm when a call opens work. */
  ledger: Ledger
  /** Starts a round at once if none is due, and within `roundMs` at the latest. */
  wake(): Promise<void>
  /** Runs a round. The alarm may fire twice, so everything here may be repeated. */
  ring(): Promise<void>
}

/** Sets the alarm when work is opened, and runs rounds until nothing is left. */
export function scheduleLedger(
  ledger: SqlLedger,
  alarm: Alarm,
  keeper: LedgerSchedule,
  now: () => number,
): KeptLedger {
  const call = (method: LedgerMethod, args: unknown[]): unknown =>
    (ledger[method] as (...args: unknown[]) => unknown)(...args)

  return {
    ledger: createLedgerPort(async (method, args) => {
      const answer = call(method, args)
      const dueMs = getDueDelayMs(method, args, keeper.roundMs)
      if (dueMs !== undefined) await arm(dueMs)
      return answer
    }),
    async wake() {
      // If a round is due within its usual time, no second one starts.
      await ((await alarm.getAlarm()) === null ? alarm.setAlarm(now()) : arm(keeper.roundMs))
    },
    async ring() {
      // Armed first, so that alarms continue whatever fails below.
      await alarm.setAlarm(now() + keeper.roundMs)
      try {
        const result = await keeper.runRound(
          createLedgerPort(async (method, args) => call(method, args)),
        )
        await setNextAlarm(result)
      } catch (error) {
        keeper.log({ level: 'error', event: 'tend.failed', message: describeFault(error) })
      }
    },
  }

  /** Sets the next alarm by what is left; work that came meanwhile keeps its earlier alarm. */
  async function setNextAlarm(result: RoundResult): Promise<void> {
    if (result === 'open') return
    const inMs = getNextDelayMs(result, keeper.roundMs)
    if (inMs !== undefined && (result === 'soon' || result === 'failing')) return arm(inMs)
    if (isOpen(ledger.readWork())) return
    if (inMs === undefined) return alarm.deleteAlarm()
    await alarm.setAlarm(now() + inMs)
  }

  async function arm(inMs: number): Promise<void> {
    const next = now() + inMs
    const set = await alarm.getAlarm()
    if (set === null || set > next) await alarm.setAlarm(next)
  }
}
