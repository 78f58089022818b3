import { encodeEventTopics, type Hex, numberToHex, pad, stringToHex } from 'viem'
import { expect, test } from 'vitest'
import { poolRules } from '../../../../src/chain/chains.ts'
import type { Receipt } from '../../../../src/chain/node.ts'
import { relayForwarderAbi } from '../../../../src/relay/forwarder/abi.ts'
import type { OpenNonce } from '../../../../src/relay/ledger/payments/nonces.ts'
import type { Payment } from '../../../../src/relay/ledger/payments/payment-states.ts'
import type { IntentExecution } from '../../../../src/relay/ledger/values.ts'
import type { Work } from '../../../../src/relay/ledger/work.ts'
import { assureOutcomes } from '../../../../src/relay/rounds/assure.ts'
import type { Action } from '../../../../src/relay/rounds/execute.ts'
import type { Spending } from '../../../../src/relay/rounds/questions.ts'
import { isDueSoon } from '../../../../src/relay/rounds/resend.ts'
import { executionIn, id } from '../../../ports/payments.ts'
import {
  blockAt,
  decide,
  factsOf,
  headNumber,
  paymentOf,
  type Snapshots,
  type Stage,
  terms as usual,
  workOf,
} from './snapshots.ts'

// A stage goes by facts and answers alone: each case is one that few histories come to.

const terms = { ...usual, rules: { ...poolRules.rootstock, maxInFlight: 4, confirmations: 3 } }
const { rules } = terms
const secondMs = 1_000
const now = 1_800_000_000_000
const nowSeconds = now / secondMs
const number = headNumber

type Wanted = Partial<Payment> & { block?: number; by?: string; deadline?: number }

function payment(session: string, wanted: Wanted = {}): Payment {
  const { by = session, deadline = nowSeconds + 7_200, block, ...more } = wanted
  const execution = block === undefined ? undefined : executionIn(block)
  const account = stringToHex(by, { size: 20 })
  return paymentOf(session, account, deadline, { acceptedAt: now, execution, ...more })
}

/** Says how long ago bytes were recorded and sent, and the result. */
type Sent = { recorded: number; sent?: number; failures?: number; price?: bigint }

/** Creates a nonce with its bytes, the newest first. */
function recorded(nonce: number, session: string | undefined, ...sent: Sent[]): OpenNonce {
  const transactions = sent.map(({ recorded: ago, sent: sentAgo, failures = 0, price }, index) => ({
    hash: id(`bytes ${nonce} ${index}`),
    raw: '0x' as const,
    gasPriceWei: price ?? 10n,
    recordedAt: now - ago,
    sentAt: sentAgo === undefined ? undefined : now - sentAgo,
    failures,
  }))
  const sessions = session === undefined ? [] : [session]
  return { nonce, sessions, transactions }
}

/** Holds what a stage goes by beside the work. */
type Chain = Omit<Snapshots, 'work'>

const chainOf = (
  count: number,
  answers: Chain['answers'] = {},
  facts: Partial<Chain['facts']> = {},
): Chain => ({
  facts: { ...factsOf(count, nowSeconds, number, number - 1, number - 2), ...facts },
  answers,
})

/** Describes an action in few words. */
function describeAction(action: Action): string {
  switch (action.kind) {
    case 'record': {
      const [subject] = action.args
      return `${action.method} ${typeof subject === 'object' && 'nonce' in subject ? subject.nonce : subject}`
    }
    case 'followHead':
      return `followHead, ${action.lost.length} lost, from ${action.reorganized?.number}`
    case 'resend': {
      const { nonce, outbid, replacements } = action
      if (outbid) return `outbid ${nonce}${outbid.isStuck ? '' : ', if its price is refused'}`
      if (replacements !== undefined) return `reportStuck ${nonce} after ${replacements}`
      return `rebroadcast ${nonce}${action.isFirst ? ', the first time' : ''}`
    }
    case 'confirm':
      return `confirm ${action.sessions}${action.lacksProof ? ', unproved' : ''}`
    case 'carry':
      return `carry ${action.nonce}: ${action.sessions}`
  }
}

