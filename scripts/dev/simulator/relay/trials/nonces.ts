import {
  blockOf,
  bytesOf,
  type Desk,
  executionOf,
  hashOf,
  kindOf,
  nonceOf,
  questionOf,
} from './desk.ts'

/** More than the last nonces whose bytes are always listed. */
const manyNonces = 66

const token = 'a trial'
const session = undefined

/** Which nonces are leased outside of a session, and what is recorded for them. */
export function tryLeases({ ledger, rules, pass, expect, next, accept, finish }: Desk): void {
  const nonce = next()
  const most = nonce + rules.maxInFlight
  const lease = (at: number, chainNonce: number, by = token, of?: string) =>
    kindOf(ledger.lease({ nonce: at, token: by, chainNonce, session: of }))
  expect('a nonce that was passed', lease(nonce, nonce + 1), 'taken')
  expect('a nonce out of reach', lease(most, nonce), 'taken')
  expect('the last within reach', lease(most - 1, nonce), 'leased')
  pass(rules.leaseMs + 1)
  ledger.release([most - 1], nonce)
  expect('what comes next, after it was given back', next(), nonce)
  expect('a free nonce', lease(nonce, nonce), 'leased')
  expect('a held nonce', lease(nonce, nonce, 'another'), 'taken')
  expect('a nonce that the asker holds', lease(nonce, nonce), 'leased')
  const attach = (by: string, transaction = bytesOf('leased')) =>
    kindOf(ledger.attach({ nonce, token: by, transaction }))
  expect('bytes of another', attach('another'), 'fenced')
  expect('bytes of the holder', attach(token), 'recorded')
  expect('the same bytes', attach('another'), 'recorded')
  expect('other bytes', attach(token, bytesOf('other')), 'fenced')
  expect('a nonce with bytes', lease(nonce, nonce), 'taken')
  ledger.mined({ nonce, session, hash: hashOf('leased'), block: blockOf(1), execution: undefined })
  expect('a nonce in a block', lease(nonce, nonce), 'taken')
  const other = accept('carried')
  expect('a nonce for one that is carried', lease(other + 1, other, token, 'carried'), 'taken')
  expect('a nonce for no payment at all', lease(other + 1, other, token, 'unknown'), 'taken')
  finish('carried', other, 2)
}

/** A payment that waits gets the bytes of the one that leased a nonce for it, unless it has settled since. */
export function tryAttachments({ ledger, expect, next, enqueue }: Desk): void {
  enqueue('waits 1')
  enqueue('waits 2')
  const nonce = next()
  for (const [index, name] of ['waits 1', 'waits 2'].entries()) {
    const leasing = { nonce: nonce + index, token: name, chainNonce: nonce, session: name }
    expect(`a nonce for ${name}`, kindOf(ledger.lease(leasing)), 'leased')
  }
  ledger.settle('waits 2', executionOf('elsewhere', 2))
  const attach = (name: string, at: number) =>
    kindOf(ledger.attach({ nonce: at, token: name, transaction: bytesOf(name) }))
  expect('bytes for one that waits', attach('waits 1', nonce), 'recorded')
  expect('bytes for one that is settled', attach('waits 2', nonce + 1), 'fenced')
  const { carried, mined, queued } = ledger.work()
  const listed = [carried, mined, queued].map((payments) => payments.map((one) => one.session))
  expect('what is open', listed, [['waits 1'], ['waits 2'], []])
  expect('a payment by its hash', ledger.paymentShownAs(hashOf('waits 1'))?.session, 'waits 1')
  expect('a payment by no hash', ledger.paymentShownAs(hashOf('nothing')), undefined)
  const execution = executionOf('waits 1', 2)
  const { block, hash } = execution
  ledger.mined({ nonce, session: 'waits 1', hash, block, execution })
  expect('the first confirmed', ledger.confirm('waits 1', block.hash).length, 1)
  expect('the second confirmed', ledger.confirm('waits 2', block.hash).length, 1)
}

