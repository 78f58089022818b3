import { describe, expect } from 'vitest'
import { kindNames, paymentKinds } from '../../src/loan/kinds.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'
import { accept, alice, judge, offer, offerOf, orderOf, question } from './payments.ts'

const minuteMs = 60_000
const ten = { spendsWei: 10n }
const { data } = orderOf('any').request
const call = { data }

/** Requires that one more payment is judged by earlier ones where it is accepted, in any store. */
export function earlierSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)
  describe(`what an account paid before, on ${name}`, () => {
    const once = { transfersADay: 1, sentADayWei: undefined }
    const little = { transfersADay: undefined, sentADayWei: 15n }

    test.for(kindNames)('counts by its kind: %s', async (kind, { ledger, pass }) => {
      const { countsAsSent } = paymentKinds[kind]
      await accept(ledger, 'first', alice, { order: { ...ten, kind } })
      const offered = (session: string, day: typeof once | typeof little) =>
        judge(ledger, session, alice, { day, order: { kind: 'transfer', spendsWei: 6n } })
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
      const other = { day: once, order: { kind, spendsWei: 99n } }
      const ofKind = await judge(ledger, 'of the kind', alice, other)
      expect(ofKind.kind).toBe(countsAsSent ? 'too_many_today' : 'accepted')
      if (!countsAsSent)
        expect(await offered('first of its day', once)).toMatchObject({ kind: 'accepted' })
      pass(24 * 60 * minuteMs)
      expect(await offered('tomorrow', once)).toMatchObject({ kind: 'accepted' })
    })

    test('holds in the step that accepts, also for two sessions at once', async ({ ledger }) => {
      const [a, b] = ['a', 'b'].map((session) => offerOf(session, alice, { day: once, order: ten }))
      if (a === undefined || b === undefined) throw new Error('nothing is offered')
      const equal = { ...b, day: undefined, unlessEqual: true }
      const seenBefore = { ...b, day: undefined, version: 0 }
      const { verdicts } = await offer(ledger, a, b, equal, seenBefore)
      const changed = { kind: 'changed' }
      expect(verdicts).toMatchObject([{ kind: 'accepted' }, changed, changed, changed])
      const again = await offer(ledger, { ...b, version: 1 })
      expect(again.verdicts).toEqual([{ kind: 'too_many_today', max: 1 }])
      expect(await ledger.listPayments(alice, 9)).toHaveLength(1)
    })

    test('leads to a question after an equal payment a moment ago', async ({ ledger, pass }) => {
      expect(await ledger.recordEqualAge(question('first'), call)).toBeUndefined()
      await accept(ledger, 'first')
      // The session that made it is decided: it is asked nothing.
      expect(await ledger.recordEqualAge(question('first'), call)).toBeUndefined()
      expect(
        await ledger.recordEqualAge(question('other'), { ...call, data: '0x' }),
      ).toBeUndefined()
      pass(9 * minuteMs)
      expect(await ledger.recordEqualAge(question('looks'), call)).toBe(9)
      const equal = { kind: 'equal', minutes: 9 }
      const unlessEqual = { unlessEqual: true }
      expect(await judge(ledger, 'offers', alice, unlessEqual)).toMatchObject(equal)
      pass(minuteMs)
      expect(await ledger.recordEqualAge(question('later'), call)).toBeUndefined()
      for (const session of ['looks', 'offers']) {
        expect(await ledger.recordEqualAge(question(session), call)).toBe(9)
        expect(await judge(ledger, session, alice, unlessEqual)).toMatchObject(equal)
      }
      // Whoever wants another one all the same gets it.
      for (const session of ['looks', 'offers']) {
        expect(await judge(ledger, session)).toMatchObject({ kind: 'accepted' })
      }
    })

    test('leads to no question if it failed', async ({ ledger }) => {
      await accept(ledger, 'first')
      await ledger.expire('first', 5_000_000_000)
      const next = await judge(ledger, 'next', alice, { unlessEqual: true })
      expect(next).toMatchObject({ kind: 'accepted' })
    })

    test("counts for the day's number, but not for its sum, if it failed", async ({ ledger }) => {
      await accept(ledger, 'first')
      await ledger.expire('first', 5_000_000_000)
      const kindUnder = async (session: string, day: typeof once | typeof little) =>
        (await judge(ledger, session, alice, { day, order: { spendsWei: 15n } })).kind
      expect(await kindUnder('often', once)).toBe('too_many_today')
      expect(await kindUnder('much', little)).toBe('accepted')
    })
  })
}
