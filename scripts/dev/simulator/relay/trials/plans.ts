import { poolRules } from '../../../../../src/chain/chains.ts'
import type { OpenNonce, Payment, Work } from '../../../../../src/relay/ledger/port.ts'
import {
  type ChainSnapshot,
  chainAt,
  isAnyRefusedOnce,
  type NonceFate,
} from '../../../../../src/relay/tend/facts.ts'
import { type Action, plan, type Stage } from '../../../../../src/relay/tend/plan.ts'
import { blockOf, bytesOf, type Desk, executionOf, orderOf } from './desk.ts'

// A plan goes by two snapshots alone, so it is tried on some that few histories come to.

const terms = {
  rules: { ...poolRules.rootstock, maxInFlight: 4, confirmations: 3 },
  fees: { minWei: 0n, maxWei: 1_000n },
}
const { rules } = terms
const secondMs = 1_000
const now = 1_800_000_000_000
const nowSeconds = now / secondMs
const number = 100
/** The lowest block whose outcomes are not final at the head. */
const shallow = number - rules.confirmations + 2

type Wanted = { nonce?: number; attempts?: number; block?: number; by?: string; deadline?: number }

/** A payment that the ledger lists. */
function payment(session: string, wanted: Wanted = {}): Payment {
  const { nonce, attempts = 0, block, by, deadline } = wanted
  const order = orderOf(session, now, by === undefined ? {} : { by })
  const request = { ...order.request, deadline: deadline ?? order.request.deadline }
  const execution = block === undefined ? undefined : executionOf(session, block)
  return {
    ...{ session, state: 'queued', order: { ...order, request }, nonce, attempts, execution },
    acceptedAt: now,
  }
}

/** How long ago bytes were recorded and offered, and what became of the offer. */
type Sent = { recorded: number; sent?: number; failures?: number; price?: bigint }

/** A nonce with bytes, the newest first. */
function recorded(nonce: number, session: string | undefined, ...sent: Sent[]): OpenNonce {
  const transactions = sent.map(({ recorded: ago, sent: sentAgo, failures = 0, price }, index) => ({
    ...bytesOf(`bytes ${nonce} ${index}`, price ?? 10n),
    recordedAt: now - ago,
    sentAt: sentAgo === undefined ? undefined : now - sentAgo,
    failures,
  }))
  return { nonce, session, state: 'recorded', leaseLive: false, transactions }
}

const leased = (nonce: number, leaseLive: boolean): OpenNonce => ({
  ...{ nonce, session: undefined, state: 'leased', leaseLive, transactions: [] },
})

const workOf = (open: Partial<Work>): Work => ({
  ...{ now, head: undefined, trail: [], means: {}, nextMeans: 'toldCount', behindSince: undefined },
  ...{ nextNonce: 0, nonces: [], queued: [], stuck: [], carried: [], mined: [], watching: false },
  ...open,
})

const known = <Value>(value: Value) => ({ kind: 'known' as const, value })
const unknown = { kind: 'unknown' } as const

const head = { ...blockOf(number), timestampSeconds: nowSeconds }

const chainOf = (count: number, answers: Partial<ChainSnapshot>): ChainSnapshot => ({
  ...chainAt(head as Parameters<typeof chainAt>[0], count),
  ...answers,
})

/** What an action does, in few words. */
function wordsOf(action: Action): string {
  switch (action.kind) {
    case 'awaitChain':
      return action.kind
    case 'followHead':
      return `followHead, ${action.lost.length} lost, from ${action.reorganized?.number}`
    case 'displace':
      return `displace ${action.nonce}: ${action.reason}`
    case 'settle':
      return `settle ${action.report.nonce}`
    case 'takeBack':
      return `takeBack ${action.block.number}`
    case 'requeue':
    case 'settleElsewhere':
    case 'confirm':
    case 'expire':
      return `${action.kind} ${action.session}`
    case 'abandon':
    case 'noOp':
      return `${action.kind} ${action.nonce}`
    case 'rebroadcast':
      return `rebroadcast ${action.nonce}${action.isFirst ? ', the first time' : ''}`
    case 'outbid':
      return `outbid ${action.nonce} for ${action.request === undefined ? 'nothing' : 'a payment'}`
    case 'reportStuck':
      return `reportStuck ${action.nonce} after ${action.replacements}`
    case 'carry':
      return `carry ${action.session} on ${action.nonce}`
    case 'release':
      return `release ${action.nonces}`
  }
}

