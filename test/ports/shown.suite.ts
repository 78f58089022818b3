import { describe, expect } from 'vitest'
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
