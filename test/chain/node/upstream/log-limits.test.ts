import { type Address, type Hex, numberToHex } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../../../src/runtime/clock.ts'
import { opened } from '../../../support/opened.ts'
import { deployEmitter, deployFlood, emit, mined, sender, topic } from '../support/anvil-rpc.ts'
import { startRskjChain } from '../support/nodes.ts'
import { lieAbout, startProxyNode } from '../support/proxy-node.ts'
import { type Answer, type Served, serve } from '../support/serve.ts'

type Json = Record<string, unknown>

/** How many logs there may be is looked at here, and not how long a busy machine takes for them. */
const patientClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(20 * ms, signal),
  timeout: (ms) => systemClock.timeout(20 * ms),
}

const on = opened(startRskjChain)
const node = opened(() => startProxyNode(on.anvilUrl))
let served: Served
let servedByRskj: Served
let emitter: Address

/** 12,001 logs in the first blocks, one in the last, just over 2,000 blocks in all. */
beforeAll(async () => {
  const { chain: direct } = on
  served = await serve([node.url], 31, globalThis.fetch, patientClock)
  servedByRskj = await serve([on.node.url], 31, globalThis.fetch, patientClock)
  const flood = await deployFlood(direct)
  emitter = await deployEmitter(direct)
  for (let count = 0; count < 6; count += 1) {
    const hash = await direct('eth_sendTransaction', [
      { from: sender, to: flood, data: topic(2_000n), gas: numberToHex(3_000_000) },
    ])
    await mined(direct, hash as Hex)
  }
  await mined(direct, await emit(direct, emitter, 0n, 0n, 0n))
  await direct('anvil_mine', ['0x7d0'])
  await mined(direct, await emit(direct, emitter, 1n, 0n, 0n))
})

function logs(filter: object, by = served): Promise<Answer> {
  return by.rpc('eth_getLogs', [filter])
}

async function found(filter: object, by = served): Promise<Json[]> {
  const { result, error } = await logs(filter, by)
  if (error !== undefined) throw new Error(error.message)
  return result as unknown as Json[]
}

test('within 2,000 blocks any number of logs is answered', async () => {
  for (const by of [served, servedByRskj]) {
    expect(await found({ fromBlock: '0x0', toBlock: '0x7d0' }, by)).toHaveLength(12_001)
  }
})

test('over more blocks 10,000 are, and the refusal names a range that works', async () => {
  for (const by of [served, servedByRskj]) {
    const { error } = await logs({ fromBlock: '0x0', toBlock: 'latest' }, by)
    expect(error).toEqual({
      code: -32012,
      message: 'more than 10000 logs: try blocks 0x0 to 0x7d0',
      data: { fromBlock: '0x0', toBlock: '0x7d0' },
    })
    expect(await found(error?.data as object, by)).toHaveLength(12_001)
  }

  const later = await logs({ fromBlock: '0x6', toBlock: 'latest' })
  expect(later.error).toBeUndefined()
  expect(later.result).toHaveLength(6_002)
})

test('a range of many blocks is put together from pieces, each log once and in order', async () => {
  const before = node.seen('eth_getLogs')
  const all = await found({ fromBlock: '0x0', toBlock: 'latest', address: emitter })
  expect(node.seen('eth_getLogs') - before).toBe(2)
  expect(all.map(({ topics }) => (topics as Hex[])[0])).toEqual([topic(0n), topic(1n)])
  const numbers = all.map(({ blockNumber }) => Number(blockNumber))
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
})

test('a node that cuts its answers short at a round number is caught at it', async () => {
  for (const most of [1_000, 10_000]) {
    node.lie(lieAbout('eth_getLogs', (all: Json[]) => all.slice(0, most)))
    try {
      // The six blocks with 2,000 logs each: halves of the range show what the whole hides.
      const { result, error } = await logs({ fromBlock: '0x0', toBlock: '0x7d0' })
      if (most >= 2_000) expect(result).toHaveLength(12_001)
      else expect(error).toMatchObject({ code: -32011 })
    } finally {
      node.lie(undefined)
    }
  }
})
