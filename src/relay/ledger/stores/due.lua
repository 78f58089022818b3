-- Arms the task, takes it under a lease, renews that and gives it back.
local method, token = ARGV[1], ARGV[2]
local delay_ms = tonumber(ARGV[3])

if method == 'arm' then
  arm(now + delay_ms)
  return 1
end

if method == 'take' then
  local due_at = tonumber(redis.call('ZSCORE', due, task) or nil)
  if not due_at or due_at > now then return 0 end
  redis.call('ZADD', due, to_decimal(now + delay_ms), task)
  redis.call('HSET', held, task, token)
  redis.call('HDEL', held, wanted)
  return 1
end

if redis.call('HGET', held, task) ~= token then return 0 end

if method == 'renew' then
  redis.call('ZADD', due, to_decimal(now + delay_ms), task)
  return 1
end

-- Gives the task back. It is due at the earlier of the given time and the one it was armed for.
local armed_at = tonumber(redis.call('HGET', held, wanted) or nil)
local due_at = delay_ms and now + delay_ms or armed_at
if armed_at and armed_at < due_at then due_at = armed_at end
redis.call('HDEL', held, task, wanted)
if due_at then
  redis.call('ZADD', due, to_decimal(due_at), task)
else
  redis.call('ZREM', due, task)
end
return 1
