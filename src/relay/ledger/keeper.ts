import { faultOf, type Log } from '../../runtime/log.ts'
import { isOpen, type Ledger, type LedgerRules } from './port.ts'
import type { SqlLedger } from './sqlite.ts'
import { type LedgerMethod, ledgerThrough, methodKinds } from './steps.ts'

/** What is left after a round. */
export type Tended = 'open' | 'watching' | 'idle'

/** What the composition root gives a ledger's keeper. */
export type LedgerKeeper = {
  rules: LedgerRules
  /** Address of the key whose nonces are handed out. */
  relayer: string
  /** ms between two rounds while something is open; ten times that while blocks are only watched. */
  tendMs: number
  tend: (ledger: Ledger) => Promise<Tended>
  log: Log
}

/** The one timer of a ledger's storage: it outlives the instance that set it and rings at least once. */
export type Alarm = {
  /** Unix time in ms; null where none is set, or where it is ringing. */
  getAlarm(): Promise<number | null>
  /** In the place of any other. */
  setAlarm(time: number): Promise<void>
  deleteAlarm(): Promise<void>
}

/** A ledger that is looked after. */
export type KeptLedger = {
  /** The port; what opens work sets the alarm. */
  ledger: Ledger
  /** Looks after what is open, now and until it is settled. */
  wake(): Promise<void>
  /** What the alarm does. It may run twice for one time, so everything it does may be done twice. */
  ring(): Promise<void>
}

/** Sets the alarm for whatever may be left to do, and tends until nothing is. */
export function keepLedger(
  ledger: SqlLedger,
  alarm: Alarm,
  keeper: LedgerKeeper,
  now: () => number,
): KeptLedger {
  const call = (method: LedgerMethod, args: unknown[]): unknown =>
    (ledger[method] as (...args: unknown[]) => unknown)(...args)

  return {
    ledger: ledgerThrough(async (method, args) => {
      const answer = call(method, args)
      if (methodKinds[method] === 'opens') await arm()
      return answer
    }),
    wake: () => alarm.setAlarm(now()),
    async ring() {
      // Armed first: whatever happens below, the chain of alarms goes on.
      await alarm.setAlarm(now() + keeper.tendMs)
      try {
        const tended = await keeper.tend(ledgerThrough(async (method, args) => call(method, args)))
        await rest(tended)
      } catch (error) {
        keeper.log({ level: 'error', event: 'tend.failed', message: faultOf(error) })
      }
    },
  }

  /** Sets the next alarm by what is left; work that came meanwhile keeps the short one. */
  async function rest(tended: Tended): Promise<void> {
    if (tended === 'open') return
    if (isOpen(ledger.work())) return
    if (tended === 'idle') return alarm.deleteAlarm()
    await alarm.setAlarm(now() + keeper.tendMs * 10)
  }

  async function arm(): Promise<void> {
    const next = now() + keeper.tendMs
    const set = await alarm.getAlarm()
    if (set === null || set > next) await alarm.setAlarm(next)
  }
}
