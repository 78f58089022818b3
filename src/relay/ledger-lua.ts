import { commonLua, dueLua } from './due-lua.ts'
import { TEND } from './due-queue.ts'
import { MAX_OPEN } from './ledger.ts'

/**
 * Rows and their indexes. A row is a hash; what SQL finds by a condition is found here by a sorted
 * set that every write of a row keeps up with. `false` in a table of fields takes the field away.
 */
const rowsLua = `
local method = ARGV[1]
local rules = cjson.decode(ARGV[2])
local args = cjson.decode(ARGV[3])

local function row(name)
  local flat = redis.call('HGETALL', name)
  if #flat == 0 then return nil end
  local fields = {}
  for index = 1, #flat, 2 do fields[flat[index]] = flat[index + 1] end
  return fields
end

local function write(name, fields)
  local set, gone = {}, {}
  for field, value in pairs(fields) do
    if value == false then
      gone[#gone + 1] = field
    else
      set[#set + 1] = field
      set[#set + 1] = type(value) == 'number' and text(value) or value
    end
  end
  if #set > 0 then redis.call('HSET', name, unpack(set)) end
  if #gone > 0 then redis.call('HDEL', name, unpack(gone)) end
end

-- The row as it is after a write.
local function changed(before, fields)
  local after = {}
  for field, value in pairs(before or {}) do after[field] = value end
  for field, value in pairs(fields) do
    if value == false then value = nil end
    after[field] = type(value) == 'number' and text(value) or value
  end
  return after
end

local function place(index, score, member)
  redis.call('ZADD', key(index), score, member)
end

local function displace(index, member)
  redis.call('ZREM', key(index), member)
end

-- Members up to a score that is left out, the lowest first.
local function below(index, score, limit)
  return redis.call('ZRANGEBYSCORE', key(index), '-inf', '(' .. text(score), 'LIMIT', 0, limit)
end

local function first(index, limit)
  return redis.call('ZRANGE', key(index), 0, limit - 1)
end

-- Blocks that hold something: by number, and what is in each.
local function placeBlock(kind, member, before, after)
  local was, is = before and before.block_hash, after and after.block_hash
  if was == is then return end
  local index = 'blocks:' .. kind
  if was then
    local members = key('block', was, kind)
    redis.call('SREM', members, member)
    if redis.call('EXISTS', members) == 0 then displace(index, was) end
  end
  if is then
    redis.call('SADD', key('block', is, kind), member)
    place(index, after.block_number, is)
  end
end

-- Sessions.

local function sessionRow(session)
  return row(key('session', session))
end

local function saveSession(session, before, fields)
  local after = changed(before, fields)
  write(key('session', session), fields)
  if after.state == 'claimed' then
    place('claimed:' .. after.account, after.lease_until, session)
  else
    displace('claimed:' .. after.account, session)
  end
  -- One with a payment goes with its payment.
  if after.state == 'accepted' then
    displace('sessions', session)
  else
    place('sessions', after.decided_at, session)
  end
end

local function dropSession(session, before)
  redis.call('DEL', key('session', session))
  displace('sessions', session)
  if before then displace('claimed:' .. before.account, session) end
end

-- Payments.

local groups = {
  queued = 'queued',
  signed = 'carried', broadcast = 'carried',
  mined = 'mined',
  confirmed = 'settled', reverted = 'settled', expired = 'settled',
}
local open = { queued = true, signed = true, broadcast = true }
local carried = { signed = true, broadcast = true }

local function paymentRow(session)
  return session and row(key('payment', session)) or nil
end

local function savePayment(session, before, fields)
  fields.changed_at = now
  local after = changed(before, fields)
  write(key('payment', session), fields)
  local was, is = before and groups[before.state], groups[after.state]
  if was and was ~= is then displace('payments:' .. was, session) end
  place('payments:' .. is, is == 'settled' and after.changed_at or after.accepted_at, session)
  if open[after.state] then
    place('account:' .. after.account .. ':open', after.accepted_at, session)
  elseif before then
    displace('account:' .. after.account .. ':open', session)
  end
  placeBlock('payments', session, before, after)
  return after
end

-- Two payments of one session or of one intent are a fault: seen before anything is written.
local function isKnown(session, order)
  return redis.call('EXISTS', key('payment', session)) == 1
    or redis.call('EXISTS', key('intent', order.intentId)) == 1
end

local function insertPayment(session, order, state, nonce)
  place('account:' .. order.account, text(now), session)
  redis.call('SET', key('intent', order.intentId), session)
  return savePayment(session, nil, {
    session = session, state = state, intent_id = order.intentId, account = order.account,
    label = order.label, spends = order.spends, request = order.request, nonce = nonce or false,
    attempts = 0, accepted_at = now,
  })
end

local function dropPayment(session, payment)
  redis.call('DEL', key('payment', session), key('intent', payment.intent_id))
  displace('payments:' .. groups[payment.state], session)
  displace('account:' .. payment.account, session)
  displace('account:' .. payment.account .. ':open', session)
  placeBlock('payments', session, payment, nil)
end

-- Moves a payment on and tells of it; the caller has checked that it may.
local function move(payment, to, fields)
  local columns = fields or {}
  local transition = {
    payment.intent_id, payment.label, payment.state, to,
    columns.hash or payment.hash or '', columns.reason or payment.reason or '',
  }
  columns.state = to
  savePayment(payment.session, payment, columns)
  return transition
end

local function executed(execution)
  return {
    outcome = execution.outcome, reason = execution.reason, hash = execution.hash,
    block_number = execution.block.number, block_hash = execution.block.hash,
  }
end

local function unexecuted()
  return {
    outcome = false, reason = false, hash = false, block_number = false, block_hash = false,
    nonce = false,
  }
end

-- Its transaction did nothing for it: it waits for another nonce.
local function requeue(payment)
  local fields = unexecuted()
  fields.attempts = tonumber(payment.attempts) + 1
  return move(payment, 'queued', fields)
end

-- Nonces. A member of an index is the number in decimal.

local function nonceRow(nonce)
  return row(key('nonce', text(nonce)))
end

local function saveNonce(nonce, before, fields)
  fields.nonce = nonce
  fields.changed_at = now
  local member = text(nonce)
  local after = changed(before, fields)
  write(key('nonce', member), fields)
  place('nonces', member, member)
  local isLeased = after.state == 'leased'
  if isLeased then place('nonces:leased', member, member) else displace('nonces:leased', member) end
  if isLeased or after.state == 'recorded' then
    place('nonces:open', member, member)
    displace('nonces:done', member)
  else
    displace('nonces:open', member)
    place('nonces:done', after.changed_at, member)
  end
  placeBlock('nonces', member, before, after)
end

local function dropNonce(nonce, before)
  local member = text(nonce)
  redis.call('DEL', key('nonce', member))
  for _, index in ipairs({ 'nonces', 'nonces:leased', 'nonces:open', 'nonces:done' }) do
    displace(index, member)
  end
  placeBlock('nonces', member, before, nil)
end

local function topNonce()
  return tonumber(redis.call('ZREVRANGE', key('nonces'), 0, 0)[1])
end

local function isLive(lease)
  return lease.lease_until ~= nil and tonumber(lease.lease_until) > now
end

-- Leased nonces, the lowest first. There are never more than the pool takes.
local function leases()
  local found = {}
  for _, member in ipairs(redis.call('ZRANGE', key('nonces:leased'), 0, -1)) do
    local lease = nonceRow(tonumber(member))
    if lease then found[#found + 1] = lease end
  end
  return found
end

-- Transactions.

local function transactionsOf(nonce)
  local found = {}
  for _, hash in ipairs(redis.call('SMEMBERS', key('transactions', text(nonce)))) do
    local transaction = row(key('transaction', hash))
    if transaction then found[#found + 1] = transaction end
  end
  return found
end

local function insertTransaction(nonce, transaction)
  local name = key('transaction', transaction.hash)
  if redis.call('EXISTS', name) == 1 then return end
  write(name, {
    hash = transaction.hash, nonce = nonce, raw = transaction.raw,
    gas_price = transaction.gasPrice, recorded_at = now,
  })
  redis.call('SADD', key('transactions', text(nonce)), transaction.hash)
end

local function dropTransactions(nonce)
  local members = key('transactions', text(nonce))
  for _, hash in ipairs(redis.call('SMEMBERS', members)) do
    redis.call('DEL', key('transaction', hash))
  end
  redis.call('DEL', members)
end

-- Prices outgrow Lua's numbers: the longer text is the higher one.
local function isDearer(a, b)
  if #a ~= #b then return #a > #b end
  return a > b
end

-- The bytes with the highest price recorded for a nonce: those that others have to outbid.
local function dearest(nonce)
  local top
  for _, transaction in ipairs(transactionsOf(nonce)) do
    if not top or isDearer(transaction.gas_price, top.gas_price) then top = transaction end
  end
  return top
end

local function slot(nonce)
  local prior = dearest(nonce)
  return { text(nonce), prior and prior.gas_price or '' }
end

-- A row as it travels.
local function flat(fields)
  local list = {}
  for field, value in pairs(fields) do
    list[#list + 1] = field
    list[#list + 1] = value
  end
  return list
end
`

