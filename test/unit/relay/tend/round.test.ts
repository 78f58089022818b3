import { type Hex, numberToHex, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { poolRules, resendAfterMs } from '../../../../src/chain/chains.ts'
import { createNode } from '../../../../src/chain/node.ts'
import { RpcError, TransportError } from '../../../../src/chain/rpc.ts'
import { requestsInCalldata, signRequest } from '../../../../src/relay/forwarder/requests.ts'
import { identityOf } from '../../../../src/relay/identity.ts'
import {
  type BlockId,
  type Ledger,
  ledgerRules,
  type NonceFill,
} from '../../../../src/relay/ledger/port.ts'
import { ledgerThrough } from '../../../../src/relay/ledger/steps.ts'
import type { Relayer } from '../../../../src/relay/relayer.ts'
import { createSigner } from '../../../../src/relay/signer.ts'
import { tend } from '../../../../src/relay/tend/round.ts'
import { systemClock } from '../../../../src/runtime/clock.ts'
import { createMemoryLedger } from '../../../ports/ledger-memory.ts'
import { fillNonce, offerOf } from '../../../ports/payments.ts'

const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const rules = { ...ledgerRules, maxInFlight: 4, watchBlocks: 50, meansMs: 100_000 }
/** Unix time in seconds. */
const deadline = 1_800_000_000
const forwarder = { chainId: 31, address: account.address }
const head = {
  ...{ number: '0x10', hash: `0x${'10'.repeat(32)}`, parentHash: `0x${'0f'.repeat(32)}` },
  ...{ timestamp: '0x1', transactions: [] },
}

type Asked = { method: string; params: readonly unknown[] }

/** A relayer over a ledger in memory and a node that answers so. What both were asked is told. */
function relayerOver(answer: (asked: Asked) => unknown) {
  const time = { now: 1_000 }
  const key = { relayer: account.address as string, rules, now: () => time.now }
  const { ledger } = createMemoryLedger(key)
  const called: string[] = []
  const asked: Asked[] = []
  const events: string[] = []
  const relayer: Relayer = {
    ledger: ledgerThrough((method, args) => {
      called.push(method)
      return (ledger[method] as (...args: unknown[]) => Promise<unknown>)(...args)
    }),
    node: createNode(async (method, params) => {
      asked.push({ method, params })
      return answer({ method, params })
    }),
    ...{ signer: createSigner(account, 31), forwarder, rules: poolRules.rootstock },
    ...{ fees: { minWei: 0n, maxWei: 100n }, clock: systemClock, reasonOf: () => '' },
    log: ({ event }) => void events.push(event),
  }
  return { relayer, ledger, called, asked, events, time, key }
}

/** A waiting payment of an account of its own. */
async function enqueue(ledger: Ledger, number: number): Promise<string> {
  const session = `session ${number}`
  const caller = privateKeyToAccount(numberToHex(1_000 + number, { size: 32 }))
  const question = { session, input: 'input', account: caller.address }
  const request = await signRequest(caller, forwarder, {
    ...{ from: caller.address, data: '0x', gas: 1, deadline },
    intentId: numberToHex(number, { size: 22 }),
  })
  const order = { request, kind: 'transfer' as const, spendsWei: 1n }
  await ledger.record([{ ...offerOf(session), ...question, order }])
  return session
}

/** A payment that was found on the chain, in this block, by a ledger that had lost its rows. */
async function adopt(ledger: Ledger, block: { number: number; hash: Hex }): Promise<string> {
  const session = 'found'
  const caller = privateKeyToAccount(numberToHex(1_000, { size: 32 }))
  const request = await signRequest(caller, forwarder, {
    ...{ from: caller.address, data: '0x', gas: 1, deadline },
    intentId: numberToHex(1_000, { size: 22 }),
  })
  await ledger.adopt({
    ...{ session, input: 'input', account: caller.address, steps: 1 },
    ...{ order: { request, kind: 'transfer' as const, spendsWei: 1n } },
    screen: { kind: 'end', lines: ['Submitted'] },
    execution: { outcome: 'executed', reason: '', hash: numberToHex(1, { size: 32 }), block },
  })
  return session
}

/** Carries a payment on a nonce, by a transaction that did nothing for it. */
async function carryInVain(ledger: Ledger, session: string, nonce: number): Promise<void> {
  const [hash, block] = [
    numberToHex(nonce, { size: 32 }),
    { number: 1, hash: `0x${'00'.repeat(32)}` },
  ]
  const filling = { nonce, chainNonce: 0, sessions: [session] }
  await fillNonce(ledger, filling, { hash, raw: '0x', gasPriceWei: 1n })
  const report = { nonce, sessions: [session], hash, block: block as BlockId, executions: {} }
  await ledger.mined(report)
}

test('a round goes on where nothing can be pruned', async () => {
  const { relayer, events } = relayerOver(() => {
    throw new Error('nothing is asked of it')
  })
  const prune = () => Promise.reject(new Error('the database refused'))
  expect(await tend({ ...relayer, ledger: { ...relayer.ledger, prune } })).toBe('idle')
  expect(events).toEqual(['prune.failed'])
})

/** A chain that has passed one nonce and knows of nothing else; `eth_call` fails. */
function silentOfIntents({ method }: Asked): unknown {
  switch (method) {
    case 'eth_getBlockByNumber':
      return head
    case 'eth_getTransactionCount':
      return '0x1'
    case 'eth_gasPrice':
      return '0x1'
    case 'eth_sendRawTransaction':
      return numberToHex(0, { size: 32 })
    default:
      throw new TransportError('the node does not answer')
  }
}

test('a payment of which the node tells nothing gives its nonce to the next one', async () => {
  const { relayer, ledger, asked } = relayerOver(silentOfIntents)
  const troubled = await enqueue(ledger, 1)
  const next = await enqueue(ledger, 2)
  await carryInVain(ledger, troubled, 0)
  expect(await tend(relayer)).toBe('open')
  const { queued, carried } = await ledger.work()
  expect(queued.map(({ session }) => session)).toEqual([troubled])
  expect(carried.map(({ session, nonce }) => ({ session, nonce }))).toEqual([
    { session: next, nonce: 1 },
  ])
  const questions = asked.map(({ method, params }) => JSON.stringify([method, params]))
  expect(questions.toSorted()).toEqual([...new Set(questions)].toSorted())
})

test('a round that only waits reads what is open once, and asks for the head alone', async () => {
  const { relayer, ledger, asked, called } = relayerOver((question) =>
    question.method === 'eth_getTransactionCount' ? '0x0' : silentOfIntents(question),
  )
  await enqueue(ledger, 1)
  expect(await tend(relayer)).toBe('open')
  asked.length = 0
  called.length = 0
  expect(await tend(relayer)).toBe('open')
  expect(called.filter((method) => method === 'work')).toHaveLength(1)
  expect(asked.map(({ method }) => method)).toEqual(['eth_getBlockByNumber'])
})

test('a payment whose change the ledger refuses keeps no other from its end', async () => {
  const { chain, block } = chainOfBlocks()
  chain.seconds = deadline + 1
  const { relayer, ledger, events } = relayerOver((question) => {
    if (question.method === 'eth_call') return numberToHex(0, { size: 64 })
    return question.method === 'eth_getBlockByNumber' ? block(question) : silentOfIntents(question)
  })
  const refused = await enqueue(ledger, 1)
  const other = await enqueue(ledger, 2)
  const expire = (session: string) =>
    session === refused ? Promise.reject(new Error('a row is broken')) : ledger.expire(session)
  expect(await tend({ ...relayer, ledger: { ...relayer.ledger, expire } })).toBe('open')
  expect((await ledger.payment(refused))?.state).toBe('queued')
  expect((await ledger.payment(other))?.state).toBe('expired')
  expect(events).toEqual(['expire.failed', 'payment.expired'])
})

/** A chain that has used no nonce, and takes whatever it is sent. */
function takesAll({ method }: Asked): unknown {
  switch (method) {
    case 'eth_getBlockByNumber':
      return head
    case 'eth_getTransactionCount':
      return '0x0'
    case 'eth_gasPrice':
      return '0x1'
    case 'eth_call':
      return numberToHex(0, { size: 64 })
    case 'eth_sendRawTransaction':
      return numberToHex(0, { size: 32 })
    default:
      throw new Error(`${method} is not asked here`)
  }
}

const rawsSent = (asked: readonly Asked[]) =>
  asked
    .filter(({ method }) => method === 'eth_sendRawTransaction')
    .map(({ params }) => params[0] as Hex)

test('bytes that may not be outbid go out again themselves, and the payment takes the next nonce', async () => {
  const { relayer, ledger, asked } = relayerOver(takesAll)
  const session = await enqueue(ledger, 1)
  // The highest price is 100: over 90 a pool asks for 126.
  const data = { to: forwarder.address, data: '0x', gas: 21_000 } as const
  const older = await relayer.signer.sign({ ...data, nonce: 0, gasPriceWei: 90n })
  await fillNonce(ledger, { nonce: 0, chainNonce: 0, sessions: [session] }, older)
  await ledger.abandon(0)

  expect(await tend(relayer)).toBe('open')

  const sent = rawsSent(asked)
  expect(sent.map((raw) => parseTransaction(raw))).toMatchObject([
    { nonce: 0, gasPrice: 90n },
    { nonce: 1, gasPrice: 1n },
  ])
  expect(sent[0]).toBe(older.raw)
  const { nonces, carried } = await ledger.work()
  expect(nonces).toMatchObject([
    { nonce: 0, sessions: [] },
    { nonce: 1, sessions: [session] },
  ])
  expect(carried).toMatchObject([{ session, nonce: 1 }])
})

test('a nonce whose expensive bytes are lost is tried as one that may hold unknown ones', async () => {
  const { relayer, ledger, asked } = relayerOver(takesAll)
  const session = await enqueue(ledger, 1)
  const older = { hash: numberToHex(9, { size: 32 }), raw: '0x09', gasPriceWei: 90n } as const
  await fillNonce(ledger, { nonce: 0, chainNonce: 0, sessions: [session] }, older)
  await ledger.abandon(0)
  const slot = async (filling: NonceFill) => {
    const found = await ledger.slot(filling)
    if (found?.prior === undefined) return found
    return { ...found, prior: { ...found.prior, raw: undefined } }
  }

  expect(await tend({ ...relayer, ledger: { ...relayer.ledger, slot } })).toBe('open')

  const prices = rawsSent(asked).map((raw) => parseTransaction(raw).gasPrice)
  expect(prices).toEqual([1n, 1n])
})

test.for([
  ['whose fate is unknown', () => new TransportError('connection refused')],
  ['beyond a quota', () => new RpcError(-32010, 'account exceeds quota')],
  ['behind a gap', () => new RpcError(-32010, 'transaction nonce too high')],
] as const)(
  'a broadcast %s is made again within seconds, then ever later',
  async ([_, refusal]) => {
    let isRefused = true
    const { relayer, ledger, asked, time } = relayerOver((question) => {
      if (isRefused && question.method === 'eth_sendRawTransaction') throw refusal()
      return takesAll(question)
    })
    await enqueue(ledger, 1)
    const roundAt = async (ms: number) => {
      time.now = 1_000 + ms
      asked.length = 0
      const tended = await tend(relayer)
      return [tended, rawsSent(asked).length]
    }
    expect(await roundAt(0)).toEqual(['soon', 1])
    expect(await roundAt(4_999)).toEqual(['soon', 0])
    expect(await roundAt(5_000)).toEqual(['open', 1])
    expect(await roundAt(24_999)).toEqual(['open', 0])
    isRefused = false
    expect(await roundAt(25_000)).toEqual(['open', 1])
    expect(await roundAt(25_000 + 119_999)).toEqual(['open', 0])
    expect(await roundAt(25_000 + 120_000)).toEqual(['open', 1])
  },
)

const hashAt = (branch: number, number: number) =>
  numberToHex(branch * 0x1000 + number, { size: 32 })

/** A block of a branch: each is a chain of its own from its first block on. */
const blockAt = (branch: number, number: number) => ({
  ...{ ...head, number: numberToHex(number) },
  ...{ hash: hashAt(branch, number), parentHash: hashAt(branch, number - 1) },
})

test.for([
  ['its block', 0xf],
  ['the head of the last round', 0x10],
] as const)(
  'a final payment is taken back also where a node that is behind still shows %s',
  async ([, shown]) => {
    const [before, after] = [1, 2]
    let latest = blockAt(before, 0x10)
    let branch = before
    let branchBehind = before
    const { relayer, ledger, time } = relayerOver((question) => {
      const { method, params } = question
      if (method !== 'eth_getBlockByNumber') return takesAll(question)
      if (params[0] === 'latest') return latest
      const number = Number(params[0])
      // The replica that is behind has the branch that others have lost.
      return blockAt(number === shown ? branchBehind : branch, number)
    })
    const session = await adopt(ledger, { number: 0xf, hash: hashAt(before, 0xf) })
    expect(await tend(relayer)).toBe('open')
    await ledger.confirm(session, hashAt(before, 0xf))
    branch = after
    latest = blockAt(after, 0x18)
    time.now += 25_000
    await tend(relayer)
    expect((await ledger.payment(session))?.state).toBe('confirmed')
    branchBehind = after
    time.now += 25_000
    await tend(relayer)
    expect((await ledger.payment(session))?.state).toBe('signed')
  },
)

test.for([
  ['the first round after that', 0],
  ['a round that has seen a head before', 1],
] as const)(
  'what was found on the chain is not made final by a node that shows lost blocks, in %s',
  async ([, rounds]) => {
    const [before, after] = [1, 2]
    const found = 0x5
    let height = found + poolRules.rootstock.confirmations - 1
    let branchBehind = before
    const { relayer, ledger, time } = relayerOver((question) => {
      const { method, params } = question
      if (method !== 'eth_getBlockByNumber') return takesAll(question)
      const number = params[0] === 'latest' ? height : Number(params[0])
      return blockAt(number === found ? branchBehind : after, number)
    })
    // Rounds are for what is open.
    await enqueue(ledger, 1)
    for (let round = 0; round < rounds; round++, height++) await tend(relayer)
    const session = await adopt(ledger, { number: found, hash: hashAt(before, found) })
    await tend(relayer)
    expect((await ledger.payment(session))?.state).not.toBe('confirmed')
    branchBehind = after
    height += 1
    time.now += 25_000
    await tend(relayer)
    expect((await ledger.payment(session))?.state).toBe('signed')
  },
)

test('what a reorganization takes back goes out again in the round that sees it', async () => {
  let chain = 0x10
  const { relayer, ledger, asked, time } = relayerOver((question) => {
    const { method, params } = question
    if (method !== 'eth_getBlockByNumber') return takesAll(question)
    const number = params[0] === 'latest' ? chain : Number(params[0])
    return blockAt(chain, number)
  })
  const session = await enqueue(ledger, 1)
  expect(await tend(relayer)).toBe('open')
  const [sent] = (await ledger.work()).nonces[0]?.transactions ?? []
  const block = { number: chain, hash: hashAt(chain, chain) }
  const execution = { outcome: 'executed', reason: '', hash: sent?.hash ?? '0x', block } as const
  const executions = { [session]: execution }
  await ledger.mined({ nonce: 0, sessions: [session], hash: execution.hash, block, executions })
  asked.length = 0
  chain += 1
  time.now += 25_000
  await tend(relayer)
  expect(rawsSent(asked)).toEqual([sent?.raw])
  expect((await ledger.payment(session))?.state).toBe('signed')
})

test('a count that a replica told too early is asked for again, and nothing waits for ever', async () => {
  let chain = 0x10
  const hashOf = (number: number) => numberToHex(number, { size: 32 })
  const { relayer, ledger, asked } = relayerOver((question) => {
    const { method, params } = question
    if (method === 'eth_getBlockByNumber') {
      const number = numberToHex(chain)
      return { ...head, number, hash: hashOf(chain), parentHash: hashOf(chain - 1) }
    }
    if (method !== 'eth_getTransactionCount') return takesAll(question)
    // A pool's depth of transactions is in block 0x10, which the first to be asked does not have yet.
    const isBehind = params[1] === 'latest' && chain === 0x10
    return isBehind ? '0x0' : numberToHex(poolRules.rootstock.maxInFlight)
  })
  const session = await enqueue(ledger, 1)
  for (; chain <= 0x12; chain++) expect(await tend(relayer)).toBe('open')
  expect(rawsSent(asked).map((raw) => parseTransaction(raw).nonce)).toEqual([
    poolRules.rootstock.maxInFlight,
  ])
  expect((await ledger.payment(session))?.state).toBe('signed')
})

test('a payment is dead only by a node that has the block behind its deadline', async () => {
  const { chain, block } = chainOfBlocks()
  chain.seconds = deadline + 1
  const blockHash = numberToHex(chain.height - poolRules.rootstock.confirmations + 1, { size: 32 })
  let isBehind = true
  const { relayer, ledger, events } = relayerOver((question) => {
    const { method, params } = question
    if (method === 'eth_getBlockByNumber') return block(question)
    if (method !== 'eth_call') return silentOfIntents(question)
    // As of its own head, a replica that is behind has every intent unspent.
    const isDeep = JSON.stringify(params[1]) === JSON.stringify({ blockHash })
    if (isBehind && isDeep) throw new RpcError(-32000, 'unknown block')
    return numberToHex(0, { size: 64 })
  })
  const session = await enqueue(ledger, 1)
  expect(await tend(relayer)).toBe('open')
  expect((await ledger.payment(session))?.state).toBe('queued')
  expect(events).toEqual(['expire.failed'])
  isBehind = false
  await tend(relayer)
  expect((await ledger.payment(session))?.state).toBe('expired')
})

test.for([
  ['shows', 'eth_getBlockByNumber'],
  ['reads the intent of', 'eth_call'],
] as const)(
  'a payment is not dead by a node that %s a block which the chain has lost',
  async ([_, stale]) => {
    const { chain, block } = chainOfBlocks()
    Object.assign(chain, { height: 0x30, seconds: deadline + 1 })
    const deep = numberToHex(chain.height - poolRules.rootstock.confirmations + 1)
    const lost = block({ method: '', params: [deep] })
    chain.other = 0x10
    let isFollowed = false
    const { relayer, ledger } = relayerOver((question) => {
      const { method, params } = question
      if (method === 'eth_getBlockByNumber') {
        if (params[0] !== deep) return block(question)
        // The round has followed it down to there before.
        const answer = isFollowed && stale === method ? lost : block(question)
        isFollowed = true
        return answer
      }
      if (method !== 'eth_call') return silentOfIntents(question)
      // On the branch that is lost, nothing has spent it.
      const isKnown =
        JSON.stringify(params[1]) !==
        JSON.stringify({ blockHash: block({ method, params: [deep] }).hash })
      if (!isKnown && stale === method) throw new RpcError(-32000, 'unknown block')
      return numberToHex(0, { size: 64 })
    })
    const session = await enqueue(ledger, 1)
    await tend(relayer)
    expect(isFollowed).toBe(true)
    expect((await ledger.payment(session))?.state).toBe('queued')
  },
)

test.for([12, 50, 51, 60])(
  'a payment whose outcome is final after %i blocks is dead once its deadline is so deep',
  async (confirmations) => {
    const { chain, block } = chainOfBlocks()
    Object.assign(chain, { height: 0x100, seconds: deadline + 1 })
    const { relayer, ledger } = relayerOver((question) =>
      question.method === 'eth_getBlockByNumber' ? block(question) : takesAll(question),
    )
    const session = await enqueue(ledger, 1)
    await tend({ ...relayer, rules: { ...relayer.rules, confirmations } })
    expect((await ledger.payment(session))?.state).toBe('expired')
  },
)

test('a nonce is taken for foreign only by a block that every replica has', async () => {
  const start = 1_800_000
  let chain = 0x10
  // A block a minute. The nonce is passed in block 0x11, and no replica shows its receipt.
  const blockAt = (selector: unknown) => {
    const number = selector === 'latest' ? chain : Number(selector)
    const named = { number: numberToHex(number), hash: numberToHex(number, { size: 32 }) }
    return { ...head, ...named, timestamp: numberToHex(start / 1_000 + 60 * (number - 0x10)) }
  }
  const { relayer, ledger, events, time } = relayerOver((question) => {
    const { method, params } = question
    if (method === 'eth_getBlockByNumber') return blockAt(params[0])
    if (method === 'eth_getTransactionReceipt') return null
    if (method !== 'eth_getTransactionCount' || params[1] === 'pending') return takesAll(question)
    return Number(blockAt(params[1]).number) > 0x10 ? '0x1' : '0x0'
  })
  const soon = { ...relayer, rules: { ...relayer.rules, confirmations: 1 } }
  time.now = start
  const session = await enqueue(ledger, 1)
  await tend(soon)
  const roundAfter = async (minutes: number) => {
    time.now = start + 60_000 * minutes + 1_000
    chain = 0x10 + minutes
    await tend(soon)
    return (await ledger.payment(session))?.nonce
  }
  expect(await roundAfter(1)).toBe(0)
  expect(await roundAfter(2)).toBe(0)
  expect(events).not.toContain('nonce.foreign')
  await roundAfter(4)
  expect(events).toContain('nonce.foreign')
})

/** A chain of blocks that each go on from the one below, and that hold what is given to them. */
function chainOfBlocks() {
  const held = new Map<number, Hex[]>()
  /** From `other` on its blocks are those of another branch. `seconds` is the time of all of them. */
  const chain = { height: 0x10, other: Number.POSITIVE_INFINITY, seconds: 1 }
  const hashOf = (number: number) =>
    numberToHex(number < chain.other ? number : number + 0x1000, { size: 32 })
  const block = ({ params }: Asked) => {
    const number = params[0] === 'latest' ? chain.height : Number(params[0])
    const [hash, parentHash] = [hashOf(number), hashOf(number - 1)]
    const transactions = held.get(number) ?? []
    const timestamp = numberToHex(chain.seconds)
    return { ...head, number: numberToHex(number), hash, parentHash, timestamp, transactions }
  }
  return { chain, held, block }
}

test('each block is asked for once, and its transactions tell which nonces it has passed', async () => {
  const { chain, held, block } = chainOfBlocks()
  const { relayer, ledger, asked, time } = relayerOver((question) => {
    if (question.method === 'eth_getBlockByNumber') return block(question)
    return question.method === 'eth_getTransactionReceipt' ? null : takesAll(question)
  })
  await enqueue(ledger, 1)
  await tend(relayer)
  const [sent] = (await ledger.work()).nonces[0]?.transactions ?? []
  held.set(0x12, [sent?.hash ?? '0x'])
  chain.height = 0x13
  time.now += 26_000
  asked.length = 0
  await tend(relayer)
  const [askedBlocks, receipts] = ['eth_getBlockByNumber', 'eth_getTransactionReceipt'].map(
    (name) => asked.filter(({ method }) => method === name).map(({ params }) => params[0]),
  )
  expect(askedBlocks).toEqual(['latest', '0x12', '0x11'])
  expect(receipts).toEqual([sent?.hash])
  asked.length = 0
  await tend(relayer)
  expect(asked.map(({ method }) => method)).toEqual([
    'eth_getBlockByNumber',
    'eth_getTransactionReceipt',
  ])
})

test('rounds go down to a payment that was found on the chain once, and on from where a node failed', async () => {
  const { chain, block } = chainOfBlocks()
  let isFailing = true
  const { relayer, ledger, asked, events } = relayerOver((question) => {
    const { method, params } = question
    if (method !== 'eth_getBlockByNumber') return takesAll(question)
    if (isFailing && params[0] === '0xb') throw new RpcError(-32000, 'busy')
    return block(question)
  })
  const found = 0x8
  const session = await adopt(ledger, { number: found, hash: numberToHex(found, { size: 32 }) })
  const blocksOfRound = async () => {
    asked.length = 0
    await tend(relayer)
    return asked
      .filter(({ method, params }) => method === 'eth_getBlockByNumber' && params[0] !== 'latest')
      .map(({ params }) => Number(params[0]))
  }
  // The block itself is looked at, since no round has seen a head before.
  expect(await blocksOfRound()).toEqual([0xf, 0xe, 0xd, 0xc, 0xb, found])
  expect(events).toEqual(['follow.failed'])
  isFailing = false
  expect(await blocksOfRound()).toEqual([0xc, 0xb, 0xa, 0x9, found])
  expect(await blocksOfRound()).toEqual([])
  for (
    chain.height += 1;
    chain.height < found + poolRules.rootstock.confirmations;
    chain.height++
  ) {
    expect((await ledger.payment(session))?.state).toBe('mined')
    await tend(relayer)
  }
  expect((await ledger.payment(session))?.state).toBe('confirmed')
})

test('a block of which a node does not tell keeps no payment waiting for long', async () => {
  const { chain, block } = chainOfBlocks()
  const { relayer, ledger, asked, time } = relayerOver((question) => {
    const { method, params } = question
    if (method === 'eth_getBalance') return '0x1'
    if (method !== 'eth_getBlockByNumber') return takesAll(question)
    if (params[0] === '0x15') throw new RpcError(-32000, 'busy')
    return block(question)
  })
  await enqueue(ledger, 1)
  await tend(relayer)
  await enqueue(ledger, 2)
  chain.height = 0x20
  // So long a node may be behind: nothing is decided until then.
  const rounds = relayer.rules.regressionMs / 25_000 + 1
  for (let round = 0; round < rounds; round++) {
    time.now += 25_000
    chain.height += 1
    await tend(relayer)
  }
  const nonces = rawsSent(asked).map((raw) => parseTransaction(raw).nonce)
  expect(new Set(nonces)).toEqual(new Set([0, 1]))
})

test('no block is asked for twice in a round where the chain parts below what was followed', async () => {
  const { chain, block } = chainOfBlocks()
  const { relayer, ledger, asked } = relayerOver((question) => {
    if (question.method === 'eth_getBalance') return '0x1'
    return question.method === 'eth_getBlockByNumber' ? block(question) : takesAll(question)
  })
  await enqueue(ledger, 1)
  await tend(relayer)
  await adopt(ledger, { number: 8, hash: numberToHex(8, { size: 32 }) })
  Object.assign(chain, { other: 0x10, height: 0x30 })
  asked.length = 0
  await tend(relayer)
  const blocks = asked
    .filter(({ method }) => method === 'eth_getBlockByNumber')
    .map(({ params }) => params[0])
  expect(blocks.toSorted()).toEqual([...new Set(blocks)].toSorted())
  expect((await ledger.work()).trail.at(-1)?.number).toBe(8)
})

test('a new key begins by its own count, and what it has sent is offered again', async () => {
  const next = privateKeyToAccount(`0x${'02'.repeat(32)}`)
  const { chain, held, block } = chainOfBlocks()
  const { relayer, ledger, asked, time, key } = relayerOver((question) => {
    const { method, params } = question
    if (method === 'eth_getBlockByNumber') return block(question)
    if (method === 'eth_getTransactionCount') return params[0] === next.address ? '0x0' : '0x1f5'
    return method === 'eth_getBalance' ? '0x1' : takesAll(question)
  })
  const old = await enqueue(ledger, 1)
  await tend(relayer)
  const [sent] = (await ledger.work()).nonces[0]?.transactions ?? []
  chain.height += 1
  held.set(chain.height, [sent?.hash ?? '0x'])
  const { hash } = block({ method: '', params: ['latest'] })
  const report = { hash: sent?.hash ?? '0x', block: { number: chain.height, hash } }
  const execution = { outcome: 'executed', reason: '', ...report } as const
  await ledger.mined({
    nonce: 0x1f5,
    sessions: [old],
    ...report,
    executions: { [old]: execution },
  })
  // The key changes once nothing is open.
  for (; (await tend(relayer)) === 'open'; chain.height += 1);
  const former = await ledger.work()
  expect(former.trail[0]?.count).toBe(0x1f6)
  expect(former.means).toMatchObject({ balanceWei: 1n, gasPriceWei: 1n })

  key.relayer = next.address
  const renewed = { ...relayer, signer: createSigner(next, 31) }
  // The price is the chain's; balance and counts were the former key's.
  expect((await ledger.work()).means).toEqual({ gasPriceWei: 1n })
  await ledger.identify(identityOf(renewed))
  expect((await ledger.work()).means).toEqual({ gasPriceWei: 1n })
  await enqueue(ledger, 2)
  asked.length = 0
  for (let block = 0; block < 3; block++) {
    chain.height += 1
    await tend(renewed)
    time.now += relayer.rules.rebroadcastMs
  }
  expect(rawsSent(asked).map((raw) => parseTransaction(raw).nonce)).toEqual([0, 0, 0])
})

test('a round by a former forwarder touches nothing, and takes no ledger back', async () => {
  const { chain, block } = chainOfBlocks()
  const { relayer, ledger, asked, events } = relayerOver((question) =>
    question.method === 'eth_getBlockByNumber' ? block(question) : takesAll(question),
  )
  await ledger.identify(identityOf(relayer))
  const at = { number: chain.height, hash: block({ method: '', params: ['latest'] }).hash }
  const session = await adopt(ledger, at)
  await ledger.confirm(session, at.hash)
  const next = { chainId: 31, address: privateKeyToAccount(`0x${'02'.repeat(32)}`).address }
  const renewed = { ...relayer, forwarder: next }
  expect(await ledger.identify(identityOf(renewed))).toEqual({ kind: 'same' })

  expect(await tend(relayer)).toBe('watching')
  await enqueue(ledger, 1)
  expect(await tend(relayer)).toBe('watching')
  expect(asked).toEqual([])
  expect(events).toEqual(['identity.different'])
  expect(await tend(renewed)).toBe('open')
  expect(rawsSent(asked)).toHaveLength(1)
})

test('a payment that is mined while a round begins is found in its block', async () => {
  const { chain, held, block } = chainOfBlocks()
  const mined = numberToHex(7, { size: 32 })
  let isMinedNext = false
  const { relayer, ledger, asked, time } = relayerOver(async (question) => {
    if (question.method === 'eth_getTransactionReceipt') return null
    if (question.method !== 'eth_getBlockByNumber') return takesAll(question)
    if (isMinedNext) {
      isMinedNext = false
      const transaction = {
        hash: numberToHex(7, { size: 32 }),
        raw: '0x',
        gasPriceWei: 1n,
      } as const
      await fillNonce(ledger, { nonce: 1, chainNonce: 0, sessions: [] }, transaction)
      chain.height += 1
      held.set(chain.height, [mined])
    }
    return block(question)
  })
  await enqueue(ledger, 1)
  await tend(relayer)
  time.now += 25_000
  isMinedNext = true
  await tend(relayer)
  time.now += 26_000
  await tend(relayer)
  const receipts = asked.filter(({ method }) => method === 'eth_getTransactionReceipt')
  expect(receipts.flatMap(({ params }) => params)).toContain(mined)
})

test('a round that ends late does not count what the chain has lost since', async () => {
  const { chain, held, block } = chainOfBlocks()
  const { relayer, ledger, asked, time } = relayerOver((question) => {
    const { method } = question
    if (method === 'eth_getBlockByNumber') return block(question)
    if (method === 'eth_getBalance') return '0x1'
    if (method === 'eth_getTransactionCount') return chain.height >= 0x13 ? '0x1' : '0x0'
    return method === 'eth_getTransactionReceipt' ? null : takesAll(question)
  })
  await enqueue(ledger, 1)
  // The account's count is asked for in its turn, with the fourth block.
  for (chain.height = 0x10; chain.height < 0x13; chain.height++) await tend(relayer)
  const [sent] = (await ledger.work()).nonces[0]?.transactions ?? []
  held.set(0x13, [sent?.hash ?? '0x'])
  const [isAtEnd, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const sawMeans: Ledger['sawMeans'] = async (...seen) => {
    isAtEnd.resolve()
    await isOver.promise
    await ledger.sawMeans(...seen)
  }
  const late = tend({ ...relayer, ledger: { ...relayer.ledger, sawMeans } })
  await isAtEnd.promise

  chain.height = 0x12
  await tend(relayer)
  time.now += relayer.rules.regressionMs
  await tend(relayer)
  isOver.resolve()
  await late
  asked.length = 0
  time.now += relayer.rules.rebroadcastMs
  await tend(relayer)
  expect(rawsSent(asked)).toEqual([sent?.raw])
})

test('a price by which payments are carried is no newer than when the node told it, none that the pool refuses is kept, and what was refused goes out at the new one', async () => {
  const price = { wei: 1 }
  const { relayer, ledger, asked, time } = relayerOver((question) => {
    if (question.method === 'eth_getTransactionCount') return '0x0'
    if (question.method === 'eth_gasPrice') return numberToHex(price.wei)
    if (question.method !== 'eth_sendRawTransaction') return takesAll(question)
    const { gasPrice = 0n } = parseTransaction(question.params[0] as Hex)
    if (gasPrice < price.wei) throw new RpcError(-32010, "gas price lower than block's minimum")
    return takesAll(question)
  })
  const lastPrice = (of: number) => {
    const sent = rawsSent(asked).map((raw) => parseTransaction(raw))
    return sent.findLast(({ nonce }) => nonce === of)?.gasPrice
  }
  const carry = async (number: number) => {
    await enqueue(ledger, number)
    await tend(relayer)
    return lastPrice(number - 1)
  }
  expect(await carry(1)).toBe(1n)
  price.wei = 9
  expect([await carry(2), await carry(3)]).toEqual([1n, 9n])
  // The first waits before it and is taken: it is not outbid.
  time.now += resendAfterMs(poolRules.rootstock, 1)
  await tend(relayer)
  expect([lastPrice(0), lastPrice(1), lastPrice(2)]).toEqual([1n, 9n, 9n])
  time.now += rules.meansMs - 1
  price.wei = 5
  expect(await carry(4)).toBe(9n)
  time.now += 1
  expect((await ledger.work()).means.gasPriceWei).toBeUndefined()
})

test('payments that wait leave in one transaction, and what outbids it differs in its price alone', async () => {
  const { relayer, ledger, asked, time } = relayerOver((question) => {
    const [raw] = question.params
    if (rawsSent(asked).filter((sent) => sent === raw).length < 2) return takesAll(question)
    throw new RpcError(-32010, 'pending transaction with same hash already exists')
  })
  const sessions = [await enqueue(ledger, 1), await enqueue(ledger, 2), await enqueue(ledger, 3)]
  const queued = (await ledger.work()).queued.map(({ order }) => order.request)
  await tend({ ...relayer, rules: { ...relayer.rules, maxInBatch: 2 } })
  expect((await ledger.work()).nonces).toMatchObject([
    { nonce: 0, sessions: sessions.slice(0, 2) },
    { nonce: 1, sessions: sessions.slice(2) },
  ])
  const carried = rawsSent(asked).map((raw) =>
    requestsInCalldata(parseTransaction(raw).data ?? '0x'),
  )
  expect(carried).toEqual([queued.slice(0, 2), queued.slice(2)])
  // One of them ends meanwhile: what outbids them must not become other bytes for that.
  await ledger.expire(sessions[0] ?? '')
  for (
    let waited = 0;
    waited < relayer.rules.replaceAfterMs;
    waited += relayer.rules.rebroadcastMs
  ) {
    time.now += relayer.rules.rebroadcastMs
    await tend(relayer)
  }
  const [first, ...others] = rawsSent(asked)
    .map((raw) => parseTransaction(raw))
    .filter(({ nonce }) => nonce === 0)
  const last = others.at(-1)
  expect(last?.gasPrice).toBeGreaterThan(first?.gasPrice ?? 0n)
  const { r, s, v, yParity, gasPrice, ...content } = first ?? {}
  expect(last).toMatchObject(content)
  expect(content.data).toBeDefined()
})

test('what a pool has swallowed goes out again, in order, in the first round after a block without it', async () => {
  const { chain, block } = chainOfBlocks()
  const { relayer, ledger, asked, time } = relayerOver((question) =>
    question.method === 'eth_getBlockByNumber' ? block(question) : takesAll(question),
  )
  for (const number of [1, 2]) {
    await enqueue(ledger, number)
    await tend(relayer)
  }
  const swallowed = rawsSent(asked)
  expect(swallowed).toHaveLength(2)
  time.now += 10_000
  asked.length = 0
  await tend(relayer)
  expect(rawsSent(asked)).toEqual([])
  chain.height += 1
  chain.seconds = time.now / 1_000
  for (let round = 0; round < 2; round++) await tend(relayer)
  expect(rawsSent(asked)).toEqual(swallowed)
})

test('a block that is noted while a round looks at blocks is not lost because it is above the head', async () => {
  const { chain, block } = chainOfBlocks()
  const { relayer, ledger, called, events, time } = relayerOver((question) =>
    question.method === 'eth_getBlockByNumber' ? block(question) : takesAll(question),
  )
  const sessions: string[] = []
  for (const number of [1, 2, 3]) {
    sessions.push(await enqueue(ledger, number))
    await tend(relayer)
  }
  /** Somebody else finds a payment in the next block, so that no round counts its nonce. */
  const mineOne = async (nonce: number) => {
    const [sent] =
      (await ledger.work()).nonces.find((each) => each.nonce === nonce)?.transactions ?? []
    chain.height += 1
    const number = numberToHex(chain.height)
    const { hash } = block({ method: '', params: [number] })
    const at = { hash: sent?.hash ?? '0x', block: { number: chain.height, hash } }
    const execution = { outcome: 'executed', reason: '', ...at } as const
    const session = sessions[nonce] ?? ''
    await ledger.mined({ nonce, sessions: [session], ...at, executions: { [session]: execution } })
  }
  await mineOne(0)
  for (const nonce of [1, 2]) {
    let isListed = false
    const blocks: Ledger['blocks'] = async (above) => {
      if (isListed) await mineOne(nonce)
      isListed = true
      return relayer.ledger.blocks(above)
    }
    called.length = 0
    await tend({ ...relayer, ledger: { ...relayer.ledger, blocks } })
    expect(called.filter((name) => name === 'blocks')).toHaveLength(2)
    time.now += relayer.rules.regressionMs
  }
  expect(events).not.toContain('chain.reorganized')
  expect(called).toContain('sawHead')
})

test.for([
  ['is gone', { height: 0x13 }],
  ['is another one', { height: 0x14, other: 0x14 }],
] as const)(
  'a count that is newer than the head goes with the block that it was of, where that %s',
  async ([, change]) => {
    const { chain, held, block } = chainOfBlocks()
    let isMinedMeanwhile = false
    const { relayer, ledger, asked, time } = relayerOver((question) => {
      const { method, params } = question
      if (method === 'eth_getBlockByNumber') return block(question)
      if (method === 'eth_getBalance') return '0x1'
      if (method !== 'eth_getTransactionCount') return takesAll(question)
      if (isMinedMeanwhile && params[1] === 'latest') chain.height = 0x14
      return chain.height === 0x14 && held.has(0x14) ? '0x1' : '0x0'
    })
    const session = await enqueue(ledger, 1)
    // The account's count is asked for in its turn, with the fourth block.
    for (chain.height = 0x10; chain.height < 0x13; chain.height++) await tend(relayer)
    const [sent] = (await ledger.work()).nonces[0]?.transactions ?? []
    held.set(0x14, [sent?.hash ?? '0x'])
    isMinedMeanwhile = true
    await tend(relayer)
    // Its own request sees the receipt.
    const mined = { number: 0x14, hash: numberToHex(0x14, { size: 32 }) }
    const execution = { outcome: 'executed', reason: '', hash: sent?.hash ?? '0x' } as const
    const report = { nonce: 0, sessions: [session], hash: execution.hash, block: mined }
    const executions = { [session]: { ...execution, block: mined } }
    await ledger.mined({ ...report, executions })

    isMinedMeanwhile = false
    held.clear()
    Object.assign(chain, change)
    asked.length = 0
    await tend(relayer)
    time.now += relayer.rules.regressionMs
    await tend(relayer)
    expect(rawsSent(asked)).toEqual([sent?.raw])
  },
)
