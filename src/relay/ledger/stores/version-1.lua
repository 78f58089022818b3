-- What a ledger of schema 1 holds. Closed, keys that the processes which knew it write first are of a type
-- that their scripts fail at: due before a claim, a record or an adoption writes anything and before a round
-- is begun, the others in a refusal, and in a round that was under way.
local base = KEYS[1]
local asked = cjson.decode(ARGV[1])
local closed = { 'due', 'sessions', 'payments:queued', 'nonces:leased' }

local function under(pattern)
  return redis.call('KEYS', base .. ':' .. pattern)
end

if asked.method == 'close' then
  local due = base .. ':due'
  if redis.call('TYPE', due).ok == 'zset' then
    local tasks = redis.call('ZRANGE', due, 0, -1, 'WITHSCORES')
    for index = 1, #tasks, 2 do
      redis.call('ZADD', base .. ':tasks', tasks[index + 1], tasks[index])
    end
  end
  for _, name in ipairs(closed) do
    redis.call('SET', base .. ':' .. name, 'this ledger has schema 2')
  end
  local names = {}
  for _, pattern in ipairs({ 'meta', 'session:*', 'payment:*', 'nonce:*', 'transaction:*' }) do
    for _, name in ipairs(under(pattern)) do
      names[#names + 1] = string.sub(name, #base + 2)
    end
  end
  return names
end

if asked.method == 'read' then
  local rows = {}
  for index, name in ipairs(asked.names) do
    rows[index] = redis.call('HGETALL', base .. ':' .. name)
  end
  return rows
end

-- What was decided stays for as long as it is asked about: processes of before answer by it.
local answers = { session = true, payment = true }
local kept = { row = true, list = true, tasks = true, version = true }
local isClosed = {}
for _, name in ipairs(closed) do
  isClosed[base .. ':' .. name] = true
end
for _, name in ipairs(under('*')) do
  local kind = string.match(string.sub(name, #base + 2), '^[^:]+')
  if answers[kind] then
    redis.call('PEXPIRE', name, asked.keptMs)
  elseif not kept[kind] and not isClosed[name] then
    redis.call('UNLINK', name)
  end
end
return {}
