-- Returns, as of one moment, the database's time in ms, the rows (each after its name), and for each
-- list the names of its rows.
local base = KEYS[1]
local read_set = cjson.decode(ARGV[1])
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

for _, name in ipairs(read_set.rows) do
  add_row(name, redis.call('GET', key('row', name)) or '')
end

local lists = {}
for index, query in ipairs(read_set.lists) do
  local list = key('list', query.name)
  local before = query.olderThanMs and now - query.olderThanMs or query.before
  -- To Redis, a bracket excludes the limit itself.
  local max = before and string.format('(%.0f', before) or '+inf'
  local names
  if query.newest then
    names = redis.call('ZREVRANGEBYSCORE', list, max, query.from, 'LIMIT', 0, query.limit)
  else
    names = redis.call('ZRANGEBYSCORE', list, query.from, max, 'LIMIT', 0, query.limit)
  end
  for _, name in ipairs(names) do
    add_row(name, redis.call('GET', key('row', name)) or '')
  end
  lists[index] = names
end

return { string.format('%.0f', now), rows, lists }
