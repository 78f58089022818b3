import * as z from 'zod/mini'
import type { Clock } from '../runtime/clock.ts'
import { faultOf } from '../runtime/log.ts'
import type { SmsAnswer, SmsMessage, SmsProvider } from './provider.ts'

/** An account with Africa's Talking. */
export type AfricasTalkingAccount = {
  apiKey: string
  username: string
  /** A sender id or short code that was registered with it. Undefined: the provider's own. */
  sender: string | undefined
  /** In the place of its own address. */
  url: string | undefined
}

export type AfricasTalkingOptions = {
  account: AfricasTalkingAccount
  fetch: typeof globalThis.fetch
  clock: Clock
}

const timeoutMs = 10_000

/** The user of this name is everybody's for trying out: its messages go to a simulated phone. */
const sandboxUser = 'sandbox'

const answer = z.object({
  SMSMessageData: z.object({
    // Empty where the message was refused as a whole, such as for its sender id.
    Recipients: z.array(z.object({ statusCode: z.int() })),
  }),
})

/**
 * Africa's Talking's messaging API: a form posted to `/version1/messaging`, answered by JSON with a code for
 * each recipient. Only what says that nothing was sent is taken so.
 */
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
        return { kind: 'unknown', reason: faultOf(error) }
      }
    },
  }
}

function post(
  { account, fetch, clock }: AfricasTalkingOptions,
  { to, text }: SmsMessage,
): Promise<Response> {
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

/** Accepted: processed, sent and queued. */
const accepted = [100, 101, 102]

/** The account is to blame: a sender id that it does not have, and no money. */
const ofTheAccount = [402, 405]

/** The number is: no such number, of a kind that has no messages, blocked, not reached, and not to be disturbed. */
const ofTheNumber = [403, 404, 406, 407, 409]

/** Held as a risk (401) it may go out after all, and of faults of its own (500 and more) it tells too little. */
function byRecipient(code: number | undefined): SmsAnswer {
  if (code === undefined) return { kind: 'later', reason: 'no recipient was taken' }
  if (accepted.includes(code)) return { kind: 'sent' }
  const reason = `status ${code}`
  if (ofTheAccount.includes(code)) return { kind: 'later', reason }
  return { kind: ofTheNumber.includes(code) ? 'refused' : 'unknown', reason }
}

/** Without a list of recipients: a request that was refused was refused before anything was sent. */
function byStatus(status: number): SmsAnswer {
  const isRefused = status >= 300 && status < 500 && status !== 408
  return { kind: isRefused ? 'later' : 'unknown', reason: `HTTP ${status}` }
}
