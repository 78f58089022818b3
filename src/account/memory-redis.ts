import * as z from 'zod/mini'
import type { RedisDatabase } from '../runtime/redis.ts'
import type { MemoryStore } from './memory.ts'

/** Loads a row without the argument `version`; with it saves a row, and returns 1 if it did. */
const memoryLua = `
local row, version = ARGV[1], ARGV[2]
local stored = redis.call('HMGET', KEYS[1], 'row', 'version')
if not version then
  local clock = redis.call('TIME')
  local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
  return { stored[1] or '', tonumber(stored[2] or '0'), now }
end
if (stored[2] or '0') ~= version then return 0 end
redis.call('HSET', KEYS[1], 'row', row, 'version', string.format('%.0f', tonumber(version) + 1))
return 1
`

const storedMemory = z.pipe(
  z.tuple([z.string(), z.int(), z.int()]),
  z.transform(([row, version, now]) => ({ row, version, now })),
)
const saveResult = z.literal([0, 1])

export function createRedisMemory(database: RedisDatabase): MemoryStore {
  const run = database.script(memoryLua)
  const key = (account: string) => `account:${account.toLowerCase()}`
  return {
    load: async (account) => storedMemory.parse(await run([key(account)], [])),
    save: async (account, row, version) =>
      saveResult.parse(await run([key(account)], [row, `${version}`])) === 1,
  }
}
