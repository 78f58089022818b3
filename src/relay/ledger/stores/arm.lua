-- Sorts tasks by when they are due: a held one when its lease ends, or earlier by the hash beside
-- it.
local base = KEYS[1]
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local due = base .. ':tasks'
local held = base .. ':tasks:held'

-- Lua may write large numbers with an exponent.
local function text(number)
  return string.format('%.0f', number)
end

-- Makes a task due at this time at the latest.
local function arm(task, at)
  local set = tonumber(redis.call('ZSCORE', due, task) or nil)
  if set and set > now and redis.call('HEXISTS', held, task) == 1 then
    local wanted = tonumber(redis.call('HGET', held, task .. ':wanted') or nil)
    if not wanted or at < wanted then redis.call('HSET', held, task .. ':wanted', text(at)) end
  elseif not set or at < set then
    redis.call('ZADD', due, text(at), task)
  end
end