/** Whether a stage of a round does these things, and nothing else. */
type Does = (
  what: string,
  stage: Stage,
  open: Partial<Work>,
  chain: ChainSnapshot,
  ...actions: string[]
) => void

const doing =
  ({ expect }: Desk): Does =>
  (what, stage, open, chain, ...actions) => {
    const done = plan(stage, { work: workOf(open), refused: new Set() }, chain, terms)
    expect(what, done.map(wordsOf), actions)
  }

/** A chain that is shorter is waited for, and what it has lost is taken back once. */
export function tryFollowing(desk: Desk): void {
  const does = doing(desk)
  const ahead = { head: blockOf(number + 1) }
  const at = chainOf(0, {})
  does('a shorter chain', 'follow', ahead, at, 'awaitChain')
  const since = { ...ahead, behindSince: now - rules.regressionMs + 1 }
  does('a chain that was shorter for a while', 'follow', since, at, 'awaitChain')
  const long = { ...ahead, behindSince: now - rules.regressionMs }
  does('one that stays so', 'follow', long, at, `followHead, 0 lost, from ${number + 1}`)
  const blocks = [number, number - 1, number - 2].map(blockOf)
  const places = new Map([
    [blockOf(number).hash, 'held'],
    [blockOf(number - 1).hash, 'lost'],
    [blockOf(number - 2).hash, 'unknown'],
  ] as const)
  const seen = { head: blockOf(number) }
  does(
    'blocks of which one is lost',
    'follow',
    seen,
    chainOf(0, { blocks, places }),
    ...['followHead, 1 lost, from undefined'],
  )
  const unproven = (at: number) => {
    const lost = [blockOf(number).hash, 'lost'] as const
    const unasked = [blockOf(at).hash, 'unknown'] as const
    return chainOf(0, { blocks: [blockOf(at)], places: new Map([lost, unasked]) })
  }
  const [watched, deeper] = [number - rules.watchBlocks + 1, number - rules.watchBlocks]
  does('a watched block that no node proves', 'follow', seen, unproven(watched), 'awaitChain')
  const followed = `followHead, 0 lost, from ${number}`
  does('a deeper one', 'follow', seen, unproven(deeper), followed)
  const above = chainOf(0, { blocks: [blockOf(number + 1)] })
  does(
    'a block above the head',
    'follow',
    { ...seen, behindSince: 1 },
    above,
    ...[`followHead, 1 lost, from ${number}`],
  )
}

/** What stands alone since a row was lost is given up, or waits again. */
export function tryRepairs(desk: Desk): void {
  const does = doing(desk)
  const nonces = [recorded(0, 'bare'), recorded(1, 'whole', { recorded: 0 }), leased(2, true)]
  const carried = [
    ...[payment('bare', { nonce: 0 }), payment('whole', { nonce: 1 })],
    payment('alone', { nonce: 7 }),
  ]
  const chain = chainOf(0, {})
  does('lost rows', 'settle', { nonces, carried }, chain, 'displace 0: bytes_lost', 'requeue alone')
}

/** A nonce that the chain has passed is settled by its block, and is foreign only where nothing else is possible. */
export function tryPassed(desk: Desk): void {
  const does = doing(desk)
  const old = { recorded: 60 * secondMs, sent: 31 * secondMs }
  const open = { nonces: [recorded(3, 'a', old)], carried: [payment('a', { nonce: 3 })] }
  const fates = new Map<number, NonceFate>([[3, { kind: 'missing' }]])
  const missing = (deep: ChainSnapshot['deepCount'], count = 4) =>
    chainOf(count, { fates, deepCount: deep })
  does('a nonce that others used', 'settle', open, missing(known(4)), 'displace 3: foreign')
  does('one that is not passed at depth', 'settle', open, missing(known(3)))
  does('one of which depth tells nothing', 'settle', open, missing(unknown))
  does('one that is not passed', 'settle', open, missing(known(4), 3))
  const young = [recorded(3, 'a', { recorded: 60 * secondMs, sent: 30 * secondMs })]
  does('one that was sent lately', 'settle', { ...open, nonces: young }, missing(known(4)))
  const unasked = chainOf(4, { deepCount: known(4) })
  does('one that nothing is known of', 'settle', open, unasked)
  const execution = executionOf('a', number)
  const { hash, block } = execution
  const report = { nonce: 3, session: 'a', hash, block, execution }
  const mined = chainOf(4, {
    ...{ fates: new Map([[3, { kind: 'mined', report }]]), deepTimeSeconds: known(nowSeconds) },
    spent: new Map([['a', { kind: 'unspent' }]]),
  })
  does('one in a block', 'settle', open, mined, 'settle 3')
  const late = [payment('a', { nonce: 3, deadline: nowSeconds - 1 })]
  does('a late one in a block', 'settle', { ...open, carried: late }, mined, 'settle 3')
  const idle = { ...report, execution: undefined }
  const vain = { ...mined, fates: new Map([[3, { kind: 'mined', report: idle } as const]]) }
  const both = ['settle 3', 'expire a']
  does('a late one that a block has in vain', 'settle', { ...open, carried: late }, vain, ...both)
  const watched = [recorded(3, 'a', { recorded: rules.pollMs })]
  does('one that is watched', 'settle', { ...open, nonces: watched }, mined)
  const replaced = [recorded(3, 'a', { recorded: rules.pollMs }, { recorded: rules.pollMs })]
  does('one that was outbid', 'settle', { ...open, nonces: replaced }, mined, 'settle 3')
}

