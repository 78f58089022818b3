import type { Address } from 'viem'
import type { Clock } from '../../runtime/clock.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import type { DueReminder, LoanDebt } from '../ledger/payments/reminders.ts'
import type { SmsFate } from '../ledger/payments/sms.ts'
import type { Ledger } from '../ledger/steps.ts'

export type RemindersOptions = {
  readDebt: (account: Address) => Promise<Omit<LoanDebt, 'account'>>
  /** Asks for one reminder to be sent, once; undefined if none is sent. */
  deliver: ((reminder: DueReminder, ledger: Ledger) => Promise<SmsFate>) | undefined
  clock: Clock
  log: Log
  /** Keeps work alive after a round. */
  waitUntil: (work: Promise<unknown>) => void
}

/** Limits the loans of one run, and how often it runs. */
const batch = 20
/** Ends a run whose first debts are unknown: the nodes tell none, so the rest stay due. */
const maxUnknown = 2
const everyMs = 60_000

/** Checks loans that may be due soon, and sends reminders one by one. Never throws. */
export function createReminders({ readDebt, deliver, clock, log, waitUntil }: RemindersOptions) {
  let nextAt = Number.NEGATIVE_INFINITY

  const logFailure = (error: unknown) =>
    log({ level: 'warn', event: 'reminders.failed', message: describeFault(error) })

  async function work(ledger: Ledger): Promise<void> {
    let unknown = 0
    let isAnyKnown = false
    try {
      for (const account of await ledger.listDueReminders(batch)) {
        const debt = await readDebt(account).catch((error: unknown) => {
          logFailure(error)
          return { owedWei: undefined }
        })
        const reminder = await ledger.takeReminder({ account, ...debt })
        if (debt.owedWei === undefined) unknown += 1
        else isAnyKnown = true
        if (unknown === maxUnknown && !isAnyKnown) break
        if (deliver === undefined || !reminder?.sealed) continue
        await ledger.recordReminderFate(reminder, await deliver(reminder, ledger))
      }
    } catch (error) {
      logFailure(error)
    }
    nextAt = clock.now() + everyMs
  }

  return (ledger: Ledger): void => {
    if (clock.now() < nextAt) return
    nextAt = Number.POSITIVE_INFINITY
    waitUntil(work(ledger))
  }
}
