import { expect, test } from 'vitest'
import { limitRate } from '../../../src/keys/api-keys.ts'
import { maxBatchRequests } from '../../../src/node/message.ts'
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

test.for([1, 10, 49])('a key of %d calls a second may send the longest batch', async (rate) => {
  const keys = limitRate({ lookup: async (hash) => ({ ...granted, hash }) }, rate, () => 0)
  const key = await keys.lookup('one')
  expect(key.kind === 'unknown' ? key : await key.spend(maxBatchRequests)).toBe(undefined)
})

test('an unknown key stays unknown', async () => {
  const keys = limitRate({ lookup: async () => ({ kind: 'unknown' }) }, 50, Date.now)
  expect(await keys.lookup('none')).toEqual({ kind: 'unknown' })
})
