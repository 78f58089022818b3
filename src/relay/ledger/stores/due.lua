-- Arms tasks, takes them under a lease, renews it and gives them back.
local method, task, token = ARGV[1], ARGV[2], ARGV[3]
local ms = tonumber(ARGV[4])
local limit = tonumber(ARGV[5])

if method == 'arm' then
  arm(task, now + ms)
  return 1
end

if method == 'take' then
  local taken = redis.call('ZRANGEBYSCORE', due, '-inf', text(now), 'LIMIT', 0, limit)
  for _, each in ipairs(taken) do
    redis.call('ZADD', due, text(now + ms), each)
    redis.call('HSET', held, each, token)
    redis.call('HDEL', held, each .. ':wanted')
  end
  return taken
end

if redis.call('HGET', held, task) ~= token then return 0 end

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
