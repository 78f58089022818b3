import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { callerAccount } from '../../../src/account/keys.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { parseConfig } from '../../../src/compose/config.ts'
import { assembleSms, smsSealsOf } from '../../../src/compose/sms.ts'
import { refusalWords } from '../../../src/loan/calls.ts'
import { kindNames } from '../../../src/loan/kinds.ts'
import type { LogEvent } from '../../../src/runtime/log.ts'
import { demonstration } from '../../../src/ussd/messages/demonstration.ts'
import { english } from '../../../src/ussd/messages/en.ts'
import { messagesIn } from '../../../src/ussd/messages/languages.ts'
import { inAlphabet, screenSeptets, septetsOf } from '../../../src/ussd/screens/septets.ts'
import { parseSmsFacts, smsOf, smsText, writeSmsFacts } from '../../../src/ussd/sms.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { openModelledRelay } from '../../support/modelled-relay.ts'
import { recipientAnswer, type SmsServer, startSmsServer } from '../../support/sms-server.ts'

const [caller, friend] = ['+254700000000', '+254700000001']
const stranger = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
const keySecret = `0x${'22'.repeat(32)}` as const
/** Those with the longest words. */
const reasons = (['withdrawal_limit', 'not_listed', 'existing_loan', 'no_loan'] as const).map(
  (reason) => refusalWords({ reason, owedWei: 1n, leftWei: 1n }),
)
/** Numbers of callers, but not where the digits are amid a value in hex. */
const numbers = /(?<![0-9a-f]{8})(254700|0700000)/

let server: SmsServer

beforeAll(async () => {
  server = await startSmsServer()
  return server.close
})
beforeEach(() => {
  server.answer(undefined)
  server.asked.length = 0
})

/** The service with messages: dials, blocks when the test makes one, and rounds when it begins one. */
function open(settings: Record<string, string> = {}) {
  const variables = {
    NODE_URL: 'http://127.0.0.1:8545',
    LOAN_ADDRESS: '0x1111111111111111111111111111111111111111',
    FORWARDER_ADDRESS: '0x2222222222222222222222222222222222222222',
    RELAYER_MNEMONIC: 'test test test test test test test test test test test junk',
    ACCOUNT_ID_SECRET: `0x${'11'.repeat(32)}`,
    ACCOUNT_KEY_SECRET: keySecret,
    SMS_API_KEY: server.account.apiKey,
    SMS_USERNAME: server.account.username,
    SMS_URL: server.url,
    ...{ PROFILE: 'lender', PIN: 'off' },
    ...settings,
  }
  const clock = createHandClock()
  const events: LogEvent[] = []
  const running: Promise<unknown>[] = []
  const memory = createMemoryStore()
  const runtime = {
    ...{ clock, fetch, log: (event: LogEvent) => void events.push(event) },
    background: (work: Promise<unknown>) => void running.push(work),
  }
  const product = { ...menus.lender, smsSeals: smsSealsOf(parseConfig(variables)) }
  const relay = openModelledRelay({ callers: 2, poolLoans: 9, capLoans: 9, product, clock })
  /** One process's rounds, or another's. */
  const process = (changes: Record<string, string> = {}) => {
    const sendSms = assembleSms(parseConfig({ ...variables, ...changes }), runtime, () => memory)
    return async () => {
      const isMore = await sendSms?.(relay.ledger)
      await Promise.all(running.splice(0))
      return isMore
    }
  }
  return { ...relay, clock, events, memory, process, round: process() }
}

const texts = () => server.asked.map(({ to, text }) => `${to}: ${text}`).sort()

