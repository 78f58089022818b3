import type { Hex } from 'viem'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Change } from '../../../../scripts/dev/faults/fault-proxy.ts'
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
let logged: { hash: Hex; blockHash: Hex; blockNumber: Hex }
let other: { hash: Hex; blockHash: Hex; blockNumber: Hex }
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

beforeEach(async () => {
  alone = await serve([liar.url])
  both = await serve([liar.url, on.proxies[1].url])
})

afterEach(() => liar.lie(undefined))

const believed = { code: -32011, message: 'no node gave an answer that can be believed' }

/** Other members in what a node says of a method: in a thing, or in each of a list. */
function spoil(method: string, members: Json): Change {
  const spoiled = (one: Json) => ({ ...one, ...members })
  return lieAbout(method, (result: Json | Json[]) =>
    Array.isArray(result) ? result.map(spoiled) : spoiled(result),
  )
}

const instead = (method: string, result: unknown): Change => lieAbout(method, () => result)

/** Lists lies of the preferred node by name, each with the request that it spoils. */
const cases: Record<string, () => [lie: Change, question: [string, ...unknown[]]]> = {
  'a block with another state root': () => [
    spoil('eth_getBlockByHash', { stateRoot: logged.hash }),
    ['eth_getBlockByHash', logged.blockHash],
  ],
  'a block with another timestamp, by number': () => [
    spoil('eth_getBlockByNumber', { timestamp: '0x1' }),
    ['eth_getBlockByNumber', logged.blockNumber],
  ],
  'a block under a hash that is not its own': () => [
    spoil('eth_getBlockByNumber', { hash: logged.hash }),
    ['eth_getBlockByNumber', logged.blockNumber, true],
  ],
  'another block than was asked for': () => [
    instead('eth_getBlockByHash', otherBlock),
    ['eth_getBlockByHash', logged.blockHash],
  ],
  'a raw header of a block that does not hash to it': () => [
    spoil('eth_getBlockByHash', { gasUsed: '0x1' }),
    ['chain_getRawBlockHeaderByHash', logged.blockHash],
  ],
  'a receipt with another gas use, which the receipts root shows': () => [
    spoilFirstReceipt({ cumulativeGasUsed: '0x1' }),
    ['chain_getRawTransactionReceiptByHash', logged.hash],
  ],
  'a receipt with another status, in a proof': () => [
    spoilFirstReceipt({ status: '0x0' }),
    ['chain_getTransactionReceiptNodesByHash', logged.blockHash, logged.hash],
  ],
  'receipts of which one is missing': () => [
    lieAbout('eth_getBlockReceipts', (receipts: Json[]) => receipts.slice(1)),
    ['chain_getTransactionReceiptNodesByHash', logged.blockHash, logged.hash],
  ],
  'a block of which the receipts root was changed with the receipts': () => [
    spoil('eth_getBlockByHash', { receiptsRoot: logged.hash }),
    ['chain_getRawTransactionReceiptByHash', logged.hash],
  ],
  'the receipt of another transaction': () => [
    spoil('eth_getTransactionReceipt', { transactionHash: other.hash }),
    ['eth_getTransactionReceipt', logged.hash],
  ],
  'another transaction': () => [
    spoil('eth_getTransactionByHash', { hash: other.hash }),
    ['eth_getTransactionByHash', logged.hash],
  ],
  'a transaction from another block': () => [
    spoil('eth_getTransactionByBlockHashAndIndex', { blockHash: other.blockHash }),
    ['eth_getTransactionByBlockHashAndIndex', logged.blockHash, '0x0'],
  ],
  'logs of a block of which the last is missing': () => [
    lieAbout('eth_getLogs', (logs: Json[]) => logs.slice(0, -1)),
    ['eth_getLogs', { blockHash: logged.blockHash }],
  ],
  'no logs of a block that has some': () => [
    instead('eth_getLogs', []),
    ['eth_getLogs', { fromBlock: logged.blockNumber, toBlock: logged.blockNumber }],
  ],
  'a thousand logs of a block that has more': () => [
    lieAbout('eth_getLogs', (logs: Json[]) => logs.slice(0, 1_000)),
    ['eth_getLogs', { fromBlock: logged.blockNumber, toBlock: flooded }],
  ],
  'a log with other data': () => [
    spoil('eth_getLogs', { data: '0x01' }),
    ['eth_getLogs', { blockHash: logged.blockHash }],
  ],
  'logs of another block, with the data of the right ones': () => [
    spoil('eth_getLogs', { blockHash: other.blockHash }),
    ['eth_getLogs', { blockHash: logged.blockHash }],
  ],
  'logs that were not asked for': () => [
    spoil('eth_getLogs', { address: logged.hash.slice(0, 42) }),
    ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', address: on.emitter }],
  ],
  'logs twice': () => [
    lieAbout('eth_getLogs', (logs: Json[]) => [...logs, ...logs]),
    ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }],
  ],
  'logs of later blocks than were asked for': () => [
    spoil('eth_getLogs', { blockNumber: '0xff' }),
    ['eth_getLogs', { fromBlock: '0x0', toBlock: logged.blockNumber }],
  ],
  'traces of another block': () => [
    spoil('trace_block', { blockHash: other.blockHash }),
    ['trace_block', logged.blockHash],
  ],
  'traces of which those of a transaction are missing': () => [
    lieAbout('trace_block', (traces: Json[]) => traces.slice(1)),
    ['trace_block', logged.blockHash],
  ],
  'traces of another transaction': () => [
    spoil('trace_transaction', { transactionHash: other.hash }),
    ['trace_transaction', logged.hash],
  ],
  'a balance that is no number': () => [
    instead('eth_getBalance', 'lots'),
    ['eth_getBalance', on.emitter],
  ],
  'an object where text belongs': () => [
    instead('eth_getCode', {}),
    ['eth_getCode', on.emitter, 'latest'],
  ],
  'a block without a hash': () => [
    spoil('eth_getBlockByNumber', { hash: null }),
    ['eth_getBlockByNumber', logged.blockNumber],
  ],
}

