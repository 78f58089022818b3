import { describe, expect } from 'vitest'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import type { SmsFate } from '../../src/relay/ledger/payments/sms.ts'
import type { DueSms } from '../../src/relay/ledger/records/due-sms.ts'
import type { Execution, HeldSms } from '../../src/relay/ledger/values.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'
import {
  accept as acceptOrder,
  adoptionOf,
  alice,
  executionIn,
  id,
  lentTo,
  mineAt,
} from './payments.ts'

const both: readonly HeldSms[] = [
  { party: 'sender', sealed: '0x51' },
  { party: 'receiver', sealed: '0x52' },
]
const dayMs = 24 * 60 * 60 * 1000

/** Accepts a payment with its messages. */
async function accept(ledger: WholeLedger, session: string, sms = both): Promise<number> {
  // Those before are in blocks.
  const { nextNonce: chainNonce } = await ledger.readVitals()
  const offered = { order: { spendsWei: 1n, sms }, chainNonce, poolNonce: chainNonce }
  return (await acceptOrder(ledger, session, alice, offered)) ?? -1
}

const execution = (number: number, outcome: Execution['outcome'] = 'executed') =>
  executionIn(number, { outcome, reason: outcome === 'failed' ? 'Balance too low' : '' })

const mine = (ledger: WholeLedger, session: string, nonce: number, done = execution(5)) =>
  mineAt(ledger, session, nonce, done)

async function finish(ledger: WholeLedger, session: string, sms = both, done = execution(5)) {
  await mine(ledger, session, await accept(ledger, session, sms), done)
  await ledger.confirm([session], done.block.hash)
}

const nameOf = ({ session, party, attempts }: DueSms) => ({ session, party, attempts })

async function takeAll(ledger: WholeLedger, limit = 9): Promise<DueSms[]> {
  return (await ledger.takeSms(limit)).taken
}

async function noteAll(
  ledger: WholeLedger,
  taken: readonly DueSms[],
  fate: SmsFate,
): Promise<void> {
  for (const sms of taken) await ledger.recordSmsFate(nameOf(sms), fate)
}

const nothing = { taken: [], next: undefined }

