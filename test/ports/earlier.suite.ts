import type { Address, Hex } from 'viem'
import { describe, expect } from 'vitest'
import { encodeCall } from '../../src/loan/calls.ts'
import { kindNames, paymentKinds } from '../../src/loan/kinds.ts'
import type { LocalWorth } from '../../src/loan/local-worth.ts'
import type { PaymentLimits } from '../../src/relay/ledger/records/earlier.ts'
import { askedName, type Order } from '../../src/relay/ledger/values.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'
import {
  accept,
  agreed,
  alice,
  bob,
  carol,
  judge,
  offer,
  offerOf,
  orderOf,
  question,
  refusingOf,
  unlimited,
} from './payments.ts'

const minuteMs = 60_000
const ten = { spendsWei: 10n }
const { data } = orderOf('any').request
const call = { data }

/** Requires that one more payment is judged by earlier ones where it is accepted, in any store. */
export function earlierSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)
  describe(`what an account paid before, on ${name}`, () => {
    const once = { ...unlimited, transfersADay: 1 }
    const little = { ...unlimited, sentADayWei: 15n }

    test.for(kindNames)('counts by its kind: %s', async (kind, { ledger, pass }) => {
      const { countsAsSent } = paymentKinds[kind]
      await accept(ledger, 'first', alice, { order: { ...ten, kind } })
      const offered = (session: string, limits: PaymentLimits) =>
        judge(ledger, session, alice, { limits, order: { kind: 'transfer', spendsWei: 6n } })
      if (countsAsSent) {
        expect(await offered('often', once)).toMatchObject({ kind: 'too_many_today', max: 1 })
        expect(await offered('much', little)).toMatchObject({ kind: 'too_much_today', leftWei: 5n })
        const asked = { kind: 'transfer', spendsWei: 6n } as const
        expect(await ledger.findKnownRefusal(alice, once, asked)).toEqual({
          kind: 'too_many_today',
          max: 1,
        })
        expect(await ledger.findKnownRefusal(alice, little, asked)).toEqual({
          kind: 'too_much_today',
          leftWei: 5n,
        })
      }
      // And one that is not sent is held by no day.
      const other = { limits: once, order: { kind, spendsWei: 99n } }
      const ofKind = await judge(ledger, 'of the kind', alice, other)
      expect(ofKind.kind).toBe(countsAsSent ? 'too_many_today' : 'accepted')
      if (!countsAsSent)
        expect(await offered('first of its day', once)).toMatchObject({ kind: 'accepted' })
      pass(24 * 60 * minuteMs)
      expect(await offered('tomorrow', once)).toMatchObject({ kind: 'accepted' })
    })

    test('holds in the step that accepts, also for two sessions at once', async ({ ledger }) => {
      const [a, b] = ['a', 'b'].map((session) =>
        offerOf(session, alice, { limits: once, order: ten }),
      )
      if (a === undefined || b === undefined) throw new Error('nothing is offered')
      const equal = { ...b, limits: unlimited, unlessEqual: true }
      const seenBefore = { ...b, limits: unlimited, version: 0 }
      const { verdicts } = await offer(ledger, a, b, equal, seenBefore)
      const changed = { kind: 'changed' }
      expect(verdicts).toMatchObject([{ kind: 'accepted' }, changed, changed, changed])
      const again = await offer(ledger, { ...b, version: 1 })
      expect(again.verdicts).toEqual([{ kind: 'too_many_today', max: 1 }])
      expect(await ledger.listPayments(alice, 9)).toHaveLength(1)
    })

    test('leads to a question after an equal payment a moment ago', async ({ ledger, pass }) => {
      expect(await ledger.recordEarlier(question('first'), call)).toBeUndefined()
      await accept(ledger, 'first')
      // The session that made it is decided: it is asked nothing.
      expect(await ledger.recordEarlier(question('first'), call)).toBeUndefined()
      expect(await ledger.recordEarlier(question('other'), { ...call, data: '0x' })).toBeUndefined()
      pass(9 * minuteMs)
      expect(await ledger.recordEarlier(question('looks'), call)).toEqual({ minutes: 9 })
      const equal = { kind: 'equal', minutes: 9 }
      const unlessEqual = { unlessEqual: true }
      expect(await judge(ledger, 'offers', alice, unlessEqual)).toMatchObject(equal)
      pass(minuteMs)
      expect(await ledger.recordEarlier(question('later'), call)).toBeUndefined()
      for (const session of ['looks', 'offers']) {
        expect(await ledger.recordEarlier(question(session), call)).toEqual({ minutes: 9 })
        expect(await judge(ledger, session, alice, unlessEqual)).toMatchObject(equal)
      }
      // Whoever wants another one all the same gets it.
      for (const session of ['looks', 'offers']) {
        expect(await judge(ledger, session)).toMatchObject({ kind: 'accepted' })
      }
    })

    test('leads to it by the same local money at another rate, and by what was paid', async ({
      ledger,
    }) => {
      const calling = (to: Address, amountWei: bigint) => ({
        data: encodeCall({ kind: 'transfer', to, amountWei }),
      })
      const paying = (session: string, amountWei: bigint, order: Partial<Order>) => {
        const { request } = offerOf(session).order
        const called = { request: { ...request, ...calling(bob, amountWei) } }
        return judge(ledger, session, alice, { order: { ...called, ...order } })
      }
      await paying('local', 7n, { agreed })
      await paying('unit', 9n, {})
      const look = (call: { data: Hex; agreed?: LocalWorth }) =>
        ledger.recordEarlier(question(`${call.data}${JSON.stringify(call.agreed)}`), call)
      const local = { currency: agreed.currency, cents: agreed.cents }
      const later = { ...agreed, micros: '13000000000000' }
      expect(await look({ ...calling(bob, 8n), agreed: later })).toEqual({ minutes: 0, local })
      expect(await look(calling(bob, 7n))).toEqual({ minutes: 0, local })
      expect(await look({ ...calling(bob, 9n), agreed })).toEqual({ minutes: 0 })
      for (const other of [
        { ...calling(bob, 8n), agreed: { ...agreed, cents: '1' } },
        { ...calling(bob, 8n), agreed: { ...agreed, currency: 'UGX' } },
        { ...calling(carol, 8n), agreed },
        calling(bob, 8n),
      ])
        expect(await look(other)).toBeUndefined()
    })

    test('is read as a former version stored it', async ({ ledger }) => {
      await ledger.saveFirstValue({ ...question('former'), name: 'equal', value: '9' })
      expect(await ledger.recordEarlier(question('former'), call)).toEqual({ minutes: 9 })
    })

    test('leads to no question if it failed', async ({ ledger }) => {
      await accept(ledger, 'first')
      await ledger.expire('first', 5_000_000_000)
      const next = await judge(ledger, 'next', alice, { unlessEqual: true })
      expect(next).toMatchObject({ kind: 'accepted' })
    })

    const asked = { input: 'asked', holdsMs: 3 * minuteMs }
    const ask = (session: string, name: string = askedName, input = 'asked') => ({
      ...{ ...question(session), input, name, value: 'true' },
    })

    test('does not accept an answer to a question that held no longer', async ({
      ledger,
      pass,
    }) => {
      const late = { kind: 'late' }
      const judged = (session: string, input = 'asked') =>
        judge(ledger, session, alice, { question: { ...asked, input } })
      await ledger.saveFirstValue(ask('prompt'))
      await ledger.saveFirstValue(ask('late'))
      await ledger.saveFirstValue(ask('another name', 'terms'))
      await ledger.recordEarlier(question('arrived'), undefined)
      pass(3 * minuteMs)
      expect(await judged('prompt')).toMatchObject({ kind: 'accepted' })
      // A question that is shown again was asked before.
      await ledger.saveFirstValue(ask('late'))
      await ledger.recordEarlier(question('arrived'), undefined)
      pass(1)
      expect(await judged('late')).toEqual(late)
      expect(await judged('arrived')).toEqual(late)
      expect(await ledger.lookup(question('late'))).toMatchObject({ kind: 'undecided' })
      for (const session of ['another name', 'never asked'])
        expect(await judged(session)).toMatchObject({ kind: 'accepted' })
      // Asked again it holds again, and who holds no question pays at any time.
      await ledger.saveFirstValue(ask('late', askedName, 'input'))
      pass(3 * minuteMs)
      expect(await judge(ledger, 'arrived')).toMatchObject({ kind: 'accepted' })
      const again = offerOf('late', alice, { question: { ...asked, input: 'input' } })
      const { verdicts } = await offer(ledger, { ...again, input: 'input*1' })
      expect(verdicts).toMatchObject([{ kind: 'accepted' }])
      expect(await ledger.listPayments(alice, 9)).toHaveLength(5)
    })

    test('asks only for a time whether to pay again', async ({ ledger, pass }) => {
      await accept(ledger, 'first')
      for (const session of ['prompt', 'late'])
        expect(await ledger.recordEarlier(ask(session), call)).toEqual({ minutes: 0 })
      pass(3 * minuteMs)
      const judged = async (session: string) =>
        (await judge(ledger, session, alice, { question: asked })).kind
      expect(await judged('prompt')).toBe('accepted')
      pass(1)
      expect(await judged('late')).toBe('late')
    })

    test('judges late answers among others of one batch', async ({ ledger, pass }) => {
      await ledger.saveFirstValue(ask('late'))
      pass(4 * minuteMs)
      const offers = ['a', 'late', 'b'].map((session, index) =>
        offerOf(session, [alice, bob, carol][index], { question: asked }),
      )
      const { verdicts } = await offer(ledger, ...offers)
      expect(verdicts.map(({ kind }) => kind)).toEqual(['accepted', 'late', 'accepted'])
    })

    test('tells how long ago a session was decided', async ({ ledger, pass }) => {
      await accept(ledger, 'first')
      await ledger.refuse(refusingOf('refused'))
      pass(9 * minuteMs)
      for (const session of ['first', 'refused'])
        expect(await ledger.lookup(question(session))).toMatchObject({
          kind: 'answered',
          ageMs: 9 * minuteMs,
        })
    })

    test("counts for the day's number, but not for its sum, if it failed", async ({ ledger }) => {
      await accept(ledger, 'first')
      await ledger.expire('first', 5_000_000_000)
      const kindUnder = async (session: string, limits: PaymentLimits) =>
        (await judge(ledger, session, alice, { limits, order: { spendsWei: 15n } })).kind
      expect(await kindUnder('often', once)).toBe('too_many_today')
      expect(await kindUnder('much', little)).toBe('accepted')
    })
  })
}
