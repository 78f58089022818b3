import { type Hex, hexToBytes, numberToHex, parseTransaction } from 'viem'
import { expect, test } from 'vitest'
import { poolRules } from '../../../../src/chain/chains.ts'
import { waitForVerdict } from '../../../../src/chain/refusals.ts'
import { RpcError, TransportError } from '../../../../src/chain/rpc.ts'
import { ledgerParts } from '../../../../src/compose/ledger.ts'
import type { WholeLedger } from '../../../../src/operator/kept/steps.ts'
import { decodeRequests } from '../../../../src/relay/forwarder/requests.ts'
import { getIdentity } from '../../../../src/relay/identity.ts'
import { createLedgerPort } from '../../../../src/relay/ledger/port.ts'
import type { BlockId } from '../../../../src/relay/ledger/values.ts'
import type { Relayer } from '../../../../src/relay/relayer.ts'
import { runRound } from '../../../../src/relay/rounds/round.ts'
import { createSigner } from '../../../../src/relay/signer.ts'
import { createKeyAccount } from '../../../../src/runtime/key-account.ts'
import { openMemoryRelayer } from '../../../ports/ledger-memory.ts'
import {
  executionIn,
  fillNonce,
  offerOf,
  orderOf,
  question,
  queue,
  requestOf,
  screenOf,
} from '../../../ports/payments.ts'

const nextAccount = createKeyAccount(hexToBytes(`0x${'02'.repeat(32)}`))
const { deadline } = requestOf(0)
const word = (value: number) => numberToHex(value, { size: 32 })

type Params = readonly unknown[]

const hashOn = (branch: number, number: number) => word(branch * 0x1000 + number)

/** Creates a block of a branch; each branch is a separate chain from its first block. */
const blockOn = (branch: number, number: number) => ({
  ...{ number: numberToHex(number), timestamp: '0x1', transactions: [] as Hex[] },
  ...{ hash: hashOn(branch, number), parentHash: hashOn(branch, number - 1) },
})

/** Creates a chain of linked blocks with given contents. */
function createChain() {
  const held = new Map<number, Hex[]>()
  /** Has blocks from `other` on be of another branch; `seconds` is the time of all. */
  const chain = { height: 0x10, other: Number.POSITIVE_INFINITY, seconds: 1 }
  const hashOf = (number: number) => hashOn(number < chain.other ? 0 : 1, number)
  const block = (selector: unknown = 'latest') => {
    const number = selector === 'latest' ? chain.height : Number(selector)
    return {
      ...{ number: numberToHex(number), hash: hashOf(number), parentHash: hashOf(number - 1) },
      ...{ timestamp: numberToHex(chain.seconds), transactions: held.get(number) ?? [] },
    }
  }
  return { chain, held, block }
}

/**
 * A relayer over a ledger in memory and a node of a chain that has used no nonce and takes whatever
 * it is sent, but for these answers. What both were asked is told.
 */
function openRelayer(over: Record<string, (params: Params) => unknown> = {}) {
  const world = createChain()
  const answers: typeof over = {
    eth_getBlockByNumber: ([selector]) => world.block(selector),
    eth_getTransactionCount: () => '0x0',
    eth_getTransactionReceipt: () => null,
    eth_gasPrice: () => '0x1',
    eth_getBalance: () => '0x1',
    eth_call: () => numberToHex(0, { size: 64 }),
    eth_sendRawTransaction: () => word(0),
    ...over,
  }
  const time = { now: 1_000 }
  const events: string[] = []
  const log: Relayer['log'] = ({ event }) => void events.push(event)
  const opened = openMemoryRelayer({ answers, log, now: () => time.now })
  const { ledger, asked, key } = opened
  const called: string[] = []
  const relayer: Relayer = {
    ...opened.relayer,
    ledger: createLedgerPort(ledgerParts.steps, (method, args) => {
      called.push(method)
      return (ledger[method] as (...args: unknown[]) => Promise<unknown>)(...args)
    }),
  }
  const paramsOf = (name: string) =>
    asked.filter(({ method }) => method === name).map(({ params }) => params[0])
  const rawsSent = () => paramsOf('eth_sendRawTransaction') as Hex[]
  return {
    ...{ ...world, relayer, ledger, called, asked, events, time, key, paramsOf, rawsSent },
    /** Runs a round some time later, over a ledger with these methods: what is sent in it. */
    async roundAfter(ms = 0, over: Partial<WholeLedger> = {}) {
      time.now += ms
      asked.length = 0
      const result = await runRound({ ...relayer, ledger: { ...relayer.ledger, ...over } })
      return { result, raws: rawsSent() }
    },
    sent: () => rawsSent().map((raw) => parseTransaction(raw)),
    stateOf: async (session: string) => (await ledger.findPayment(session))?.state,
    /** Returns the last signed transaction of an open nonce. */
    async signedFor(of = 0): Promise<{ hash: Hex; raw: Hex }> {
      const open = (await ledger.readWork()).nonces.find(({ nonce }) => nonce === of)
      return open?.transactions[0] ?? { hash: '0x', raw: '0x' }
    },
    /** Notes that a block has executed a payment, as its own request does. */
    async mine(nonce: number, session: string, hash: Hex, block: BlockId) {
      const payment = await ledger.findPayment(session)
      const { request: executed } = payment?.order ?? orderOf(session)
      const { signature } = executed
      const executions = { [session]: executionIn(0, { hash, block, signature, executed }) }
      return ledger.recordMined({ nonce, sessions: [session], hash, block, executions })
    },
  }
}

