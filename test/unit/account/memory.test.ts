import { expect, test } from 'vitest'
import { createMemory, sentTo, withinMs, withSent } from '../../../src/account/memory.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { memorySuite } from '../../ports/memory.suite.ts'
import { createMemoryStore } from '../../support/memory-store.ts'

const account = '0x1111111111111111111111111111111111111111'
const shared = createMemoryStore()

memorySuite('a map', () => shared)

test('whom payments went to is remembered of the last twenty', async () => {
  const memory = createMemory(() => shared)
  const newest = Array.from({ length: 25 }, (_, index) => `0x${24 - index}` as const)
  for (const intent of newest.toReversed())
    await memory.change(account, (kept) => withSent(kept, intent, { to: 'x', address: account }))
  const { sent } = await memory.read(account)
  expect(sent.map(({ intentId }) => intentId)).toEqual(newest.slice(0, 20))
})

test('whom each of two payments went to is known where a session was dialled again after weeks', async () => {
  const [first, second] = [`0x${'a1'.repeat(20)}`, `0x${'B2'.repeat(20)}`] as const
  const memory = createMemory(() => shared)
  for (const [address, to] of [
    [first, '2547...001'],
    [second, '2547...002'],
  ] as const) {
    await memory.change(account, (kept) => withSent(kept, '0x1', { to, address }))
  }
  const kept = await memory.read(account)
  expect(sentTo(kept, '0x1', first)).toBe('2547...001')
  expect(sentTo(kept, '0x1', `0x${'b2'.repeat(20)}`)).toBe('2547...002')
  expect(sentTo(kept, '0x1', `0x${'c3'.repeat(20)}`)).toBeUndefined()
  expect(withSent(kept, '0x1', { to: 'another', address: first })).toBeUndefined()
})

test('recipients are remembered of the last three, each once', async () => {
  const memory = createMemory(() => shared)
  const to = (index: number) => `0x${`${index}`.repeat(40)}` as const
  for (const [index, recipient] of [1, 2, 3, 4, 3].entries()) {
    await memory.change(to(9), (kept) =>
      withSent(kept, `0x${index}`, { to: 'x', address: to(recipient) }),
    )
  }
  const { recipients } = await memory.read(to(9))
  expect(recipients.map(({ address }) => address)).toEqual([to(3), to(4), to(2)])
})

test('a change that is always late gives up', async () => {
  const store = { ...createMemoryStore(), save: async () => false }
  const memory = createMemory(() => store)
  await expect(memory.change(account, (kept) => kept)).rejects.toThrow('changes too often')
})

test('a store that gives no answer is given up', async () => {
  const clock = { ...systemClock, sleep: async () => {} }
  const never = () => new Promise<never>(() => {})
  const store = withinMs({ load: never, save: never }, clock, 2_000)
  await expect(store.load(account)).rejects.toThrow('gave no answer in time')
  await expect(store.save(account, '', 0)).rejects.toThrow('gave no answer in time')
  const patient = withinMs(createMemoryStore(), systemClock, 60_000)
  expect(await patient.save(account, 'row', 0)).toBe(true)
  expect(await patient.load(account)).toMatchObject({ row: 'row', version: 1 })
})