/** A foreign nonce is left alone, and begins anew after that; one that was given up has to be outbid. */
export function tryTaken({ ledger, rules, pass, expect, next }: Desk): void {
  const nonce = next()
  const leasing = { nonce, token, chainNonce: nonce, session }
  const transaction = bytesOf('taken', 7n)
  const attach = () => ledger.attach({ nonce, token, transaction })
  const recorded = () => ledger.work().nonces.find((one) => one.nonce === nonce)
  ledger.lease(leasing)
  attach()
  ledger.sent(transaction.hash, true)
  ledger.displaced(nonce)
  expect('what comes after a foreign nonce', next(), nonce + 1)
  pass(rules.displacedMs - 1_000)
  expect('a foreign nonce', kindOf(ledger.lease(leasing)), 'taken')
  pass(2_000)
  const slot = { nonce, priorGasPriceWei: undefined }
  expect('a nonce that was foreign', ledger.lease(leasing), { kind: 'leased', slot })
  pass(rules.leaseMs + 1)
  ledger.release([nonce], nonce)
  expect('what comes after it was given back', next(), nonce)
  ledger.lease(leasing)
  attach()
  expect('bytes that were dropped', recorded()?.transactions[0]?.sentAt, undefined)
  ledger.sent(transaction.hash, true)
  ledger.abandon(nonce)
  expect('what comes after one that was given up', next(), nonce)
  const outbid = { nonce, priorGasPriceWei: 7n }
  expect('a nonce that was given up', ledger.lease(leasing), { kind: 'leased', slot: outbid })
  pass(rules.retentionMs + 1)
  const held = { ...leasing, token: 'another' }
  expect('the same after its lease', ledger.lease(held), { kind: 'leased', slot: outbid })
  ledger.prune()
  expect('its bytes while it is held', recorded()?.transactions.length, 1)
  expect('the same bytes', kindOf(ledger.attach({ ...held, transaction })), 'recorded')
  const { length, 0: latest } = recorded()?.transactions ?? []
  expect('bytes that were sent before', [length, latest?.sentAt !== undefined], [1, true])
  ledger.abandon(nonce)
  pass(rules.leaseMs + 1)
  ledger.release([nonce], nonce)
}

/** New bytes for a nonce come over those that are named, and are first from then on. */
export function tryReplacements({ ledger, expect, next }: Desk): void {
  const nonce = next()
  const [first, second] = [bytesOf('first', 5n), bytesOf('second', 9n)]
  ledger.lease({ nonce, token, chainNonce: nonce, session })
  ledger.attach({ nonce, token, transaction: first })
  const replace = (over: typeof first, carriesPayment: boolean, transaction = second) =>
    kindOf(ledger.replace({ nonce, over: over.hash, carriesPayment, transaction }))
  expect('bytes over others', replace(second, false, bytesOf('third')), 'fenced')
  expect('bytes for a payment', replace(first, true), 'fenced')
  expect('bytes for none', replace(first, false), 'recorded')
  expect('the same bytes', replace(first, false), 'recorded')
  expect('bytes over outbid ones', replace(first, false, bytesOf('third')), 'fenced')
  const sentOf = () => ledger.work().nonces.flatMap(({ transactions }) => transactions)
  expect(
    'all bytes',
    sentOf().map(({ hash }) => hash),
    [second.hash, first.hash],
  )
  ledger.sent(second.hash, false)
  ledger.sent(second.hash, false)
  expect('what no node took', sentOf()[0]?.failures, 2)
  ledger.sent(second.hash, true)
  expect('what a node took', sentOf()[0]?.failures, 0)
  ledger.mined({ nonce, session, hash: second.hash, block: blockOf(1), execution: undefined })
}