/** Creates a payment of a fresh account. */
function paymentOf(number: number) {
  const request = requestOf(number)
  const order = { request, kind: 'transfer' as const, spendsWei: 1n }
  return { session: `session ${number}`, from: request.from, order }
}

/** Queues a payment that waits for a nonce. */
async function enqueue(ledger: WholeLedger, number: number): Promise<string> {
  const { session, from, order } = paymentOf(number)
  await queue(ledger, offerOf(session, from, { order }))
  return session
}

/** Adopts a payment of this block into a ledger that had lost its rows. */
async function adopt(ledger: WholeLedger, block: BlockId, number = 0): Promise<string> {
  const { session, from, order } = paymentOf(number)
  const execution = executionIn(0, { hash: word(1), block, executed: order.request })
  const asked = { ...question(session, from), answerCount: 1, screen: screenOf(session) }
  await ledger.adopt({ ...asked, order, execution })
  return session
}

const silent = () => {
  throw new TransportError('the node does not answer')
}

test('a round continues if pruning fails', async () => {
  const { roundAfter, events, asked } = openRelayer()
  const prune = () => Promise.reject(new Error('the database refused'))
  expect((await roundAfter(0, { prune })).result).toBe('idle')
  expect([events, asked]).toEqual([['prune.failed'], []])
})

test('a payment about which the node is silent gives its nonce to the next one', async () => {
  const answers = { eth_getTransactionCount: () => '0x1', eth_call: silent }
  const { relayer, ledger, asked } = openRelayer(answers)
  const troubled = await enqueue(ledger, 1)
  const next = await enqueue(ledger, 2)
  // A transaction carried it and did nothing for it.
  const [hash, block] = [word(0), { number: 1, hash: word(0) }]
  const filling = { nonce: 0, chainNonce: 0, sessions: [troubled] }
  await fillNonce(ledger, filling, { hash, raw: '0x', gasPriceWei: 1n })
  await ledger.recordMined({ nonce: 0, sessions: [troubled], hash, block, executions: {} })
  expect(await runRound(relayer)).toBe('open')
  const [waiting, carried] = [[{ session: troubled }], [{ session: next, nonce: 1 }]]
  expect(await ledger.readWork()).toMatchObject({ waiting, carried })
  const questions = asked.map(({ method, params }) => JSON.stringify([method, params]))
  expect(questions.toSorted()).toEqual([...new Set(questions)].toSorted())
})

test('a round that only waits reads the open work once, and only the head', async () => {
  const { roundAfter, ledger, asked, called } = openRelayer({ eth_call: silent })
  await enqueue(ledger, 1)
  expect((await roundAfter()).result).toBe('open')
  called.length = 0
  expect((await roundAfter()).result).toBe('open')
  expect(called.filter((method) => method === 'readWork')).toHaveLength(1)
  expect(asked.map(({ method }) => method)).toEqual(['eth_getBlockByNumber'])
})

test('a payment whose change the ledger refuses delays no other', async () => {
  const { roundAfter, ledger, events, chain, stateOf } = openRelayer()
  chain.seconds = deadline + 1
  const refused = await enqueue(ledger, 1)
  const other = await enqueue(ledger, 2)
  const expire: WholeLedger['expire'] = async (session, seconds) => {
    if (session === refused) throw new Error('a row is broken')
    return await ledger.expire(session, seconds)
  }
  expect((await roundAfter(0, { expire })).result).toBe('open')
  expect([await stateOf(refused), await stateOf(other)]).toEqual(['queued', 'expired'])
  expect(events).toEqual(['expire.failed', 'payment.expired'])
})

test('an outcome that the ledger refuses keeps no other of its block from being final', async () => {
  const { roundAfter, ledger, stateOf } = openRelayer()
  const at = { number: 2, hash: hashOn(0, 2) }
  const [refused, ...others] = await Promise.all([1, 2, 3].map((one) => adopt(ledger, at, one)))
  const confirmed: (readonly string[])[] = []
  const confirm: WholeLedger['confirm'] = async (sessions, hash) => {
    confirmed.push(sessions)
    if (sessions.includes(`${refused}`)) throw new Error('a row is broken')
    return await ledger.confirm(sessions, hash)
  }
  await roundAfter(0, { confirm })
  const states = await Promise.all([`${refused}`, ...others].map(stateOf))
  expect(states).toEqual(['mined', 'confirmed', 'confirmed'])
  await roundAfter()
  expect(await stateOf(`${refused}`)).toBe('confirmed')
  expect(confirmed).toEqual([[refused, ...others], ...[refused, ...others].map((one) => [one])])
})

test('bytes that may not be outbid are sent again, and the payment gets the next nonce', async () => {
  const { relayer, ledger, rawsSent, sent } = openRelayer()
  const session = await enqueue(ledger, 1)
  // The highest price is 100: over 90 a pool asks for 126.
  const data = { to: relayer.forwarder.address, data: '0x', gas: 21_000 } as const
  const older = relayer.signer.sign({ ...data, nonce: 0, gasPriceWei: 90n })
  await fillNonce(ledger, { nonce: 0, chainNonce: 0, sessions: [session] }, older)
  await ledger.abandon(0)
  expect(await runRound(relayer)).toBe('open')
  expect(sent().map(({ nonce, gasPrice }) => `${nonce} at ${gasPrice}`)).toEqual([
    '0 at 90',
    '1 at 1',
  ])
  expect(rawsSent()[0]).toBe(older.raw)
  const { nonces, carried } = await ledger.readWork()
  expect(nonces.map(({ nonce, sessions }) => `${nonce} ${sessions}`)).toEqual([
    '0 ',
    `1 ${session}`,
  ])
  expect(carried).toMatchObject([{ session, nonce: 1 }])
})

