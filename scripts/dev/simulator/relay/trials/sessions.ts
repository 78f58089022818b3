import { simulatedChainId } from '../../ground.ts'
import {
  accountOf,
  blockOf,
  bytesOf,
  type Desk,
  hashOf,
  kindOf,
  nonceOf,
  orderOf,
  questionOf,
  screenOf,
} from './desk.ts'

const farAway = Number.MAX_SAFE_INTEGER

/** One session's claim, its record, and what every other question is told meanwhile and afterwards. */
export function tryClaims(desk: Desk): void {
  const { ledger, rules, pass, expect, claim, record, refuse, next, finish } = desk
  const name = 'claim'
  const nonce = next()
  const slot = { nonce, priorGasPriceWei: undefined }
  expect('a first claim', claim(name), { kind: 'claimed', slot })
  expect('the same claim', claim(name), { kind: 'claimed', slot })
  expect('another token', kindOf(claim(name, { token: 'another' })), 'pending')
  expect('another input', kindOf(claim(name, { input: 'another' })), 'pending')
  expect('a look meanwhile', kindOf(ledger.lookup(questionOf(name))), 'pending')
  const beside = ledger.lookup(questionOf('beside', name))
  expect('a look beside it', beside.kind === 'undecided' && [beside.busy, beside.load], [
    ...[true, { ofAccount: 1, carried: 1, waiting: 0 }],
  ])
  expect('a checked claim beside it', kindOf(claim('beside', { by: name, seen: 0 })), 'changed')
  expect('a record by another', kindOf(record(name, nonce, { token: 'another' })), 'fenced')
  expect('a record on another nonce', kindOf(record(name, nonce + 1)), 'fenced')
  expect('a record', kindOf(record(name, nonce)), 'recorded')
  expect('the same record', kindOf(record(name, nonce)), 'recorded')
  const screen = screenOf(name)
  expect('a look after it', ledger.lookup(questionOf(name)), { kind: 'answered', screen })
  const other = { ...questionOf(name), input: 'another' }
  expect('another question after it', ledger.lookup(other), { kind: 'ended' })
  finish(name, nonce, 1)
  claim('late')
  pass(rules.leaseMs + 1)
  expect('a record after its lease', kindOf(record('late', next() - 1)), 'fenced')
  expect('a look after a lease', kindOf(ledger.lookup(questionOf('late'))), 'undecided')
  const again = claim('late')
  expect('a claim after its own lease', kindOf(again), 'claimed')
  expect('a refusal', kindOf(refuse('late')), 'refused')
}

/** Who gives a session up gives its nonce back, and answers it for good. */
export function tryRefusals({ ledger, expect, claim, refuse, next }: Desk): void {
  const nonce = next()
  claim('given')
  expect('a refusal by another', kindOf(refuse('given', { token: 'another' })), 'pending')
  expect('a refusal', refuse('given'), { kind: 'refused' })
  const screen = screenOf('given')
  expect('a look after it', ledger.lookup(questionOf('given')), { kind: 'answered', screen })
  const other = { ...questionOf('given'), input: 'another' }
  expect('another question after it', ledger.lookup(other), { kind: 'closed' })
  const slot = { nonce, priorGasPriceWei: undefined }
  expect('the next claim', claim('taken', { chainNonce: nonce }), { kind: 'claimed', slot })
  refuse('taken')
  expect('a refusal without a claim', refuse('without'), { kind: 'refused' })
  ledger.release([nonce], nonce)
}

/** A claim on a view that another payment has changed records nothing. */
export function tryViews({
  ledger,
  expect,
  claim,
  record,
  refuse,
  loadOf,
  accept,
  finish,
}: Desk): void {
  const claimed = claim('viewed', { seen: 0 })
  const nonce = nonceOf(claimed)
  const other = accept('unviewed', { by: 'viewed' })
  claim('aside', { by: 'viewed' })
  expect('a look at three', loadOf('viewed')?.ofAccount, 3)
  refuse('aside', { by: 'viewed' })
  expect('a record on an older view', kindOf(record('viewed', nonce, { seen: 0 })), 'fenced')
  expect('a claim on an older view', kindOf(claim('old', { by: 'viewed', seen: 0 })), 'changed')
  finish('unviewed', other, 1)
  refuse('viewed')
  const { open, executed, seen } = seenBy(ledger, 'viewed')
  expect('a look at one that was executed', [open, executed, seen], [0, 1, 1])
}

function seenBy(ledger: Desk['ledger'], by: string) {
  const view = ledger.lookup(questionOf('a look', by))
  if (view.kind !== 'undecided') return { open: undefined, executed: undefined, seen: undefined }
  return { open: view.open.length, executed: view.executed.length, seen: view.seen }
}