/** Outcomes are final at their depth, by a block that is still there. */
export function tryOutcomes(desk: Desk): void {
  const does = doing(desk)
  const block = shallow - 1
  const mined = [
    ...[payment('a', { block }), payment('b', { block })],
    payment('c', { block: shallow }),
  ]
  const placed = (place: 'held' | 'lost' | 'unknown') =>
    chainOf(0, {
      places: new Map([block, shallow].map((at) => [blockOf(at).hash, place] as const)),
    })
  does('outcomes at depth', 'settle', { mined }, placed('held'), 'confirm a', 'confirm b')
  does('outcomes of a lost block', 'settle', { mined }, placed('lost'), `takeBack ${block}`)
  does('outcomes of a block not asked for', 'settle', { mined }, placed('unknown'))
}

/** A deadline ends what nothing has spent, and what was spent is settled by that. */
export function tryEnds(desk: Desk): void {
  const does = doing(desk)
  const deadline = nowSeconds - 1
  const waits = { queued: [payment('a', { deadline })], stuck: [payment('s', { deadline })] }
  const spentBy = (by: string | undefined) => ({
    ...{ kind: 'spent' as const, by: by === undefined ? undefined : executionOf(by, number) },
  })
  type Spent = ChainSnapshot['spent']
  const told = (spent: Spent, deep: ChainSnapshot['deepTimeSeconds'] = known(nowSeconds)) =>
    chainOf(0, { spent, deepTimeSeconds: deep })
  const all = (spending: ReturnType<typeof spentBy> | { kind: 'unspent' } | { kind: 'unknown' }) =>
    new Map(['a', 's', 'n'].map((session) => [session, spending] as const))
  const unspent = all({ kind: 'unspent' })
  does('deadlines that are over', 'settle', waits, told(unspent), 'expire a', 'expire s')
  does('deadlines at a time', 'settle', waits, told(unspent, known(deadline)))
  does('deadlines at no time', 'settle', waits, told(unspent, unknown))
  does('intents of which nothing is known', 'settle', waits, told(all({ kind: 'unknown' })))
  does('intents that nothing shows', 'settle', waits, told(all(spentBy(undefined))))
  const spent = told(all(spentBy('x')))
  const ended = ['settleElsewhere a', 'settleElsewhere s']
  does('spent intents', 'settle', waits, spent, ...ended)
  const nonces = [recorded(0, 'n', { recorded: 0 })]
  const carried = { nonces, carried: [payment('n', { nonce: 0, deadline })] }
  does('a spent intent that is carried', 'settle', carried, spent)
  does('a carried one whose deadline is over', 'settle', carried, told(unspent), 'expire n')
  const lost = { carried: [payment('a', { nonce: 9, deadline })] }
  does('one without its nonce that ends', 'settle', lost, told(unspent), 'expire a')
}

/** Nonces that the pool never reaches are given up, by the higher of two counts. */
export function tryReach(desk: Desk): void {
  const does = doing(desk)
  const far = 1 + rules.maxInFlight
  const nonces = [0, far, far + 1, far + 3].map((nonce) =>
    recorded(nonce, undefined, { recorded: 0 }),
  )
  const at = (count: number, again: ChainSnapshot['countAgain']) =>
    chainOf(count, { countAgain: again })
  does('nonces out of reach', 'settle', { nonces }, at(0, known(0)), `abandon ${far + 3}`)
  does('nonces by an older count', 'settle', { nonces }, at(0, known(far)))
  does('nonces by a newer count', 'settle', { nonces }, at(far, known(0)))
  const passed = [0, 7].map((nonce) => recorded(nonce, undefined, { recorded: 0 }))
  does(
    'nonces above one that was passed',
    'settle',
    { nonces: passed },
    at(2, known(2)),
    ...['abandon 7'],
  )
  const bare = { nonces: [recorded(9, undefined)] }
  does('a bare nonce out of reach', 'settle', bare, at(0, known(0)), 'displace 9: bytes_lost')
  does('nonces by one count', 'settle', { nonces }, at(0, unknown))
}