test.for([
  ['whose fate is unknown', () => new TransportError('connection refused')],
  ['beyond a quota', () => new RpcError(-32010, 'account exceeds quota')],
  ['behind a gap', () => new RpcError(-32010, 'transaction nonce too high')],
] as const)('a broadcast %s is repeated in seconds, then ever later', async ([_, refusal]) => {
  let isRefused = true
  const { ledger, roundAfter } = openRelayer({
    eth_sendRawTransaction() {
      if (isRefused) throw refusal()
      return word(0)
    },
  })
  await enqueue(ledger, 1)
  const { result, raws } = await roundAfter()
  expect([result, raws]).toEqual(['soon', [expect.any(String)]])
  for (const [ms, result, isAnswered] of [
    ...([
      [4_999, 'soon'],
      [1, 'open'],
      [19_999, 'open'],
      [1, 'open', true],
    ] as const),
    ...([
      [119_999, 'open'],
      [1, 'open'],
    ] as const),
  ]) {
    isRefused &&= isAnswered !== true
    expect(await roundAfter(ms)).toEqual({ result, raws: ms === 1 ? raws : [] })
  }
})

const occupied = () => new RpcError(-32010, 'gas price not enough to bump transaction')

/** Opens a relayer with a payment on nonce 0, whose node notes what it is sent and refuses it. */
async function openRefused(refuse: () => unknown, over: Parameters<typeof openRelayer>[0]) {
  const offered: string[] = []
  const opened = openRelayer({
    eth_sendRawTransaction([raw]) {
      const { nonce, gasPrice } = parseTransaction(raw as Hex)
      offered.push(`${nonce ?? 0} at ${gasPrice}`)
      return refuse()
    },
    ...over,
  })
  const session = await enqueue(opened.ledger, 1)
  const data = { to: opened.relayer.forwarder.address, data: '0x', gas: 21_000 } as const
  const transaction = opened.relayer.signer.sign({ ...data, nonce: 0, gasPriceWei: 20n })
  await fillNonce(opened.ledger, { nonce: 0, chainNonce: 0, sessions: [session] }, transaction)
  const carrier = async () => (await opened.ledger.findPayment(session))?.nonce
  return { ...opened, offered, carrier }
}

test('a nonce that one node calls occupied moves only where pool or chain counts it', async () => {
  let pending = '0x0'
  const { roundAfter, offered, carrier } = await openRefused(() => Promise.reject(occupied()), {
    eth_getTransactionCount: ([, upTo]) => (upTo === 'pending' ? pending : '0x0'),
    eth_getTransactionByHash: () => null,
  })
  await roundAfter(5_000)
  await roundAfter(5_000)
  expect([offered, await carrier()]).toEqual([['0 at 20', '0 at 20'], 0])
  pending = '0x1'
  await roundAfter(5_000)
  expect([offered.slice(2), await carrier()]).toEqual([['0 at 20', '1 at 1'], 1])
})

test('a nonce stays where a node calls it occupied and has our bytes, or none tells', async () => {
  let ours: () => unknown = () => ({ input: '0x' })
  const { roundAfter, offered, carrier } = await openRefused(() => Promise.reject(occupied()), {
    eth_getTransactionCount: ([, upTo]) => (upTo === 'pending' ? '0x1' : '0x0'),
    eth_getTransactionByHash: () => ours(),
  })
  await roundAfter(5_000)
  ours = () => Promise.reject(new TransportError('the connection was lost'))
  await roundAfter(5_000)
  expect([offered, await carrier()]).toEqual([['0 at 20', '0 at 20'], 0])
  ours = () => null
  await roundAfter(5_000)
  expect(await carrier()).toBe(1)
})

test('a nonce stays where one node calls it occupied and another may have our bytes', async () => {
  const refuse = () => waitForVerdict([Promise.reject(occupied()), Promise.reject(lost)], sleepless)
  const lost = new TransportError('the connection was lost')
  const sleepless = async () => {}
  const { roundAfter, offered, carrier } = await openRefused(refuse, {
    // The silent node counts what it took from us.
    eth_getTransactionCount: ([, upTo]) => (upTo === 'pending' ? '0x1' : '0x0'),
  })
  await roundAfter(5_000)
  await roundAfter(5_000)
  expect([offered, await carrier()]).toEqual([['0 at 20', '0 at 20'], 0])
})

test('a price that one node calls too low rises to what the head asks, and not above', async () => {
  let minimumGasPrice = '0x14'
  const words = "transaction's gas price lower than block's minimum"
  const { roundAfter, offered } = await openRefused(
    () => Promise.reject(new RpcError(-32010, words)),
    {
      eth_getBlockByNumber: () => ({ ...blockOn(0, 0x10), minimumGasPrice }),
      eth_gasPrice: () => '0x50',
    },
  )
  for (let round = 0; round < 4; round++) await roundAfter(200_000)
  expect(new Set(offered)).toEqual(new Set(['0 at 20']))
  minimumGasPrice = '0x32'
  await roundAfter(200_000)
  expect(offered.slice(4)).toEqual(['0 at 20', '0 at 50'])
  // More than the nodes ask now.
  minimumGasPrice = '0x64'
  await roundAfter(200_000)
  expect(offered.slice(6)).toEqual(['0 at 50', '0 at 80'])
})