/** What a node that is behind may not know: executed payments of the last minutes, and no others. */
export function tryViewsOfExecuted(desk: Desk): void {
  const { ledger, pass, expect, accept, mine } = desk
  const by = 'executes'
  const look = (what: string, open: number, executed: number) => {
    const seen = seenBy(ledger, by)
    expect(what, [seen.open, seen.executed], [open, executed])
  }
  const first = accept('executes 1', { by })
  look('a look at one that is open', 1, 0)
  mine('executes 1', first, 1)
  look('a look at one in a block', 0, 1)
  ledger.confirm('executes 1', blockOf(1).hash)
  look('a look at one that is final', 0, 1)
  const second = accept('executes 2', { by })
  mine('executes 2', second, 2, 'failed')
  look('a look at one that failed', 0, 1)
  ledger.confirm('executes 2', blockOf(2).hash)
  const third = accept('executes 3', { by })
  mine('executes 3', third, 3)
  pass(10 * 60 * 1000)
  look('a look at an old one and one in a block', 0, 1)
  ledger.confirm('executes 3', blockOf(3).hash)
  expect('all of them', ledger.payments(accountOf(by), farAway).length, 3)
}

/** Beyond its room nothing is claimed, and nothing waits. */
export function tryRoom({
  ledger,
  rules,
  expect,
  claim,
  record,
  refuse,
  accept,
  finish,
}: Desk): void {
  const room = { ofAccount: 2, open: 2, waiting: 1 }
  const nonce = accept('room 1', { by: 'room' })
  const load = { ofAccount: 1, carried: 1, waiting: 0 }
  const full = (one: Partial<typeof room>) =>
    claim('room 2', { by: 'room', room: { ...room, ...one } })
  expect('a claim beyond its account', full({ ofAccount: 1 }), { kind: 'full', load })
  expect('a claim beyond all', full({ open: 1 }), { kind: 'full', load })
  expect('a claim without a turn', kindOf(full({ waiting: 0 })), 'claimed')
  const few = { by: 'room', room: { ...room, waiting: 0 } }
  expect('a record without a turn', kindOf(record('room 2', undefined, few)), 'full')
  refuse('room 2', { by: 'room' })
  ledger.release([nonce + 1], nonce)
  // What comes next is just out of reach.
  const none = { chainNonce: nonce, poolNonce: nonce + rules.maxInFlight }
  const third = { by: 'room', ...none, room: { ...room, waiting: 0 } }
  expect('a claim without nonce and turn', claim('room 3', third), { kind: 'full', load })
  finish('room 1', nonce, 1)
  // The same count, now read before a block that is known.
  const last = nonce + rules.maxInFlight
  expect('a claim by an old count', nonceOf(claim('room 4', { by: 'room', ...none })), last)
  refuse('room 4', { by: 'room' })
  ledger.release([last], nonce + 1)
}

/** What the pool gave to others moves no bound, since no block took it. */
export function tryForeignCount({
  ledger,
  rules,
  expect,
  claim,
  accept,
  finish,
  next,
}: Desk): void {
  const nonce = next()
  accept('foreign count 1', { by: 'foreign count' })
  ledger.displaced(nonce)
  const token = 'foreign count'
  const lease = { nonce: nonce + 1, token, chainNonce: nonce + 1, session: 'foreign count 1' }
  ledger.lease(lease)
  ledger.attach({ nonce: nonce + 1, token, transaction: bytesOf('foreign count again') })
  const old = { chainNonce: nonce, poolNonce: nonce + rules.maxInFlight }
  const asking = { by: 'foreign count', ...old, room: { ofAccount: 2, open: 2, waiting: 0 } }
  expect('a claim behind a foreign nonce', kindOf(claim('foreign count 2', asking)), 'full')
  finish('foreign count 1', nonce + 1, 1)
}

/** What goes by another forwarder than the ledger's is neither claimed nor left waiting. */
export function tryOthers({ ledger, expect, claim, record, refuse, next }: Desk): void {
  const nonce = next()
  const identityOf = (value: string) => ({
    chainId: simulatedChainId,
    fingerprints: { TRIAL: value },
  })
  const [own, others] = [identityOf('own'), identityOf('of others')]
  ledger.identify(own)
  expect('a claim of others', claim('others', { identity: others }), { kind: 'paused' })
  expect('a claim of its own', kindOf(claim('others', { identity: own })), 'claimed')
  const recorded = record('others', undefined, { identity: others })
  expect('a record of others without a turn', recorded, { kind: 'fenced' })
  expect('the difference of others', ledger.work(others).differences, ['TRIAL'])
  expect('the difference of its own', ledger.work(own).differences, [])
  refuse('others')
  ledger.release([nonce], nonce)
}

