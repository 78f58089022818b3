import { createExecutionContext } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import worker from '../../../src/worker.ts'
import { willCause } from '../../support/runtime-words.ts'
import { newSession, untilBalance } from '../support/caller.ts'
import { accountOf, processed } from '../support/ground-truth.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const recipient = '0x00000000000000000000000000000000000a11ce'

const post = (body: string, headers: Record<string, string> = form) =>
  exports.default.fetch('http://relay.test/ussd', { method: 'POST', headers, body })

/** The same Worker with another environment. */
async function dialWith(
  changes: Record<string, string>,
  path: string,
  body: string,
  headers: Record<string, string> = {},
) {
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://relay.test${path}`, {
    method: 'POST',
    headers: { ...form, ...headers },
    body,
  })
  const response = await worker.fetch(
    request,
    { ...env, ...changes } as never,
    createExecutionContext(),
  )
  return { status: response.status, text: await response.text() }
}

/** What health says with another environment. */
async function healthWith(changes: Record<string, string>): Promise<{ status: string }> {
  const request = new Request<unknown, IncomingRequestCfProperties>('http://relay.test/healthz')
  const response = await worker.fetch(
    request,
    { ...env, ...changes } as never,
    createExecutionContext(),
  )
  return await response.json()
}

const dialled = (phone: string, text: string, sessionId = newSession()) =>
  new URLSearchParams({ phoneNumber: phone, sessionId, text }).toString()

describe('a request that is not one', () => {
  test.for([
    ['no session id', 'phoneNumber=%2B254700000201', form],
    ['no phone number', 'sessionId=s', form],
    ['a number that is not E.164', 'sessionId=s&phoneNumber=0700000201', form],
    ['JSON', '{}', { 'content-type': 'application/json' }],
    ['more than 8 KB', `sessionId=s&text=${'1'.repeat(8192)}`, form],
  ] as const)(
    'gets one line that says why, which a handset shows: %s',
    async ([, body, headers]) => {
      const response = await post(body, headers)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(await response.text()).toMatch(/^END [^\n]+$/)
    },
  )

  test('is the notice of an end: nothing is shown', async () => {
    const notice =
      'sessionId=s&phoneNumber=%2B254700000201&status=Success&durationInMillis=9&input=1'
    const response = await post(notice)
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test('is anything but a POST', async () => {
    const response = await exports.default.fetch('http://relay.test/ussd')
    expect(response.status).toBe(405)
  })
})

describe('a deployment', () => {
  const body = dialled('+254700000202', '')

  test('answers 503 in production until it has a callback secret', async () => {
    expect(await dialWith({ ENVIRONMENT: '' }, '/ussd', body)).toEqual({
      status: 503,
      text: 'END This service is not in operation.',
    })
  })

  test('lives behind its callback secret, and nowhere else', async () => {
    const secret = { ENVIRONMENT: 'production', CALLBACK_SECRET: 'a-secret-of-this-test' }
    expect((await dialWith(secret, '/a-secret-of-this-test/ussd', body)).status).toBe(200)
    expect((await dialWith(secret, '/a-secret-of-another/ussd', body)).status).toBe(404)
    expect((await dialWith(secret, '/ussd', body)).status).toBe(404)
  })

  test('takes its callback secret in a header too, and without it nothing is there', async () => {
    const secret = { ENVIRONMENT: 'production', CALLBACK_SECRET: 'a-secret-of-this-test' }
    const given = (authorization: string) => dialWith(secret, '/ussd', body, { authorization })
    const inPath = await dialWith(secret, '/a-secret-of-this-test/ussd', body)
    expect(await given('Bearer a-secret-of-this-test')).toEqual(inPath)
    const nothing = await dialWith(secret, '/nothing-is-here', body)
    expect(nothing.status).toBe(404)
    for (const wrong of [
      'Bearer a-secret-of-another',
      'Bearer a-secret-of-this-test2',
      'a-secret-of-this-test',
      'Bearer ',
      '',
    ]) {
      expect(await given(wrong), wrong).toEqual(nothing)
    }
  })

  test('serves nothing with a bad variable, and names it', async () => {
    const bad = { PREFLIGHT: 'perhaps' }
    expect(await dialWith(bad, '/ussd', body)).toMatchObject({ status: 503 })
    expect(await healthWith(bad)).toEqual({
      status: 'misconfigured',
      failing: ['configuration'],
      faults: [{ variable: 'PREFLIGHT', reason: 'has to be on or off' }],
    })
  })

  test('broadcasts without a look ahead when PREFLIGHT is off, as the demonstration did', async () => {
    const caller = '+254700000204'
    const off = { PREFLIGHT: 'off' }
    expect((await dialWith(off, '/ussd', dialled(caller, '3'))).text).toMatch(/^END Loan Requested/)
    await untilBalance(caller, '0.01')
    expect((await dialWith(off, '/ussd', dialled(caller, '3'))).text).toMatch(/^END Loan Requested/)
    const account = await accountOf(caller)
    await until(async () => (await processed(account)).length === 2)
    const [, second] = await processed(account)
    // The intent is spent and nothing was lent.
    expect(second?.status).toBe('failed')
    await untilBalance(caller, '0.01')
  })
})

describe('a node that does not answer', () => {
  const dead = { NODE_URL: 'http://127.0.0.1:9' }

  test('ends a balance with a sentence', async ({ task }) => {
    willCause(task, 'refused_connection')
    expect((await dialWith(dead, '/ussd', dialled('+254700000206', '1'))).text).toBe(
      'END Service not available. Please try again later.',
    )
  })
})

test('no screen and no answer holds what a node said', async () => {
  // A loan contract that is not there: every call of it reverts without words.
  const nowhere = { LOAN_ADDRESS: '0x00000000000000000000000000000000000000ff' }
  for (const text of ['1', '3', `2*${recipient}*1`]) {
    const reply = await dialWith(nowhere, '/ussd', dialled('+254700000208', text))
    expect(reply.text).toMatch(/^END [A-Z][a-z ,.A-Z]+$/)
  }
})
