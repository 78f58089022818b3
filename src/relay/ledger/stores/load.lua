-- Returns, as of one moment, the database's time in ms, each row after its name, and each list's
-- names.
local base = KEYS[1]
local wanted = cjson.decode(ARGV[1])
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)

local function key(kind, name)
  return base .. ':' .. kind .. ':' .. name
end

local rows = {}
local function take(name, row)
  rows[#rows + 1] = name
  rows[#rows + 1] = row
end

for _, name in ipairs(wanted.rows) do
  take(name, redis.call('GET', key('row', name)) or '')
end

local lists = {}
for index, list in ipairs(wanted.lists) do
  local name = key('list', list.name)
  local ends = list.olderThanMs and now - list.olderThanMs or list.before
  local to = ends and string.format('(%.0f', ends) or '+inf'
  local names
  if list.newest then
    names = redis.call('ZREVRANGEBYSCORE', name, to, list.from, 'LIMIT', 0, list.limit)
  else
    names = redis.call('ZRANGEBYSCORE', name, list.from, to, 'LIMIT', 0, list.limit)
  end
  local found = {}
  for _, member in ipairs(names) do
    local row = redis.call('GET', key('row', member))
    if row then
      found[#found + 1] = member
      take(member, row)
    else
      -- A database that may evict rows may drop one and keep what points at it.
      redis.call('ZREM', name, member)
    end
  end
  lists[index] = found
end

return { string.format('%.0f', now), rows, lists }
