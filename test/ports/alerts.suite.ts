import { describe, expect, test } from 'vitest'
import type { LedgerHarness } from './ledger.suite.ts'

const stuck = { name: 'stuck', says: 'A payment is in no block.' }
const budget = { name: 'budget', says: 'The calls are used.' }
const told = { isTold: true }

/** What every ledger keeps of alerts. */
export function alertsSuite(name: string, create: () => Promise<LedgerHarness>): void {
  describe(`alerts of the ledger on ${name}`, () => {
    test('are raised once, and cleared once they are over for two minutes', async () => {
      const { ledger, pass } = await create()
      const first = await ledger.alert([stuck], told)
      expect(first).toMatchObject({ raised: [stuck], cleared: [] })
      pass(30_000)
      const other = { ...stuck, says: 'Two payments are.' }
      expect(await ledger.alert([other, budget], told)).toMatchObject({ raised: [budget] })
      expect((await ledger.vitals()).alerts).toMatchObject([other, budget])
      pass(30_000)
      expect(await ledger.alert([budget], told)).toEqual({ raised: [], cleared: [] })
      pass(60_000)
      // It flutters: that is no end, and no beginning.
      expect(await ledger.alert([stuck, budget], told)).toEqual({ raised: [], cleared: [] })
      expect(await ledger.alert([budget], told)).toEqual({ raised: [], cleared: [] })
      pass(120_000)
      const { cleared, raised } = await ledger.alert([budget], told)
      expect(raised).toEqual([])
      // Since it was first not found, not since it is cleared.
      const [{ calmSince = 0, ...over } = {}] = cleared
      expect([over]).toEqual(first.raised)
      expect((await ledger.vitals()).now - calmSince).toBeGreaterThanOrEqual(120_000)
      expect((await ledger.vitals()).alerts).toMatchObject([budget])
      expect(await ledger.alert([budget], told)).toEqual({ raised: [], cleared: [] })
    })

    test('are kept to be told until they were, and by one at a time', async () => {
      const { ledger, pass } = await create()
      expect((await ledger.vitals()).untoldFrom).toBeUndefined()
      await ledger.alert([stuck], told)
      const [notice, ...others] = await ledger.takeNotices(5)
      expect(notice).toMatchObject({ ...stuck, kind: 'raised' })
      expect(others).toEqual([])
      // Another process asks meanwhile.
      expect(await ledger.takeNotices(5)).toEqual([])
      pass(30_000)
      expect(await ledger.takeNotices(5)).toEqual([notice])
      pass(30_000)
      expect(await ledger.takeNotices(5)).toEqual([])
      await ledger.alert([], told)
      pass(120_000)
      await ledger.alert([], told)
      const due = await ledger.takeNotices(5)
      expect(due.map(({ kind }) => kind).sort()).toEqual(['cleared', 'raised'])
      for (const { id } of due) await ledger.told(id)
      pass(3_600_000)
      expect(await ledger.takeNotices(5)).toEqual([])
      expect((await ledger.vitals()).untoldFrom).toBeUndefined()
    })

    test('are not kept to be told where no one is told', async () => {
      const { ledger } = await create()
      await ledger.alert([stuck], { isTold: false })
      expect((await ledger.vitals()).alerts).toMatchObject([stuck])
      expect(await ledger.takeNotices(5)).toEqual([])
    })
  })
}
