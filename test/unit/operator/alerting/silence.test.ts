import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSilenceAlert } from '../../../../src/operator/alerting/watch.ts'
import type { AlertMessage } from '../../../../src/operator/alerting/webhook.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { subject } from '../condition.ts'

test('a ledger that is silent for 5 s is reported once, signed, and so is its first answer afterwards', async () => {
  const clock = createHandClock()
  const [told, logged]: [AlertMessage[], string[]] = [[], []]
  const fetch = async (_: unknown, init?: RequestInit) => {
    const headers = new Headers(init?.headers)
    const text = `${headers.get('relay-timestamp')}.${init?.body}`
    const hmac = createHmac('sha256', 'a-secret').update(text).digest('hex')
    expect(headers.get('relay-signature')).toBe(`v1=${hmac}`)
    told.push(JSON.parse(`${init?.body}`))
    return new Response()
  }
  const { recordAnswer, isRaised } = createSilenceAlert({
    ...{ clock, deployment: subject, store: 'Redis', log: ({ event }) => logged.push(event) },
    webhook: { webhook: { url: 'https://hooks.example', secret: 'a-secret' }, fetch, clock },
  })
  const after = async (ms: number, isAnswering: boolean) => {
    clock.forward(ms)
    await recordAnswer(isAnswering)
    return told.length
  }
  // An answer between two silences makes neither of them long.
  for (const [ms, isAnswering] of [
    [0, false],
    [4_000, false],
    [0, true],
    [4_000, false],
  ] as const)
    expect(await after(ms, isAnswering)).toBe(0)
  expect(await after(5_000, false)).toBe(1)
  expect([await after(9_000, false), isRaised()]).toEqual([1, true])
  expect([await after(0, true), isRaised()]).toEqual([2, false])
  expect(await after(0, true)).toBe(2)
  expect(told[0]?.says).toMatch(/^The ledger gives no answer: look at Redis\./)
  expect(told.map(({ name, state }) => `${name} ${state}`)).toEqual([
    ...['ledger_silent raised', 'ledger_silent cleared'],
  ])
  expect(told[1]?.raisedAt).toBe(told[0]?.raisedAt)
  expect(logged).toEqual(['alert.raised'])
})
