-- Writes all, or nothing if a row has changed since it was read, or if the time that the steps had
-- is not the database's. Returns that time and the version of what was written, 0 for nothing. A
-- commit's version is above all before, by a step that is drawn: so a database that has lost its
-- last commits gives no row a version again. A row that does not exist has the version 0.
local change = cjson.decode(ARGV[1])

local function key(kind, name)
  return base .. ':' .. kind .. ':' .. name
end

local function refuse()
  return { to_decimal(now), '0' }
end

if change.at and (change.at > now or change.at < now - change.maxAgeMs) then return refuse() end
for name, version in pairs(change.versions) do
  local row = redis.call('GET', key('row', name))
  if (row and string.match(row, '^%d+') or '0') ~= version then return refuse() end
end

local version = to_decimal(redis.call('INCRBY', base .. ':version', to_decimal(change.step)))
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
if change.dueDelayMs then arm(now + change.dueDelayMs) end
return { to_decimal(now), version }
