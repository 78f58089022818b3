import * as z from 'zod/mini'
import type { RedisDatabase } from '../runtime/redis.ts'
import { type KeyRecord, keyRecord } from './api-keys.ts'
import { aheadReserve, dayMs, type KeyStore, type QuotaResult } from './key-store.ts'

/** Prefix of all names; the braces keep them in one slot of a Redis cluster. */
const base = 'keys:{node}'

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

local function spent(name)
  local known = redis.call('HMGET', key('spent', name), 'day', 'calls')
  return known[1] == tostring(day) and tonumber(known[2]) or 0
end

-- Returns the record, the time of its revocation or '', and the calls of today.
local function read(name)
  local row = redis.call('HMGET', key('key', name), 'record', 'revoked_at')
  if not row[1] then return nil end
  return { row[1], row[2] or '', spent(name) }
end

local methods = {}

function methods.find()
  local found = read(hash)
  return found and found[2] == '' and found or {}
end

function methods.take()
  local calls, ahead = tonumber(ARGV[3]), tonumber(ARGV[4])
  local resetAt = string.format('%.0f', (day + 1) * ${dayMs})
  local row = redis.call('HMGET', key('key', hash), 'quota', 'revoked_at')
  if not row[1] or row[2] then return { 'spent', 0, resetAt } end
  if row[1] == '' then return { 'taken', calls + ahead, resetAt } end
  local before = spent(hash)
  local left = tonumber(row[1]) - before
  if left < calls then return { 'spent', 0, resetAt } end
  local taken = left > ahead * ${aheadReserve} and calls + ahead or calls
  local name = key('spent', hash)
  redis.call('HSET', name, 'day', tostring(day), 'calls', string.format('%.0f', before + taken))
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

const time = z.pipe(z.string().check(z.regex(/^[0-9]{1,15}$/)), z.transform(Number))

const row = z.pipe(
  z.tuple([z.string(), z.union([z.literal(''), time]), z.int()]),
  z.transform(([record, revokedAt, spentToday]): KeyRecord & { spentToday: number } => ({
    ...storedRecord.parse(JSON.parse(record)),
    revokedAt: revokedAt === '' ? null : revokedAt,
    spentToday,
  })),
)

const takenCalls = z.pipe(
  z.tuple([z.enum(['taken', 'spent']), z.int(), time]),
  z.transform(
    ([kind, calls, resetAt]): QuotaResult =>
      kind === 'taken' ? { kind, calls, resetAt } : { kind, resetAt },
  ),
)

const countedCalls = z.pipe(
  z.tuple([z.int(), z.int(), time]),
  z.transform(([relay, callers, resetAt]) => ({ relay, callers, resetAt })),
)

/** Stores the API keys on Redis, each call one script; a day begins by the database's clock. */
export function createRedisKeys(database: RedisDatabase): KeyStore {
  const script = database.script(keysLua)
  const run = (method: string, ...args: string[]) => script([base], [method, ...args])

  return {
    async find(hash) {
      const found = z.array(z.unknown()).parse(await run('find', hash))
      return found.length === 0 ? null : row.parse(found)
    },
    take: async (hash, calls, ahead) =>
      takenCalls.parse(await run('take', hash, `${calls}`, `${ahead}`)),
    async create({ hash, name, chainId, quota, methods, createdAt }) {
      const record = JSON.stringify({ hash, name, chainId, quota, methods, createdAt })
      const made = await run('create', hash, record, `${quota ?? ''}`, `${createdAt}`)
      return z.int().parse(made) === 1
    },
    list: async () => z.array(row).parse(await run('list', '')),
    revoke: async (id) => z.int().parse(await run('revoke', id)),
    count: async ({ relay, callers }) =>
      countedCalls.parse(await run('count', `${relay}`, `${callers}`)),
  }
}
