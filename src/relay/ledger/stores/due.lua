-- Arms tasks, takes them under a lease, renews it and gives them back.
local method, task, token = ARGV[1], ARGV[2], ARGV[3]
local delay_ms = tonumber(ARGV[4])
local limit = tonumber(ARGV[5])

if method == 'arm' then
  arm(task, now + delay_ms)
  return 1
end

if method == 'take' then
  local taken = redis.call('ZRANGEBYSCORE', due, '-inf', to_decimal(now), 'LIMIT', 0, limit)
  for _, name in ipairs(taken) do
    redis.call('ZADD', due, to_decimal(now + delay_ms), name)
    redis.call('HSET', held, name, token)
    redis.call('HDEL', held, name .. ':wanted')
  end
  return taken
end

if redis.call('HGET', held, task) ~= token then return 0 end

if method == 'renew' then
  redis.call('ZADD', due, to_decimal(now + delay_ms), task)
  return 1
end

-- Gives the task back. It is due at the earlier of the given time and the one it was armed for.
local armed_at = tonumber(redis.call('HGET', held, task .. ':wanted') or nil)
local due_at = delay_ms and now + delay_ms or armed_at
if armed_at and armed_at < due_at then due_at = armed_at end
redis.call('HDEL', held, task, task .. ':wanted')
if due_at then
  redis.call('ZADD', due, to_decimal(due_at), task)
else
  redis.call('ZREM', due, task)
end
return 1
