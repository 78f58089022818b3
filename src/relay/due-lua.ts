/**
 * What the scripts on one ledger's keys share, in Lua 5.1 as Redis runs it. `KEYS[1]` is the
 * ledger's own name with its hash tag: every key begins with it, so that all of them are in one slot
 * of a cluster. Time is the database's own.
 */
export const commonLua = `
local base = KEYS[1]
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)

local function key(...)
  return table.concat({ base, ... }, ':')
end

-- Lua writes large numbers with an exponent where it is let.
local function text(number)
  return string.format('%.0f', number)
end
`

/**
 * The sorted set of tasks by the time at which they are due. A task that somebody is at is due again
 * when the lease ends; what else is wanted of it meanwhile waits in \`due:held\`.
 */
export const dueLua = `
local due = key('due')
local held = key('due', 'held')

-- A task is due at this time at the latest.
local function arm(task, at)
  local set = tonumber(redis.call('ZSCORE', due, task) or nil)
  if set and set > now and redis.call('HEXISTS', held, task) == 1 then
    local wanted = tonumber(redis.call('HGET', held, task .. ':wanted') or nil)
    if not wanted or at < wanted then redis.call('HSET', held, task .. ':wanted', text(at)) end
  elseif not set or at < set then
    redis.call('ZADD', due, text(at), task)
  end
end
`
