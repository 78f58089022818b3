import { describe, expect, test } from 'vitest'
import { ownExamples } from '../../../../scripts/generate/openrpc.ts'
import { serve } from '../../../chain/node/support/serve.ts'
import { answeringNode, type Call, error, type Said } from '../../../support/fake-node.ts'
import { inTime } from '../../../support/in-time.ts'
import { readFullBlock, readRecording } from '../../../support/rskj-node/recording.ts'
import { replay } from '../../../support/rskj-node/replay.ts'

const recording = readRecording('main-network')
const head = recording.blocks.length - 1
const account = `0x${'ab'.repeat(20)}`
const hosts = ['first.test', 'second.test', 'third.test'] as const
const [first, second, third] = hosts

/** Says something else than the recorded node; undefined leaves it as it is. */
type Trouble = (call: Call) => Said | Promise<never> | undefined

const isGone: Trouble = () => {
  throw new Error('the connection was refused')
}
const isHead = ({ method, params }: Call) =>
  method === 'eth_getBlockByNumber' && params[0] === 'latest'
const hangs: Trouble = () => new Promise<never>(() => {})

/** Serves nodes of the recorded chain, which have troubles as the test says; counts their calls. */
async function serveNodes(names: readonly string[] = hosts) {
  const node = replay(recording)
  const troubles = new Map<string, Trouble>()
  const asked: string[] = []
  const nodes = answeringNode((call, host) => {
    asked.push(`${host} ${call.method}`)
    return troubles.get(host)?.(call) ?? node.say(call)
  })
  const urls = names.map((host) => `http://${host}/`)
  const { rpc } = await serve(urls, 31, nodes)
  return {
    troubles,
    rpc,
    seen: (host: string, method: string) =>
      asked.filter((one) => one === `${host} ${method}`).length,
    readHead: async () => Number((await rpc('eth_blockNumber')).result),
  }
}

describe('reads', () => {
  test('go on when the preferred node is gone, and do not wait for it again', async () => {
    const { rpc, troubles, seen } = await serveNodes()
    expect((await rpc('eth_getBalance', [account])).error).toBeUndefined()
    troubles.set(first, isGone)
    for (let count = 0; count < 5; count += 1) {
      const answer = await inTime(1_000, () => rpc('eth_getBalance', [account]))
      expect(answer.error).toBeUndefined()
    }
    expect(seen(second, 'eth_getBalance')).toBeGreaterThanOrEqual(5)
    expect(seen(third, 'eth_getBalance')).toBe(0)
  })

  test('are given to a second node when the first one hangs', async () => {
    const { rpc, troubles } = await serveNodes()
    await rpc('eth_chainId')
    troubles.set(first, hangs)
    for (const limitMs of [2_500, 300]) {
      const answer = await inTime(limitMs, () => rpc('eth_getBalance', [account]))
      expect(answer.error).toBeUndefined()
    }
  })

  test('never see the head go back when another node answers', async () => {
    const { rpc, troubles, readHead } = await serveNodes()
    const isBehind: Trouble = (call) =>
      isHead(call) ? { result: recording.blocks[head - 2] } : undefined
    for (const host of [second, third]) troubles.set(host, isBehind)
    expect(await readHead()).toBe(head)
    troubles.set(first, isGone)
    for (let count = 0; count < 3; count += 1) {
      const answer = await rpc('eth_getBlockByNumber', ['latest', false])
      // An answer that is older than what was shown does not count.
      expect(answer.error ?? answer.result).toMatchObject({ code: -32011 })
      expect(await readHead()).toBe(head)
    }
    for (const host of [second, third]) troubles.delete(host)
    expect(await readHead()).toBe(head)
    const { result } = await rpc('eth_getBlockByNumber', ['latest', false])
    expect(Number(Object(result).number)).toBe(head)
  })

  test('ask another node before they report something as missing', async () => {
    const { rpc, troubles } = await serveNodes()
    const isReceipt = ({ method }: Call) => method === 'eth_getTransactionReceipt'
    troubles.set(first, (call) => (isReceipt(call) ? { result: null } : undefined))
    const [sent] = readFullBlock().transactions
    const { result } = await rpc('eth_getTransactionReceipt', [sent?.hash])
    expect(result).toMatchObject({ transactionHash: sent?.hash })
    for (const host of [second, third])
      troubles.set(host, (call) => (isReceipt(call) ? { result: null } : undefined))
    const absent = await rpc('eth_getTransactionReceipt', [`0x${'99'.repeat(32)}`])
    expect(absent).toMatchObject({ result: null })
  })

  test('go on in the logs of a range without a node that refuses each block of it', async () => {
    const { rpc, troubles, seen } = await serveNodes()
    troubles.set(second, ({ method }) =>
      method === 'eth_getLogs' ? error(-32000, 'no') : undefined,
    )
    const { result } = await rpc('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])
    expect(result).toHaveLength(recording.logs.length)
    expect(seen(second, 'eth_getLogs')).toBe(2)
  })

  test('never come from a node of another chain, which is sent nothing', async () => {
    for (const names of [[first, second], [first]]) {
      const { rpc, troubles, seen } = await serveNodes(names)
      troubles.set(first, ({ method }) =>
        method === 'eth_chainId' ? { result: '0x1e' } : undefined,
      )
      const { result, error } = await rpc('eth_getBalance', [account])
      if (names.length > 1) expect(result).toBe('0x0')
      else expect(error).toMatchObject({ code: -32011 })
      await rpc('eth_sendRawTransaction', ownExamples.eth_sendRawTransaction.params)
      const asked = ['eth_getBalance', 'eth_sendRawTransaction'].map((name) => seen(first, name))
      expect(asked).toEqual([0, 0])
    }
  })

  // Which of the three is frozen, which one lies about the head, and by how many blocks.
  test.for([
    [first, second, 1_000],
    [first, second, -3],
    [second, first, 1_000],
    [second, first, -3],
    [third, first, 1_000],
  ] as const)('go on while %s is frozen and %s shows a head %d blocks off', async (given) => {
    const [frozen, liar, blocks] = given
    const { rpc, troubles } = await serveNodes()
    troubles.set(frozen, hangs)
    const moved = { ...recording.blocks[head], number: `0x${(head + blocks).toString(16)}` }
    troubles.set(liar, (call) => (isHead(call) ? { result: moved } : undefined))
    const { hash } = readFullBlock()
    for (const [method, ...params] of [
      ['eth_blockNumber'],
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_getBalance', account, 'latest'],
      ['eth_gasPrice'],
      ['eth_getLogs', { blockHash: hash }],
    ] as const) {
      // From a cold start too.
      const { result, error } = await inTime(8_000, () => rpc(method, params))
      expect(error, method).toBeUndefined()
      const { number = result } = Object(result)
      if (/lockNumber|ByNumber/.test(method)) expect(Number(number), method).toBe(head)
    }
  })
})
