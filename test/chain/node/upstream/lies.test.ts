import type { Hex } from 'viem'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { opened } from '../../../support/opened.ts'
import { beforeABlock, deployFlood, emit, mined, sender, topic } from '../support/anvil-rpc.ts'
import { openNode } from '../support/open.ts'
import { lieAbout, type ProxyNode } from '../support/proxy-node.ts'
import { type Served, serve } from '../support/serve.ts'

type Json = Record<string, unknown>

const on = opened(() => openNode())
let liar: ProxyNode
let alone: Served
let both: Served
type Sent = { hash: Hex; blockHash: Hex; blockNumber: Hex }
let logged: Sent
let other: Sent
let otherBlock: unknown
/** Has more logs than a node may answer at once. */
let flooded: Hex

beforeAll(async () => {
  liar = on.proxy
  const first = await emit(on.direct, on.emitter, 1n, 2n, 3n)
  other = { hash: first, ...(await mined(on.direct, first)) }
  otherBlock = await on.direct('eth_getBlockByHash', [other.blockHash, false])
  const hash = await beforeABlock(on.direct, async () => {
    const sent = await emit(on.direct, on.emitter, 4n, 5n, 6n)
    await emit(on.direct, on.emitter, 7n, 8n, 9n)
    return sent
  })
  logged = { hash, ...(await mined(on.direct, hash)) }
  const flood = { from: sender, to: await deployFlood(on.direct), data: topic(1_500n) }
  const sent = await on.direct('eth_sendTransaction', [{ ...flood, gas: '0x2dc6c0' }])
  flooded = (await mined(on.direct, sent as Hex)).blockNumber
})

async function serveAnew(): Promise<void> {
  alone = await serve([liar.url])
  both = await serve([liar.url, on.proxies[1].url])
}
beforeEach(serveAnew)

afterEach(() => liar.lie(undefined))

const believed = { code: -32011, message: 'no node gave an answer that can be believed' }

type Told = (result: never) => unknown

/** Returns other members in what a node says: in a thing, or in each of a list. */
const spoil =
  (members: Json): Told =>
  (result: Json | Json[]) => {
    const spoiled = (one: Json) => ({ ...one, ...members })
    return Array.isArray(result) ? result.map(spoiled) : spoiled(result)
  }
const spoilFirst =
  (members: Json) =>
  ([first, ...rest]: Json[]) => [{ ...first, ...members }, ...rest]
const instead = (result: unknown) => () => result
const slice = (from: number, to?: number) => (all: Json[]) => all.slice(from, to)

/** Has a method, a lie about it, parameters, and what is asked where that is another method. */
type Lie = [method: string, lie: Told, params: unknown[], asked?: string]

