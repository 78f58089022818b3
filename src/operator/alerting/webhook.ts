import { bytesToHex } from 'viem'
import * as z from 'zod/mini'
import type { Clock } from '../../runtime/clock.ts'
import { type Log, tryOrLog } from '../../runtime/log.ts'
import type { AlertNotice } from '../kept/alerts.ts'
import type { EventBatch } from '../kept/events.ts'
import type { Vitals, WholeLedger } from '../kept/steps.ts'
import { type Deployment, toEventAnswer, toIso } from '../records.ts'

export type Webhook = { url: string; secret: string }

/** Describes the posted alert, whose `id` repeats if the answer was lost. */
export const alertMessage = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(['raised', 'cleared']),
  says: z.string(),
  raisedAt: z.iso.datetime(),
  at: z.iso.datetime(),
  chainId: z.int(),
  relayer: z.string(),
})

export type AlertMessage = z.infer<typeof alertMessage>

export type WebhookOptions = { webhook: Webhook; fetch: typeof globalThis.fetch; clock: Clock }

const timeoutMs = 5_000

/** Posts a notice. @throws {Error} the receiver did not accept */
export async function postNotice(
  options: WebhookOptions,
  notice: AlertNotice,
  { chain, relayer }: Deployment,
) {
  const { id, name, kind: state, says, raisedAt, at } = notice
  const message: AlertMessage = {
    id,
    name,
    state,
    says,
    raisedAt: toIso(raisedAt),
    at: toIso(at),
    chainId: chain.id,
    relayer: relayer(),
  }
  await postSigned(options, message)
}

/** Posts JSON, signed over time and body. @throws {Error} the receiver did not accept */
export async function postSigned({ webhook, fetch, clock }: WebhookOptions, message: object) {
  const body = JSON.stringify(message)
  const seconds = `${Math.floor(clock.now() / 1_000)}`
  const response = await fetch(webhook.url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'relay-timestamp': seconds,
      'relay-signature': await sign(webhook.secret, seconds, body),
    },
    redirect: 'manual',
    signal: clock.timeout(timeoutMs),
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`)
}

/** Signs `<time in s>.<body>`: `v1=` and the HMAC-SHA-256 (RFC 2104) in hex. */
async function sign(secret: string, seconds: string, body: string): Promise<string> {
  const bytes = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), algorithm, false, ['sign'])
  const digest = await crypto.subtle.sign('HMAC', key, bytes.encode(`${seconds}.${body}`))
  return `v1=${bytesToHex(new Uint8Array(digest)).slice(2)}`
}

export type TellOptions = { webhook: WebhookOptions; log: Log }

/** Limits the requests at once: on Cloudflare six may be open, and rounds ask nodes meanwhile. */
const accountsAtOnce = 2
/** Limits how long one call goes on: well below the wait before an account is due again. */
const tellingMs = 20_000

/**
 * Creates what posts due events after a round, unless an earlier round's call still does: one
 * request an account, whose events are in order. An account whose request is not taken waits by
 * itself.
 */
export function createTeller(options: TellOptions) {
  const { clock } = options.webhook
  // A time, since the platform may end the work that would take a mark back.
  let busyUntil = 0
  return async (ledger: WholeLedger, { nextEventAt, now }: Pick<Vitals, 'nextEventAt' | 'now'>) => {
    if (nextEventAt === undefined || nextEventAt > now || clock.now() < busyUntil) return
    const endsAt = clock.now() + tellingMs
    busyUntil = endsAt
    while (clock.now() < endsAt) {
      const batches = await ledger.takeEvents(accountsAtOnce)
      if (batches.length === 0) break
      await Promise.all(batches.map((batch) => tellBatch(ledger, batch, options)))
    }
    busyUntil = 0
  }
}

async function tellBatch(
  ledger: WholeLedger,
  { account, events }: EventBatch,
  { webhook, log }: TellOptions,
): Promise<void> {
  const lastSeq = events.at(-1)?.seq
  await tryOrLog(log, { level: 'warn', event: 'events.untold' }, async () => {
    if (lastSeq !== undefined)
      await postSigned(webhook, { account, events: events.map(toEventAnswer) })
    await ledger.markEventsTold(account, lastSeq ?? 0)
  })
}
