import * as z from 'zod/mini'
import type { Clock } from '../runtime/clock.ts'
import { describeFault } from '../runtime/log.ts'
import type { SmsAnswer, SmsMessage, SmsProvider } from './provider.ts'

export type AfricasTalkingAccount = {
  apiKey: string
  username: string
  /** Is the registered sender id; undefined for the provider's own. */
  sender: string | undefined
  url: string | undefined
}

export type AfricasTalkingOptions = {
  account: AfricasTalkingAccount
  fetch: typeof globalThis.fetch
  clock: Clock
}

const timeoutMs = 10_000

/** Is the public test user: its messages go to a simulated phone. */
const sandboxUser = 'sandbox'

const answer = z.object({
  SMSMessageData: z.object({
    // Empty if the whole message was refused, for example for its sender id.
    Recipients: z.array(z.object({ statusCode: z.int() })),
  }),
})

/** Sends through Africa's Talking. Only a clear answer counts as not sent. */
export function createAfricasTalkingSms(options: AfricasTalkingOptions): SmsProvider {
  return {
    async send(message) {
      try {
        const response = await post(options, message)
        const known = answer.safeParse(await response.json().catch(() => undefined))
        return known.success
          ? byRecipient(known.data.SMSMessageData.Recipients[0]?.statusCode)
          : byStatus(response.status)
      } catch (error) {
        return { kind: 'unknown', reason: describeFault(error) }
      }
    },
  }
}

function post({ account, fetch, clock }: AfricasTalkingOptions, { to, text }: SmsMessage) {
  const { apiKey, username, sender, url } = account
  const host = username === sandboxUser ? 'api.sandbox' : 'api'
  const form = new URLSearchParams({ username, to, message: text })
  if (sender !== undefined) form.set('from', sender)
  return fetch(url ?? `https://${host}.africastalking.com/version1/messaging`, {
    method: 'POST',
    headers: {
      apiKey,
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
    redirect: 'manual',
    signal: clock.timeout(timeoutMs),
  })
}

/** Lists codes of sent messages, of faults of the account (sender id, money), and of the number. */
const codes = { sent: [100, 101, 102], later: [402, 405], refused: [403, 404, 406, 407, 409] }

/** Treats a risk hold (401) and their own faults (500 and more) as unknown: it may still go out. */
function byRecipient(code: number | undefined): SmsAnswer {
  if (code === undefined) return { kind: 'later', reason: 'no recipient was taken' }
  if (codes.sent.includes(code)) return { kind: 'sent' }
  const kind = (['later', 'refused'] as const).find((one) => codes[one].includes(code))
  return { kind: kind ?? 'unknown', reason: `status ${code}` }
}

function byStatus(status: number): SmsAnswer {
  const isRefused = status >= 300 && status < 500 && status !== 408
  return { kind: isRefused ? 'later' : 'unknown', reason: `HTTP ${status}` }
}
