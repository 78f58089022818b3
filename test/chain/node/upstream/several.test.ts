import { keccak256 } from 'viem'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startAnvil } from '../../../../scripts/dev/anvil.ts'
import type { Change } from '../../../../scripts/dev/faults/fault-proxy.ts'
import { until } from '../../../../scripts/dev/wait.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { inTime } from '../../../support/in-time.ts'
import { opened } from '../../../support/opened.ts'
import { beforeABlock, customer, emit, mined, signTransfer } from '../support/anvil-rpc.ts'
import { openNode } from '../support/open.ts'
import { lieAbout, type ProxyNode, startProxyNode } from '../support/proxy-node.ts'
import { type Served, serve } from '../support/serve.ts'

type Json = Record<string, unknown>

const account = `0x${'ab'.repeat(20)}` as const

const on = opened(() => openNode())
let nodes: [ProxyNode, ProxyNode, ProxyNode]
let served: Served

beforeEach(async () => {
  nodes = [await startProxyNode(on.url), await startProxyNode(on.url), await startProxyNode(on.url)]
  served = await serve(nodes.map(({ url }) => url))
})

afterEach(async () => {
  for (const node of nodes) {
    node.thaw()
    await node.stop()
  }
})

const signed = () => signTransfer(on.direct, account)

const headOf = async (): Promise<number> =>
  Number((await served.rpc('eth_blockNumber')).result as unknown as string)

describe('reads', () => {
  test('go on when the preferred node is gone, and do not wait for it again', async () => {
    expect((await served.rpc('eth_getBalance', [account])).error).toBeUndefined()
    await nodes[0].cut()
    for (let count = 0; count < 5; count += 1) {
      const { error } = await inTime(1_000, () => served.rpc('eth_getBalance', [account]))
      expect(error).toBeUndefined()
    }
    expect(nodes[1].seen('eth_getBalance')).toBeGreaterThanOrEqual(5)
    expect(nodes[2].seen('eth_getBalance')).toBe(0)
  })

  test('are given to a second node when the first one hangs', async () => {
    await served.rpc('eth_chainId')
    nodes[0].freeze()
    const first = await inTime(2_500, () => served.rpc('eth_gasPrice'))
    expect(first.error).toBeUndefined()
    const next = await inTime(300, () => served.rpc('eth_gasPrice'))
    expect(next.error).toBeUndefined()
  })

  test('never see the head go back when another node answers', async () => {
    await on.direct('anvil_mine', ['0x5'])
    const head = Number(await on.direct('eth_blockNumber'))
    const old = await on.direct('eth_getBlockByNumber', [`0x${(head - 2).toString(16)}`, false])
    for (const behind of [nodes[1], nodes[2]]) {
      behind.lie((answer, { method, params }) =>
        method === 'eth_getBlockByNumber' && params[0] === 'latest'
          ? { ...answer, result: old }
          : answer,
      )
    }
    expect(await headOf()).toBe(head)
    await nodes[0].cut()
    for (let count = 0; count < 3; count += 1) {
      const { result, error } = await served.rpc('eth_getBlockByNumber', ['latest', false])
      // An answer that is older than what was shown does not count.
      expect(error ?? result).toMatchObject({ code: -32011 })
      expect(await headOf()).toBe(head)
    }
    for (const behind of [nodes[1], nodes[2]]) behind.lie(undefined)
    expect(await headOf()).toBe(head)
    const { result } = await served.rpc('eth_getBlockByNumber', ['latest', false])
    expect(Number((result as unknown as Json).number)).toBe(head)
  })

  test('ask another node before they report something as missing', async () => {
    const hash = await emit(on.direct, on.emitter, 1n, 1n, 1n)
    await mined(on.direct, hash)
    nodes[0].lie(lieAbout('eth_getTransactionReceipt', () => null))
    const { result } = await served.rpc('eth_getTransactionReceipt', [hash])
    expect(result).toMatchObject({ transactionHash: hash })
    const absent = await served.rpc('eth_getTransactionReceipt', [`0x${'99'.repeat(32)}`])
    expect(absent.result).toBeNull()
  })

  test('go on in the logs of a range without a node that refuses each block of it', async () => {
    await mined(on.direct, await emit(on.direct, on.emitter, 1n, 1n, 1n))
    const range = [{ fromBlock: '0x0', toBlock: 'latest', address: on.emitter }]
    const direct = (await on.direct('eth_getLogs', range)) as unknown[]
    nodes[1].lie((answer, { method }) =>
      method === 'eth_getLogs' ? { id: answer.id, error: { code: -32000, message: 'no' } } : answer,
    )
    expect((await served.rpc('eth_getLogs', range)).result).toHaveLength(direct.length)
    expect(nodes[1].seen('eth_getLogs')).toBe(2)
  })

  test('never come from a node of another chain', async () => {
    const other = await startAnvil({ chainId: 30 })
    onTestFinished(other.stop)
    const mixed = await serve([other.url, nodes[0].url])
    const balance = await mixed.rpc('eth_getBalance', [customer.address])
    expect(balance.result).toBe(await on.direct('eth_getBalance', [customer.address, 'latest']))
    expect((await mixed.rpc('eth_sendRawTransaction', [await signed()])).error).toBeUndefined()
    const alone = await serve([other.url])
    const refused = await alone.rpc('eth_getBalance', [customer.address])
    expect(refused.error).toMatchObject({ code: -32011 })
  })
})

describe('a transaction', () => {
  test('goes to every node, and is known to the others', async () => {
    await beforeABlock(on.direct, async () => {
      const raw = await signed()
      expect((await served.rpc('eth_sendRawTransaction', [raw])).result).toBe(keccak256(raw))
      await until(async () => nodes.every((node) => node.seen('eth_sendRawTransaction') === 1))
    })
  })

  test('may have been sent when a node answers the hash of another, which is held against no node', async () => {
    const otherHash = `0x${'ab'.repeat(32)}`
    await beforeABlock(on.direct, async () => {
      nodes[0].lie(lieAbout('eth_sendRawTransaction', () => otherHash))
      const alone = await serve([nodes[0].url])
      const raw = await signed()
      expect((await alone.rpc('eth_sendRawTransaction', [raw])).error?.message).toBe(maybeSent)
      expect((await served.rpc('eth_sendRawTransaction', [raw])).result).toBe(keccak256(raw))
      const events = [...alone.logged, ...served.logged].map(({ event }) => event)
      expect(events).not.toContain('node.distrusted')
    })
  })

  test('may have been sent when one node did not answer', async () => {
    for (const node of [nodes[0], nodes[2]]) node.lie(refuse)
    nodes[1].freeze()
    const urls = nodes.map(({ url }) => url)
    served = await serve(urls, 31, globalThis.fetch, createHandClock(0.1))
    const { error } = await served.rpc('eth_sendRawTransaction', [await signed()])
    expect(error).toEqual({ code: -32011, message: maybeSent })
  })

  const refusal = { code: -32010, message: 'account exceeds quota' }
  const maybeSent = 'no node gave an answer: the transaction may have been sent'
  const refuse: Change = (answer, { method }) =>
    method === 'eth_sendRawTransaction' ? { id: answer.id, error: refusal } : answer
})
