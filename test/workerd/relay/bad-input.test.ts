import { describe, expect, test } from 'vitest'
import { ask, dial, post } from '../support/caller.ts'

const recipient = '0x00000000000000000000000010000000000a11ce'

describe('an invalid request', () => {
  test.for([
    ['no session id', 'phoneNumber=%2B254700000201', {}],
    ['no phone number', 'sessionId=s', {}],
    ['a number that is not E.164', 'sessionId=s&phoneNumber=0700000201', {}],
    ['JSON', '{}', { 'content-type': 'application/json' }],
    ['more than 8 KB', `sessionId=s&text=${'1'.repeat(8192)}`, {}],
  ] as const)('gets one line for a handset that says why: %s', async ([, body, headers]) => {
    const told = expect.stringMatching(/^END [^\n]+$/)
    expect(await post(body, { headers })).toEqual({ status: 200, text: told })
  })

  test("is a gateway's end notice: nothing is shown", async () => {
    const notice =
      'sessionId=s&phoneNumber=%2B254700000201&status=Success&durationInMillis=9&input=1'
    expect(await post(notice)).toEqual({ status: 200, text: '' })
  })

  test('is anything but a POST', async () => {
    expect((await ask('/ussd')).status).toBe(405)
  })
})

describe('a deployment', () => {
  const production = { ENVIRONMENT: 'production', CALLBACK_SECRET: 'a-secret-of-this-test' }
  const first = 'phoneNumber=%2B254700000202&sessionId=s&text='

  test('answers 503 in production until it has a callback secret', async () => {
    expect(await post(first, { changes: { ENVIRONMENT: '' } })).toEqual({
      status: 503,
      text: 'END This service is not in operation.',
    })
  })

  test("accepts deliveries only from listed addresses, by Cloudflare's peer address", async () => {
    const changes = { GATEWAY_ADDRESSES: '192.0.2.0/24' }
    const from = (headers: Record<string, string>) => post(first, { headers, changes })
    expect((await from({ 'cf-connecting-ip': '192.0.2.7' })).status).toBe(200)
    const forwarded = { 'x-forwarded-for': '192.0.2.7' }
    for (const headers of [{ ...forwarded, 'cf-connecting-ip': '192.0.3.7' }, forwarded]) {
      expect(await from(headers)).toEqual({
        status: 403,
        text: 'END Requests from this address are not served.',
      })
    }
  })

  test('is reached only with its callback secret, in the path or in a header', async () => {
    const at = (path: string, headers = {}) => post(first, { path, headers, changes: production })
    const inPath = await at('/a-secret-of-this-test/ussd')
    expect(inPath.status).toBe(200)
    expect(await at('/ussd', { authorization: 'Bearer a-secret-of-this-test' })).toEqual(inPath)
    const nothing = await at('/nothing-is-here')
    expect(nothing.status).toBe(404)
    expect(await at('/a-secret-of-another/ussd')).toEqual(nothing)
    for (const authorization of [
      'Bearer a-secret-of-another',
      'Bearer a-secret-of-this-test2',
      'a-secret-of-this-test',
      'Bearer ',
      '',
    ]) {
      expect(await at('/ussd', { authorization }), authorization).toEqual(nothing)
    }
  })
})

test("no screen and no answer contains a node's words", async () => {
  // A loan contract that is not there: every call of it reverts without words.
  const nowhere = { LOAN_ADDRESS: '0x00000000000000000000000000000000000000ff' }
  for (const text of ['1', '3', `2*${recipient}*1`]) {
    const reply = await dial('+254700000208', text, undefined, nowhere)
    expect(reply.text).toMatch(/^END [A-Z][a-z ,.A-Z]+$/)
  }
})