/** Expects exactly these actions of a stage. */
function does(
  what: string,
  stage: Stage,
  open: Partial<Work>,
  chain: Chain,
  ...actions: string[]
): void {
  const done = decide(stage, { work: workOf({ now, ...open }), ...chain }, terms)
  expect(done.map(describeAction), what).toEqual(actions)
}

const wait = 'recordHead undefined'

test('a plan: a shorter chain makes rounds wait, and its lost payments reopen once', () => {
  const ahead = { head: blockAt(number + 1) }
  const at = chainOf(0)
  does('a shorter chain', 'follow', ahead, at, wait)
  const since = { ...ahead, behindSince: now - rules.regressionMs + 1 }
  does('a chain that was shorter for a while', 'follow', since, at, wait)
  const long = { ...ahead, behindSince: now - rules.regressionMs }
  does('one that stays so', 'follow', long, at, `followHead, 0 lost, from ${number + 1}`)
  const lostAt = (height: number) => ({ number: height, hash: id(`lost ${height}`) })
  const blocks = [blockAt(number), lostAt(number - 1), blockAt(number - 2)]
  const seen = { head: blockAt(number - 3) }
  const oneLost = chainOf(0, { blocks })
  does('blocks of which one is lost', 'follow', seen, oneLost, 'followHead, 1 lost, from undefined')
  const reorganized = { head: lostAt(number) }
  const unproven = (at: number) => chainOf(0, { blocks: [blockAt(at)], hidden: [at] })
  const [watched, deeper] = [number - rules.watchBlocks + 1, number - rules.watchBlocks]
  does('a watched block that no node proves', 'follow', reorganized, unproven(watched), wait)
  const followed = `followHead, 0 lost, from ${number}`
  does('a deeper one', 'follow', reorganized, unproven(deeper), followed)
  const above = chainOf(0, { blocks: [blockAt(number + 1)] })
  const shorter = { head: blockAt(number), behindSince: 1 }
  does('a block above the head', 'follow', shorter, above, `followHead, 1 lost, from ${number}`)
})

test('a plan: a deadline ends an unspent payment, and a spent one is settled', () => {
  const deadline = nowSeconds - 1
  const waits = { waiting: [payment('a', { deadline })], stuck: [payment('s', { deadline })] }
  const spentBy = (by: IntentExecution | undefined) => ({ kind: 'spent' as const, by })
  const told = (spendings: ReadonlyMap<string, Spending | undefined>, deepSeconds = nowSeconds) =>
    chainOf(0, { spendings, deepSeconds })
  const all = (spending: Spending | undefined) =>
    new Map(['a', 's', 'n'].map((session) => [session, spending] as const))
  const unspent = all({ kind: 'unspent' })
  does('deadlines that are over', 'settle', waits, told(unspent), 'expire a', 'expire s')
  const doubtful = { ...waits, possibleLossAt: now }
  does('deadlines that lost requests may outlast', 'settle', doubtful, told(unspent))
  const before = { ...waits, possibleLossAt: now + 1 }
  does('deadlines before a loss', 'settle', before, told(unspent), 'expire a', 'expire s')
  does('deadlines at a time', 'settle', waits, told(unspent, deadline))
  does('deadlines at no time', 'settle', waits, chainOf(0, { spendings: unspent }))
  does('intents of which nothing is known', 'settle', waits, told(all(undefined)))
  does('intents that nothing shows', 'settle', waits, told(all(spentBy(undefined))))
  const spendings = told(all(spentBy(executionIn(number))))
  does('spent intents', 'settle', waits, spendings, 'settle a', 'settle s')
  const early = { waiting: [payment('a')] }
  const spentEarly = { spendings: all(spentBy(executionIn(number))) }
  const ended = ['settle a']
  does('a spent intent that waits', 'carry', early, chainOf(0, {}, spentEarly), ...ended)
  const usable = chainOf(0, { pendingNonce: 0, gasPriceWei: 10n }, spentEarly)
  does('one before a pool that is known', 'carry', early, usable, ...ended)
  const nonces = [recorded(0, 'n', { recorded: 0 })]
  const carried = { nonces, carried: [payment('n', { nonce: 0, deadline })] }
  does('a spent intent that is carried', 'settle', carried, spendings)
  does('a carried one whose deadline is over', 'settle', carried, told(unspent), 'expire n')
  const lost = { carried: [payment('a', { nonce: 9, deadline })] }
  does('one without its nonce that ends', 'settle', lost, told(unspent), 'expire a')
})

