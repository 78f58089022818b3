import type { Address } from 'viem'
import { describe, expect } from 'vitest'
import type { Question } from '../../src/relay/ledger/port.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'

const account: Address = '0x1111111111111111111111111111111111111111'
const question = (session: string, input = 'input'): Question => ({ session, input, account })
const showing = (session: string, value: string, name = 'terms') => ({
  ...{ ...question(session), name, value },
})
const shown = (value: string) => ({ kind: 'shown', value })

/** What a session was shown is what it goes by, whatever the ledger is kept in. */
export function shownSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)
  describe(`what a session was shown, on ${name}`, () => {
    test('is what came first, of each name, question and session', async ({ ledger }) => {
      expect(await ledger.shown(question('s'), 'terms')).toBeUndefined()
      expect(await ledger.show(showing('s', '1'))).toEqual(shown('1'))
      expect(await ledger.show(showing('s', '2'))).toEqual(shown('1'))
      expect(await ledger.shown(question('s'), 'terms')).toBe('1')
      expect(await ledger.show(showing('s', '3', 'equal'))).toEqual(shown('3'))
      expect(await ledger.show({ ...showing('s', '4'), input: 'other' })).toEqual(shown('4'))
      expect(await ledger.show(showing('t', '5'))).toEqual(shown('5'))
      expect(await ledger.shown(question('s'), 'terms')).toBe('1')
    })

    test('is the same to deliveries side by side', async ({ ledger }) => {
      const values = Array.from({ length: 20 }, (_, index) => `${index}`)
      const kept = await Promise.all(values.map((value) => ledger.show(showing('s', value))))
      expect(new Set(kept.map((each) => JSON.stringify(each))).size).toBe(1)
      expect(kept[0]).toEqual(shown((await ledger.shown(question('s'), 'terms')) ?? ''))
    })

    test('stays once the session is decided, and nothing is added', async ({ ledger }) => {
      await ledger.show(showing('s', '1'))
      const screen = { kind: 'end' as const, lines: ['No.'] }
      await ledger.refuse({ ...question('s'), steps: 1, screen })
      expect(await ledger.show(showing('s', '3'))).toEqual(shown('1'))
      expect(await ledger.show(showing('s', '3', 'later'))).toEqual({ kind: 'answered', screen })
      expect(await ledger.shown(question('s'), 'later')).toBeUndefined()
      const other = { ...showing('s', '3', 'later'), input: 'other' }
      expect(await ledger.show(other)).toEqual({ kind: 'closed' })
    })

    test('is forgotten after the retention time', async ({ ledger, rules, pass }) => {
      await ledger.show(showing('s', '1'))
      pass(rules.retentionMs - 1)
      await ledger.prune()
      expect(await ledger.shown(question('s'), 'terms')).toBe('1')
      pass(2)
      await ledger.prune()
      expect(await ledger.shown(question('s'), 'terms')).toBeUndefined()
    })
  })
}
