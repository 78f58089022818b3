import { concat, numberToHex, pad } from 'viem'
import { expect, test } from 'vitest'
import { encodeReadCall } from '../../../src/loan/calls.ts'
import { createLoanReader } from '../../../src/loan/reader.ts'

const account = `0x${'aa'.repeat(20)}` as const
const block = `0x${'bb'.repeat(32)}` as const
const word = (value: number) => numberToHex(value, { size: 32 })

test('nothing is settled that its own key has announced, or that is about to move', async () => {
  const asked: unknown[] = []
  const settledWith = (announcedWei: number, successor: number) =>
    createLoanReader({
      async read(data, at) {
        asked.push(at)
        if (data === encodeReadCall('successor')) return concat([pad(word(successor)), word(0)])
        if (data === encodeReadCall('announcedBy', account))
          return concat([word(announcedWei), word(0)])
        return word(7)
      },
      readHeight: async () => 1,
      findEvents: async () => [],
    }).readSettled(account, block)
  expect(await settledWith(0, 0)).toBe(7n)
  expect(await settledWith(1, 0)).toBe(0n)
  expect(await settledWith(0, 1)).toBe(0n)
  // All of it in one state, which no other branch has.
  expect(new Set(asked.map((at) => JSON.stringify(at)))).toEqual(
    new Set([JSON.stringify({ blockHash: block })]),
  )
})
