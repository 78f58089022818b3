import { expect, test } from 'vitest'
import { limitRate } from '../../../src/keys/rate.ts'
import { granted } from '../node/scripted-node.ts'

test('a key has a rate and a burst of twice that, and learns when it may call again', async () => {
  let now = 1_700_000_000_000
  const keys = limitRate({ lookup: async (hash) => ({ ...granted, hash }) }, 50, () => now)
  const spend = async (calls: number, hash = 'one') => {
    const key = await keys.lookup(hash)
    return key.kind === 'unknown' ? undefined : await key.spend(calls)
  }
  const refused = (ms: number) => ({ resetAt: new Date(now + ms), period: 'second' })
  expect(await spend(100)).toBe(undefined)
  expect(await spend(1)).toEqual(refused(20))
  expect(await spend(50)).toEqual(refused(1_000))
  // Another key has its own calls, and a refused call took nothing.
  expect(await spend(50, 'other')).toBe(undefined)
  now += 1_000
  expect(await spend(50)).toBe(undefined)
  expect(await spend(1)).toEqual(refused(20))
  // A clock that is set back gives nothing.
  now -= 500_000
  expect(await spend(1)).toEqual(refused(20))
})

test('an unknown key stays unknown', async () => {
  const keys = limitRate({ lookup: async () => ({ kind: 'unknown' }) }, 50, Date.now)
  expect(await keys.lookup('none')).toEqual({ kind: 'unknown' })
})
