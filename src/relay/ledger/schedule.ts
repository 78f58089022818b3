import { soonMs } from '../../chain/chains.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import { dueAfterMs, type LedgerMethod, ledgerThrough } from './methods.ts'
import { isOpen, type Ledger, type LedgerRules } from './port.ts'
import type { SqlLedger } from './stores/sqlite.ts'

/** Tells what a round left: bytes that no node took (`soon`), failing health, and so on. */
export type RoundResult = 'soon' | 'failing' | 'open' | 'watching' | 'idle'

/** Returns after how many ms the next round is due; undefined where none is. */
export function againAfterMs(tended: RoundResult, roundMs: number): number | undefined {
  switch (tended) {
    case 'soon':
      return soonMs(roundMs)
    case 'failing':
      // Due by the time of the next look, however it is rounded.
      return Math.max(soonMs(roundMs), roundMs - soonMs(roundMs))
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
  /** ms between rounds while something is open; ten times that while blocks are only watched. */
  roundMs: number
  runRound: (ledger: Ledger) => Promise<RoundResult>
  log: Log
}

/** Stands for a storage's one timer, which outlives its instance and rings at least once. */
export type Alarm = {
  /** Returns Unix time in ms; null where none is set, or while it rings. */
  getAlarm(): Promise<number | null>
  /** Replaces any other time. */
  setAlarm(time: number): Promise<void>
  deleteAlarm(): Promise<void>
}

export type KeptLedger = {
  /** Sets the alarm when a call opens work. */
  ledger: Ledger
  /** Starts a round at once where none is due, and within `roundMs` at the latest. */
  wake(): Promise<void>
  /** Runs a round. The alarm may ring twice for one time, so all of it may be repeated. */
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
    ledger: ledgerThrough(async (method, args) => {
      const answer = call(method, args)
      const dueMs = dueAfterMs(method, args, keeper.roundMs)
      if (dueMs !== undefined) await arm(dueMs)
      return answer
    }),
    async wake() {
      // A round that is due within its usual time is not begun twice.
      await ((await alarm.getAlarm()) === null ? alarm.setAlarm(now()) : arm(keeper.roundMs))
    },
    async ring() {
      // Armed first: whatever fails below, the chain of alarms goes on.
      await alarm.setAlarm(now() + keeper.roundMs)
      try {
        const tended = await keeper.runRound(
          ledgerThrough(async (method, args) => call(method, args)),
        )
        await rest(tended)
      } catch (error) {
        keeper.log({ level: 'error', event: 'tend.failed', message: describeFault(error) })
      }
    },
  }

  /** Sets the next alarm by what is left; work that came meanwhile keeps its earlier one. */
  async function rest(tended: RoundResult): Promise<void> {
    if (tended === 'open') return
    const inMs = againAfterMs(tended, keeper.roundMs)
    if (inMs !== undefined && (tended === 'soon' || tended === 'failing')) return arm(inMs)
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