/** Bytes go out again in their time, and a higher price is paid where only that can help. */
export function tryOffers(desk: Desk): void {
  const does = doing(desk)
  const { rebroadcastMs, replaceAfterMs, maxReplacements, maxInFlight } = rules
  const chain = chainOf(5, { gasPriceWei: known(10n) })
  const offer = (what: string, at: number, sent: Sent[], ...actions: string[]) =>
    does(what, 'offer', { nonces: [recorded(at, 'a', ...sent)] }, chain, ...actions)
  offer('bytes never sent', 5, [{ recorded: 3 * secondMs }], 'rebroadcast 5, the first time')
  offer('bytes never sent, just now', 5, [{ recorded: 3 * secondMs - 1 }])
  const before = { recorded: replaceAfterMs }
  offer('new bytes never sent', 5, [{ recorded: 3 * secondMs }, before], 'rebroadcast 5')
  const once = { recorded: rebroadcastMs, sent: rebroadcastMs }
  offer('bytes sent long ago', 5, [once], 'rebroadcast 5')
  offer(
    'bytes of the last nonce in reach',
    4 + maxInFlight,
    [once],
    `rebroadcast ${4 + maxInFlight}`,
  )
  offer('bytes of a nonce out of reach', 5 + maxInFlight, [once])
  offer('bytes of a nonce that was passed', 4, [once])
  offer('bytes sent lately', 5, [{ recorded: rebroadcastMs, sent: rebroadcastMs - 1 }])
  const refused = { recorded: 5 * secondMs, sent: 5 * secondMs, failures: 1 }
  offer('bytes that no node took', 5, [refused], 'rebroadcast 5')
  offer('bytes that no node took twice', 5, [{ ...refused, failures: 2 }])
  const stuck = { recorded: replaceAfterMs, sent: rebroadcastMs }
  offer('bytes that are stuck', 5, [stuck], 'outbid 5 for nothing')
  offer('bytes that are stuck behind others', 6, [stuck], 'rebroadcast 6')
  const silent = { recorded: replaceAfterMs, sent: 2 * rebroadcastMs }
  offer('bytes that no pool need have', 5, [silent], 'rebroadcast 5')
  const most = Array.from({ length: maxReplacements }, () => stuck)
  offer('bytes outbid almost often enough', 5, most, 'outbid 5 for nothing')
  const spentOut = `reportStuck 5 after ${maxReplacements}`
  offer('bytes outbid often enough', 5, [...most, stuck], spentOut)
  const dear = { ...stuck, price: 1_000n }
  offer('bytes at the highest price', 5, [dear], 'reportStuck 5 after 0')
  const open = { nonces: [recorded(5, 'a', stuck)], carried: [payment('a', { nonce: 5 })] }
  does('a payment that is stuck', 'offer', open, chain, 'outbid 5 for a payment')
  const given = { nonces: [{ ...recorded(5, 'a', once), state: 'leased' as const }] }
  does('bytes that were given up', 'offer', given, chain)
  does('bytes that are stuck, at no price', 'offer', open, chainOf(5, {}), 'rebroadcast 5')
}