test.for([
  ['its block', 0xf],
  ['the head of the last round', 0x10],
] as const)('a final payment is reopened even if a replica shows %s', async ([, shown]) => {
  let [height, branch, branchBehind] = [0x10, 1, 1]
  const { relayer, ledger, roundAfter, stateOf } = openRelayer({
    // The replica that is behind has the branch that others have lost.
    eth_getBlockByNumber: ([selector]) => {
      if (selector === 'latest') return blockOn(branch, height)
      return blockOn(Number(selector) === shown ? branchBehind : branch, Number(selector))
    },
  })
  const session = await adopt(ledger, { number: 0xf, hash: hashOn(1, 0xf) })
  expect(await runRound(relayer)).toBe('open')
  await ledger.confirm([session], hashOn(1, 0xf))
  ;[branch, height] = [2, 0x18]
  await roundAfter(25_000)
  expect(await stateOf(session)).toBe('confirmed')
  branchBehind = 2
  await roundAfter(25_000)
  expect(await stateOf(session)).toBe('signed')
})

test.for([
  ['the first round after that', 0],
  ['a round that has seen a head before', 1],
] as const)('a payment is not final by a node with lost blocks, in %s', async ([, rounds]) => {
  const found = 0x5
  let height = found + poolRules.rootstock.confirmations - 1
  let branchBehind = 1
  const { relayer, ledger, roundAfter, stateOf } = openRelayer({
    eth_getBlockByNumber: ([selector]) => {
      const number = selector === 'latest' ? height : Number(selector)
      return blockOn(number === found ? branchBehind : 2, number)
    },
  })
  // Rounds are for what is open.
  await enqueue(ledger, 1)
  for (let round = 0; round < rounds; round++, height++) await runRound(relayer)
  const session = await adopt(ledger, { number: found, hash: hashOn(1, found) })
  await runRound(relayer)
  expect(await stateOf(session)).not.toBe('confirmed')
  branchBehind = 2
  height += 1
  await roundAfter(25_000)
  expect(await stateOf(session)).toBe('signed')
})

test('a count that a replica gave too early is read again, and no payment waits forever', async () => {
  const { maxInFlight } = poolRules.rootstock
  const { relayer, ledger, chain, sent, stateOf } = openRelayer({
    // A pool's depth of transactions is in block 0x10, which the first to be asked does not have
    // yet.
    eth_getTransactionCount: ([, upTo]) =>
      upTo === 'latest' && chain.height === 0x10 ? '0x0' : numberToHex(maxInFlight),
    eth_getBalance: silent,
  })
  const session = await enqueue(ledger, 1)
  for (; chain.height <= 0x12; chain.height++) expect(await runRound(relayer)).toBe('open')
  expect(sent().map(({ nonce }) => nonce)).toEqual([maxInFlight])
  expect(await stateOf(session)).toBe('signed')
})

test('a payment expires only by a node that has the block after its deadline', async () => {
  let isBehind = true
  const { relayer, ledger, chain, events, stateOf } = openRelayer({
    eth_call: ([, at]) => {
      // As of its own head, a replica that is behind has every intent unspent.
      const blockHash = hashOn(0, chain.height - poolRules.rootstock.confirmations + 1)
      const isDeep = JSON.stringify(at) === JSON.stringify({ blockHash })
      if (isBehind && isDeep) throw new RpcError(-32000, 'unknown block')
      return numberToHex(0, { size: 64 })
    },
  })
  chain.seconds = deadline + 1
  const session = await enqueue(ledger, 1)
  expect(await runRound(relayer)).toBe('open')
  expect(await stateOf(session)).toBe('queued')
  expect(events).toEqual(['expire.failed'])
  isBehind = false
  await runRound(relayer)
  expect(await stateOf(session)).toBe('expired')
})

test('a payment does not expire by a block that the chain has lost', async () => {
  const deep = numberToHex(0x30 - poolRules.rootstock.confirmations + 1)
  let isFollowed = false
  const { relayer, ledger, chain, block, stateOf } = openRelayer({
    eth_getBlockByNumber: ([selector]) => {
      // The round has followed it down to there before.
      if (selector === deep && isFollowed) return { ...block(deep), hash: hashOn(0, Number(deep)) }
      isFollowed ||= selector === deep
      return block(selector)
    },
  })
  Object.assign(chain, { height: 0x30, seconds: deadline + 1, other: 0x10 })
  const session = await enqueue(ledger, 1)
  await runRound(relayer)
  expect(isFollowed).toBe(true)
  expect(await stateOf(session)).toBe('queued')
})

test.for([12, 50, 51, 60])('a payment expires by a deadline %i blocks deep', async (depth) => {
  const { relayer, ledger, chain, stateOf } = openRelayer()
  Object.assign(chain, { height: 0x100, seconds: deadline + 1 })
  const session = await enqueue(ledger, 1)
  await runRound({ ...relayer, rules: { ...relayer.rules, confirmations: depth } })
  expect(await stateOf(session)).toBe('expired')
})

