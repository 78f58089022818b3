-- Writes all, or nothing if a row has changed since it was read. A row's version is the number of
-- the commit that wrote it. A row that does not exist has the version 0.
local change = cjson.decode(ARGV[1])

local function key(kind, name)
  return base .. ':' .. kind .. ':' .. name
end

for name, version in pairs(change.versions) do
  local row = redis.call('GET', key('row', name))
  if (row and string.match(row, '^%d+') or '0') ~= version then return 0 end
end

local version = to_decimal(redis.call('INCR', base .. ':version'))
for name, row in pairs(change.updates) do
  redis.call('SET', key('row', name), version .. ' ' .. row)
end
for _, name in ipairs(change.deletions) do
  redis.call('DEL', key('row', name))
end
for _, entry in ipairs(change.oldEntries) do
  local list, name = unpack(entry)
  redis.call('ZREM', key('list', list), name)
end
for _, entry in ipairs(change.newEntries) do
  local list, score, name = unpack(entry)
  redis.call('ZADD', key('list', list), score, name)
end
if change.arm then arm(change.arm.task, now + change.arm.inMs) end
return 1