/** While payments wait none passes them, and each is counted; who waits holds no nonce. */
export function tryQueue({
  ledger,
  rules,
  pass,
  expect,
  claim,
  record,
  refuse,
  loadOf,
  next,
}: Desk): void {
  const nonce = next()
  const waits = (name: string, seconds: number) => {
    const order = orderOf(name, ledger.work().now)
    const deadline = Math.floor(ledger.work().now / 1_000) + seconds
    const request = { ...order.request, deadline }
    expect(name, kindOf(record(name, undefined, { order: { ...order, request } })), 'recorded')
  }
  const slotOf = (name: string, from = nonce) => {
    const claimed = claim(name, { chainNonce: from, poolNonce: from })
    return claimed.kind === 'claimed' ? nonceOf(claimed) : claimed.kind
  }
  const waiting = () => loadOf('a look')
  expect('the first claim', slotOf('queue 1'), nonce)
  waits('queue 1', 7_200)
  expect('the second claim', slotOf('queue 2'), undefined)
  waits('queue 2', 60)
  expect('the third claim', slotOf('queue 3'), undefined)
  waits('queue 3', 60)
  expect('what waits', waiting(), { ofAccount: 0, carried: 0, waiting: 3 })
  const open = ledger.work().nonces.map(({ nonce: at, leaseLive }) => [at, leaseLive])
  expect('a nonce that no one holds', open, [[nonce, false]])
  pass(120_000)
  expect('a claim after two deadlines', slotOf('queue 4', nonce + 1), undefined)
  expect('a nonce that was passed', ledger.work().nonces, [])
  refuse('queue 4')
  ledger.expire('queue 3')
  expect('what still waits', waiting(), { ofAccount: 0, carried: 0, waiting: 2 })
  expect(
    'the order of what waits',
    ledger.work().queued.map(({ session }) => session),
    [...['queue 1', 'queue 2']],
  )
  pass(7_200_000)
  expect('a claim after all deadlines', slotOf('queue 5', nonce + 1), nonce + 1)
  for (const name of ['queue 1', 'queue 2']) ledger.expire(name)
  expect('a claim without a queue', slotOf('queue 6', nonce + 1), nonce + 2)
  expect('what is held', waiting(), { ofAccount: 0, carried: 2, waiting: 0 })
  pass(rules.leaseMs)
  expect('what is held no more', waiting(), { ofAccount: 0, carried: 0, waiting: 0 })
}

/** A payment that gets another nonce keeps its place among its account's. */
export function tryOrder({ ledger, pass, expect, accept, finish, next }: Desk): void {
  const by = 'in order'
  const nonce = accept('z, the first', { by })
  pass(1_000)
  finish('another', accept('another', { by }), 1)
  accept('a, the last', { by })
  ledger.abandon(nonce)
  const view = ledger.lookup(questionOf('a look', by))
  const intents = view.kind === 'undecided' ? view.open.map(({ intentId }) => intentId) : []
  expect('the order of what is open', intents, [hashOf('z, the first'), hashOf('a, the last')])
  ledger.expire('z, the first')
  finish('a, the last', next() - 1, 2)
}

/** What a step of a session showed is told to each later delivery of it. */
export function tryShown({ ledger, expect }: Desk): void {
  const showing = { ...questionOf('shown'), name: 'fact', value: '1' }
  expect('a fact', ledger.show(showing), { kind: 'shown', value: '1' })
  expect('another of its name', ledger.show({ ...showing, value: '2' }), {
    ...{ kind: 'shown', value: '1' },
  })
}

/** What payments are refused for is news once a minute. */
export function tryObstacles({ pass, expect, refuse }: Desk): void {
  const refuseFor = (name: string, obstacle: 'crowded' | 'paused') => refuse(name, { obstacle })
  const news = { kind: 'refused', isNews: true }
  const known = { kind: 'refused' }
  pass(60_001)
  expect('a first obstacle', refuseFor('obstacle 1', 'crowded'), news)
  expect('the same one', refuseFor('obstacle 2', 'crowded'), known)
  expect('another one', refuseFor('obstacle 3', 'paused'), news)
  pass(59_000)
  expect('the same one within a minute', refuseFor('obstacle 4', 'paused'), known)
  pass(2_000)
  expect('the same one after a minute', refuseFor('obstacle 5', 'paused'), news)
}
