import type { Hex } from 'viem'
import { afterEach, beforeAll, beforeEach, describe, test } from 'vitest'
import { beforeABlock, emit, mined } from '../support/anvil-rpc.ts'
import { type OpenNode, openNode } from '../support/open.ts'
import { type Change, lieAbout, type ProxyNode } from '../support/proxy-node.ts'
import { type Served, serve } from '../support/serve.ts'

type Json = Record<string, unknown>

let on: OpenNode
let liar: ProxyNode
let alone: Served
let both: Served
let logged: { hash: Hex; blockHash: Hex; blockNumber: Hex }
let other: { hash: Hex; blockHash: Hex; blockNumber: Hex }

beforeAll(async () => {
  on = await openNode()
  liar = on.proxy
  const first = await emit(on.direct, on.emitter, 1n, 2n, 3n)
  other = { hash: first, ...(await mined(on.direct, first)) }
  const hash = await beforeABlock(on.direct, async () => {
    const sent = await emit(on.direct, on.emitter, 4n, 5n, 6n)
    await emit(on.direct, on.emitter, 7n, 8n, 9n)
    return sent
  })
  logged = { hash, ...(await mined(on.direct, hash)) }
  return on.stop
})

beforeEach(async () => {
  alone = await serve([liar.url])
  both = await serve([liar.url, on.proxies[1].url])
})

afterEach(() => liar.lie(undefined))

const believed = { code: -32011, message: 'no node gave an answer that can be believed' }

/** A lie of the preferred node, and a question that it spoils. */
type Case = [what: string, lie: () => Change, question: () => [string, ...unknown[]]]

