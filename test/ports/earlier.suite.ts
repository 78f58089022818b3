import { describe, expect } from 'vitest'
import { kindNames, paymentKinds } from '../../src/loan/kinds.ts'
import type { PaymentLimits } from '../../src/relay/ledger/records/earlier.ts'
import { askedName } from '../../src/relay/ledger/values.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'
import {
  accept,
  alice,
  bob,
  carol,
  judge,
  offer,
  offerOf,
  orderOf,
  question,
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

    test('judges late answers among others of one batch', async ({ ledger, pass }) => {
      await ledger.saveFirstValue(ask('late'))
      pass(4 * minuteMs)
      const offers = ['a', 'late', 'b'].map((session, index) =>
        offerOf(session, [alice, bob, carol][index], { question: asked }),
      )
      const { verdicts } = await offer(ledger, ...offers)
      expect(verdicts.map(({ kind }) => kind)).toEqual(['accepted', 'late', 'accepted'])
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
