import type { Desk } from './desk.ts'
import {
  blockOf,
  bytesOf,
  executionOf,
  hashOf,
  kindOf,
  nonceOf,
  orderOf,
  questionOf,
  screenOf,
} from './desk.ts'

/** The states that a list of changes leads to. */
const statesOf = (changes: readonly { to: string }[]): string[] => changes.map(({ to }) => to)

const stateOf = ({ ledger }: Desk, name: string) => ledger.payment(name)?.state

/** A payment that is broadcast, in a block, out of it, and in another: each step is told once. */
export function tryBlocks(desk: Desk): void {
  const { ledger, expect, accept, mine } = desk
  const name = 'travels'
  const above = 700_000
  const nonce = accept(name)
  expect('bytes that no node took', ledger.sent(hashOf(name), false), [])
  expect('bytes that a node took', statesOf(ledger.sent(hashOf(name), true)), ['broadcast'])
  expect('the same again', ledger.sent(hashOf(name), true), [])
  const report = { nonce, session: 'another', hash: hashOf(name), block: blockOf(above + 1) }
  expect('a block of another', ledger.mined({ ...report, execution: undefined }), [])
  expect('a block', statesOf(mine(name, nonce, above + 1)), ['mined'])
  expect('the same block', mine(name, nonce, above + 1), [])
  expect('blocks above', ledger.blocks(above), [blockOf(above + 1)])
  expect('blocks from its height', ledger.blocks(above + 1), [])
  expect('a block that is lost', statesOf(ledger.reopen(blockOf(above + 1).hash)), ['broadcast'])
  const [open] = ledger.work().nonces
  expect('its bytes', [open?.state, open?.transactions[0]?.failures], ['recorded', 1])
  expect('blocks after that', ledger.blocks(above), [])
  mine(name, nonce, above + 2, 'failed')
  expect('another block made final', ledger.confirm(name, blockOf(above + 1).hash), [])
  expect('its block made final', statesOf(ledger.confirm(name, blockOf(above + 2).hash)), [
    'reverted',
  ])
  expect('a final block that is lost', statesOf(ledger.reopen(blockOf(above + 2).hash)), [
    'broadcast',
  ])
  mine(name, nonce, above + 3)
  expect('a block made final at last', statesOf(ledger.confirm(name, blockOf(above + 3).hash)), [
    'confirmed',
  ])
  expect('a final one that expires', ledger.expire(name), [])
  expect('a final one that waits again', ledger.requeue(name), [])
  const states = ledger.tracePayment(hashOf(name))?.history.map(([state]) => state)
  expect('its way', states, [
    ...['signed', 'broadcast', 'mined', 'broadcast', 'mined', 'reverted', 'broadcast'],
    ...['mined', 'confirmed'],
  ])
  expect('it, by its session', ledger.payment(name)?.order.kind, 'transfer')
}

/** Where one block is taken back alone, nonces in others stay used. */
export function tryOneBlock({ ledger, expect, accept, mine, next }: Desk): void {
  const number = 150_000
  const nonce = accept('below')
  mine('below', nonce, number)
  mine('above', accept('above'), number + 1)
  ledger.confirm('above', blockOf(number + 1).hash)
  ledger.reopen(blockOf(number).hash)
  expect('what comes next', next(), nonce + 2)
  mine('below', nonce, number)
  ledger.reopen(blockOf(number + 1).hash)
  ledger.reopen(blockOf(number).hash)
  for (const given of [nonce, nonce + 1]) ledger.abandon(given)
  expect('what comes next after both were given up', next(), nonce)
  for (const name of ['below', 'above']) ledger.expire(name)
}

/** What another transaction has settled goes back to those that wait, and takes another nonce. */
export function tryOrphans(desk: Desk): void {
  const { ledger, expect, enqueue } = desk
  for (const [index, outcome] of [undefined, 'executed', 'failed'].entries()) {
    const name = `orphan ${index}`
    enqueue(name)
    const execution = executionOf(
      name,
      200_000 + index,
      outcome === 'failed' ? 'failed' : 'executed',
    )
    expect(`${name} settled`, statesOf(ledger.settle(name, execution)), ['mined'])
    if (outcome !== undefined) ledger.confirm(name, execution.block.hash)
    expect(`${name} taken back`, statesOf(ledger.reopen(execution.block.hash)), ['queued'])
    expect(
      `${name} that waits`,
      ledger.work().queued.map((one) => one.session),
      [name],
    )
    expect(`${name} that is overdue`, statesOf(ledger.expire(name)), ['expired'])
    expect(`${name} that has expired`, [ledger.expire(name), stateOf(desk, name)], [[], 'expired'])
  }
}

/** One block takes all back that it has settled. */
export function tryTwoOrphans({ ledger, expect, enqueue }: Desk): void {
  const number = 250_000
  const names = ['twin 1', 'twin 2']
  for (const name of names) enqueue(name)
  for (const name of names) ledger.settle(name, executionOf(name, number))
  expect('both taken back', statesOf(ledger.reopen(blockOf(number).hash)), ['queued', 'queued'])
  for (const name of names) ledger.expire(name)
}

