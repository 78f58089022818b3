import { expect, test } from 'vitest'
import { createPlatformAnswers } from '../../../src/node/cache.ts'

test("answers are kept in the platform's cache, each under its own name", async () => {
  const answers = createPlatformAnswers(() => caches.default)
  expect(await answers.find('31 eth_getBalance')).toBe(undefined)
  const kept = { text: '"0x1"', unverifiedSince: 5 }
  await answers.store('31 eth_getBalance', kept)
  expect(await answers.find('31 eth_getBalance')).toEqual(kept)
  expect(await answers.find('30 eth_getBalance')).toBe(undefined)
})
