import { describe, expect, test } from 'vitest'
import { kindNames, paymentKinds } from '../../src/loan/kinds.ts'
import type { Acceptance, Claiming, Ledger, Order } from '../../src/relay/ledger/port.ts'
import type { LedgerHarness } from './ledger.suite.ts'
import {
  alice,
  question,
  acceptance as recording,
  claiming as taking,
  orderOf as transferOf,
} from './payments.ts'

const minuteMs = 60_000

const orderOf = (session: string, more: Partial<Order> = {}): Order =>
  transferOf(session, alice, { spendsWei: 10n, ...more })
const { data } = orderOf('any').request
const call = { data }

const claiming = (session: string, more: Partial<Claiming> = {}) => taking(session, session, more)
const acceptance = (session: string, more: Partial<Acceptance> = {}): Acceptance => ({
  ...recording(session, session, undefined),
  order: orderOf(session),
  ...more,
})

async function accept(ledger: Ledger, session: string, order = orderOf(session)) {
  await ledger.claim(claiming(session))
  return ledger.record(acceptance(session, { order }))
}

/** What an account's earlier payments say of one more is judged where it is accepted, whatever the ledger is kept in. */
export function earlierSuite(name: string, create: () => Promise<LedgerHarness>): void {
  describe(`what an account paid before, on ${name}`, () => {
    const once = { transfersADay: 1, sentADayWei: undefined }
    const little = { transfersADay: undefined, sentADayWei: 15n }

    test.for(kindNames)('counts toward its day as the kind says: %s', async (kind) => {
      const { ledger, pass } = await create()
      const { isSent } = paymentKinds[kind]
      await accept(ledger, 'first', orderOf('first', { kind }))
      const asked = { kind: 'transfer', spendsWei: 6n } as const
      const claim = (session: string, limits: typeof once | typeof little) =>
        ledger.claim(claiming(session, { day: { ...limits, ...asked } }))
      const claimed = { kind: 'claimed' }
      expect(await claim('often', once)).toMatchObject(
        isSent ? { kind: 'too_many_today', most: 1 } : claimed,
      )
      expect(await claim('much', little)).toMatchObject(
        isSent ? { kind: 'too_much_today', leftWei: 5n } : claimed,
      )
      // And one that is not sent is held by no day.
      const other = { ...once, kind, spendsWei: 99n }
      const ofKind = await ledger.claim(claiming('of the kind', { day: other }))
      expect(ofKind.kind).toBe(isSent ? 'too_many_today' : 'claimed')
      pass(24 * 60 * minuteMs)
      expect(await claim('tomorrow', once)).toMatchObject(claimed)
    })

    test('holds in the step that accepts, whatever two sessions were claimed on', async () => {
      const { ledger } = await create()
      const day = { ...once, kind: 'transfer', spendsWei: 10n } as const
      for (const session of ['a', 'b']) {
        expect(await ledger.claim(claiming(session, { day }))).toMatchObject({ kind: 'claimed' })
      }
      expect(await ledger.record(acceptance('a', { day: once }))).toEqual({ kind: 'recorded' })
      const over = { kind: 'too_many_today', most: 1 }
      expect(await ledger.record(acceptance('b', { day: once }))).toEqual(over)
      expect(await ledger.payments(alice, 9)).toHaveLength(1)
    })

    test('is asked about where it was equal and a moment ago, and so however late', async () => {
      const { ledger, pass } = await create()
      expect(await ledger.equal(question('first'), call)).toBeUndefined()
      await accept(ledger, 'first')
      // The session that made it is decided: it is asked nothing.
      expect(await ledger.equal(question('first'), call)).toBeUndefined()
      expect(await ledger.equal(question('other'), { ...call, data: '0x' })).toBeUndefined()
      pass(9 * minuteMs)
      expect(await ledger.equal(question('looks'), call)).toBe(9)
      const equal = { kind: 'equal', minutes: 9 }
      expect(await ledger.claim(claiming('claims', { unlessEqual: call }))).toEqual(equal)
      pass(minuteMs)
      expect(await ledger.equal(question('later'), call)).toBeUndefined()
      for (const session of ['looks', 'claims']) {
        expect(await ledger.equal(question(session), call)).toBe(9)
        expect(await ledger.claim(claiming(session, { unlessEqual: call }))).toEqual(equal)
        // Whoever wants another one all the same gets it.
        expect(await ledger.claim(claiming(session))).toMatchObject({ kind: 'claimed' })
      }
    })

    test('is nothing to ask about where it has failed', async () => {
      const { ledger } = await create()
      await accept(ledger, 'first')
      await ledger.expire('first')
      expect(await ledger.claim(claiming('next', { unlessEqual: call }))).toMatchObject({
        kind: 'claimed',
      })
    })

    test('was one of its day, but no sum of it, where it has failed', async () => {
      const { ledger } = await create()
      await accept(ledger, 'first')
      await ledger.expire('first')
      const asked = { kind: 'transfer', spendsWei: 15n } as const
      const claims = [once, little].map((limits, index) =>
        ledger.claim(claiming(`next ${index}`, { day: { ...limits, ...asked } })),
      )
      const [often, much] = await Promise.all(claims)
      expect([often?.kind, much?.kind]).toEqual(['too_many_today', 'claimed'])
    })
  })
}