/** Where a deadline ends a payment, its nonce is left to be filled. */
export function tryDeadlines(desk: Desk): void {
  const { ledger, expect, accept } = desk
  for (const isTaken of [false, true]) {
    const name = isTaken ? 'overdue, broadcast' : 'overdue, signed'
    const nonce = accept(name)
    if (isTaken) ledger.sent(hashOf(name), true)
    expect(name, statesOf(ledger.expire(name)), ['expired'])
    const [left] = ledger.work().nonces
    expect(`the nonce of ${name}`, [left?.nonce, left?.session], [nonce, undefined])
    const report = { nonce, hash: hashOf(name), block: blockOf(1), execution: undefined }
    expect(`a block of ${name}`, ledger.mined({ ...report, session: name }), [])
    expect(`what stays of ${name}`, ledger.mined({ ...report, session: undefined }), [])
    expect(`nonces after ${name}`, ledger.work().nonces, [])
    expect(`${name}, asked again`, kindOf(ledger.lookup(questionOf(name))), 'failed')
  }
  expect('one that is unknown', ledger.expire('unknown'), [])
}

/** A failure is told once it is final, and at once where the chain showed it to a ledger that had lost it. */
export function tryFailures({ ledger, expect, accept, mine }: Desk): void {
  const told = (name: string) => kindOf(ledger.lookup(questionOf(name)))
  const nonce = accept('fails')
  mine('fails', nonce, 1, 'failed')
  expect('a failure in a block', told('fails'), 'answered')
  ledger.confirm('fails', blockOf(1).hash)
  expect('a failure that is final', told('fails'), 'failed')
  for (const [name, outcome] of [
    ['found failed', 'failed'],
    ['found executed', 'executed'],
  ] as const) {
    const execution = executionOf(name, 1, outcome)
    const screen = screenOf(name)
    const order = orderOf(name, ledger.work().now)
    const adopt = () => ledger.adopt({ ...questionOf(name), steps: 1, screen, order, execution })
    expect(`one ${name}`, adopt(), { kind: 'adopted' })
    const kind = outcome === 'failed' ? 'failed' : 'answered'
    expect(`one ${name}, asked again`, ledger.lookup(questionOf(name)), { kind, screen })
    expect(`one ${name}, found again`, kindOf(adopt()), kind)
    ledger.confirm(name, blockOf(1).hash)
    expect(`one ${name} in the end`, kindOf(ledger.lookup(questionOf(name))), kind)
  }
}

/** An intent is paid for once: what asks for it in another session is not recorded. */
export function tryIntents({ ledger, expect, accept, claim, finish }: Desk): void {
  const nonce = accept('original')
  const claimed = claim('copy')
  const free = nonceOf(claimed)
  const order = orderOf('original', ledger.work().now)
  const transaction = { ...bytesOf('copy'), nonce: free ?? 0 }
  const told = { session: 'copy', token: 'copy', seen: undefined, screen: screenOf('copy') }
  let refusal = ''
  try {
    ledger.record({ ...told, order, transaction })
  } catch (error) {
    refusal = `${error}`
  }
  expect('the same intent twice', /recorded already/.test(refusal), true)
  finish('original', nonce, 1)
}

/** A block that is lost takes its payments back, also where the row of a nonce in it is lost. */
export function tryLostRows(desk: Desk): void {
  const { ledger, expect, lose, accept, mine } = desk
  const number = 500_000
  const nonce = accept('in a block')
  mine('in a block', nonce, number)
  lose(nonce)
  expect('the lost block', statesOf(ledger.reopen(blockOf(number).hash)), ['queued'])
  expect('nonces after it', ledger.work().nonces, [])
  ledger.expire('in a block')
}

/** Messages are due once the outcome is final, wait again where that is taken back, and leave once. */
export function tryMessages({ ledger, expect, claim, record, mine }: Desk): void {
  const name = 'tells'
  const number = 400_000
  const claimed = claim(name)
  const nonce = nonceOf(claimed) ?? 0
  const sms = [
    { party: 'sender', sealed: 'to the sender' },
    { party: 'receiver', sealed: 'to the receiver' },
  ] as const
  record(name, nonce, { sms })
  const taken = () => ledger.takeSms(10).taken.map(({ party, sealed }) => [party, sealed])
  mine(name, nonce, number)
  expect('messages before the end', taken(), [])
  ledger.confirm(name, blockOf(number).hash)
  ledger.reopen(blockOf(number).hash)
  expect('messages of an end that was taken back', taken(), [])
  mine(name, nonce, number + 1, 'failed')
  ledger.confirm(name, blockOf(number + 1).hash)
  expect('messages of a failure', taken(), [['sender', 'to the sender']])
  expect('the same messages again', taken(), [])
  ledger.noteSms({ session: name, party: 'sender', attempts: 1 }, 'sent')
  const later = claim('tells no one')
  const other = nonceOf(later) ?? 0
  record('tells no one', other, { sms })
  mine('tells no one', other, number + 2)
  ledger.confirm('tells no one', blockOf(number + 2).hash)
}

