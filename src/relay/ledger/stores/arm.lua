-- Keeps the only task, to run a ledger's rounds, in a sorted set by the time at which it is due. A
-- held task is due when its lease ends; the time for which it was armed meanwhile is in a hash.
local base = KEYS[1]
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local due = base .. ':tasks'
local held = base .. ':tasks:held'
local task, wanted = 'tend', 'tend:wanted'

-- Lua may write large numbers with an exponent.
local function to_decimal(number)
  return string.format('%.0f', number)
end

-- Makes the task due at this time at the latest.
local function arm(time)
  local due_at = tonumber(redis.call('ZSCORE', due, task) or nil)
  if due_at and due_at > now and redis.call('HEXISTS', held, task) == 1 then
    local armed_at = tonumber(redis.call('HGET', held, wanted) or nil)
    if not armed_at or time < armed_at then
      redis.call('HSET', held, wanted, to_decimal(time))
    end
  elseif not due_at or time < due_at then
    redis.call('ZADD', due, to_decimal(time), task)
  end
end
