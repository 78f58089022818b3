import * as z from 'zod/mini'
import type { RedisDatabase } from '../runtime/redis.ts'
import {
  dayMs,
  type KeyStore,
  keyRecord,
  minPrepaidMultiple,
  type QuotaResult,
} from './api-keys.ts'

/** The prefix of all names. Its braces put them into one slot of a Redis cluster. */
const keyPrefix = 'keys:{node}'

/** Stores keys by hash, an index by age, and what each has spent on its last day. */
const keysLua = `
local base = KEYS[1]
local method, hash = ARGV[1], ARGV[2]
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local day = math.floor(now / ${dayMs})

local function key(kind, name)
  return base .. ':' .. kind .. ':' .. name
end

local function readSpent(name)
  local row = redis.call('HMGET', key('spent', name), 'day', 'calls')
  return row[1] == tostring(day) and tonumber(row[2]) or 0
end

-- Returns the record, the time of its revocation or '', and the calls of today.
local function read(name)
  local row = redis.call('HMGET', key('key', name), 'record', 'revoked_at')
  if not row[1] then return nil end
  return { row[1], row[2] or '', readSpent(name) }
end

local methods = {}

function methods.find()
  return { read(hash) }
end

function methods.take()
  local calls, aheadCalls = tonumber(ARGV[3]), tonumber(ARGV[4])
  local resetAt = string.format('%.0f', (day + 1) * ${dayMs})
  local row = redis.call('HMGET', key('key', hash), 'quota', 'revoked_at')
  if not row[1] or row[2] then return { 'spent', 0, resetAt } end
  if row[1] == '' then return { 'taken', calls + aheadCalls, resetAt } end
  local spent = readSpent(hash)
  local remaining = tonumber(row[1]) - spent
  if remaining < calls then return { 'spent', 0, resetAt } end
  local isFar = remaining > aheadCalls * ${minPrepaidMultiple}
  local taken = isFar and calls + aheadCalls or calls
  local name = key('spent', hash)
  redis.call('HSET', name, 'day', tostring(day), 'calls', string.format('%.0f', spent + taken))
  redis.call('PEXPIRE', name, '${2 * dayMs}')
  return { 'taken', taken, resetAt }
end

function methods.create()
  local name = key('key', hash)
  if redis.call('EXISTS', name) == 1 then return 0 end
  redis.call('HSET', name, 'record', ARGV[3], 'quota', ARGV[4])
  redis.call('ZADD', base .. ':index', ARGV[5], hash)
  return 1
end

function methods.list()
  local found = {}
  for _, name in ipairs(redis.call('ZRANGE', base .. ':index', 0, -1)) do
    found[#found + 1] = read(name)
  end
  return found
end

function methods.revoke()
  local count = 0
  for _, name in ipairs(redis.call('ZRANGE', base .. ':index', 0, -1)) do
    local isMatch = string.sub(name, 1, #hash) == hash
    if isMatch and redis.call('HEXISTS', key('key', name), 'revoked_at') == 0 then
      redis.call('HSET', key('key', name), 'revoked_at', string.format('%.0f', now))
      count = count + 1
    end
  end
  return count
end

function methods.count()
  local name = key('upstream', tostring(day))
  local relay = redis.call('HINCRBY', name, 'relay', ARGV[2])
  local callers = redis.call('HINCRBY', name, 'callers', ARGV[3])
  redis.call('PEXPIRE', name, '${2 * dayMs}')
  return { relay, callers, string.format('%.0f', (day + 1) * ${dayMs}) }
end

return methods[method]()
`

const storedRecord = z.omit(keyRecord, { revokedAt: true })

const unixTime = z.pipe(z.string().check(z.regex(/^[0-9]{1,15}$/)), z.transform(Number))

const storedRow = z.pipe(
  z.tuple([z.string(), z.union([z.literal(''), unixTime]), z.int()]),
  z.transform(([record, revokedAt, spentToday]) => ({
    ...storedRecord.parse(JSON.parse(record)),
    revokedAt: revokedAt === '' ? null : revokedAt,
    spentToday,
  })),
)

const takenCalls = z.pipe(
  z.tuple([z.enum(['taken', 'spent']), z.int(), unixTime]),
  z.transform(
    ([kind, calls, resetAt]): QuotaResult =>
      kind === 'taken' ? { kind, calls, resetAt } : { kind, resetAt },
  ),
)

const countedCalls = z.pipe(
  z.tuple([z.int(), z.int(), unixTime]),
  z.transform(([relay, callers, resetAt]) => ({ relay, callers, resetAt })),
)

/** Stores the API keys on Redis, each call one script; a day begins by the database's clock. */
export function createRedisKeys(database: RedisDatabase): KeyStore {
  const script = database.script(keysLua)
  const run = (method: string, ...args: string[]) => script([keyPrefix], [method, ...args])

  return {
    async find(hash) {
      const [key] = z.array(storedRow).parse(await run('find', hash))
      return key?.revokedAt === null ? key : null
    },
    take: async (hash, calls, prepaidCalls) =>
      takenCalls.parse(await run('take', hash, `${calls}`, `${prepaidCalls}`)),
    async create({ hash, name, chainId, quota, methods, createdAt }) {
      const record = JSON.stringify({ hash, name, chainId, quota, methods, createdAt })
      const created = await run('create', hash, record, `${quota ?? ''}`, `${createdAt}`)
      return z.int().parse(created) === 1
    },
    list: async () => z.array(storedRow).parse(await run('list', '')),
    revoke: async (id) => z.int().parse(await run('revoke', id)),
    count: async ({ relay, callers }) =>
      countedCalls.parse(await run('count', `${relay}`, `${callers}`)),
  }
}