test('payments that expired long ago share what is read to find the blocks of their time', async () => {
  const secondsOfHead = deadline + 20 * 86_400
  const countReads = async (payments: number) => {
    const { relayer, ledger, chain, paramsOf, stateOf } = openRelayer({
      eth_getBlockByNumber: ([selector]) => {
        const number = selector === 'latest' ? chain.height : Number(selector)
        const timestamp = numberToHex(secondsOfHead - 25 * (chain.height - number))
        return { ...blockOn(0, number), timestamp }
      },
      eth_getLogs: () => [],
    })
    chain.height = 100_000
    const sessions: string[] = []
    for (let number = 1; number <= payments; number += 1) {
      const { session, from, order } = paymentOf(number)
      const request = { ...order.request, deadline: deadline + 60 * number }
      await queue(ledger, offerOf(session, from, { order: { ...order, request } }))
      sessions.push(session)
    }
    await runRound(relayer)
    for (const session of sessions) expect(await stateOf(session)).toBe('expired')
    return paramsOf('eth_getBlockByNumber').length
  }
  const readsOfOne = await countReads(1)
  expect((await countReads(21)) - readsOfOne).toBeLessThan(2 * 20)
})

test('a nonce counts as foreign only by a block that every replica has', async () => {
  const start = 1_800_000
  // A block a minute. The nonce is passed in block 0x11, and no replica shows its receipt.
  const { relayer, ledger, chain, events, time } = openRelayer({
    eth_getBlockByNumber: ([selector]) => {
      const number = selector === 'latest' ? chain.height : Number(selector)
      const timestamp = numberToHex(start / 1_000 + 60 * (number - 0x10))
      // No head leads down to another one, so that each round asks for the count.
      return { ...blockOn(0, number), parentHash: word(0), timestamp }
    },
    eth_getTransactionCount: ([, at]) => {
      const number = at === 'latest' ? chain.height : Number(at)
      return at !== 'pending' && number > 0x10 ? '0x1' : '0x0'
    },
  })
  const soon = { ...relayer, rules: { ...relayer.rules, confirmations: 1 } }
  time.now = start
  const session = await enqueue(ledger, 1)
  await runRound(soon)
  const roundAfter = async (minutes: number) => {
    time.now = start + 60_000 * minutes + 1_000
    chain.height = 0x10 + minutes
    await runRound(soon)
    return (await ledger.findPayment(session))?.nonce
  }
  expect([await roundAfter(1), await roundAfter(2)]).toEqual([0, 0])
  expect(events).not.toContain('nonce.foreign')
  await roundAfter(4)
  expect(events).toContain('nonce.foreign')
})

test('a nonce that rounds of two processes retire at once is logged once', async () => {
  const { relayer, ledger, events } = openRelayer()
  const session = await enqueue(ledger, 1)
  const far = { hash: word(9), raw: '0x09', gasPriceWei: 1n } as const
  await fillNonce(ledger, { nonce: 500, chainNonce: 500, sessions: [session] }, far)
  await Promise.all([runRound(relayer), runRound(relayer)])
  expect(events.filter((event) => event === 'nonce.ahead')).toHaveLength(1)
  expect((await ledger.findPayment(session))?.nonce).toBe(0)
})

test('each block is read once, and its transactions show the used nonces', async () => {
  const answers = { eth_getBalance: silent }
  const { ledger, chain, held, asked, roundAfter, paramsOf, signedFor } = openRelayer(answers)
  await enqueue(ledger, 1)
  await roundAfter()
  const { hash } = await signedFor(0)
  held.set(0x12, [hash])
  chain.height = 0x13
  await roundAfter(26_000)
  expect(paramsOf('eth_getBlockByNumber')).toEqual(['latest', '0x12', '0x11'])
  expect(paramsOf('eth_getTransactionReceipt')).toEqual([hash])
  await roundAfter()
  const methods = ['eth_getBlockByNumber', 'eth_getTransactionReceipt']
  expect(asked.map(({ method }) => method)).toEqual(methods)
})

test("rounds read down to a payment's block once, and continue where a node failed", async () => {
  let isFailing = true
  const { relayer, ledger, chain, block, roundAfter, events, paramsOf, stateOf } = openRelayer({
    eth_getBlockByNumber: ([selector]) => {
      if (isFailing && selector === '0xb') throw new RpcError(-32000, 'busy')
      return block(selector)
    },
  })
  const found = 0x8
  const session = await adopt(ledger, { number: found, hash: word(found) })
  const blocksOfRound = async () => {
    await roundAfter()
    const blocks = paramsOf('eth_getBlockByNumber').filter((selector) => selector !== 'latest')
    return blocks.map(Number)
  }
  // The block itself is looked at, since no round has seen a head before.
  expect(await blocksOfRound()).toEqual([0xf, 0xe, 0xd, 0xc, 0xb, found])
  expect(events).toContain('follow.failed')
  isFailing = false
  expect(await blocksOfRound()).toEqual([0xc, 0xb, 0xa, 0x9, found])
  expect(await blocksOfRound()).toEqual([])
  const { confirmations } = poolRules.rootstock
  for (chain.height += 1; chain.height < found + confirmations; chain.height++) {
    expect(await stateOf(session)).toBe('mined')
    await runRound(relayer)
  }
  expect(await stateOf(session)).toBe('confirmed')
})

