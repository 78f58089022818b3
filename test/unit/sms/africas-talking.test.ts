import { beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/runtime/clock.ts'
import {
  type AfricasTalkingAccount,
  createAfricasTalkingSms,
} from '../../../src/sms/africas-talking.ts'
import { opened } from '../../support/opened.ts'
import { type ProviderAnswer, recipientAnswer, startSmsServer } from '../../support/sms-server.ts'

const message = { to: '+254700000001', text: 'Done: 0.25 tRBTC & more.' }
const taken = { SMSMessageData: { Message: 'InvalidSenderId', Recipients: [] } }

const server = opened(startSmsServer)
beforeEach(() => {
  server.answer(undefined)
  server.asked.length = 0
})

const send = (changes: Partial<AfricasTalkingAccount> = {}) =>
  createAfricasTalkingSms({
    account: { ...server.account, sender: undefined, url: server.url, ...changes },
    ...{ fetch, clock: systemClock },
  })(message)

describe("Africa's Talking's messages", () => {
  test('are posted as a form with the key in a header, from a sender if one is set', async () => {
    expect(await send()).toEqual({ kind: 'sent' })
    expect(await send({ sender: 'LENDER' })).toEqual({ kind: 'sent' })
    expect(server.asked).toEqual([
      { ...message, from: null },
      { ...message, from: 'LENDER' },
    ])
  })

  test.for([
    ...[100, 102].map((code) => [code, 'sent'] as const),
    ...[402, 405].map((code) => [code, 'later'] as const),
    ...[403, 406].map((code) => [code, 'refused'] as const),
    ...[401, 500, 502, 777].map((code) => [code, 'unknown'] as const),
  ])('with status %i for their recipient are %s', async ([code, kind]) => {
    server.answer(() => recipientAnswer(code))
    expect((await send()).kind).toBe(kind)
  })

  test.for<[string, ProviderAnswer, string]>([
    ['a request that is refused as a whole', { status: 201, body: taken }, 'later'],
    ['too many requests', { status: 429, body: 'Too many' }, 'later'],
    ['a redirect', { status: 302, body: '' }, 'later'],
    ['a time-out of the request', { status: 408, body: '' }, 'unknown'],
    ['a fault of its own', { status: 503, body: 'Bad gateway' }, 'unknown'],
    ['no list of recipients', { status: 201, body: { SMSMessageData: {} } }, 'unknown'],
    ['no JSON', { status: 200, body: '<html>' }, 'unknown'],
    ['no answer at all', 'nothing', 'unknown'],
  ])('are by %s %s', async ([, answer, kind]) => {
    server.answer(() => answer)
    const answered = await send()
    expect(answered.kind).toBe(kind)
    expect(JSON.stringify(answered)).not.toMatch(/254700|0\.25|the-key-of/)
  })

  test('with a wrong key are not sent, but can be sent later', async () => {
    expect(await send({ apiKey: 'another-key-of-sixteen' })).toEqual({
      ...{ kind: 'later', reason: 'HTTP 401' },
    })
    expect(server.asked).toEqual([])
  })

  test("go to the sandbox for the sandbox's user, and to the real service for all others", async () => {
    const addresses: string[] = []
    const provider = (username: string) =>
      createAfricasTalkingSms({
        account: { username, apiKey: 'k', sender: undefined, url: undefined },
        clock: systemClock,
        fetch: async (input) => {
          addresses.push(`${input}`)
          return Response.json({}, { status: 500 })
        },
      })
    await provider('sandbox')(message)
    await provider('lender')(message)
    expect(addresses).toEqual([
      'https://api.sandbox.africastalking.com/version1/messaging',
      'https://api.africastalking.com/version1/messaging',
    ])
  })
})
