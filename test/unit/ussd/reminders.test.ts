import { beforeEach, describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { createNode } from '../../../src/chain/node.ts'
import { parseConfig } from '../../../src/compose/config.ts'
import { assembleMessages, createSeals } from '../../../src/compose/sms.ts'
import type { LogEvent } from '../../../src/runtime/log.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { opened } from '../../support/opened.ts'
import { startSmsServer } from '../../support/sms-server.ts'
import { required } from '../compose/variables.ts'
import { openWorld } from './world.ts'

const caller = '+254700000000'
const dayMs = 86_400_000

const server = opened(startSmsServer)
beforeEach(() => {
  server.answer(undefined)
  server.asked.length = 0
})

const feed = 'https://prices.example/kes'
/** Answers for the price feed, and asks the other addresses. */
const priceOr =
  (now: () => number): typeof fetch =>
  async (url, options) =>
    `${url}` === feed
      ? Response.json({ rootstock: { kes: 12_000_000, last_updated_at: now() / 1_000 } })
      : fetch(url, options)

/**
 * A lender's service on the day before Christmas' tenth, where a loan is due on the 24th at noon.
 */
function open(product: object = menus.lender) {
  const variables = { ...required, ...server.variables, PROFILE: 'lender', PIN: 'off' }
  const clock = createHandClock()
  const dueAt = Math.floor(clock.now() / dayMs) * 86_400 + 30 * 86_400 + 43_200
  const debt = { owedWei: 10_500_000_000_000_000n, dueAt }
  const events: LogEvent[] = []
  const running: Promise<unknown>[] = []
  const memory = createMemoryStore(clock.now)
  const runtime = {
    ...{ clock, fetch: priceOr(clock.now), log: (event: LogEvent) => void events.push(event) },
    waitUntil: (work: Promise<unknown>) => void running.push(work),
  }
  const config = parseConfig(variables)
  const relay = openWorld({
    product: { ...menus.lender, ...product, smsSeals: createSeals(config) },
    clock,
  })
  const node = { debtOf: async (_: string) => debt }
  /** One process's rounds, or another's. */
  const process = (changes: Record<string, string> = {}) => {
    const of = parseConfig({ ...variables, ...changes })
    const { startReminders } = assembleMessages(
      of,
      runtime,
      () => memory,
      createNode(() => Promise.reject(new Error('no node answers'))),
      { readDebt: (account) => node.debtOf(account) },
    )
    return async () => {
      startReminders?.(relay.ledger)
      await Promise.all(running.splice(0))
    }
  }
  const to = (ms: number) => clock.forward(ms - clock.now())
  const soon = dueAt * 1_000 - 3 * dayMs + 1_000
  const today = dueAt * 1_000 - dayMs / 6 + 1_000
  return { ...relay, clock, debt, node, events, memory, process, round: process(), to, soon, today }
}

const told = () => server.asked.map(({ to, text }) => `${to}: ${text}`)
const borrow = `s: 3*1 -> END Loan Requested|…
  settle`

describe('a reminder of a loan', () => {
  test('is sent three days before the loan is due and on the day, once each, however many processes run rounds', async () => {
    const { play, process, to, soon, today, debt } = open()
    await play(borrow)
    const all = () => Promise.all(Array.from({ length: 6 }, () => process()()))
    await all()
    expect(told()).toEqual([])
    const date = new Date(debt.dueAt * 1_000)
    const day = `${date.getUTCDate()} ${date.toUTCString().slice(8, 11)} ${date.getUTCFullYear()}`
    const text = `${caller}: Your loan is due on ${day}. To repay: 0.0105 tRBTC. Dial and choose 4.`
    for (const [index, at] of [soon, today].entries()) {
      to(at)
      await all()
      await all()
      expect(told()).toEqual(Array.from({ length: index + 1 }, () => text))
    }
    to(today + 40 * dayMs)
    await all()
    expect(told()).toHaveLength(2)
  })

  test('says first what the debt is worth in local money that day', async () => {
    const { play, process, to, soon } = open()
    await play(borrow)
    to(soon)
    await process({ LOCAL_CURRENCY: 'KES', RATE_FEED_URL: feed })()
    expect(told()[0]).toContain('To repay: KES 126,000 (0.0105 tRBTC). Dial and choose 4.')
  })

  test('is not sent for a repaid loan, or while no node answers', async () => {
    const { play, round, to, soon, today, debt, node, events } = open()
    await play(borrow)
    to(soon)
    const { debtOf } = node
    node.debtOf = async () => {
      throw new Error('no node answers')
    }
    await round()
    expect(events.map(({ event }) => event)).toEqual(['reminders.failed'])
    node.debtOf = debtOf
    debt.owedWei = 0n
    to(today)
    await round()
    expect(told()).toEqual([])
  })

  test('is sent to one borrower while the debt of another cannot be read, who is asked later', async () => {
    const { play, round, to, soon, debt, node, events, accountOf } = open()
    await play(`${borrow}
      other@1: 3*1 -> END Loan Requested|…
      settle`)
    to(soon)
    node.debtOf = async (account) => {
      if (account === accountOf(0)) throw new Error('no node answers')
      return debt
    }
    await round()
    expect(events.map(({ event }) => event)).toContain('reminders.failed')
    expect(told()).toEqual([expect.not.stringContaining(caller)])
    node.debtOf = async () => debt
    to(soon + dayMs / 24)
    await round()
    expect(told()).toEqual([expect.anything(), expect.stringContaining(caller)])
  })

  test('is asked about two debts alone while all nodes are silent, and about the rest a minute later', async () => {
    const { play, process, to, soon, node } = open()
    await play(`${borrow}
      second@1: 3*1 -> END Loan Requested|…
      third@2: 3*1 -> END Loan Requested|…
      settle`)
    to(soon)
    const asked = new Set<string>()
    node.debtOf = async (account) => {
      asked.add(account)
      throw new Error('no node answers')
    }
    const counts: number[] = []
    for (const minute of [0, 1]) {
      to(soon + minute * 60_000)
      await process()()
      counts.push(asked.size)
    }
    expect(counts).toEqual([2, 3])
  })

  test('is not sent again by a ledger that was set back', async () => {
    const { play, round, process, to, soon, rows, ledger, accountOf, debt } = open()
    await play(borrow)
    to(soon)
    await round()
    expect(told()).toHaveLength(1)
    // As if the note of it were lost: the account's memory has it.
    const reminder = { account: accountOf(0), ...debt, kind: 'soon' as const, sealed: '' }
    await ledger.recordReminderFate(reminder, 'later')
    to(soon + dayMs / 24)
    await process()()
    expect(told()).toHaveLength(1)
    expect(rows().join('\n')).not.toMatch(/254700000000|"0700000000/)
  })

  test('can be opened for its own account only, and stores a number only for a lender that sends messages', async () => {
    const { play, process, to, soon, rows, events } = open()
    await play(borrow)
    to(soon)
    await process({ ACCOUNT_KEY_SECRET: `0x${'33'.repeat(32)}` })()
    expect(told()).toEqual([])
    expect(events.map(({ event }) => event)).toEqual(['sms.unprepared'])
    expect(rows().filter((row) => row.startsWith('reminders '))).toHaveLength(1)
    const demo = open(menus.demo)
    await demo.play(`s: 3
      settle`)
    expect(demo.rows().filter((row) => row.startsWith('reminders '))).toEqual([])
  })
})