/** What is settled is forgotten by the time of its settlement, and what is younger counts on. */
export function tryForgetting({ ledger, rules, pass, expect, accept, finish }: Desk): void {
  const by = 'remembers'
  const late = accept('settles late', { by })
  pass(rules.retentionMs - 60_000)
  finish('settles late', late, 1)
  pass(120_000)
  ledger.prune()
  expect('one that was settled lately', ledger.payment('settles late')?.state, 'confirmed')
  const question = questionOf('settles late', by)
  expect('its session', kindOf(ledger.lookup(question)), 'answered')
  const later = accept('settles later', { by })
  pass(rules.retentionMs - 60_000)
  ledger.prune()
  expect('one that was settled long ago', ledger.payment('settles late'), undefined)
  const view = ledger.lookup(questionOf('a look', by))
  const left = view.kind === 'undecided' ? [view.open.length, view.seen] : []
  expect('payments that are left', left, [1, 1])
  finish('settles later', later, 1)
}

/** Where the row of a nonce is lost its payment waits again; one that was carried in vain too often is stuck. */
export function tryAttempts(desk: Desk): void {
  const { ledger, rules, lose, expect, enqueue, accept, next } = desk
  const lost = accept('loses its nonce')
  expect('one that is carried', ledger.requeue('loses its nonce'), [])
  lose(lost)
  expect('one without its nonce', statesOf(ledger.requeue('loses its nonce')), ['queued'])
  ledger.release([], lost + 1)
  ledger.expire('loses its nonce')
  enqueue('in vain')
  for (let time = 1; time <= rules.maxAttempts; time++) {
    const nonce = next()
    const [token, transaction] = [`in vain ${time}`, bytesOf(`attempt ${time}`)]
    const leasing = { nonce, token, chainNonce: nonce, session: 'in vain' }
    expect(`attempt ${time}`, kindOf(ledger.lease(leasing)), 'leased')
    ledger.attach({ nonce, token, transaction })
    const report = { nonce, session: 'in vain', hash: transaction.hash, block: blockOf(1) }
    expect(`attempt ${time} in vain`, statesOf(ledger.mined({ ...report, execution: undefined })), [
      'queued',
    ])
  }
  const { queued, stuck } = ledger.work()
  expect(
    'one that is stuck',
    [queued.length, stuck.map(({ attempts }) => attempts)],
    [...[0, [rules.maxAttempts]]],
  )
  const nonce = next()
  const late = { nonce, token: 'late', chainNonce: nonce, session: 'in vain' }
  expect('one attempt more', kindOf(ledger.lease(late)), 'taken')
  ledger.expire('in vain')
}

/** What rounds have seen of the chain is told until it is old, and since when the chain has been shorter. */
export function tryMeans({ ledger, rules, pass, expect }: Desk): void {
  const seen = () => {
    const { means, nextMeans } = ledger.work()
    return [means.toldCount, `${means.gasPriceWei}`, `${means.balanceWei}`, nextMeans]
  }
  const [lost, head] = [blockOf(250_000), blockOf(249_999)]
  ledger.sawHead([{ ...lost, count: 3 }], 14)
  ledger.sawHead([{ ...head, count: 3 }], 11)
  ledger.sawMeans(head.hash, { gasPriceWei: 5n, balanceWei: 7n }, 'balanceWei')
  ledger.sawMeans(lost.hash, { toldCount: 14, gasPriceWei: 6n, balanceWei: 8n }, 'toldCount')
  const isKept = rules.meansMs > 0
  const known = isKept ? ['6', '8'] : ['undefined', 'undefined']
  expect('what was read', seen(), [11, ...known, 'gasPriceWei'])
  pass(rules.meansMs)
  expect('what was read long ago', seen(), [11, 'undefined', 'undefined', 'gasPriceWei'])
  const since = ledger.work().now
  ledger.sawHead(undefined)
  pass(1_000)
  ledger.sawHead(undefined)
  expect('a chain that is shorter', ledger.work().behindSince, since)
  ledger.sawHead([{ ...blockOf(250_001), count: 3 }])
  expect('a chain that is as long again', ledger.work().behindSince, undefined)
}

/** Blocks are watched for as long as the rules say, counted from the head. */
export function tryWatching({ ledger, rules, expect, accept, finish }: Desk): void {
  const number = 900_000
  const headAt = (height: number) => {
    ledger.sawHead([{ ...blockOf(height), count: 0 }])
    return ledger.work().watching
  }
  headAt(number)
  finish('watched', accept('watched'), number)
  expect('a block that is watched', headAt(number + rules.watchBlocks - 1), true)
  expect('a block that no one watches', headAt(number + rules.watchBlocks), false)
}