/** What each method does, in the order of the port. */
const methodsLua = `
local OPEN_LIMIT = ${MAX_OPEN}
local WORK_LIMIT = 1000
local QUEUE_LIMIT = 100
local PRUNE_LIMIT = 50

local methods = {}

local function isAnythingOpen()
  for _, index in ipairs({ 'nonces:open', 'payments:queued', 'payments:carried', 'payments:mined' }) do
    if redis.call('ZCARD', key(index)) > 0 then return true end
  end
  return false
end

function methods.identify()
  local names = {}
  for _, given in ipairs(args.given) do
    local field = 'identity.' .. given[1]
    local known = redis.call('HGET', key('meta'), field)
    local mayMove = given[3] == 1 and not isAnythingOpen()
    if not known or mayMove then
      redis.call('HSET', key('meta'), field, given[2])
    elseif known ~= given[2] then
      names[#names + 1] = given[1]
    end
  end
  return names
end

-- Nothing where the session is open to whoever claims it.
local function decided(session, input)
  if not session then
    return redis.call('EXISTS', key('payment', args.session)) == 1 and { 'ended' } or nil
  end
  if session.state == 'claimed' then return isLive(session) and { 'pending' } or nil end
  if session.input == input and session.screen then return { 'answered', session.screen } end
  return { 'ended' }
end

local function seen(account)
  return redis.call('ZCARD', key('account', account))
end

-- Whether another session of the account is between its claim and its record. Its own is not: a live
-- claim on it has been answered for before.
local function isClaiming(account)
  return redis.call('ZCOUNT', key('claimed', account), '(' .. text(now), '+inf') > 0
end

function methods.lookup()
  local known = decided(sessionRow(args.session), args.input)
  if known then return known end
  local requests = {}
  for _, session in ipairs(first('account:' .. args.account .. ':open', OPEN_LIMIT)) do
    local payment = paymentRow(session)
    if payment then requests[#requests + 1] = payment.request end
  end
  return { 'undecided', requests, seen(args.account), isClaiming(args.account) and 1 or 0 }
end

-- Lets go of nonces that a token reserved and never recorded for.
local function letGo(token)
  for _, lease in ipairs(leases()) do
    if lease.token == token then
      saveNonce(tonumber(lease.nonce), lease, { token = false, lease_until = 0, session = false })
    end
  end
end

local function decide(before, state, screen)
  saveSession(args.session, before, {
    state = state, account = args.account, input = args.input, steps = args.steps, screen = screen,
    token = false, lease_until = false, decided_at = now,
  })
end

function methods.refuse()
  local session = sessionRow(args.session)
  local known = decided(session, args.input)
  local isOwn = session ~= nil and session.state == 'claimed' and session.token == args.token
  if known and not isOwn then return known end
  if isOwn then letGo(args.token) end
  decide(session, 'refused', args.reply)
  return { 'refused' }
end

local function isWaiting()
  for _, session in ipairs(redis.call('ZRANGE', key('payments:queued'), 0, -1)) do
    local payment = paymentRow(session)
    if payment and tonumber(payment.attempts) < rules.maxAttempts
      and cjson.decode(payment.request).deadline > now / 1000 then
      return true
    end
  end
  return false
end

-- The highest nonce that carries an open payment of the account.
local function lastNonce(account)
  local last = -1
  for _, session in ipairs(redis.call('ZRANGE', key('account', account, 'open'), 0, -1)) do
    local payment = paymentRow(session)
    local nonce = payment and carried[payment.state] and tonumber(payment.nonce)
    if nonce and nonce > last then last = nonce end
  end
  return last
end

-- The lowest nonce that nobody holds and that comes after the account's open payments: one whose
-- holder never recorded, else the next one. None where the pool would refuse it, or where older
-- payments wait for one.
local function freeNonce(chainNonce, poolNonce, account)
  local abandoned
  local last = lastNonce(account)
  for _, lease in ipairs(leases()) do
    if not isLive(lease) then
      local nonce = tonumber(lease.nonce)
      -- What the chain has passed can carry nothing any more.
      if nonce < chainNonce then dropNonce(nonce, lease)
      elseif nonce > last then abandoned = abandoned or nonce end
    end
  end
  if isWaiting() then return nil end
  local top = topNonce()
  local nonce = abandoned or math.max(chainNonce, poolNonce, top and top + 1 or 0)
  if nonce < chainNonce + rules.maxInFlight then return nonce end
  return nil
end

local function leaseNonce(nonce, token, session)
  saveNonce(nonce, nonceRow(nonce), {
    state = 'leased', session = session or false, token = token,
    lease_until = now + rules.leaseMs,
  })
end

function methods.claim()
  local session = sessionRow(args.session)
  local isOwn = session ~= nil and session.state == 'claimed'
    and session.token == args.token and session.input == args.input
  if isOwn then
    for _, lease in ipairs(leases()) do
      if lease.token == args.token then return { 'claimed', slot(tonumber(lease.nonce)) } end
    end
    return { 'claimed', {} }
  end
  local known = decided(session, args.input)
  if known then return known end
  if args.seen and (isClaiming(args.account) or args.seen ~= seen(args.account)) then
    return { 'changed' }
  end
  -- A holder before us never recorded: its token is dead from here on, and its nonce's lease ended
  -- with the session's.
  local nonce = freeNonce(args.chainNonce, args.poolNonce, args.account)
  saveSession(args.session, session, {
    state = 'claimed', account = args.account, input = args.input, steps = args.steps,
    token = args.token, lease_until = now + rules.leaseMs, decided_at = now,
  })
  if not nonce then return { 'claimed', {} } end
  leaseNonce(nonce, args.token, args.session)
  return { 'claimed', slot(nonce) }
end

function methods.record()
  local session = sessionRow(args.session)
  if not session or session.token ~= args.token then return { 'fenced' } end
  -- The same record again: its first answer was lost on the way.
  if session.state == 'accepted' then return { 'recorded' } end
  local transaction = args.transaction
  local lease = transaction and nonceRow(transaction.nonce)
  if transaction and not (lease and lease.state == 'leased' and lease.token == args.token) then
    return { 'fenced' }
  end
  if isKnown(args.session, args.order) then
    return redis.error_reply('ERR the payment or its intent is recorded already')
  end
  if transaction then
    saveNonce(transaction.nonce, lease, {
      state = 'recorded', session = args.session, token = false, lease_until = false,
    })
    insertTransaction(transaction.nonce, transaction)
  else
    letGo(args.token)
  end
  insertPayment(
    args.session, args.order, transaction and 'signed' or 'queued',
    transaction and transaction.nonce
  )
  -- The token stays, so that a repeated record is known; without a lease it opens nothing.
  saveSession(args.session, session, {
    state = 'accepted', screen = args.reply, lease_until = false, decided_at = now,
  })
  return { 'recorded' }
end

function methods.adopt()
  local session = sessionRow(args.session)
  local known = decided(session, args.input)
  if known then return known end
  if isKnown(args.session, args.order) then
    return redis.error_reply('ERR the payment or its intent is recorded already')
  end
  move(insertPayment(args.session, args.order, 'queued'), 'mined', executed(args.execution))
  decide(session, 'accepted', args.reply)
  return { 'adopted' }
end

-- A database that was let may drop a row and keep what points at it.
local function payments(index)
  local found = {}
  for _, session in ipairs(first(index, WORK_LIMIT)) do
    local payment = paymentRow(session)
    if payment then
      found[#found + 1] = flat(payment)
    else
      displace(index, session)
    end
  end
  return found
end

-- The oldest that wait for a nonce, and the oldest that have tried too often: a long queue is not
-- sent over the network in every round.
local function queued()
  local found, counts = {}, { waiting = 0, stuck = 0 }
  for _, session in ipairs(first('payments:queued', WORK_LIMIT)) do
    local payment = paymentRow(session)
    if payment then
      local kind = tonumber(payment.attempts) < rules.maxAttempts and 'waiting' or 'stuck'
      counts[kind] = counts[kind] + 1
      if counts[kind] <= QUEUE_LIMIT then found[#found + 1] = flat(payment) end
      if counts.waiting > QUEUE_LIMIT then break end
    else
      displace('payments:queued', session)
    end
  end
  return found
end

function methods.work()
  local meta = row(key('meta')) or {}
  local nonces = {}
  for _, member in ipairs(first('nonces:open', WORK_LIMIT)) do
    local nonce = nonceRow(tonumber(member))
    if nonce then
      local transactions = {}
      for index, transaction in ipairs(transactionsOf(member)) do
        transactions[index] = flat(transaction)
      end
      local isHeld = nonce.state == 'leased' and isLive(nonce)
      nonces[#nonces + 1] = { flat(nonce), isHeld and 1 or 0, transactions }
    else
      -- What it carried may be out there: the number is not handed out again before it is pruned.
      displace('nonces:open', member)
      displace('nonces:leased', member)
      place('nonces:done', text(now), member)
    end
  end
  local top = topNonce()
  -- A payment may be settled by its own request before anybody has looked at a head.
  local from = meta.head and cjson.decode(meta.head).number - rules.watchBlocks or -1
  local watched = redis.call('ZCOUNT', key('blocks:payments'), '(' .. text(from), '+inf')
  return {
    text(now), meta.head or '', meta.behind_since or '', text(top and top + 1 or 0), nonces,
    queued(), payments('payments:carried'), payments('payments:mined'), watched,
  }
end

function methods.blocks()
  local found = {}
  for _, kind in ipairs({ 'nonces', 'payments' }) do
    local above = redis.call(
      'ZRANGEBYSCORE', key('blocks:' .. kind), '(' .. text(args.above), '+inf', 'WITHSCORES'
    )
    for index = 1, #above, 2 do
      found[#found + 1] = { text(tonumber(above[index + 1])), above[index] }
    end
  end
  return found
end

function methods.payment()
  local payment = paymentRow(args.session)
  return payment and { flat(payment) } or {}
end

function methods.payments()
  local index = key('account', args.account)
  if args.limit < 1 then return {} end
  -- Those of one moment are told apart by whoever reads this.
  local last = redis.call('ZREVRANGE', index, args.limit - 1, args.limit - 1, 'WITHSCORES')[2]
  local found = {}
  for _, session in ipairs(redis.call('ZRANGEBYSCORE', index, last or '-inf', '+inf')) do
    local payment = paymentRow(session)
    if payment then found[#found + 1] = flat(payment) end
  end
  return found
end

function methods.lease()
  local nonce, chainNonce = args.nonce, args.chainNonce
  if nonce < chainNonce or nonce >= chainNonce + rules.maxInFlight then return { 'taken' } end
  local known = nonceRow(nonce)
  local wasDisplaced = known and known.state == 'foreign'
  if wasDisplaced then
    if now - tonumber(known.changed_at) < rules.displacedMs then return { 'taken' } end
  elseif known then
    if known.state ~= 'leased' then return { 'taken' } end
    if known.token ~= args.token and isLive(known) then return { 'taken' } end
  end
  if args.session then
    local payment = paymentRow(args.session)
    local waits = payment ~= nil and payment.state == 'queued'
      and tonumber(payment.attempts) < rules.maxAttempts
    if not waits then return { 'taken' } end
  end
  -- The pool refused them, over what it has dropped by now: new bytes have nothing to outbid.
  if wasDisplaced then dropTransactions(nonce) end
  leaseNonce(nonce, args.token, args.session)
  return { 'leased', slot(nonce) }
end

function methods.attach()
  local nonce, transaction = args.nonce, args.transaction
  local known = nonceRow(nonce)
  if known and known.state == 'recorded' then
    local isThere = redis.call('EXISTS', key('transaction', transaction.hash)) == 1
    return { isThere and 'recorded' or 'fenced' }
  end
  if not known or known.state ~= 'leased' or known.token ~= args.token then return { 'fenced' } end
  if known.session then
    local payment = paymentRow(known.session)
    if not payment or payment.state ~= 'queued' then return { 'fenced' } end
    move(payment, 'signed', { nonce = nonce })
  end
  saveNonce(nonce, known, { state = 'recorded', token = false, lease_until = false })
  insertTransaction(nonce, transaction)
  return { 'recorded' }
end

function methods.replace()
  local known = nonceRow(args.nonce)
  local top = dearest(args.nonce)
  if top and top.hash == args.transaction.hash then return { 'recorded' } end
  if not known or known.state ~= 'recorded' then return { 'fenced' } end
  if not top or top.hash ~= args.over then return { 'fenced' } end
  local payment = paymentRow(known.session)
  local isNeeded = payment ~= nil and carried[payment.state] == true
  if args.carriesPayment ~= isNeeded then return { 'fenced' } end
  insertTransaction(args.nonce, args.transaction)
  return { 'recorded' }
end

function methods.release()
  for _, nonce in ipairs(args.nonces) do
    local lease = nonceRow(nonce)
    if lease and lease.state == 'leased' and not isLive(lease) then
      local isBelow = false
      local isPassed = nonce < args.chainNonce
      local above = redis.call('ZRANGEBYSCORE', key('nonces'), '(' .. text(nonce), '+inf')
      for _, member in ipairs(above) do
        if not redis.call('ZSCORE', key('nonces:leased'), member) then
          isBelow = true
          break
        end
      end
      if isPassed or not isBelow then dropNonce(nonce, lease) end
    end
  end
  return {}
end

function methods.sent()
  local name = key('transaction', args.hash)
  local transaction = row(name)
  if not transaction then return {} end
  write(name, { sent_at = now })
  if not args.taken then return {} end
  local nonce = nonceRow(tonumber(transaction.nonce))
  local payment = nonce and paymentRow(nonce.session)
  if not payment or payment.state ~= 'signed' or payment.nonce ~= transaction.nonce then return {} end
  return { move(payment, 'broadcast', { hash = args.hash }) }
end

function methods.mined()
  local nonce = nonceRow(args.nonce)
  if not nonce or nonce.state ~= 'recorded' or nonce.session ~= args.session then return {} end
  saveNonce(args.nonce, nonce, {
    state = 'mined', hash = args.hash, block_number = args.block.number,
    block_hash = args.block.hash,
  })
  local payment = paymentRow(nonce.session)
  if not payment or not carried[payment.state] then return {} end
  if not args.execution then return { requeue(payment) } end
  return { move(payment, 'mined', executed(args.execution)) }
end

function methods.displaced()
  local nonce = nonceRow(args.nonce)
  if not nonce or nonce.state ~= 'recorded' then return {} end
  saveNonce(args.nonce, nonce, { state = 'foreign' })
  local payment = paymentRow(nonce.session)
  return payment and carried[payment.state] and { requeue(payment) } or {}
end

function methods.abandon()
  local nonce = nonceRow(args.nonce)
  if not nonce or nonce.state ~= 'recorded' then return {} end
  -- Its bytes stay: whoever gets the nonce later has to outbid them.
  dropNonce(args.nonce, nonce)
  local payment = paymentRow(nonce.session)
  return payment and carried[payment.state] and { requeue(payment) } or {}
end

function methods.requeue()
  local payment = paymentRow(args.session)
  if not payment or not carried[payment.state] then return {} end
  local nonce = payment.nonce and nonceRow(tonumber(payment.nonce))
  local isCarried = nonce and nonce.state == 'recorded' and nonce.session == args.session
  return isCarried and {} or { requeue(payment) }
end

function methods.settle()
  local payment = paymentRow(args.session)
  if not payment or payment.state ~= 'queued' then return {} end
  return { move(payment, 'mined', executed(args.execution)) }
end

function methods.confirm()
  local payment = paymentRow(args.session)
  if not payment or payment.state ~= 'mined' or payment.block_hash ~= args.blockHash then
    return {}
  end
  return { move(payment, payment.outcome == 'executed' and 'confirmed' or 'reverted') }
end

function methods.expire()
  local payment = paymentRow(args.session)
  if not payment or not open[payment.state] then return {} end
  if payment.nonce then
    local nonce = nonceRow(tonumber(payment.nonce))
    if nonce and nonce.session == args.session then
      saveNonce(tonumber(payment.nonce), nonce, { session = false })
    end
  end
  return { move(payment, 'expired', { nonce = false }) }
end

function methods.reopen()
  for _, member in ipairs(redis.call('SMEMBERS', key('block', args.blockHash, 'nonces'))) do
    local nonce = nonceRow(tonumber(member))
    if nonce and nonce.state == 'mined' then
      saveNonce(tonumber(member), nonce, {
        state = 'recorded', hash = false, block_number = false, block_hash = false,
      })
    end
  end
  local transitions = {}
  for _, session in ipairs(redis.call('SMEMBERS', key('block', args.blockHash, 'payments'))) do
    local payment = paymentRow(session)
    local wasMined = payment ~= nil and payment.state ~= 'expired'
      and (groups[payment.state] == 'mined' or groups[payment.state] == 'settled')
    if wasMined then
      -- Adopted payments had no transaction of ours: their request finds a new one.
      local nonce = payment.nonce and nonceRow(tonumber(payment.nonce))
      local fields = unexecuted()
      if nonce and nonce.state == 'recorded' and nonce.session == session then
        fields.nonce = payment.nonce
        transitions[#transitions + 1] = move(payment, 'broadcast', fields)
      else
        transitions[#transitions + 1] = move(payment, 'queued', fields)
      end
    end
  end
  return transitions
end

function methods.sawHead()
  if args.head then
    redis.call('HSET', key('meta'), 'head', args.head)
    redis.call('HDEL', key('meta'), 'behind_since')
  else
    redis.call('HSETNX', key('meta'), 'behind_since', text(now))
  end
  return {}
end

function methods.prune()
  local before = now - rules.retentionMs
  for _, session in ipairs(below('payments:settled', before, PRUNE_LIMIT)) do
    local payment = paymentRow(session)
    if payment then
      dropPayment(session, payment)
      if payment.nonce then dropTransactions(payment.nonce) end
    else
      displace('payments:settled', session)
    end
    dropSession(session, sessionRow(session))
  end
  -- The highest row stays: it is what the next nonce is counted from.
  local top = topNonce()
  for _, member in ipairs(below('nonces:done', before, PRUNE_LIMIT)) do
    local nonce = nonceRow(tonumber(member))
    local payment = nonce and paymentRow(nonce.session)
    if tonumber(member) ~= top and not (payment and payment.nonce == member) then
      dropNonce(tonumber(member), nonce)
      dropTransactions(member)
    end
  end
  for _, session in ipairs(below('sessions', before, PRUNE_LIMIT)) do
    dropSession(session, sessionRow(session))
  end
  return {}
end

-- After these something may be left to do: seen to in the same step.
if method == 'claim' or method == 'record' or method == 'adopt' then
  arm('${TEND}', now + rules.tendMs)
end
return methods[method]()
`

/**
 * The ledger as one script. `ARGV` is the method's name, the rules as JSON and what the method is
 * told as JSON; amounts in wei and signed requests travel as text.
 */
export const ledgerLua = [commonLua, dueLua, rowsLua, methodsLua].join('')