/** Free nonces go to payments that wait and may go out, else to what closes a gap. */
export function tryCarrying(desk: Desk): void {
  const does = doing(desk)
  const asked = { gasPriceWei: known(10n), poolCount: known(5) }
  const chain = chainOf(5, asked)
  const nonces = [leased(5, false), leased(6, true), recorded(7, undefined, { recorded: 0 })]
  const queued = [payment('a'), payment('b')]
  const both = ['carry a on 5', 'carry b on 8', 'release 5']
  does('payments that wait', 'carry', { nonces, queued }, chain, ...both)
  does('a gap', 'carry', { nonces }, chain, 'noOp 5', 'release 5')
  const spent = new Map([['a', { kind: 'spent', by: executionOf('x', number) } as const]])
  const settled = ['settleElsewhere a', 'carry b on 5', 'release 5']
  does(
    'one that is spent',
    'carry',
    { nonces, queued },
    chainOf(5, { ...asked, spent }),
    ...settled,
  )
  const dark = new Map([['a', { kind: 'spent', by: undefined } as const]])
  does(
    'one that is spent by what is not found',
    'carry',
    { nonces, queued },
    {
      ...{ ...chainOf(5, { ...asked, spent: dark }) },
    },
    'carry b on 5',
    'release 5',
  )
  for (const name of ['gasPriceWei', 'poolCount'] as const) {
    const without = chainOf(5, { ...asked, spent, [name]: unknown })
    const left = ['settleElsewhere a', 'release 5']
    does(`no ${name}`, 'carry', { nonces, queued }, without, ...left)
  }
  const high = chainOf(5, { ...asked, poolCount: known(6) })
  does(
    'a pool that holds more',
    'carry',
    { nonces: [], queued },
    high,
    ...[...['carry a on 6', 'carry b on 7', 'release ']],
  )
  const doubted = [payment('a', { attempts: 1 }), payment('b')]
  does(
    'one to be doubted',
    'carry',
    { nonces, queued: doubted },
    chain,
    'carry b on 5',
    'release 5',
  )
  const sure = chainOf(5, { ...asked, spent: new Map([['a', { kind: 'unspent' } as const]]) })
  does('one that is sure', 'carry', { nonces, queued: doubted }, sure, ...both)
  const late = [payment('a', { deadline: nowSeconds }), payment('b')]
  does(
    'one past its deadline',
    'carry',
    { nonces, queued: late },
    chain,
    'carry b on 5',
    'release 5',
  )
}

/** Accounts take turns, and what is carried was one. */
export function tryTurns(desk: Desk): void {
  const does = doing(desk)
  const chain = chainOf(5, { gasPriceWei: known(10n), poolCount: known(5) })
  const nonces = [leased(5, false), leased(6, true), recorded(7, undefined, { recorded: 0 })]
  const own = [payment('c', { nonce: 7, by: 'a' })]
  const turns = { nonces, carried: own, queued: [payment('a', { by: 'a' }), payment('b')] }
  does('turns of accounts', 'carry', turns, chain, 'carry b on 5', 'carry a on 8', 'release 5')
  const three = { queued: [payment('a', { by: 'a' }), payment('c', { by: 'a' }), payment('b')] }
  const fair = ['carry a on 5', 'carry b on 6', 'carry c on 7', 'release ']
  does('turns in a queue', 'carry', three, chain, ...fair)
  const first = { nonces: [recorded(5, 'c', { recorded: 0 })], carried: own }
  const after = ['carry b on 6', 'carry a on 7', 'release ']
  does('a turn that was had', 'carry', { ...turns, ...first }, chain, ...after)
}

/** No more nonces are filled than the pool takes, and an account keeps its order. */
export function tryFilling(desk: Desk): void {
  const does = doing(desk)
  const chain = chainOf(5, { gasPriceWei: known(10n), poolCount: known(5) })
  const crowd = { queued: ['a', 'b', 'c', 'd', 'e'].map((name) => payment(name)) }
  const most = ['carry a on 5', 'carry b on 6', 'carry c on 7', 'carry d on 8', 'release ']
  does('more than there is room for', 'carry', crowd, chain, ...most)
  const nonces = [leased(5, false), recorded(7, 'c', { recorded: 0 })]
  const above = { nonces, carried: [payment('c', { nonce: 7, by: 'a' })] }
  const queued = [payment('a', { by: 'a' })]
  const kept = ['noOp 5', 'noOp 6', 'carry a on 8', 'release 5']
  does('an account that keeps its order', 'carry', { ...above, queued }, chain, ...kept)
  does('two gaps', 'carry', { nonces: nonces.slice(1) }, chain, 'noOp 5', 'noOp 6', 'release ')
  const snapshot = { work: workOf({ queued }), refused: new Set([5]) }
  const done = plan('carry', snapshot, chain, terms).map(wordsOf)
  desk.expect('a nonce that was refused', done, ['carry a on 6', 'release '])
}

/** A round comes soon after bytes that no node took once, and could take. */
export function tryRefused({ expect }: Desk): void {
  const isRefused = (nonce: number, failures: number) => {
    const nonces = [recorded(nonce, 'a', { recorded: 0, sent: 0, failures })]
    return isAnyRefusedOnce(workOf({ nonces }), 5, terms)
  }
  expect(
    'what was refused once, twice, and never',
    [1, 2, 0].map((times) => isRefused(5, times)),
    [...[true, false, false]],
  )
  expect('what was refused out of reach', isRefused(5 + rules.maxInFlight, 1), false)
}