test('a block that a node hides delays no payment for long', async () => {
  const { relayer, ledger, chain, block, time, sent } = openRelayer({
    eth_getBlockByNumber: ([selector]) => {
      if (selector === '0x15') throw new RpcError(-32000, 'busy')
      return block(selector)
    },
  })
  await enqueue(ledger, 1)
  await runRound(relayer)
  await enqueue(ledger, 2)
  chain.height = 0x20
  // So long a node may be behind: nothing is decided until then.
  const rounds = relayer.rules.regressionMs / 25_000 + 1
  for (let round = 0; round < rounds; round++) {
    time.now += 25_000
    chain.height += 1
    await runRound(relayer)
  }
  expect(new Set(sent().map(({ nonce }) => nonce))).toEqual(new Set([0, 1]))
})

test('a removed payment is reopened, however long the nodes need to answer', async () => {
  let isDown = false
  const { relayer, ledger, chain, block, time, stateOf } = openRelayer({
    eth_getBlockByNumber: ([selector]) =>
      isDown && selector !== 'latest' ? silent() : block(selector),
  })
  const { confirmations, regressionMs, watchBlocks } = relayer.rules
  const session = await adopt(ledger, { number: chain.height, hash: hashOn(0, chain.height) })
  chain.height += confirmations
  await runRound(relayer)
  expect(await stateOf(session)).toBe('confirmed')
  Object.assign(chain, { other: 0x10, height: chain.height + watchBlocks - confirmations - 1 })
  isDown = true
  await runRound(relayer)
  time.now += regressionMs
  await runRound(relayer).catch((error) => expect(error).toBeInstanceOf(TransportError))
  Object.assign(chain, { height: chain.height + watchBlocks })
  isDown = false
  await runRound(relayer)
  expect(await stateOf(session)).toBe('signed')
})

test('no block is read twice in a round if the chain forks below the followed blocks', async () => {
  const { relayer, ledger, chain, roundAfter, paramsOf } = openRelayer()
  await enqueue(ledger, 1)
  await runRound(relayer)
  await adopt(ledger, { number: 8, hash: word(8) })
  Object.assign(chain, { other: 0x10, height: 0x30 })
  await roundAfter()
  const blocks = paramsOf('eth_getBlockByNumber')
  expect(blocks.toSorted()).toEqual([...new Set(blocks)].toSorted())
  expect((await ledger.readWork()).followedBlocks.at(-1)?.number).toBe(8)
})

test('a new key begins at its own count, and payments that it sent are sent again', async () => {
  const { relayer, ledger, chain, held, block, asked, time, key, signedFor, mine, sent } =
    openRelayer({
      eth_getTransactionCount: ([of]) => (of === nextAccount.address ? '0x0' : '0x1f5'),
    })
  const old = await enqueue(ledger, 1)
  await runRound(relayer)
  const { hash } = await signedFor(0x1f5)
  chain.height += 1
  held.set(chain.height, [hash])
  await mine(0x1f5, old, hash, { number: chain.height, hash: block().hash })
  // The key changes once nothing is open.
  for (; (await runRound(relayer)) === 'open'; chain.height += 1);
  const former = await ledger.readWork()
  expect(former.followedBlocks[0]?.count).toBe(0x1f6)
  expect(former.accountState).toMatchObject({ balanceWei: 1n, gasPriceWei: 1n })

  key.relayer = nextAccount.address
  const renewed = { ...relayer, signer: createSigner(nextAccount, 31) }
  // The price is the chain's; balance and counts were the former key's.
  expect((await ledger.readWork()).accountState).toEqual({ gasPriceWei: 1n })
  await ledger.identify(getIdentity(renewed))
  expect((await ledger.readWork()).accountState).toEqual({ gasPriceWei: 1n })
  await enqueue(ledger, 2)
  asked.length = 0
  for (let round = 0; round < 3; round++) {
    chain.height += 1
    await runRound(renewed)
    time.now += relayer.rules.rebroadcastMs
  }
  expect(sent().map(({ nonce }) => nonce)).toEqual([0, 0, 0])
})

test('a round with a former forwarder changes nothing, and does not take the ledger back', async () => {
  const { relayer, ledger, chain, block, asked, events, rawsSent } = openRelayer()
  await ledger.identify(getIdentity(relayer))
  const at = { number: chain.height, hash: block().hash }
  const session = await adopt(ledger, at)
  await ledger.confirm([session], at.hash)
  const renewed = { ...relayer, forwarder: { chainId: 31, address: nextAccount.address } }
  expect(await ledger.identify(getIdentity(renewed))).toEqual({ kind: 'same' })

  expect(await runRound(relayer)).toBe('watching')
  await enqueue(ledger, 1)
  expect(await runRound(relayer)).toBe('watching')
  expect(asked).toEqual([])
  expect(events).toEqual(['identity.different'])
  expect(await runRound(renewed)).toBe('open')
  expect(rawsSent()).toHaveLength(1)
})

