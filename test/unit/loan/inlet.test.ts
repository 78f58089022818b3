import { pad } from 'viem'
import { expect, test } from 'vitest'
import { encodeReadCall } from '../../../src/loan/calls.ts'
import { createLoanReader } from '../../../src/loan/reader.ts'

const [account, heir, inlet] = (['aa', 'bb', 'cc'] as const).map(
  (digits) => `0x${digits.repeat(20)}` as const,
) as [`0x${string}`, `0x${string}`, `0x${string}`]

test('an address to pay is shown to nobody whose account was passed on to an heir', async () => {
  const readerOf = (holder: `0x${string}`) =>
    createLoanReader({
      read: async (data) => pad(data === encodeReadCall('holderOf', account) ? holder : inlet),
      readHeight: async () => 1,
      findEvents: async () => [],
    })
  expect((await readerOf(account).readInlet(account)).toLowerCase()).toBe(inlet)
  await expect(readerOf(heir).readInlet(account)).rejects.toThrow('the inlet is of an heir')
})
