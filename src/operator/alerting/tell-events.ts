import { describeFault, type Log } from '../../runtime/log.ts'
import type { EventBatch } from '../kept/events.ts'
import type { Vitals, WholeLedger } from '../kept/steps.ts'
import { toEventAnswer } from '../records.ts'
import { postSigned, type WebhookOptions } from './webhook.ts'

export type TellOptions = { webhook: WebhookOptions; log: Log }

/** Limits the requests at once: on Cloudflare six may be open, and rounds ask nodes meanwhile. */
const accountsAtOnce = 2
/** Limits how long one call goes on: well below the wait before an account is due again. */
const tellingMs = 20_000

/** Creates what posts due events after a round, unless an earlier round's call still does. */
export function createTeller(options: TellOptions) {
  // A time, since the platform may end the work that would take a mark back.
  let busyUntil = 0
  return async (ledger: WholeLedger, { nextEventAt, now }: Pick<Vitals, 'nextEventAt' | 'now'>) => {
    const { clock } = options.webhook
    if (nextEventAt === undefined || nextEventAt > now || clock.now() < busyUntil) return
    busyUntil = clock.now() + tellingMs
    await tellEvents(ledger, options)
    busyUntil = 0
  }
}

/**
 * Posts the events that are due, one request an account, whose events are in order. An account
 * whose request is not taken waits by itself.
 */
export async function tellEvents(ledger: WholeLedger, options: TellOptions): Promise<void> {
  const { clock } = options.webhook
  const endsAt = clock.now() + tellingMs
  while (clock.now() < endsAt) {
    const batches = await ledger.takeEvents(accountsAtOnce)
    if (batches.length === 0) return
    await Promise.all(batches.map((batch) => tellBatch(ledger, batch, options)))
  }
}

async function tellBatch(
  ledger: WholeLedger,
  { account, events }: EventBatch,
  { webhook, log }: TellOptions,
): Promise<void> {
  const lastSeq = events.at(-1)?.seq
  try {
    if (lastSeq !== undefined)
      await postSigned(webhook, { account, events: events.map(toEventAnswer) })
    await ledger.markEventsTold(account, lastSeq ?? 0)
  } catch (error) {
    log({ level: 'warn', event: 'events.untold', message: describeFault(error) })
  }
}