test('a plan: bytes are sent again on time, at a higher price only if that can help', () => {
  const { rebroadcastMs, replaceAfterMs, maxReplacements, maxInFlight } = rules
  const chain = chainOf(5, { gasPriceWei: 10n })
  const offer = (what: string, at: number, sent: Sent[], ...actions: string[]) =>
    does(what, 'resend', { nonces: [recorded(at, 'a', ...sent)] }, chain, ...actions)
  offer('bytes never sent', 5, [{ recorded: 3 * secondMs }], 'rebroadcast 5, the first time')
  offer('bytes never sent, just now', 5, [{ recorded: 3 * secondMs - 1 }])
  const before = { recorded: replaceAfterMs }
  offer('new bytes never sent', 5, [{ recorded: 3 * secondMs }, before], 'rebroadcast 5')
  const once = { recorded: rebroadcastMs, sent: rebroadcastMs }
  offer('bytes sent long ago', 5, [once], 'rebroadcast 5')
  const last = 4 + maxInFlight
  offer('bytes of the last nonce in reach', last, [once], `rebroadcast ${last}`)
  offer('bytes of a nonce out of reach', 5 + maxInFlight, [once])
  offer('bytes of a nonce that was passed', 4, [once])
  offer('bytes sent lately', 5, [{ recorded: rebroadcastMs, sent: rebroadcastMs - 1 }])
  const refused = { recorded: 5 * secondMs, sent: 5 * secondMs, failures: 1 }
  offer('bytes that no node took', 5, [refused], 'rebroadcast 5')
  offer('bytes that no node took twice', 5, [{ ...refused, failures: 2 }])
  const stuck = { recorded: replaceAfterMs, sent: rebroadcastMs }
  offer('bytes that are stuck', 5, [stuck], 'outbid 5')
  offer('bytes that are stuck behind others', 6, [stuck], 'rebroadcast 6')
  const untaken = { ...stuck, failures: 4 }
  offer('bytes that no node took for long', 5, [untaken], 'outbid 5, if its price is refused')
  offer('bytes behind them', 6, [untaken], 'rebroadcast 6')
  offer('dear bytes that no node took', 5, [{ ...untaken, price: 1_000n }], 'reportStuck 5 after 0')
  const silent = { recorded: replaceAfterMs, sent: 2 * rebroadcastMs }
  offer('bytes that no pool need have', 5, [silent], 'rebroadcast 5')
  const most = Array.from({ length: maxReplacements }, () => stuck)
  offer('bytes outbid almost often enough', 5, most, 'outbid 5')
  const spentOut = `reportStuck 5 after ${maxReplacements}`
  offer('bytes outbid often enough', 5, [...most, stuck], spentOut)
  const cheap = Array.from({ length: maxReplacements + 1 }, () => ({ ...refused, price: 5n }))
  offer('cheap bytes that no node took, outbid often enough', 5, cheap, 'rebroadcast 5')
  const dear = { ...stuck, price: 1_000n }
  offer('bytes at the highest price', 5, [dear], 'reportStuck 5 after 0')
  const open = { nonces: [recorded(5, 'a', stuck)], carried: [payment('a', { nonce: 5 })] }
  does('a payment that is stuck', 'resend', open, chain, 'outbid 5')
  does('bytes that are stuck, at no price', 'resend', open, chainOf(5, {}), 'rebroadcast 5')
})

