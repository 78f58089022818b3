import { bytesToHex } from 'viem'
import * as z from 'zod/mini'
import type { Clock } from '../../runtime/clock.ts'
import type { AlertNotice } from '../kept/alerts.ts'
import { type Deployment, toIso } from '../records.ts'

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
