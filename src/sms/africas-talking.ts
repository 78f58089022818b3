import * as z from 'zod/mini'
import type { Clock } from '../runtime/clock.ts'
import { describeFault } from '../runtime/log.ts'

export type AfricasTalkingAccount = {
  apiKey: string
  username: string
  /** Names the registered sender id; undefined for the provider's own. */
  sender: string | undefined
  url: string | undefined
}

export type AfricasTalkingOptions = {
  account: AfricasTalkingAccount
  fetch: typeof globalThis.fetch
  clock: Clock
}

const timeoutMs = 10_000

/** Names the public test user, whose messages go to a simulated phone. */
const sandboxUser = 'sandbox'

const responseSchema = z.object({
  SMSMessageData: z.object({
    // The list is empty if the whole message was refused, for example because of its sender id.
    Recipients: z.array(z.object({ statusCode: z.int() })),
  }),
})

type SmsMessage = { to: string; text: string }

/** Tells what became of a message: `later` may be tried again, `unknown` may have been sent. */
type SmsAnswer = { kind: 'sent' } | { kind: 'later' | 'refused' | 'unknown'; reason: string }

/** Creates a sender of messages. Without a clear answer, a message may have been sent. */
export function createAfricasTalkingSms(options: AfricasTalkingOptions) {
  /** Tries once to send a message. Never throws. */
  return async (message: SmsMessage): Promise<SmsAnswer> => {
    try {
      const response = await postMessage(options, message)
      const parsed = responseSchema.safeParse(await response.json().catch(() => undefined))
      return parsed.success
        ? describeCode(parsed.data.SMSMessageData.Recipients[0]?.statusCode)
        : describeHttpStatus(response.status)
    } catch (error) {
      return { kind: 'unknown', reason: describeFault(error) }
    }
  }
}

function postMessage({ account, fetch, clock }: AfricasTalkingOptions, { to, text }: SmsMessage) {
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

/** Groups status codes: `later` are faults of our account, `refused` are faults of the number. */
const statusCodes = { sent: [100, 101, 102], later: [402, 405], refused: [403, 404, 406, 407, 409] }

/** Describes a status code; a risk hold (401) and the provider's faults (from 500) are unknown. */
function describeCode(code: number | undefined): SmsAnswer {
  if (code === undefined) return { kind: 'later', reason: 'no recipient was accepted' }
  if (statusCodes.sent.includes(code)) return { kind: 'sent' }
  const kind = (['later', 'refused'] as const).find((each) => statusCodes[each].includes(code))
  return { kind: kind ?? 'unknown', reason: `status ${code}` }
}

function describeHttpStatus(status: number): SmsAnswer {
  const isRefused = status >= 300 && status < 500 && status !== 408
  return { kind: isRefused ? 'later' : 'unknown', reason: `HTTP ${status}` }
}