test('a plan: an empty transaction fills a gap below recorded nonces', () => {
  const nonces = [recorded(6, 'a', { recorded: 0 })]
  const chain = chainOf(5, { pendingNonce: 5, gasPriceWei: 10n })
  does('a gap', 'carry', { nonces }, chain, 'carry 5: ')
  const carries = (what: string, by: string, ...actions: string[]) => {
    const carried = [payment('a', { nonce: 6, by: 'x' })]
    const waiting = [payment('b', { by })]
    does(what, 'carry', { nonces, carried, waiting }, chain, ...actions)
  }
  carries('a gap for which one waits', 'y', 'carry 5: b')
  // Both were accepted in one step: the first of them goes first.
  carries('a gap for which one waits behind its own', 'x', 'carry 5: ', 'carry 7: b')
})

test('a plan: bytes are due early if no node accepted them, and not if one did', () => {
  const isDue = (behind: Sent) => {
    const nonces = [recorded(5, 'a', { recorded: 30, sent: 10 }), recorded(6, 'b', behind)]
    return isDueSoon(workOf({ now, nonces }), 5, rules)
  }
  expect(isDue({ recorded: 30, sent: 20 })).toBe(false)
  expect(isDue({ recorded: 30, sent: 20, failures: 3 })).toBe(true)
  expect(isDue({ recorded: 30, sent: 5, failures: 3 })).toBe(false)
  expect(isDue({ recorded: 30, sent: 5, failures: 1 })).toBe(true)
})

test('a plan: bytes that a pool lost are sent again after a block without them, at any price', () => {
  // A block of now: what reached the pools 3 s before it could be in it.
  const sentBefore = (ago: number) => ({ recorded: ago, sent: ago })
  const [could, couldNot] = [sentBefore(3 * secondMs + 1), sentBefore(3 * secondMs)]
  const all = [could, could, could, couldNot]
  const nonces = all.map((sent, index) => recorded(5 + index, `${index}`, sent))
  const missingFrom = (nonce: number) => chainOf(5, { pendingNonce: nonce, gasPriceWei: 10n })
  does('a pool that has all', 'resend', { nonces }, missingFrom(9))
  does('a pool that nobody asked', 'resend', { nonces }, chainOf(5, {}))
  does('a pool with a gap', 'resend', { nonces }, missingFrom(6), 'rebroadcast 6', 'rebroadcast 7')
  const refused = { nonces: [recorded(5, 'a', { ...could, failures: 1 })] }
  does('what no node took', 'resend', refused, missingFrom(5))
  const { replaceAfterMs, rebroadcastMs } = rules
  const longLost = (recordedMs: number, sent: number) => ({
    nonces: [recorded(5, 'a', { recorded: recordedMs, sent })],
  })
  const again = rebroadcastMs - 1
  does('lost late', 'resend', longLost(replaceAfterMs, again), missingFrom(5), 'rebroadcast 5')
  does('lost often', 'resend', longLost(2 * replaceAfterMs, again), missingFrom(5), 'outbid 5')
})

