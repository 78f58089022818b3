import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startLoopbackServer, textOf } from '../../../scripts/dev/loopback-server.ts'
import { openSqlite } from '../../../scripts/dev/sqlite.ts'
import { encodeCall } from '../../../src/loan/calls.ts'
import { createTeller } from '../../../src/operator/alerting/webhook.ts'
import type { AccountEvent } from '../../../src/operator/kept/events.ts'
import { eventsAnswer } from '../../../src/operator/schemas/kept.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { usual } from '../../ports/ledger-memory.ts'
import {
  accept,
  alice,
  bob,
  carol,
  executionIn,
  id,
  mineAt,
  orderOf,
  settle,
} from '../../ports/payments.ts'
import { openSqlLedger } from '../../support/deployment.ts'

const dayMs = 24 * 60 * 60 * 1000
const secret = 'the-secret-of-the-lender'

function open(tellsEvents = true) {
  let now = 1_700_000_000_000
  const options = { ...usual, rules: { ...usual.rules, tellsEvents }, now: () => now }
  const ledger = openSqlLedger(openSqlite(), options)
  return {
    ledger,
    pass: (ms: number) => {
      now += ms
    },
    names: async () => (await ledger.listEvents(0, 100)).map(nameOf),
  }
}

const nameOf = ({ account, name }: Pick<AccountEvent, 'account' | 'name'>) =>
  `${account.slice(2, 4)} ${name}`

/** Serves a lender's system that takes what `mayTake`, and reads each event once by its id. */
async function serveLender(mayTake: (account: string) => boolean = () => true) {
  const events = new Map<string, AccountEvent>()
  let requests = 0
  const server = await startLoopbackServer(async (request, response) => {
    requests += 1
    const text = await textOf(request)
    const signed = `${request.headers['relay-timestamp']}.${text}`
    const hmac = createHmac('sha256', secret).update(signed).digest('hex')
    expect(request.headers['relay-signature']).toBe(`v1=${hmac}`)
    const { account, ...answer } = JSON.parse(text)
    const told = eventsAnswer.parse(answer).events
    const isTaken = mayTake(account)
    response.statusCode = isTaken ? 200 : 500
    if (isTaken) for (const event of told) events.set(event.id, event as never)
    response.end()
  })
  const webhook = { url: server.url, secret }
  const logged: string[] = []
  const tell = createTeller({
    webhook: { webhook, fetch, clock: systemClock },
    log: ({ event }) => void logged.push(event),
  })
  return {
    tell: (ledger: ReturnType<typeof open>['ledger']) => tell(ledger, { nextEventAt: 0, now: 0 }),
    logged,
    names: () => [...events.values()].map(nameOf),
    requests: () => requests,
    [Symbol.asyncDispose]: server.close,
  }
}

