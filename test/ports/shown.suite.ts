import { describe, expect } from 'vitest'
import { openModelledService } from '../support/modelled-service.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'
import { question, refusingOf } from './payments.ts'

const showing = (session: string, value: string, name = 'terms', input = 'input') => ({
  ...{ ...question(session), input, name, value },
})
const shown = (value: string) => ({ kind: 'shown', value })

/** Tests that a session follows what it was shown, on any store. */
export function shownSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)
  describe(`what a session was shown, on ${name}`, () => {
    test('is the first value of each name, question and session', async ({ ledger }) => {
      expect(await ledger.readFirstValue(question('s'), 'terms')).toBeUndefined()
      expect(await ledger.saveFirstValue(showing('s', '1'))).toEqual(shown('1'))
      expect(await ledger.saveFirstValue(showing('s', '2'))).toEqual(shown('1'))
      expect(await ledger.readFirstValue(question('s'), 'terms')).toBe('1')
      expect(await ledger.saveFirstValue(showing('s', '3', 'equal'))).toEqual(shown('3'))
      expect(await ledger.saveFirstValue(showing('s', '4', 'terms', 'other'))).toEqual(shown('4'))
      expect(await ledger.saveFirstValue(showing('t', '5'))).toEqual(shown('5'))
      expect(await ledger.readFirstValue(question('s'), 'terms')).toBe('1')
    })

    test('is the same to deliveries side by side', async ({ ledger }) => {
      const values = Array.from({ length: 20 }, (_, index) => `${index}`)
      const remember = (value: string) => ledger.saveFirstValue(showing('s', value))
      const kept = await Promise.all(values.map(remember))
      expect(new Set(kept.map((each) => JSON.stringify(each))).size).toBe(1)
      expect(kept[0]).toEqual(shown((await ledger.readFirstValue(question('s'), 'terms')) ?? ''))
    })

    test("stays after the session's decision, and nothing is added", async ({ ledger }) => {
      await ledger.recordHead(undefined, 0)
      await ledger.saveFirstValue(showing('s', '1'))
      const { screen } = refusingOf('s')
      await ledger.refuse(refusingOf('s'))
      expect(await ledger.saveFirstValue(showing('s', '3'))).toEqual(shown('1'))
      const answered = { kind: 'answered', screen, ageMs: 0 }
      expect(await ledger.saveFirstValue(showing('s', '3', 'later'))).toEqual(answered)
      expect(await ledger.readFirstValue(question('s'), 'later')).toBeUndefined()
      const other = showing('s', '3', 'later', 'other')
      expect(await ledger.saveFirstValue(other)).toEqual({ kind: 'closed' })
    })

    test('is also what was typed, where a gateway numbers its answers', async ({
      ledger,
      relayer,
    }) => {
      const room = { callers: 3, poolLoans: 9, capLoans: 9 }
      const { sendLast, accountOf } = openModelledService({ ledger, relayer, ...room })
      const send = (session: string, count: number, answers = ['2', '0700000001', '0.001']) =>
        sendLast({ caller: 0, session, answers: answers.slice(0, count) })
      const paid = async () => (await ledger.listPayments(accountOf(0), 9)).length
      const closed = 'END This session has ended. Nothing was sent. Please dial again.'
      for (const count of [0, 1, 2]) {
        const [one, other] = await Promise.all([send('s', count), send('s', count)])
        expect(other).toBe(one)
        expect(await send('s', 0)).toMatch(/^CON Rootstock DeFi/)
      }
      expect(await send('t', 0)).toMatch(/^CON /)
      expect(await send('t', 2)).toBe(closed)
      expect(await send('t', 1)).toMatch(/^(CON|END)/)
      expect(await send('t', 3)).toBe(closed)
      expect(await paid()).toBe(0)
      const [one, other] = await Promise.all([send('s', 3), send('s', 3)])
      expect(one).toMatch(/^END Transfer Submitted/)
      expect([other, await send('s', 3)]).toEqual([one, one])
      const another = ['2', '0700000001', '0.002']
      expect(await send('s', 3, another)).toBe('END This session has ended. Please dial again.')
      expect(await paid()).toBe(1)
    })

    test('is forgotten after the retention time', async ({ ledger, rules, pass }) => {
      await ledger.saveFirstValue(showing('s', '1'))
      pass(rules.retentionMs - 1)
      await ledger.prune()
      expect(await ledger.readFirstValue(question('s'), 'terms')).toBe('1')
      pass(2)
      await ledger.prune()
      expect(await ledger.readFirstValue(question('s'), 'terms')).toBeUndefined()
    })
  })
}