describe('a message about an outcome', () => {
  test('goes to sender and receiver once each, however many rounds of however many processes there are', async () => {
    const { deliver, settle, process, round, rows } = open()
    await deliver(0, 's', `2*${friend}*0.001*1`)
    expect(await round()).toBe(false)
    await settle()
    await Promise.all(Array.from({ length: 12 }, () => process()()))
    expect(texts()).toEqual([
      `${caller}: Done: the account of 2547...001 was credited with 0.001 tRBTC.`,
      `${friend}: You received 0.001 tRBTC from 2547...000. Your account was credited.`,
    ])
    expect(await round()).toBe(false)
    expect(server.asked).toHaveLength(2)
    expect(rows().filter((row) => row.startsWith('sms '))).toEqual([])
  })

  test('goes to a receiver who was chosen from the list too', async () => {
    const { deliver, settle, round, rows, clock } = open()
    await deliver(0, 'first', `2*${friend}*0.001*1`)
    for (const amount of ['0.002', '0.003']) {
      clock.forward(61_000)
      await settle()
      await round()
      server.asked.length = 0
      const list = 'CON 1. 2547...001\nOr phone number or address:\n0. Back'
      expect(await deliver(0, amount, '2')).toBe(list)
      expect(await deliver(0, amount, `2*1*${amount}*1`)).toMatch(/^END Transfer Submitted/)
    }
    await settle()
    await round()
    expect(texts()).toEqual([
      `${caller}: Done: the account of 2547...001 was credited with 0.003 tRBTC.`,
      `${friend}: You received 0.003 tRBTC from 2547...000. Your account was credited.`,
    ])
    expect(
      rows()
        .join('\n')
        .replaceAll(/2547\.\.\.\d{3}/g, ''),
    ).not.toMatch(numbers)
  })

  test('tells of loans, repayments and addresses, and why one failed', async () => {
    const { deliver, settle, fail, clock, round } = open()
    const asked = ['3*1', '4*1', `2*${stranger}*0.003*1`]
    for (const [index, text] of asked.entries()) {
      clock.forward(61_000)
      await deliver(0, `done ${index}`, text)
      await settle()
      await round()
    }
    for (const [index, text] of [`2*${friend}*0.004*1`, '3*1'].entries()) {
      await deliver(0, `failed ${index}`, text)
      await fail('Balance too low')
      await round()
    }
    expect(server.asked.map(({ to, text }) => `${to}: ${text}`)).toEqual(
      [
        'Your account was credited with your loan of 0.01 tRBTC.',
        'Repaid all that was owed: done',
        'Done: the account of 0x5aAeb605... was credited with 0.003 tRBTC.',
        'Sent 0.004 tRBTC to 2547...001: FAILED, Balance too low\nNo money was moved.',
        'Loan of 0.01 tRBTC: FAILED, Balance too low\nNo money was moved.',
      ].map((text) => `${caller}: ${text}`),
    )
    for (const { text } of server.asked) expect(septetsOf(text)).toBeLessThanOrEqual(screenSeptets)
  })

  test('says "wallet" of what left the service, and "account" of what did not', () => {
    const intent = { kind: 'cashOut', to: stranger, amountWei: 'all' } as const
    const call = { spendsWei: 2_000_000_000_000_000n, shared: undefined }
    const told = smsOf(intent, { caller: caller as PhoneNumber, receiver: undefined }, call, 31)
    expect(told.map(({ party }) => party)).toEqual(['sender'])
    const { facts } = told[0] as (typeof told)[number]
    const text = smsText(facts, { state: 'confirmed', reason: '' }, english, () => '0.002 tRBTC')
    expect(text).toBe('Cashed out 0.002 tRBTC to wallet 0x5aAeb605...: done')
    expect(parseSmsFacts(writeSmsFacts(facts))).toEqual(facts)
  })

  test('is in the language that the phone has chosen, within one SMS in each', async () => {
    const { deliver, settle, round, memory, accountOf } = open()
    const chosen = { chosen: [{ language: 'sw', session: 's' }] }
    await deliver(0, 's', `2*${friend}*0.001*1`)
    await settle()
    const address = (await callerAccount(keySecret, friend as PhoneNumber)).address
    expect(address).not.toBe(accountOf(1))
    await memory.save(address, JSON.stringify(chosen), 0)
    await round()
    expect(texts()).toEqual([
      `${caller}: Done: the account of 2547...001 was credited with 0.001 tRBTC.`,
      `${friend}: Umepokea 0.001 tRBTC kutoka 2547...000. Akaunti yako imeongezewa.`,
    ])
    const kinds = [...kindNames, 'received'] as const
    const amount = '20999999.123456 tRBTC'
    for (const say of [...Object.values(messagesIn), demonstration]) {
      for (const kind of kinds) {
        const facts = { phone: caller as PhoneNumber, kind, amountWei: 1n, who: '0x12345678...' }
        for (const state of ['confirmed', 'reverted', 'expired'] as const) {
          for (const reason of reasons) {
            const text = inAlphabet(smsText(facts, { state, reason }, say, () => amount))
            expect(text).toContain(amount)
            expect(septetsOf(text), text).toBeLessThanOrEqual(screenSeptets)
          }
        }
      }
    }
  })

  test('is never sent after a process that was about to send it has died', async () => {
    const { deliver, settle, ledger, round, clock } = open()
    await deliver(0, 's', `2*${friend}*0.001*1`)
    await settle()
    const { taken } = await ledger.takeSms(1)
    expect(taken).toHaveLength(1)
    await round()
    clock.forward(3_600_000)
    await ledger.prune()
    await round()
    expect(server.asked).toHaveLength(1)
    expect((await ledger.vitals()).counts).toMatchObject({ 'sms.sent': 1, 'sms.unknown': 1 })
  })

  test('of which it is not known whether it was sent is not sent again, and others wait until the provider is back', async () => {
    const { deliver, settle, round, ledger, clock, events } = open()
    for (const amount of ['0.001', '0.002']) {
      await deliver(0, amount, `2*${friend}*${amount}*1`)
      await settle()
    }
    server.answer(() => 'nothing')
    expect(await round()).toBe(true)
    expect(await round()).toBe(true)
    expect(server.asked).toHaveLength(1)
    clock.forward(30_000)
    await round()
    expect(server.asked).toHaveLength(2)
    server.answer(undefined)
    clock.forward(59_000)
    await round()
    expect(server.asked).toHaveLength(2)
    clock.forward(1_000)
    await round()
    expect(server.asked).toHaveLength(4)
    expect(await round()).toBe(false)
    expect((await ledger.vitals()).counts).toMatchObject({ 'sms.sent': 2, 'sms.unknown': 2 })
    expect(events.map(({ event }) => event)).toEqual([
      ...['sms.unknown', 'sms.unknown', 'sms.sent', 'sms.sent'],
    ])
  })

  test('keeps no number in the ledger that can be read, and none in the log', async () => {
    const { deliver, settle, round, rows, events } = open()
    await deliver(0, 's', `2*${friend}*0.001*1`)
    expect(rows().filter((row) => row.startsWith('sms '))).toHaveLength(2)
    const planted = Buffer.from('254700000').toString('hex')
    const searched = () => rows().map((row) => row.replaceAll(/2547\.\.\.\d{3}/g, ''))
    expect(searched().join('\n')).not.toMatch(numbers)
    expect(searched().join('\n')).not.toContain(planted)
    await settle()
    server.answer(() => recipientAnswer(403))
    await round()
    expect(searched().join('\n')).not.toMatch(numbers)
    expect(rows().filter((row) => row.startsWith('sms '))).toEqual([])
    expect(events.map(({ event }) => event)).toEqual(['sms.refused', 'sms.refused'])
    expect(JSON.stringify(events)).not.toMatch(numbers)
    expect(JSON.stringify(events)).not.toContain('tRBTC')
  })

  test('is not kept where none are sent', async () => {
    const { deliver, settle, rows, process } = open({
      SMS_API_KEY: '',
      SMS_USERNAME: '',
      SMS_URL: '',
    })
    await deliver(0, 's', `2*${friend}*0.001*1`)
    expect(rows().filter((row) => row.startsWith('payments '))).toHaveLength(1)
    expect(rows().filter((row) => row.startsWith('sms '))).toEqual([])
    await settle()
    expect(await process()()).toBeUndefined()
    expect(server.asked).toEqual([])
  })

  test('that another account secret has sealed is not sent, and not lost', async () => {
    const { deliver, settle, ledger, process, round, clock, events } = open()
    await deliver(0, 's', '3*1')
    await settle()
    await process({ ACCOUNT_KEY_SECRET: `0x${'33'.repeat(32)}` })()
    expect(server.asked).toEqual([])
    expect(events.map(({ event }) => event)).toEqual(['sms.unprepared'])
    clock.forward(30_000)
    await round()
    expect(server.asked).toHaveLength(1)
    expect((await ledger.vitals()).counts).toMatchObject({ 'sms.later': 1, 'sms.sent': 1 })
  })
})
