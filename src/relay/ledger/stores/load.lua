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
local function add_row(name, row)
  rows[#rows + 1] = name
  rows[#rows + 1] = row
end

for _, name in ipairs(wanted.rows) do
  add_row(name, redis.call('GET', key('row', name)) or '')
end

local lists = {}
for index, list in ipairs(wanted.lists) do
  local name = key('list', list.name)
  local before = list.olderThanMs and now - list.olderThanMs or list.before
  local max = before and string.format('(%.0f', before) or '+inf'
  local names
  if list.newest then
    names = redis.call('ZREVRANGEBYSCORE', name, max, list.from, 'LIMIT', 0, list.limit)
  else
    names = redis.call('ZRANGEBYSCORE', name, list.from, max, 'LIMIT', 0, list.limit)
  end
  local listed = {}
  for _, member in ipairs(names) do
    local row = redis.call('GET', key('row', member))
    if row then
      listed[#listed + 1] = member
      add_row(member, row)
    else
      -- The row is lost, for example evicted by the database, so its entry is removed.
      redis.call('ZREM', name, member)
    end
  end
  lists[index] = listed
end

return { string.format('%.0f', now), rows, lists }
