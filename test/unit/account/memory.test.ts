import { test } from 'vitest'
import { createMemory, withSent } from '../../../src/account/memory.ts'
import { memorySuite } from '../../ports/memory.suite.ts'
import { createMemoryStore } from '../../support/memory-store.ts'

const account = '0x1111111111111111111111111111111111111111'
const shared = createMemoryStore()

memorySuite('a map', () => shared)

test('whom payments went to is remembered of the last twenty', async ({ expect }) => {
  const memory = createMemory(() => shared)
  for (let index = 0; index < 25; index++) {
    await memory.change(account, (kept) => withSent(kept, `0x${index}`, 'x'))
  }
  const { sent } = await memory.read(account)
  expect(sent.map(({ intentId }) => intentId)).toEqual(
    Array.from({ length: 20 }, (_, index) => `0x${24 - index}`),
  )
})

test('a change that is always late gives up', async ({ expect }) => {
  const store = { ...createMemoryStore(), save: async () => false }
  const memory = createMemory(() => store)
  await expect(memory.change(account, (kept) => kept)).rejects.toThrow('changes too often')
})
