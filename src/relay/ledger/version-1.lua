-- What a ledger of schema 1 holds. Closed, it refuses every claim of the processes that knew it: one of
-- its sorted sets is none any more.
local base = KEYS[1]
local asked = cjson.decode(ARGV[1])
local closed = base .. ':nonces:leased'

local function under(pattern)
  return redis.call('KEYS', base .. ':' .. pattern)
end

if asked.method == 'close' then
  local names = {}
  for _, pattern in ipairs({ 'meta', 'session:*', 'payment:*', 'nonce:*', 'transaction:*' }) do
    for _, name in ipairs(under(pattern)) do
      names[#names + 1] = string.sub(name, #base + 2)
    end
  end
  if #names > 0 then redis.call('SET', closed, 'this ledger has schema 2') end
  return names
end

if asked.method == 'read' then
  local rows = {}
  for index, name in ipairs(asked.names) do
    rows[index] = redis.call('HGETALL', base .. ':' .. name)
  end
  return rows
end

local kept = { row = true, list = true, due = true, version = true }
for _, name in ipairs(under('*')) do
  local kind = string.match(string.sub(name, #base + 2), '^[^:]+')
  if not kept[kind] and name ~= closed then redis.call('UNLINK', name) end
end
return {}