describe('an event of an account', () => {
  test('is recorded with each change of a payment and each hold, in their order, and names no person', async () => {
    const { ledger, names } = open()
    await accept(ledger, 's')
    await settle(ledger, 's', 0)
    await ledger.reopen(id('block 9'))
    await mineAt(ledger, 's', 0, executionIn(10, { outcome: 'failed' }))
    await ledger.confirm(['s'], id('block 10'))
    await ledger.setHold(alice, true, 'amina/1')
    await ledger.setHold(alice, false, 'amina/2')
    const told = ['accepted', 'done', 'undone', 'failed'].map((name) => `11 payment.${name}`)
    expect(await names()).toEqual([...told, '11 account.held', '11 account.released'])
    const events = await ledger.listEvents(0, 100)
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(new Set(events.map((event) => event.id)).size).toBe(6)
    const fields = new Set(events.flatMap(({ detail }) => Object.keys(detail)))
    expect([...fields].sort()).toEqual(['amountWei', 'hash', 'intent', 'kind'])
    expect(await ledger.listEvents(4, 1)).toMatchObject([{ seq: 5, name: 'account.held' }])
  })

  test('tells the receiver’s account what is held back of a payment, and what ends before its time', async () => {
    const { ledger, names, pass } = open()
    const data = encodeCall({ kind: 'transfer', to: bob, amountWei: 10n })
    const sent = orderOf('s')
    const order = { request: { ...sent.request, data }, spendsWei: 10n }
    const nonce = await accept(ledger, 's', alice, { order })
    await mineAt(ledger, 's', nonce ?? -1, executionIn(9, { executed: order.request }))
    const holdings = { block: 9, wei: 10n, owedWei: 0n, spent: [] }
    const asked = { intentId: sent.request.intentId, sender: alice, holdings }
    await ledger.recall({ ...asked, withinMs: 60_000, everyMs: 1 })
    for (const [session, amountWei] of [['t', 4n] as const, ['u', 6n] as const]) {
      const back = encodeCall({ kind: 'transfer', to: alice, amountWei })
      const request = { ...orderOf(session, bob).request, data: back }
      const giving = { order: { request, spendsWei: amountWei }, holdings }
      await accept(ledger, session, bob, giving)
    }
    expect(await names()).toEqual([
      ...['11 payment.accepted', '22 payment.recalled'],
      ...['22 payment.accepted', '22 payment.recall_lowered'],
      ...['22 payment.accepted', '22 payment.recall_ended'],
    ])
    const [, recalled] = await ledger.listEvents(0, 9)
    expect(recalled?.detail).toEqual({
      ...{ intent: asked.intentId, amountWei: '10', until: '2023-11-15T22:13:20.000Z' },
    })
    pass(86_400_000)
    expect(await names()).toHaveLength(6)
  })

  test('tells once of a loan that is due in three days, and on its day, with messages or without', async () => {
    for (const reminder of [undefined, '0x77'] as const) {
      const { ledger, pass, names } = open()
      const { now } = await ledger.readVitals()
      const dueMs = (Math.floor(now / dayMs) + 30) * dayMs + dayMs / 2
      const debt = { account: alice, owedWei: 5n, dueAt: dueMs / 1_000 }
      const take = async (ms: number) => {
        pass(ms - (await ledger.readVitals()).now)
        return await ledger.takeReminder(debt)
      }
      await accept(ledger, 's', alice, { order: { spendsWei: 0n, kind: 'loan', reminder } })
      await settle(ledger, 's', 0)
      const begun = ['11 payment.accepted', '11 payment.done']
      expect(await take(dueMs - 4 * dayMs)).toBeUndefined()
      expect(await names()).toEqual(begun)
      const soon = await take(dueMs - 3 * dayMs + 1)
      expect(soon).toMatchObject({ kind: 'soon', sealed: reminder ?? '' })
      if (soon) await ledger.recordReminderFate(soon, 'later')
      await take(dueMs - 2.5 * dayMs)
      expect(await names()).toEqual([...begun, '11 loan.due_soon'])
      const today = await take(dueMs)
      if (today) await ledger.recordReminderFate(today, 'later')
      await take(dueMs + dayMs / 24)
      expect(await names()).toEqual([...begun, '11 loan.due_soon', '11 loan.due'])
      const dueAt = new Date(dueMs).toISOString()
      expect((await ledger.listEvents(3, 1))[0]?.detail).toEqual({ dueAt })
    }
  })

  test('is not recorded where nobody is told', async () => {
    const { ledger, names } = open(false)
    await accept(ledger, 's')
    await ledger.setHold(alice, true, 'hold')
    expect(await names()).toEqual([])
    expect(await ledger.takeEvents(9)).toEqual([])
  })

  test('is posted signed, once if it is taken, and later ones of its account after it', async () => {
    const { ledger } = open()
    await using lender = await serveLender()
    await accept(ledger, 's')
    await lender.tell(ledger)
    await settle(ledger, 's', 0)
    await ledger.setHold(bob, true, 'hold')
    await lender.tell(ledger)
    await lender.tell(ledger)
    // Events of two accounts are posted at once, and either may be first.
    const [first, ...later] = lender.names()
    expect([first, ...later.sort()]).toEqual([
      ...['11 payment.accepted', '11 payment.done', '22 account.held'],
    ])
    expect(lender.requests()).toBe(3)
    expect((await ledger.readVitals()).eventsWaitSince).toBeUndefined()
  })

  test('is posted again until it is taken, and neither reordered nor in the way of another account', async () => {
    const { ledger, pass } = open()
    let refused = alice.toLowerCase()
    await using lender = await serveLender((account) => account !== refused)
    await accept(ledger, 'a', alice)
    await accept(ledger, 'b', bob)
    await lender.tell(ledger)
    await settle(ledger, 'a', 0)
    await ledger.setHold(carol, true, 'hold')
    await lender.tell(ledger)
    expect(lender.names()).toEqual(['22 payment.accepted', '33 account.held'])
    refused = ''
    await lender.tell(ledger)
    expect(lender.names()).toHaveLength(2)
    pass(30_000)
    await lender.tell(ledger)
    expect(lender.names().slice(2)).toEqual(['11 payment.accepted', '11 payment.done'])
    expect(lender.logged).toEqual(['events.untold'])
  })

  test('that is told while a later one comes leaves that one to be told', async () => {
    const { ledger } = open()
    await accept(ledger, 's')
    const [batch] = await ledger.takeEvents(9)
    await settle(ledger, 's', 0)
    expect(await ledger.takeEvents(9)).toEqual([])
    await ledger.markEventsTold(alice.toLowerCase(), batch?.events.at(-1)?.seq ?? 0)
    const [next] = await ledger.takeEvents(9)
    expect(next?.events.map(nameOf)).toEqual(['11 payment.done'])
  })

  test('is kept for 30 days, also untold, and then counted as lost', async () => {
    const { ledger, pass, names } = open()
    await ledger.setHold(alice, true, 'hold')
    pass(30 * dayMs)
    await ledger.prune()
    expect(await names()).toEqual(['11 account.held'])
    pass(1)
    await ledger.prune()
    expect(await names()).toEqual([])
    const { eventsLost } = await ledger.readVitals()
    expect(eventsLost).toMatchObject({ count: 1 })
    await ledger.setHold(alice, false, 'release')
    expect(await ledger.listEvents(1, 9)).toMatchObject([{ seq: 2, name: 'account.released' }])
  })
})
