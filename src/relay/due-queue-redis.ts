import { z } from 'zod'
import type { RedisDatabase } from '../runtime/redis.ts'
import { commonLua, dueLua } from './due-lua.ts'
import type { DueQueue } from './due-queue.ts'
import { ledgerKey } from './ledger-redis.ts'

/** Tasks that are taken at a time. */
const TAKE_LIMIT = 10

const queueLua = `
local method, task, token = ARGV[1], ARGV[2], ARGV[3]
local ms = tonumber(ARGV[4])

local function isOurs()
  return redis.call('HGET', held, task) == token
end

if method == 'arm' then
  arm(task, now + ms)
  return 1
end

if method == 'take' then
  local taken = redis.call('ZRANGEBYSCORE', due, '-inf', text(now), 'LIMIT', 0, ${TAKE_LIMIT})
  for _, each in ipairs(taken) do
    redis.call('ZADD', due, text(now + ms), each)
    redis.call('HSET', held, each, token)
    redis.call('HDEL', held, each .. ':wanted')
  end
  return taken
end

if not isOurs() then return 0 end

if method == 'renew' then
  redis.call('ZADD', due, text(now + ms), task)
  return 1
end

local wanted = tonumber(redis.call('HGET', held, task .. ':wanted') or nil)
local at = ms and now + ms or wanted
if wanted and wanted < at then at = wanted end
redis.call('HDEL', held, task, task .. ':wanted')
if at then
  redis.call('ZADD', due, text(at), task)
else
  redis.call('ZREM', due, task)
end
return 1
`

export type RedisDueQueueOptions = {
  database: RedisDatabase
  /** Whose ledger's tasks these are: the ledger arms them in the same step that opens work. */
  name: string
  newToken: () => string
}

/** The due-queue of one ledger on Redis, next to the ledger's rows. */
export function createRedisDueQueue({ database, name, newToken }: RedisDueQueueOptions): DueQueue {
  const script = database.script([commonLua, dueLua, queueLua].join(''))
  const keys = [ledgerKey(name)]
  const run = (method: string, task: string, token: string, ms: number | undefined) =>
    script(keys, [method, task, token, ms === undefined ? '' : `${ms}`])

  return {
    async arm(task, inMs) {
      await run('arm', task, '', inMs)
    },
    async take(leaseMs) {
      const token = newToken()
      const tasks = z.array(z.string()).parse(await run('take', '', token, leaseMs))
      return tasks.map((task) => ({ task, token }))
    },
    async renew({ task, token }, leaseMs) {
      return z.int().parse(await run('renew', task, token, leaseMs)) === 1
    },
    async done({ task, token }, againInMs) {
      await run('done', task, token, againInMs)
    },
  }
}
