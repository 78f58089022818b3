-- Writes all, or nothing where a row has changed since it was read. A row's version is the number
-- of the commit that wrote it; 0 is a row that is not there.
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
  redis.call('ZREM', key('list', entry[1]), entry[2])
end
for _, entry in ipairs(change.newEntries) do
  redis.call('ZADD', key('list', entry[1]), entry[2], entry[3])
end
if change.arm then arm(change.arm.task, now + change.arm.inMs) end
return 1
