-- Rows by their names and rows of lists, all as they are at one moment, with the database's time.
local base = KEYS[1]
local wanted = cjson.decode(ARGV[1])
local clock = redis.call('TIME')

local function key(kind, name)
  return base .. ':' .. kind .. ':' .. name
end

local rows = {}
for index, name in ipairs(wanted.rows) do
  rows[index] = redis.call('GET', key('row', name)) or ''
end

local lists = {}
for index, list in ipairs(wanted.lists) do
  local name = key('list', list.name)
  local names
  if list.newest then
    names = redis.call('ZREVRANGEBYSCORE', name, list.to, list.from, 'LIMIT', 0, list.limit)
  else
    names = redis.call('ZRANGEBYSCORE', name, list.from, list.to, 'LIMIT', 0, list.limit)
  end
  local found = {}
  for _, member in ipairs(names) do
    local row = redis.call('GET', key('row', member))
    if row then
      found[#found + 1] = member
      found[#found + 1] = row
    else
      -- A database that was let may drop a row and keep what points at it.
      redis.call('ZREM', name, member)
    end
  end
  lists[index] = found
end

return { clock[1], clock[2], rows, lists }