function spoilFirstReceipt(members: Json): Change {
  return lieAbout('eth_getBlockReceipts', ([first, ...rest]: Json[]) => [
    { ...first, ...members },
    ...rest,
  ])
}

describe('a node that answers', () => {
  for (const [what, caseOf] of Object.entries(cases)) {
    test(`${what} is not trusted, and another node is asked`, async () => {
      const [lie, [method, ...params]] = caseOf()
      const truth = (await both.rpc(method, params)).result
      expect(truth).not.toBeUndefined()
      liar.lie(lie)
      both = await serve([liar.url, on.proxies[1].url])
      expect((await alone.rpc(method, params)).error).toEqual(believed)
      expect((await both.rpc(method, params)).result).toEqual(truth)
    })
  }
})

test('a node that lied is asked last for a while, and the operator gets an alert', async () => {
  await both.rpc('eth_blockNumber')
  liar.lie(lieAbout('eth_getBlockByHash', (block: Json) => ({ ...block, gasUsed: '0x1' })))
  await both.rpc('eth_getBlockByHash', [logged.blockHash])
  const before = liar.seen('eth_getCode')
  await both.rpc('eth_getCode', [on.emitter, 'latest'])
  expect(liar.seen('eth_getCode')).toBe(before)
  expect(both.logged).toContainEqual(
    expect.objectContaining({ level: 'warn', event: 'node.distrusted', node: 'node 1' }),
  )
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
  expect(both.logged).toEqual([
    {
      level: 'warn',
      event: 'node.malformed',
      message: 'node 1 returned a malformed eth_getBalance result',
      node: 'node 1',
    },
  ])
})

test("a node's error reaches the client without the node's address", async () => {
  const { host, href } = new URL(liar.url)
  liar.lie((answer, { method }) =>
    method === 'eth_gasPrice'
      ? ({
          id: answer.id,
          error: {
            code: -32000,
            message: `limit of ${href} reached at ${host}`,
            data: { at: href },
          },
        } as never)
      : answer,
  )
  const { error } = await alone.rpc('eth_gasPrice')
  expect(error?.code).toBe(-32000)
  expect(JSON.stringify(error)).not.toContain(host)
})