/** Tests what every ledger promises about messages. */
export function smsSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)
  const countsOf = async (ledger: WholeLedger) => {
    const entries = Object.entries((await ledger.readVitals()).counts)
    return Object.fromEntries(entries.filter(([key]) => key.startsWith('sms.')))
  }

  describe(`messages in the ledger on ${name}`, () => {
    test('are due once the outcome is final, and each is taken once', async ({ ledger, pass }) => {
      const nonce = await accept(ledger, 's')
      expect(await ledger.takeSms(9)).toEqual(nothing)
      await mine(ledger, 's', nonce)
      expect(await ledger.takeSms(9)).toEqual(nothing)
      await ledger.confirm(['s'], id('block 5'))
      const asked = await Promise.all(Array.from({ length: 8 }, () => ledger.takeSms(9)))
      const taken = asked.flatMap((one) => one.taken)
      expect(taken.map(({ party, sealed }) => ({ party, sealed }))).toEqual(
        expect.arrayContaining([...both]),
      )
      expect(taken).toHaveLength(2)
      expect(taken[0]).toMatchObject({ state: 'confirmed', reason: '', intentId: id('s') })
      await noteAll(ledger, taken, 'sent')
      pass(dayMs / 2)
      expect(await ledger.takeSms(9)).toEqual(nothing)
      expect(await countsOf(ledger)).toEqual({ 'sms.sent': 2 })
    })

    test('of a failed or late payment go to its sender with the reason', async ({ ledger }) => {
      await finish(ledger, 'failed', both, execution(5, 'failed'))
      const told = { party: 'sender', state: 'reverted', reason: 'Balance too low' }
      expect(await takeAll(ledger)).toMatchObject([told])
      await accept(ledger, 'late')
      await ledger.expire('late', 5_000_000_000)
      const late = { session: 'late', party: 'sender', state: 'expired' }
      expect(await takeAll(ledger)).toMatchObject([late])
    })

    test('wait again after a reorganization, unless they were sent', async ({ ledger }) => {
      await finish(ledger, 's')
      const [left] = (await ledger.takeSms(1)).taken
      await ledger.reopen(id('block 5'))
      expect(await ledger.takeSms(9)).toEqual(nothing)
      if (left !== undefined) await ledger.recordSmsFate(nameOf(left), 'sent')
      await mine(ledger, 's', 0, execution(6))
      await ledger.confirm(['s'], id('block 6'))
      const others = both.filter(({ party }) => party !== left?.party)
      expect((await takeAll(ledger)).map(({ party }) => party)).toEqual(
        others.map(({ party }) => party),
      )
    })

    test('that were surely not sent are due again, ever later', async ({ ledger, pass }) => {
      await finish(ledger, 's', both.slice(0, 1))
      const first = await takeAll(ledger)
      await noteAll(ledger, first, 'later')
      const { taken, next } = await ledger.takeSms(9)
      expect(taken).toEqual([])
      const inMs = (next ?? 0) - (await ledger.readVitals()).now
      expect(inMs).toBeGreaterThan(20_000)
      expect(inMs).toBeLessThanOrEqual(30_000)
      pass(30_000)
      const second = await takeAll(ledger)
      expect(second).toMatchObject([{ attempts: 2 }])
      // The first attempt's answer comes late: it is the second one's message by now.
      await noteAll(ledger, first, 'later')
      await noteAll(ledger, second, 'later')
      pass(30_000)
      expect(await takeAll(ledger)).toEqual([])
      pass(30_000)
      const third = await takeAll(ledger)
      expect(third).toMatchObject([{ attempts: 3 }])
      await noteAll(ledger, third, 'untried')
      expect(await takeAll(ledger)).toMatchObject([{ attempts: 3 }])
    })

    test('about a saved wallet are due at once, once a change, with an entry in the audit', async ({
      ledger,
      pass,
    }) => {
      const redeemed = { action: 'redeem-wallet', account: alice, wallet: alice } as const
      const change = { id: 'wallet:s', ...redeemed, sealed: '0x53' }
      for (let late = 0; late < 3; late++) await ledger.recordWalletChange(change)
      const [taken, ...others] = await takeAll(ledger)
      expect(others).toEqual([])
      expect(taken).toMatchObject({ session: 'wallet:s', sealed: '0x53', intentId: 'wallet:s' })
      await noteAll(ledger, taken ? [taken] : [], 'sent')
      await ledger.recordWalletChange(change)
      await ledger.recordWalletChange({ ...change, id: 'wallet:t', sealed: undefined })
      expect(await takeAll(ledger)).toEqual([])
      expect(
        (await ledger.listAudit({ limit: 9 })).entries
          .map(({ id, action }) => [id, action])
          .toSorted(),
      ).toEqual([
        ['wallet:s', 'redeem-wallet'],
        ['wallet:t', 'redeem-wallet'],
      ])
      await ledger.recordWalletChange({ ...change, id: 'wallet:u' })
      pass(dayMs + 1)
      expect(await takeAll(ledger)).toEqual([])
    })

    test('are taken a few at a time, with a sign that more remain', async ({ ledger }) => {
      await finish(ledger, 'one')
      await finish(ledger, 'two', both, execution(6))
      const first = await ledger.takeSms(3)
      expect(first.taken).toHaveLength(3)
      expect(first.next).toBeLessThanOrEqual((await ledger.readVitals()).now)
      expect((await ledger.takeSms(3)).taken).toHaveLength(1)
    })

    test('expire after a day, and when their sender dies', async ({ ledger, pass }) => {
      await finish(ledger, 'died', both.slice(0, 1))
      const died = await takeAll(ledger)
      await finish(ledger, 'refused', both.slice(0, 1), execution(6))
      await noteAll(ledger, await takeAll(ledger), 'refused')
      await finish(ledger, 'tried', both.slice(0, 1), execution(7))
      await noteAll(ledger, await takeAll(ledger), 'later')
      await finish(ledger, 'untried', both.slice(0, 1), execution(8))
      await ledger.prune()
      pass(10 * 60_000 + 1)
      await ledger.prune()
      await noteAll(ledger, died, 'untried')
      expect((await takeAll(ledger)).map(({ session }) => session)).toEqual(['untried', 'tried'])
      pass(10 * 60_000 + 1)
      await ledger.prune()
      await finish(ledger, 'old', both, execution(9))
      pass(dayMs + 1)
      expect(await ledger.takeSms(1)).toMatchObject({ taken: [], next: expect.anything() })
      await ledger.prune()
      expect(await ledger.takeSms(9)).toEqual(nothing)
      const counts = { 'sms.refused': 1, 'sms.later': 1, 'sms.unknown': 3, 'sms.given_up': 2 }
      expect(await countsOf(ledger)).toEqual(counts)
    })

    test('are not sent for a payment that was found on the chain', async ({ ledger }) => {
      const order = { spendsWei: 1n, sms: both }
      await ledger.adopt(adoptionOf('found', execution(7), order))
      await ledger.confirm(['found'], id('block 7'))
      expect((await ledger.findPayment('found'))?.state).toBe('confirmed')
      expect(await ledger.takeSms(9)).toEqual(nothing)
    })
  })

  describe(`reminders of a loan in the ledger on ${name}`, () => {
    const account = alice
    const loanMs = 30 * dayMs
    const owedWei = 5n

    /** Mines a loan of 30 days; returns when it is due. */
    async function borrow({ ledger, pass }: LedgerHarness) {
      const order = { spendsWei: 0n, kind: 'loan', reminder: '0x77' } as const
      await acceptOrder(ledger, 'loan', account, { order })
      await mine(ledger, 'loan', 0)
      await ledger.confirm(['loan'], id('block 5'))
      // On the store's clock, at 10 o'clock of some day.
      const { now } = await ledger.readVitals()
      const dueAt = (Math.ceil((now + loanMs) / dayMs) * dayMs + (10 * dayMs) / 24) / 1_000
      const to = async (ms: number) => pass(ms - (await ledger.readVitals()).now)
      return { dueAt, to, debt: { account, owedWei, dueAt } }
    }

    test('that were certainly not sent are taken once more, and no others', async ({ harness }) => {
      const { ledger, pass } = harness
      const { debt, dueAt, to } = await borrow(harness)
      await to(dueAt * 1_000 - 3 * dayMs + 1_000)
      const logs = [lentTo(account, dueAt)]
      await ledger.bookLoans({ contract: account, from: undefined, next: 5, logs })
      const reminded = async () => (await ledger.readStanding(account, account)).reminded
      const first = await ledger.takeReminder(debt)
      if (first === undefined) throw new Error('no reminder is due')
      expect(await reminded()).toBe('soon')
      await ledger.recordReminderFate(first, 'later')
      expect(await reminded()).toBe('none')
      expect(await ledger.takeReminder(debt)).toBeUndefined()
      pass(dayMs / 48)
      expect(await ledger.takeReminder(debt)).toEqual(first)
      await ledger.recordReminderFate(first, 'unknown')
      pass(dayMs / 48)
      expect(await ledger.takeReminder(debt)).toBeUndefined()
      // Too late to be of use.
      await to(dueAt * 1_000 + dayMs)
      expect(await ledger.takeReminder(debt)).toBeUndefined()
      expect(await countsOf(ledger)).toEqual({ 'sms.later': 1, 'sms.unknown': 1 })
    })

    test('are not taken again after another loan of the account failed', async ({ harness }) => {
      const { ledger, pass } = harness
      const { debt, dueAt, to } = await borrow(harness)
      await to(dueAt * 1_000 - 3 * dayMs + 1_000)
      expect(await ledger.takeReminder(debt)).toMatchObject({ kind: 'soon' })
      const order = { spendsWei: 0n, kind: 'loan', reminder: '0x78' } as const
      await acceptOrder(ledger, 'more', account, { order, chainNonce: 1, poolNonce: 1 })
      await mine(ledger, 'more', 1, execution(6, 'failed'))
      await ledger.confirm(['more'], id('block 6'))
      pass(dayMs / 12)
      expect(await ledger.listDueReminders(9)).toEqual([account])
      expect(await ledger.takeReminder(debt)).toBeUndefined()
    })

    test('wait while a payment of the account is open', async ({ harness }) => {
      const { ledger, pass } = harness
      const { debt, dueAt, to } = await borrow(harness)
      const chainNonce = { chainNonce: 1, poolNonce: 1 }
      await acceptOrder(ledger, 'repayment', account, { order: { spendsWei: 5n }, ...chainNonce })
      await to(dueAt * 1_000 - 3 * dayMs + 1_000)
      expect(await ledger.takeReminder(debt)).toBeUndefined()
      await mine(ledger, 'repayment', 1, execution(6))
      await ledger.confirm(['repayment'], id('block 6'))
      pass(dayMs / 48)
      expect(await ledger.takeReminder(debt)).toMatchObject({ kind: 'soon' })
    })

    test('are deleted with the number 30 days after repayment, and begin anew with another loan', async ({
      harness,
    }) => {
      const { ledger, pass } = harness
      const { debt, dueAt } = await borrow(harness)
      const look = (owed: bigint, due = 0) =>
        ledger.takeReminder({ account, owedWei: owed, dueAt: due })
      pass(dayMs)
      await look(0n)
      pass(30 * dayMs - 1_000)
      expect(await ledger.listDueReminders(9)).toEqual([])
      pass(1_000)
      expect(await ledger.listDueReminders(9)).toEqual([account])
      // Lent again meanwhile: the number stays, and is of the new loan.
      await look(owedWei, dueAt + 60 * 86_400)
      pass(dayMs)
      await look(0n)
      pass(30 * dayMs)
      await look(0n)
      pass(400 * dayMs)
      expect(await ledger.listDueReminders(9)).toEqual([])
      expect(await ledger.takeReminder(debt)).toBeUndefined()
    })
  })
}
