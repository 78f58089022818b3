import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRecent } from '../../../src/runtime/recent.ts'
import { holds } from '../../support/properties.ts'

test('the last half of what was used is kept, with its latest value', async () => {
  const limit = 8
  const use = fc.tuple(fc.constantFrom('get', 'set'), fc.integer({ min: 0, max: 19 }))
  await holds(
    fc.property(fc.array(use, { maxLength: 200, size: 'max' }), (uses) => {
      const recent = createRecent<number>(limit)
      const latest = new Map<string, number>()
      const used: string[] = []
      for (const [time, [how, number]] of uses.entries()) {
        const key = `${number}`
        const wasKept = recent.has(key)
        if (how === 'set') {
          recent.set(key, time)
          latest.set(key, time)
        } else expect(recent.get(key)).toBe(wasKept ? latest.get(key) : undefined)
        if (how === 'set' || wasKept) used.push(key)
        const isKept = (one: string) => recent.has(one)
        expect([...latest.keys()].filter(isKept).length).toBeLessThanOrEqual(limit)
        const last = [...new Set(used.toReversed())].slice(0, limit / 2)
        expect(last.filter(isKept)).toEqual(last)
      }
    }),
  )
})