/** Names lies of the preferred node, besides those of `liars`. */
function listLies(): Record<string, Lie> {
  const { hash, blockHash, blockNumber } = logged
  const otherHash = spoil({ transactionHash: other.hash })
  const elsewhere = spoil({ blockHash: other.blockHash })
  const [toIt, toLatest] = [blockNumber, 'latest'].map((toBlock) => ({ fromBlock: '0x0', toBlock }))
  const byNumber = 'eth_getBlockByNumber'
  const byPlace = 'eth_getTransactionByBlockHashAndIndex'
  const rawReceipt = 'chain_getRawTransactionReceiptByHash'
  const proof = 'chain_getTransactionReceiptNodesByHash'
  const logs = (lie: Told, filter: Json): Lie => ['eth_getLogs', lie, [filter]]
  return {
    'another state root': ['eth_getBlockByHash', spoil({ stateRoot: hash }), [blockHash]],
    'another timestamp, by number': [byNumber, spoil({ timestamp: '0x1' }), [blockNumber]],
    'a hash that is not its own': [byNumber, spoil({ hash }), [blockNumber, true]],
    'another block': ['eth_getBlockByHash', instead(otherBlock), [blockHash]],
    'a status in a proof': [
      'eth_getBlockReceipts',
      spoilFirst({ status: '0x0' }),
      [blockHash, hash],
      proof,
    ],
    'a receipts root': ['eth_getBlockByHash', spoil({ receiptsRoot: hash }), [hash], rawReceipt],
    "another's receipt": ['eth_getTransactionReceipt', otherHash, [hash]],
    'another transaction': ['eth_getTransactionByHash', spoil({ hash: other.hash }), [hash]],
    'a transaction of another block': [byPlace, elsewhere, [blockHash, '0x0']],
    'logs but the last': logs(slice(0, -1), { blockHash }),
    'no logs, by number': logs(instead([]), { ...toIt, fromBlock: blockNumber }),
    'a thousand of more logs': logs(slice(0, 1_000), { fromBlock: blockNumber, toBlock: flooded }),
    'logs of another block': logs(elsewhere, { blockHash }),
    'logs of another address': logs(spoil({ address: hash.slice(0, 42) }), {
      ...toLatest,
      address: on.emitter,
    }),
    'logs twice': logs((all: Json[]) => [...all, ...all], toLatest as Json),
    'logs of later blocks': logs(spoil({ blockNumber: '0xff' }), toIt as Json),
    'traces of another block': ['trace_block', elsewhere, [blockHash]],
    'traces but for a transaction': ['trace_block', slice(1), [blockHash]],
    'traces of another transaction': ['trace_transaction', otherHash, [hash]],
    'a balance that is no number': ['eth_getBalance', instead('lots'), [on.emitter]],
    'an object where text belongs': ['eth_getCode', instead({}), [on.emitter, 'latest']],
    'a block without a hash': [byNumber, spoil({ hash: null }), [blockNumber]],
  }
}

test('a node that lies is not trusted, and another node is asked', async () => {
  for (const [what, [method, lie, params, asked = method]] of Object.entries(listLies())) {
    const truth = (await both.rpc(asked, params)).result
    expect(truth, what).not.toBeUndefined()
    liar.lie(lieAbout(method, lie))
    await serveAnew()
    expect((await alone.rpc(asked, params)).error, what).toEqual(believed)
    expect((await both.rpc(asked, params)).result, what).toEqual(truth)
    liar.lie(undefined)
    await serveAnew()
  }
})

test('a node that lied is asked last for a while, and the operator gets an alert', async () => {
  await both.rpc('eth_blockNumber')
  liar.lie(lieAbout('eth_getBlockByHash', (block: Json) => ({ ...block, gasUsed: '0x1' })))
  await both.rpc('eth_getBlockByHash', [logged.blockHash])
  const before = liar.seen('eth_getCode')
  await both.rpc('eth_getCode', [on.emitter, 'latest'])
  expect(liar.seen('eth_getCode')).toBe(before)
  const told = { level: 'warn', event: 'node.distrusted', node: 'node 1' }
  expect(both.logged).toContainEqual(expect.objectContaining(told))
  expect(JSON.stringify(both.logged)).not.toContain('127.0.0.1')
})

test('a node with a malformed answer keeps its place, and the operator is alerted once', async () => {
  await both.rpc('eth_blockNumber')
  liar.lie(lieAbout('eth_getBalance', () => 'lots'))
  const truth = await on.direct('eth_getBalance', [on.emitter, 'latest'])
  for (let times = 0; times < 3; times += 1) {
    expect((await both.rpc('eth_getBalance', [on.emitter])).result).toBe(truth)
  }
  const before = liar.seen('eth_getCode')
  await both.rpc('eth_getCode', [on.emitter, 'latest'])
  expect(liar.seen('eth_getCode')).toBe(before + 1)
  const message = 'node 1 returned a malformed eth_getBalance result'
  expect(both.logged).toEqual([{ level: 'warn', event: 'node.malformed', message, node: 'node 1' }])
})

test("a node's error reaches the client without the node's address", async () => {
  const { host, href } = new URL(liar.url)
  const message = `limit of ${href} reached at ${host}`
  const refusal = { code: -32000, message, data: { at: href } }
  liar.lie((answer, { method }) =>
    method === 'eth_gasPrice' ? { id: answer.id, error: refusal } : answer,
  )
  const { error } = await alone.rpc('eth_gasPrice')
  expect(error?.code).toBe(-32000)
  expect(JSON.stringify(error)).not.toContain(host)
})