/** A lease is given back unless it is a gap below recorded bytes, or its holder may still record. */
export function tryGaps({ ledger, rules, pass, lose, expect, refuse, loadOf, next }: Desk): void {
  const nonce = next()
  const lease = (at: number) => ledger.lease({ nonce: at, token, chainNonce: nonce, session })
  const free = () =>
    ledger
      .work()
      .nonces.filter(({ state }) => state === 'leased')
      .map((one) => one.nonce)
  lease(nonce)
  lease(nonce + 1)
  ledger.attach({ nonce: nonce + 1, token, transaction: bytesOf('above') })
  ledger.release([nonce], nonce)
  expect('a held nonce', free(), [nonce])
  pass(rules.leaseMs + 1)
  ledger.release([nonce], nonce)
  expect('a gap', free(), [nonce])
  ledger.release([], nonce + 1)
  expect('what was not named', free(), [nonce])
  ledger.release([nonce], nonce + 1)
  expect('a gap that was passed', free(), [])
  const carried = () => loadOf('a look')?.carried
  lose(nonce + 1)
  ledger.release([], nonce + 1)
  expect('what comes after a lost row', [next(), carried()], [nonce + 2, 1])
  ledger.release([], nonce + 2)
  expect('what is carried after that', carried(), 0)
  expect('what comes after a lost row that was passed', next(), nonce + 2)
  const name = 'after a lost row'
  const nonces = { chainNonce: nonce + 2, poolNonce: nonce + 2 }
  const asked = { ...questionOf(name), steps: 1, token: name, seen: undefined, ...nonces }
  const slot = { nonce: nonce + 2, priorGasPriceWei: undefined }
  expect('a claim after it', ledger.claim(asked), { kind: 'claimed', slot })
  refuse(name)
  ledger.release([nonce + 2], nonce + 2)
}

/** An account's payments keep their order: a nonce that is free below its own is another account's. */
export function tryOwnOrder(desk: Desk): void {
  const { ledger, rules, pass, expect, claim, record, enqueue, finish, next } = desk
  for (const by of ['order of claims', 'order of a queue']) {
    const nonce = next()
    const counts = { chainNonce: nonce, poolNonce: nonce }
    const slotOf = (name: string, account: string) => {
      const claimed = claim(name, { by: account, ...counts })
      return nonceOf(claimed)
    }
    ledger.lease({ nonce, token: 'below', chainNonce: nonce, session })
    if (by === 'order of claims') {
      expect('a claim above one that is held', slotOf(`${by} 1`, by), nonce + 1)
      record(`${by} 1`, nonce + 1, { by })
    } else {
      enqueue(`${by} 1`, { by, ...counts, poolNonce: nonce + rules.maxInFlight })
      ledger.lease({ nonce: nonce + 1, token, chainNonce: nonce, session: `${by} 1` })
      ledger.attach({ nonce: nonce + 1, token, transaction: bytesOf(`${by} 1`) })
    }
    pass(rules.leaseMs + 1)
    const above = rules.maxInFlight > 2 ? nonce + 2 : undefined
    expect('a claim of the same account', slotOf(`${by} 2`, by), above)
    expect('a claim of another account', slotOf(`${by} 3`, `${by} another`), nonce)
    finish(`${by} 1`, nonce + 1, 1)
    pass(rules.leaseMs + 1)
    const leased = ledger.work().nonces.map((one) => one.nonce)
    ledger.release(leased, next())
  }
}

/** What was signed is listed for every open nonce, however many there are. */
export function tryMany({ ledger, expect, next }: Desk): void {
  const from = next()
  const names = Array.from({ length: manyNonces }, (_, index) => `many ${index}`)
  for (const [index, name] of names.entries()) {
    const nonce = from + index
    ledger.lease({ nonce, token, chainNonce: nonce, session })
    ledger.attach({ nonce, token, transaction: bytesOf(name) })
  }
  const signed = new Set(ledger.signed().map(({ hash }) => hash))
  expect(
    'bytes that are not listed',
    names.filter((name) => !signed.has(hashOf(name))),
    [],
  )
  for (const [index, name] of names.entries()) {
    const mined = { nonce: from + index, hash: hashOf(name), block: blockOf(1) }
    ledger.mined({ ...mined, session, execution: undefined })
  }
}
