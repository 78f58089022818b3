import { exports } from 'cloudflare:workers'
import { until } from '../../../scripts/dev/wait.ts'

/** What a handset sees. */
export type Reply = { status: number; text: string }

let sessions = 0

/** A session id of its own for every call, the same in every run. */
export function newSession(): string {
  sessions += 1
  return `session-${sessions}`
}

/** One delivery of the gateway, as Africa's Talking posts it. */
export async function dial(
  phone: string,
  text: string,
  sessionId: string = newSession(),
): Promise<Reply> {
  const response = await exports.default.fetch('http://relay.test/ussd', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ phoneNumber: phone, sessionId, text, serviceCode: '*384#' }),
  })
  return { status: response.status, text: await response.text() }
}

/** Dials for the balance until the screen is this one. */
export async function untilBalance(phone: string, amount: string): Promise<string> {
  const wanted = `END Your Balance: ${amount} tRBTC`
  await until(async () => (await dial(phone, '1')).text === wanted, { everyMs: 50 })
  return wanted
}