test('a plan: a nonce that the chain has passed is settled by its block, and is foreign only if nothing else is possible', () => {
  const old = { recorded: 60 * secondMs, sent: 31 * secondMs }
  const open = { nonces: [recorded(3, 'a', old)], carried: [payment('a', { nonce: 3 })] }
  const missing = (finalNonce: number | undefined, count = 4) =>
    chainOf(count, {
      ...{ mined: new Map([[3, 'missing']]), finalNonce },
      spendings: new Map([['a', { kind: 'unspent' }]]),
    })
  does('a nonce that others used', 'settle', open, missing(4), 'recordDisplaced 3')
  const spent = chainOf(4, {
    ...{ mined: new Map([[3, 'missing' as const]]), finalNonce: 4 },
    spendings: new Map([['a', { kind: 'spent' as const, by: undefined }]]),
  })
  does('one whose payment is executed', 'settle', open, spent)
  const aged = { recorded: 700 * secondMs, sent: 601 * secondMs }
  const long = { ...open, nonces: [recorded(3, 'a', aged)] }
  does('one whose receipt is lacking for long', 'settle', long, spent, 'recordDisplaced 3')
  does('one that is not passed at depth', 'settle', open, missing(3))
  does('one of which depth tells nothing', 'settle', open, missing(undefined))
  does('one that is not passed', 'settle', open, missing(4, 3))
  const young = [recorded(3, 'a', { recorded: 60 * secondMs, sent: 30 * secondMs })]
  does('one that was sent lately', 'settle', { ...open, nonces: young }, missing(4))
  const unasked = chainOf(4, { finalNonce: 4 })
  does('one that nothing is known of', 'settle', open, unasked)
  const execution = executionIn(number)
  const { hash, block } = execution
  const report = { nonce: 3, sessions: ['a'], hash, block, executions: { a: execution } }
  const mined = chainOf(4, {
    ...{ mined: new Map([[3, report]]), deepSeconds: nowSeconds },
    spendings: new Map([['a', { kind: 'unspent' }]]),
  })
  does('one in a block', 'settle', open, mined, 'recordMined 3')
  const late = [payment('a', { nonce: 3, deadline: nowSeconds - 1 })]
  does('a late one in a block', 'settle', { ...open, carried: late }, mined, 'recordMined 3')
  const idle = { ...report, executions: {} }
  const vain = { ...mined, answers: { ...mined.answers, mined: new Map([[3, idle]]) } }
  const both = ['recordMined 3', 'expire a']
  does('a late one that a block has in vain', 'settle', { ...open, carried: late }, vain, ...both)
  const watched = [recorded(3, 'a', { recorded: rules.pollMs })]
  does('one that is watched', 'settle', { ...open, nonces: watched }, mined)
  const [{ order, ...rest } = payment('a')] = open.carried
  const lasting = { ...order.request, deadline: nowSeconds + 23 * 3_600 }
  const till = { ...rest, order: { ...order, kind: 'withdrawal' as const, lasting } }
  const work = workOf({ now, nonces: watched, carried: [till] })
  const assuring = { ...terms, readSettled: async () => 9n }
  const settled = [assuring, terms].map((by) => decide('settle', { work, ...mined }, by).length)
  expect(settled, 'one that is watched, and that its block may assure').toEqual([1, 0])
  const replaced = [recorded(3, 'a', { recorded: rules.pollMs }, { recorded: rules.pollMs })]
  does('one that was outbid', 'settle', { ...open, nonces: replaced }, mined, 'recordMined 3')
})

test("a plan: nonces beyond the pool's reach are abandoned, by the higher of two counts", () => {
  const far = 1 + rules.maxInFlight
  const nonces = [0, far, far + 1, far + 3].map((nonce) =>
    recorded(nonce, undefined, { recorded: 0 }),
  )
  const at = (count: number, latestNonce: number | undefined) => chainOf(count, { latestNonce })
  does('nonces out of reach', 'settle', { nonces }, at(0, 0), `abandon ${far + 3}`)
  does('nonces by an older count', 'settle', { nonces }, at(0, far))
  does('nonces by a newer count', 'settle', { nonces }, at(far, 0))
  const passed = [0, 7].map((nonce) => recorded(nonce, undefined, { recorded: 0 }))
  does('nonces above one that was passed', 'settle', { nonces: passed }, at(2, 2), ...['abandon 7'])
  does('nonces by one count', 'settle', { nonces }, at(0, undefined))
})

