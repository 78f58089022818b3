-- The sorted set of tasks by the time at which they are due. A task that is being worked on is due again
-- when its lease ends; what else is wanted of it meanwhile waits in the hash beside it.
local base = KEYS[1]
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local due = base .. ':tasks'
local held = base .. ':tasks:held'

-- Lua writes large numbers with an exponent where it is let.
local function text(number)
  return string.format('%.0f', number)
end

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
