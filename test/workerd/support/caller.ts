import { createExecutionContext } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { until } from '../../../scripts/dev/wait.ts'
import worker from '../../../src/worker.ts'

/** Holds variables that are added or replaced. */
export type Changes = Record<string, string>

export type Reply = { status: number; text: string }

let sessions = 0

/** Returns a fresh session id, the same ones in every run. */
export function newSession(): string {
  sessions += 1
  return `session-${sessions}`
}

/** Asks the Worker, or the same Worker with other variables. */
export async function ask(path: string, init: RequestInit = {}, changes?: Changes) {
  const url = `http://relay.test${path}`
  if (changes === undefined) return await exports.default.fetch(url, init)
  const request = new Request<unknown, IncomingRequestCfProperties>(url, init as never)
  return await worker.fetch(request, { ...env, ...changes } as never, createExecutionContext())
}

type PostOptions = { path?: string; headers?: object; changes?: Changes | undefined }

export async function post(body: string | URLSearchParams, options: PostOptions = {}) {
  const { path = '/ussd', headers = {}, changes } = options
  const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
  const response = await ask(path, { method: 'POST', headers: form, body: `${body}` }, changes)
  return { status: response.status, text: await response.text() } satisfies Reply
}

/** Posts one delivery as Africa's Talking does. */
export const dial = (phone: string, text: string, sessionId = newSession(), changes?: Changes) =>
  post(new URLSearchParams({ phoneNumber: phone, sessionId, text, serviceCode: '*384#' }), {
    changes,
  })

/** Dials for the balance until the screen is this one. */
export async function untilBalance(phone: string, amount: string): Promise<string> {
  const wanted = `END Your Balance: ${amount} tRBTC`
  await until(async () => (await dial(phone, '1')).text === wanted, { everyMs: 50 })
  return wanted
}