test('a plan: a till is paid for good once a proved block did it, out of a settled balance', () => {
  const intentId = numberToHex(1, { size: 22 })
  const lasting = (hours: number) => ({ ...own.request, deadline: nowSeconds + hours * 3_600 })
  const own = { ...payment('a').order, kind: 'withdrawal' as const }
  const request = { ...own.request, intentId }
  const till = { ...payment('a', { block: number - 1 }), state: 'mined' as const }
  const order = { ...own, request, lasting: { ...lasting(23), intentId } }
  const { hash, block } = executionIn(number - 1)
  const eventName = 'RequestProcessed'
  const args = { intentId, from: request.from }
  const topics = encodeEventTopics({ abi: relayForwarderAbi, eventName, args })
  const logs = [{ address: terms.forwarder.address, topics, data: pad('0x') }]
  const proved = { hash, block, succeeded: true, gasUsed: 0, logs, proof: 'proved' } as Receipt
  const followed = factsOf(0, nowSeconds, number, number - 1, number - 2)
  const withTimes = (difficulty: Hex | undefined, seconds = nowSeconds) => ({
    followedBlocks: followed.followedBlocks.map((one) => ({
      ...one,
      ...{ difficulty, floor: '0x5' as const, timestampSeconds: seconds },
    })),
  })
  const proofs = { minDifficulty: 4n, from: 1 }
  const readSettled = async () => 9n
  type Case = {
    over?: Partial<Payment>
    work?: Partial<Work>
    by?: Partial<typeof terms> & { readSettled?: undefined; proofs?: undefined }
    facts?: Partial<Chain['facts']>
    answers?: Chain['answers']
  }
  const assures = (what: string, given: Case, ...actions: string[]) => {
    const { over, work, by, facts, answers } = given
    const mined = [{ ...till, order, ...over }]
    const chain = chainOf(
      0,
      { receipt: proved, settledWei: 9n, ...answers },
      { ...withTimes('0x9'), ...facts },
    )
    const rules = { ...terms, proofs, readSettled, ...by }
    const done = decide('assure', { work: workOf({ now, mined, ...work }), ...chain }, rules)
    expect(done.map(describeAction), what).toEqual(actions)
  }
  assures('one that a proved block did', {}, 'assure a')
  const given = {
    work: workOf({ now, mined: [{ ...till, order }] }),
    ...chainOf(0, { receipt: proved }),
  }
  const asking = assureOutcomes(
    given.work,
    { ...given.facts, ...withTimes('0x9') },
    { ...terms, proofs, readSettled },
  )
  const asked = [asking.next([]), asking.next([proved])].map(({ value }) => value)
  const final = blockAt(number - 2)
  expect(asked[1]).toMatchObject([{ name: 'readSettled', args: [request.from, final.hash] }])
  assures('one where nothing is final before its block', { by: { readSettled: undefined } })
  assures('one on a local chain, which is believed', { by: { proofs: undefined } }, 'assure a')
  assures('one whose receipt is not proved', { answers: { receipt: 'unproved' } })
  assures('one whose receipt tells of nothing', { answers: { receipt: { ...proved, logs: [] } } })
  assures('one below a header without work', { facts: withTimes(undefined) })
  assures('one below a header of too little work', { facts: withTimes('0x4') })
  assures('one whose balance nobody tells', { answers: { settledWei: undefined } })
  assures('one that is signed for hours only', {
    over: { order: { ...order, lasting: lasting(11) } },
  })
  assures('one without a request for a day', { over: { order: { ...order, lasting: undefined } } })
  assures('one that is assured', { over: { assuredAt: 1 } })
  assures('one that failed', {
    over: { execution: { ...executionIn(number - 1), outcome: 'failed' } },
  })
  assures('one in another block', { over: { execution: executionIn(number + 3) } })
  assures('one whose block is final', { over: { execution: executionIn(number - 2) } })
  assures('one while rows may be lost', { work: { possibleLossAt: now } })
  const old = { followedBlocks: followed.followedBlocks.slice(0, 2) }
  assures('one above no final block', { facts: old })
  assures('one above a final block of long ago', { facts: withTimes('0x9', nowSeconds - 3_601) })
  assures('one that was looked at under this head', { facts: { isNewHead: false } })
  const inHead = { order, execution: executionIn(number) }
  const answers = { receipt: { ...proved, ...executionIn(number) } as Receipt }
  const isOld = { isNewHead: false }
  assures('one that the head did', { over: inHead, answers, facts: isOld }, 'assure a')
})