test('a payment that is mined when a round begins is found in its block', async () => {
  const mined = { hash: word(7), raw: '0x', gasPriceWei: 1n } as const
  let isMinedNext = false
  const { ledger, chain, held, block, asked, roundAfter } = openRelayer({
    eth_getBlockByNumber: async ([selector]) => {
      if (isMinedNext) {
        isMinedNext = false
        await fillNonce(ledger, { nonce: 1, chainNonce: 0, sessions: [] }, mined)
        chain.height += 1
        held.set(chain.height, [mined.hash])
      }
      return block(selector)
    },
  })
  await enqueue(ledger, 1)
  await roundAfter()
  isMinedNext = true
  await roundAfter(25_000)
  const seen = asked.slice()
  await roundAfter(26_000)
  const method = 'eth_getTransactionReceipt'
  expect([...seen, ...asked]).toContainEqual({ method, params: [mined.hash] })
})

test('a round that ends late does not count blocks that the chain has lost', async () => {
  const { relayer, ledger, chain, held, roundAfter, signedFor } = openRelayer({
    eth_getTransactionCount: () => (chain.height >= 0x13 ? '0x1' : '0x0'),
  })
  await enqueue(ledger, 1)
  // The account's count is asked for in its turn, with the fourth block.
  for (chain.height = 0x10; chain.height < 0x13; chain.height++) await runRound(relayer)
  const { hash, raw } = await signedFor(0)
  held.set(0x13, [hash])
  const [isAtEnd, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const recordAccountState: WholeLedger['recordAccountState'] = async (...seen) => {
    isAtEnd.resolve()
    await isOver.promise
    await ledger.recordAccountState(...seen)
  }
  const late = roundAfter(0, { recordAccountState })
  await isAtEnd.promise
  chain.height = 0x12
  await roundAfter()
  await roundAfter(relayer.rules.regressionMs)
  isOver.resolve()
  await late
  expect((await roundAfter(relayer.rules.rebroadcastMs)).raws).toEqual([raw])
})

test("a price has the time of the node's answer, a refused price is not stored, and refused bytes are sent again at the new one", async () => {
  let priceWei = 1
  const { relayer, ledger, time, key, sent } = openRelayer({
    eth_gasPrice: () => numberToHex(priceWei),
    eth_getBalance: silent,
    eth_sendRawTransaction: ([raw]) => {
      const { gasPrice = 0n } = parseTransaction(raw as Hex)
      if (gasPrice < priceWei) throw new RpcError(-32010, "gas price lower than block's minimum")
      return word(0)
    },
  })
  const lastPrice = (of: number) => sent().findLast(({ nonce }) => nonce === of)?.gasPrice
  const carry = async (number: number) => {
    await enqueue(ledger, number)
    await runRound(relayer)
    return lastPrice(number - 1)
  }
  expect(await carry(1)).toBe(1n)
  priceWei = 9
  expect([await carry(2), await carry(3)]).toEqual([1n, 9n])
  // The first waits before it and is taken: it is not outbid.
  time.now += 5_000
  await runRound(relayer)
  expect([0, 1, 2].map(lastPrice)).toEqual([1n, 9n, 9n])
  time.now += key.rules.accountStateMs - 1
  priceWei = 5
  expect(await carry(4)).toBe(9n)
  time.now += 1
  expect((await ledger.readWork()).accountState.gasPriceWei).toBeUndefined()
})

test('waiting payments are sent in one transaction, and its replacement differs only in price', async () => {
  const { relayer, ledger, time, rawsSent, sent } = openRelayer({
    eth_sendRawTransaction: ([raw]) => {
      if (rawsSent().filter((one) => one === raw).length < 2) return word(0)
      throw new RpcError(-32010, 'pending transaction with same hash already exists')
    },
  })
  const sessions = [await enqueue(ledger, 1), await enqueue(ledger, 2), await enqueue(ledger, 3)]
  const queued = (await ledger.readWork()).waiting.map(({ order }) => order.request)
  await runRound({ ...relayer, rules: { ...relayer.rules, maxInBatch: 2 } })
  expect((await ledger.readWork()).nonces).toMatchObject([
    { nonce: 0, sessions: sessions.slice(0, 2) },
    { nonce: 1, sessions: sessions.slice(2) },
  ])
  const carried = sent().map(({ data }) => decodeRequests(data ?? '0x'))
  expect(carried).toEqual([queued.slice(0, 2), queued.slice(2)])
  // One of them ends meanwhile: what outbids them must not become other bytes for that.
  await ledger.expire(sessions[0] ?? '', 5_000_000_000)
  const { replaceAfterMs, rebroadcastMs } = relayer.rules
  for (let waited = 0; waited < replaceAfterMs; waited += rebroadcastMs) {
    time.now += rebroadcastMs
    await runRound(relayer)
  }
  const [first, ...others] = sent().filter(({ nonce }) => nonce === 0)
  const last = others.at(-1)
  expect(last?.gasPrice).toBeGreaterThan(first?.gasPrice ?? 0n)
  const { r, s, v, yParity, gasPrice, ...content } = first ?? {}
  expect(last).toMatchObject(content)
  expect(content.data).toBeDefined()
})

test('while payments wait without a free nonce, rounds run within seconds', async () => {
  const { relayer, ledger, time } = openRelayer()
  const full = { ...relayer, rules: { ...relayer.rules, maxInBatch: 1, maxInFlight: 2 } }
  for (const number of [1, 2]) await enqueue(ledger, number)
  expect(await runRound(full)).toBe('open')
  await enqueue(ledger, 3)
  expect(await runRound(full)).toBe('soon')
  expect((await ledger.readWork()).waiting).toHaveLength(1)
  // What no block takes for that long is not taken by the next one either.
  time.now += full.rules.replaceAfterMs
  expect(await runRound(full)).toBe('open')
})

test('bytes that a pool lost are sent again, in order, in the first round after a block without them', async () => {
  const { relayer, ledger, chain, roundAfter, time, rawsSent } = openRelayer()
  for (const number of [1, 2]) {
    await enqueue(ledger, number)
    await runRound(relayer)
  }
  const swallowed = rawsSent()
  expect(swallowed).toHaveLength(2)
  expect((await roundAfter(10_000)).raws).toEqual([])
  Object.assign(chain, { height: chain.height + 1, seconds: time.now / 1_000 })
  for (let round = 0; round < 2; round++) await runRound(relayer)
  expect(rawsSent()).toEqual(swallowed)
})

test('bytes that no node accepted are sent within a block: first the lowest nonce, then those behind it', async () => {
  let isEmpty = true
  const { relayer, ledger, roundAfter, rawsSent } = openRelayer({
    eth_sendRawTransaction: () => {
      if (isEmpty) throw new RpcError(-32000, 'insufficient funds for gas * price + value')
      return word(0)
    },
  })
  for (const number of [1, 2, 3]) {
    await enqueue(ledger, number)
    await runRound(relayer)
  }
  const inOrder = (await ledger.readWork()).nonces.map(({ transactions: [latest] }) => latest?.raw)
  const { roundMs, rebroadcastMs } = relayer.rules
  for (let passed = 0; passed < 5 * rebroadcastMs; passed += roundMs) await roundAfter(roundMs)
  isEmpty = false
  expect((await roundAfter(roundMs)).result).toBe('soon')
  await runRound(relayer)
  expect(new Set(rawsSent())).toEqual(new Set(inOrder))
  expect(rawsSent()[0]).toBe(inOrder[0])
})

test('rounds run within seconds while a payment waits for the block that may assure it', async () => {
  const { relayer, ledger, time, mine, chain, block, signedFor } = openRelayer()
  const { session, from, order } = paymentOf(1)
  const lasting = { ...order.request, intentId: numberToHex(2, { size: 22 }) }
  const till = { ...order, kind: 'withdrawal' as const, lasting }
  await queue(ledger, offerOf(session, from, { order: till }))
  const assuring = { ...relayer, readSettled: async () => 0n }
  expect(await runRound(relayer)).toBe('open')
  expect(await runRound(assuring)).toBe('soon')
  // Its own request found it in the head, too late for the round that is on.
  const head = { number: chain.height, hash: block().hash }
  await mine(0, session, (await signedFor()).hash, head)
  expect(await runRound(assuring)).toBe('soon')
  expect(await runRound(relayer)).toBe('open')
  chain.height += 1
  expect(await runRound(assuring)).toBe('open')
  chain.height -= 1
  // What no block takes for that long is not taken by the next one either.
  time.now += relayer.rules.replaceAfterMs
  expect(await runRound(assuring)).toBe('open')
})

test('a block that is recorded while a round reads blocks is not lost because it is above the head', async () => {
  const { relayer, ledger, chain, block, called, events, time, ...world } = openRelayer()
  const sessions: string[] = []
  for (const number of [1, 2, 3]) {
    sessions.push(await enqueue(ledger, number))
    await runRound(relayer)
  }
  /** Another process finds a payment in the next block, so that no round counts its nonce. */
  const mineOne = async (nonce: number) => {
    const { hash } = await world.signedFor(nonce)
    chain.height += 1
    const at = { number: chain.height, hash: block().hash }
    await world.mine(nonce, sessions[nonce] ?? '', hash, at)
  }
  await mineOne(0)
  for (const nonce of [1, 2]) {
    let isListed = false
    const listBlocks: WholeLedger['listBlocks'] = async (above) => {
      if (isListed) await mineOne(nonce)
      isListed = true
      return relayer.ledger.listBlocks(above)
    }
    called.length = 0
    await world.roundAfter(0, { listBlocks })
    expect(called.filter((name) => name === 'listBlocks')).toHaveLength(2)
    time.now += relayer.rules.regressionMs
  }
  expect(events).not.toContain('chain.reorganized')
  expect(called).toContain('recordHead')
})

test.for([
  ['is gone', { height: 0x13 }],
  ['is another one', { height: 0x14, other: 0x14 }],
] as const)('a count newer than the head goes with its block that %s', async ([, change]) => {
  let isMinedMeanwhile = false
  const { relayer, ledger, chain, held, roundAfter, signedFor, mine } = openRelayer({
    eth_getTransactionCount: ([, upTo]) => {
      if (isMinedMeanwhile && upTo === 'latest') chain.height = 0x14
      return chain.height === 0x14 && held.has(0x14) ? '0x1' : '0x0'
    },
  })
  const session = await enqueue(ledger, 1)
  // The account's count is asked for in its turn, with the fourth block.
  for (chain.height = 0x10; chain.height < 0x13; chain.height++) await runRound(relayer)
  const { hash, raw } = await signedFor(0)
  held.set(0x14, [hash])
  isMinedMeanwhile = true
  await runRound(relayer)
  // Its own request sees the receipt.
  await mine(0, session, hash, { number: 0x14, hash: word(0x14) })

  isMinedMeanwhile = false
  held.clear()
  Object.assign(chain, change)
  expect((await roundAfter()).raws).toEqual([])
  expect((await roundAfter(relayer.rules.regressionMs)).raws).toEqual([raw])
})
