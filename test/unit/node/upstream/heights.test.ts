import { expect, test } from 'vitest'
import { sleep, until } from '../../../../scripts/dev/wait.ts'
import { serve } from '../../../chain/node/support/serve.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { readFullBlock } from '../../../support/rskj-node/recording.ts'
import { scriptedNode } from '../scripted-node.ts'

const full = readFullBlock()
const printed = { ...full, transactions: full.transactions.map(({ hash }) => hash) }

/** RSKj nodes at one height, of which the first says that it is somewhere else. */
function rootstockNodes(lie: (block: typeof printed) => typeof printed): typeof fetch {
  return async (input, init) => {
    const isLiar = new URL(`${input}`).hostname === 'liar.test'
    const node = scriptedNode(({ method, params: [selector] }) => {
      const isLatest = method === 'eth_getBlockByNumber' && selector === 'latest'
      if (isLatest) return { result: isLiar ? lie(printed) : printed }
      return { result: [printed.number, printed.hash].includes(`${selector}`) ? printed : null }
    })
    return await node(input, init)
  }
}

const honest = (block: typeof printed) => block
const farAbove = (block: typeof printed) => ({ ...block, number: '0x10000' })
const urls = ['http://liar.test/', 'http://honest.test/']

test('a height without a block on RSKj is not trusted, though nothing hashes to it', async () => {
  const served = await serve(urls, 31, rootstockNodes(farAbove))
  expect((await served.rpc('eth_blockNumber')).result).toBe(printed.number)
  const { number, hash } = printed
  expect(await served.rpc('eth_getBlockByNumber', ['latest'])).toMatchObject({
    result: { number, hash },
  })
  expect(served.logged).toContainEqual(
    expect.objectContaining({ event: 'node.failed', node: 'node 1' }),
  )
})

test('a false latest block far above the head does not make other nodes count as behind', async () => {
  let isLying = false
  const lie = (block: typeof printed) => (isLying ? farAbove : honest)(block)
  const served = await serve(urls, 31, rootstockNodes(lie), createHandClock())
  const latest = async () => (await served.rpc('eth_getBlockByNumber', ['latest'])).result
  expect(await latest()).toMatchObject({ number: printed.number })
  isLying = true
  await latest()
  isLying = false
  expect(await latest()).toMatchObject({ number: printed.number })
})

test('a request during the first reading of heights waits for them', async () => {
  const nodes = rootstockNodes(farAbove)
  let asked = 0
  const slow: typeof fetch = async (input, init) => {
    asked += 1
    await sleep(20)
    return await nodes(input, init)
  }
  const served = await serve(urls, 31, slow)
  const first = served.rpc('eth_gasPrice')
  await until(() => asked > 0, { everyMs: 1 })
  expect((await served.rpc('eth_blockNumber')).result).toBe(printed.number)
  await first
})

test('a node with unknown height is asked after the others', async () => {
  const nodes = rootstockNodes(honest)
  let silentAsked = 0
  const silent: typeof fetch = async (input, init) => {
    if (new URL(`${input}`).hostname !== 'liar.test') return await nodes(input, init)
    silentAsked += 1
    return await new Promise<never>(() => {})
  }
  const served = await serve(urls, 31, silent)
  expect((await served.rpc('eth_getBlockByNumber', ['latest'])).result).toMatchObject({
    number: printed.number,
  })
  // Once for its height, and not for the block.
  expect(silentAsked).toBe(1)
})

test('the head advances while every request of a customer fails', async () => {
  const clock = createHandClock()
  const nodes = rootstockNodes(honest)
  let height = Number(printed.number)
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const body = `${init?.body}`
    if (body.includes('eth_getCode')) throw new Error('the connection was lost')
    const answer = await (await nodes(input, init)).text()
    return new Response(answer.replaceAll(`"${printed.number}"`, `"0x${height.toString(16)}"`))
  }
  const served = await serve(urls, 31, fetch, clock)
  expect((await served.rpc('eth_blockNumber')).result).toBe(`0x${height.toString(16)}`)
  for (let block = 0; block < 5; block += 1) {
    height += 1
    for (let question = 0; question < 8; question += 1) {
      const { error } = await served.rpc('eth_getCode', [`0x${'ab'.repeat(20)}`, 'latest'])
      expect(error?.code).toBe(-32011)
    }
    clock.forward(1_001)
    expect((await served.rpc('eth_blockNumber')).result).toBe(`0x${height.toString(16)}`)
  }
})

test("a customer's question that takes too long is held against no node", async () => {
  const nodes = rootstockNodes(honest)
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (`${init?.body}`.includes('eth_getCode')) return await new Promise<never>(() => {})
    return await nodes(input, init)
  }
  const served = await serve(urls, 31, fetch, createHandClock(0.02))
  await served.rpc('eth_blockNumber')
  const { error } = await served.rpc('eth_getCode', [`0x${'ab'.repeat(20)}`, 'latest'])
  expect(error).toEqual({
    code: -32011,
    message: 'no node gave an answer in time: ask again, or for less',
  })
  expect(served.logged).toEqual([])
})

test('a head that no node has shown for half a minute is no longer used', async () => {
  const clock = createHandClock()
  const nodes = rootstockNodes(honest)
  let gone = false
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (gone) throw new Error('the connection was lost')
    return await nodes(input, init)
  }
  const served = await serve(urls, 31, fetch, clock)
  expect((await served.rpc('eth_blockNumber')).result).toBe(printed.number)
  gone = true
  clock.forward(29_000)
  expect((await served.rpc('eth_blockNumber')).result).toBe(printed.number)
  clock.forward(2_000)
  expect((await served.rpc('eth_blockNumber')).error?.code).toBe(-32011)
})