const cases: Case[] = [
  [
    'a block with another state root',
    () => lieAbout('eth_getBlockByHash', (block: Json) => ({ ...block, stateRoot: logged.hash })),
    () => ['eth_getBlockByHash', logged.blockHash],
  ],
  [
    'a block with another timestamp, by number',
    () => lieAbout('eth_getBlockByNumber', (block: Json) => ({ ...block, timestamp: '0x1' })),
    () => ['eth_getBlockByNumber', logged.blockNumber],
  ],
  [
    'a block under a hash that is not its own',
    () => lieAbout('eth_getBlockByNumber', (block: Json) => ({ ...block, hash: logged.hash })),
    () => ['eth_getBlockByNumber', logged.blockNumber, true],
  ],
  [
    'another block than was asked for',
    () =>
      lieAbout('eth_getBlockByHash', () => {
        return { ...blockOf(other), ...honestBlocks.get(other.blockHash) }
      }),
    () => ['eth_getBlockByHash', logged.blockHash],
  ],
  [
    'a raw header of a block that does not hash to it',
    () => lieAbout('eth_getBlockByHash', (block: Json) => ({ ...block, gasUsed: '0x1' })),
    () => ['chain_getRawBlockHeaderByHash', logged.blockHash],
  ],
  [
    'a receipt with another gas use, which the receipts root shows',
    () => lieAboutReceipts((receipt) => ({ ...receipt, cumulativeGasUsed: '0x1' })),
    () => ['chain_getRawTransactionReceiptByHash', logged.hash],
  ],
  [
    'a receipt with another status, in a proof',
    () => lieAboutReceipts((receipt) => ({ ...receipt, status: '0x0' })),
    () => ['chain_getTransactionReceiptNodesByHash', logged.blockHash, logged.hash],
  ],
  [
    'receipts of which one is missing',
    () => lieAbout('eth_getBlockReceipts', (receipts: Json[]) => receipts.slice(1)),
    () => ['chain_getTransactionReceiptNodesByHash', logged.blockHash, logged.hash],
  ],
  [
    'a block of which the receipts root was changed with the receipts',
    () => (answer, request) =>
      request.method === 'eth_getBlockByHash'
        ? { ...answer, result: { ...(answer.result as Json), receiptsRoot: logged.hash } }
        : answer,
    () => ['chain_getRawTransactionReceiptByHash', logged.hash],
  ],
  [
    'the receipt of another transaction',
    () =>
      lieAbout('eth_getTransactionReceipt', (receipt: Json) => ({
        ...receipt,
        transactionHash: other.hash,
      })),
    () => ['eth_getTransactionReceipt', logged.hash],
  ],
  [
    'another transaction',
    () => lieAbout('eth_getTransactionByHash', (one: Json) => ({ ...one, hash: other.hash })),
    () => ['eth_getTransactionByHash', logged.hash],
  ],
  [
    'a transaction from another block',
    () =>
      lieAbout('eth_getTransactionByBlockHashAndIndex', (one: Json) => ({
        ...one,
        blockHash: other.blockHash,
      })),
    () => ['eth_getTransactionByBlockHashAndIndex', logged.blockHash, '0x0'],
  ],
  [
    'logs of a block of which the last is missing',
    () => lieAbout('eth_getLogs', (logs: Json[]) => logs.slice(0, -1)),
    () => ['eth_getLogs', { blockHash: logged.blockHash }],
  ],
  [
    'no logs of a block that has some',
    () => lieAbout('eth_getLogs', () => []),
    () => ['eth_getLogs', { fromBlock: logged.blockNumber, toBlock: logged.blockNumber }],
  ],
  [
    'a log with other data',
    () => lieAbout('eth_getLogs', (logs: Json[]) => logs.map((log) => ({ ...log, data: '0x01' }))),
    () => ['eth_getLogs', { blockHash: logged.blockHash }],
  ],
  [
    'logs that were not asked for',
    () =>
      lieAbout('eth_getLogs', (logs: Json[]) =>
        logs.map((log) => ({ ...log, address: logged.hash.slice(0, 42) })),
      ),
    () => ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', address: on.emitter }],
  ],
  [
    'logs twice',
    () => lieAbout('eth_getLogs', (logs: Json[]) => [...logs, ...logs]),
    () => ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }],
  ],
  [
    'logs of later blocks than were asked for',
    () =>
      lieAbout('eth_getLogs', (logs: Json[]) =>
        logs.map((log) => ({ ...log, blockNumber: '0xff' })),
      ),
    () => ['eth_getLogs', { fromBlock: '0x0', toBlock: logged.blockNumber }],
  ],
  [
    'traces of another block',
    () =>
      lieAbout('trace_block', (traces: Json[]) =>
        traces.map((one) => ({ ...one, blockHash: other.blockHash })),
      ),
    () => ['trace_block', logged.blockHash],
  ],
  [
    'traces of which those of a transaction are missing',
    () => lieAbout('trace_block', (traces: Json[]) => traces.slice(1)),
    () => ['trace_block', logged.blockHash],
  ],
  [
    'traces of another transaction',
    () =>
      lieAbout('trace_transaction', (traces: Json[]) =>
        traces.map((one) => ({ ...one, transactionHash: other.hash })),
      ),
    () => ['trace_transaction', logged.hash],
  ],
  [
    'a balance that is no number',
    () => lieAbout('eth_getBalance', () => 'lots'),
    () => ['eth_getBalance', on.emitter],
  ],
  [
    'an object where text belongs',
    () => lieAbout('eth_getCode', () => ({})),
    () => ['eth_getCode', on.emitter, 'latest'],
  ],
  [
    'a block without a hash',
    () => lieAbout('eth_getBlockByNumber', (block: Json) => ({ ...block, hash: null })),
    () => ['eth_getBlockByNumber', logged.blockNumber],
  ],
]

const honestBlocks = new Map<string, Json>()

function blockOf({ blockHash }: { blockHash: Hex }): Json {
  return honestBlocks.get(blockHash) ?? {}
}

function lieAboutReceipts(change: (receipt: Json) => Json): Change {
  return lieAbout('eth_getBlockReceipts', ([first, ...rest]: Json[]) => [
    change(first ?? {}),
    ...rest,
  ])
}

describe('a node that answers', () => {
  beforeAll(async () => {
    for (const { blockHash } of [logged, other]) {
      honestBlocks.set(
        blockHash,
        (await on.direct('eth_getBlockByHash', [blockHash, false])) as Json,
      )
    }
  })

  for (const [what, lie, question] of cases) {
    test(`${what} is not believed, and another is asked`, async ({ expect }) => {
      const [method, ...params] = question()
      const truth = (await both.rpc(method, params)).result
      expect(truth).not.toBeUndefined()
      liar.lie(lie())
      both = await serve([liar.url, on.proxies[1].url])
      expect((await alone.rpc(method, params)).error).toEqual(believed)
      expect((await both.rpc(method, params)).result).toEqual(truth)
    })
  }
})

test('a node that lied is asked last for a while, and the operator is told', async ({ expect }) => {
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

test('a node whose answer is malformed keeps its place, and the operator is told once', async ({
  expect,
}) => {
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

test("a node's error reaches the client without the node's address", async ({ expect }) => {
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
