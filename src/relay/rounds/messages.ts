import type { Address } from 'viem'
import type { Clock } from '../../runtime/clock.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import type { DueReminder, LoanDebt } from '../ledger/payments/reminders.ts'
import type { SmsFate } from '../ledger/payments/sms.ts'
import type { DueSms } from '../ledger/records/due-sms.ts'
import type { Ledger } from '../ledger/steps.ts'
import { maxRetryMs } from '../ledger/values.ts'

export type SmsRoundsOptions = {
  deliver: (sms: DueSms, ledger: Ledger, sumWei?: bigint) => Promise<SmsFate>
  /** Reads the amount of a payment of all, or nothing if no node tells it in time. */
  readSum: (sms: DueSms) => Promise<bigint | undefined>
  clock: Clock
  log: Log
  waitUntil: (work: Promise<unknown>) => void
}

/** Sends what is due; true while something may be left to send. Never throws. */
export type SmsRound = (ledger: Ledger) => Promise<boolean>

/** Limits the messages taken at a time: a process that dies leaves no more unsent. */
const batch = 10

/** Pauses after a failure, each time twice as long: a provider that is down costs few messages. */
const pauseMs = 30_000
const longestPauseMs = 600_000

/** Sends messages one by one; each is taken first, so that it is asked for once. */
export function createSmsRound(options: SmsRoundsOptions): SmsRound {
  const { deliver, readSum, clock, log, waitUntil } = options
  let isSending = false
  let failures = 0
  let pausedUntil = 0

  function noteFailure(): void {
    pausedUntil = clock.now() + Math.min(longestPauseMs, pauseMs * 2 ** failures)
    failures += 1
  }

  async function sendOne(ledger: Ledger, sms: DueSms, sumWei?: bigint): Promise<void> {
    const { session, party, attempts } = sms
    const fate = clock.now() < pausedUntil ? 'untried' : await deliver(sms, ledger, sumWei)
    if (fate === 'unknown' || fate === 'later') noteFailure()
    if (fate === 'sent') failures = 0
    await ledger.recordSmsFate({ session, party, attempts }, fate)
  }

  async function sendAll(ledger: Ledger, taken: readonly DueSms[]): Promise<void> {
    let sent = Promise.resolve()
    // What waits for a node's answer goes behind the others.
    const joined = taken.map(async (sms) => {
      const sumWei = await readSum(sms)
      sent = sent
        .then(() => sendOne(ledger, sms, sumWei))
        .catch((error) => fail(error, sms.intentId))
    })
    await Promise.all(joined)
    await sent
  }

  /** Logs a failure; a taken message stays taken and is not sent again. */
  const fail = (error: unknown, intent?: string) =>
    log({ level: 'error', event: 'sms.failed', message: describeFault(error), intent })

  return async (ledger) => {
    if (isSending || clock.now() < pausedUntil) return true
    isSending = true
    try {
      const { taken, next } = await ledger.takeSms(batch)
      isSending = taken.length > 0
      // What is due later than a retry waits for a round that runs anyway.
      if (!isSending) return next !== undefined && next - clock.now() <= maxRetryMs
      const sending = sendAll(ledger, taken).finally(() => {
        isSending = false
      })
      waitUntil(sending)
    } catch (error) {
      isSending = false
      fail(error)
    }
    return true
  }
}

export type RemindersOptions = Omit<SmsRoundsOptions, 'deliver' | 'readSum'> & {
  readDebt: (account: Address) => Promise<Omit<LoanDebt, 'account'>>
  /** Asks for one reminder to be sent, once; undefined if none is sent. */
  deliver: ((reminder: DueReminder, ledger: Ledger) => Promise<SmsFate>) | undefined
}

/** Limits the loans of one run, and how often it runs. */
const maxReminders = 20
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
      for (const account of await ledger.listDueReminders(maxReminders)) {
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
