import { expect, test } from 'vitest'
import {
  type AccountMemory,
  createMemory,
  findRecipientName,
  hasShownFailure,
  limitStoreTime,
  recordLanguage,
  recordMessage,
  recordPayment,
  recordSender,
  recordShownFailure,
} from '../../../src/account/memory.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { memorySuite } from '../../ports/memory.suite.ts'
import { createMemoryStore } from '../../support/memory-store.ts'

const account = '0x1111111111111111111111111111111111111111'
const shared = createMemoryStore()

memorySuite('a map', () => shared)

const address = (index: number) => `0x${`${index}`.padStart(40, '0')}` as const

test.for<
  [what: keyof AccountMemory, most: number, add: (kept: AccountMemory, to: number) => unknown]
>([
  ['sent', 20, (kept, to) => recordPayment(kept, `0x${to}`, { to: 'x', address: account })],
  [
    'recipients',
    3,
    (kept, to) => recordPayment(kept, `0x${to}`, { to: 'x', address: address(to) }),
  ],
  ['told', 20, (kept, to) => recordShownFailure(kept, [`0x${to}`], `session ${to}`)],
  ['chosen', 8, (kept, to) => recordLanguage(kept, 'sw', `session ${to}`)],
  ['texted', 60, (kept, to) => recordMessage(kept, `message ${to}`)],
])('of what is %s the last %i are remembered, each once', async ([what, most, add]) => {
  const memory = createMemory(createMemoryStore)
  const begun: AccountMemory = await memory.read(account)
  const added = (numbers: number[]) =>
    numbers.reduce((kept, to) => (add(kept, to) ?? kept) as AccountMemory, begun)[what]
  const all = Array.from({ length: 70 }, (_, index) => index)
  expect(added([...all, 69])).toHaveLength(most)
  expect(added([...all, 69])).toEqual(added(all))
  expect(JSON.stringify((added(all) as unknown[])[0])).toContain('69')
})

test('each of two payments keeps its recipient if a session id is used again after weeks', async () => {
  const [first, second] = [`0x${'a1'.repeat(20)}`, `0x${'B2'.repeat(20)}`] as const
  const memory = createMemory(() => shared)
  for (const [address, to] of [
    [first, '2547...001'],
    [second, '2547...002'],
  ] as const) {
    await memory.change(account, (kept) => recordPayment(kept, '0x1', { to, address }))
  }
  const kept = await memory.read(account)
  expect(findRecipientName(kept, '0x1', first)).toBe('2547...001')
  expect(findRecipientName(kept, '0x1', `0x${'b2'.repeat(20)}`)).toBe('2547...002')
  expect(findRecipientName(kept, '0x1', `0x${'c3'.repeat(20)}`)).toBeUndefined()
  expect(recordPayment(kept, '0x1', { to: 'another', address: first })).toBeUndefined()
})

test('a change that is always late gives up', async () => {
  const store = { ...createMemoryStore(), save: async () => false }
  const memory = createMemory(() => store)
  await expect(memory.change(account, (kept) => kept)).rejects.toThrow('changes too often')
})

test('a caller who is paid by thirty at once is not refused because of their notes', async () => {
  const memory = createMemory(() => shared)
  const note = (from: number) => (kept: AccountMemory) =>
    recordSender(kept, { address: address(from), sealed: 'x' })
  const notes = Array.from({ length: 30 }, (_, from) =>
    memory.change(account, note(from), 'others').catch(() => {}),
  )
  const own = memory.change(account, (kept) => recordLanguage(kept, 'sw', 'a session'))
  await Promise.all(notes)
  expect((await own).chosen).toEqual([{ language: 'sw', session: 'a session' }])
})

test('a store that gives no answer is given up', async () => {
  const clock = { ...systemClock, sleep: async () => {} }
  const never = () => new Promise<never>(() => {})
  const store = limitStoreTime({ load: never, save: never }, clock, 2_000)
  await expect(store.load(account)).rejects.toThrow('gave no answer in time')
  await expect(store.save(account, '', 0)).rejects.toThrow('gave no answer in time')
  const patient = limitStoreTime(createMemoryStore(), systemClock, 60_000)
  expect(await patient.save(account, 'row', 0)).toBe(true)
  expect(await patient.load(account)).toMatchObject({ row: 'row', version: 1 })
})

test('a session whose id is used again shows its own failure', async () => {
  const store = createMemoryStore()
  const memory = createMemory(() => store)
  const tells = async (failures: string[], session: string) => {
    const kept = await memory.change(account, (before) =>
      recordShownFailure(before, failures, session),
    )
    return hasShownFailure(kept, failures, session)
  }
  const both = ['0x02', '0x01']
  expect(await Promise.all([tells(both, 'one'), tells(both, 'two')])).toEqual([true, true])
  expect(await tells(both, 'three')).toBe(false)
  expect(await tells(['0x03', ...both], 'two')).toBe(true)
  expect(await tells(['0x04'], 'one')).toBe(true)
})
