import type { Hex } from 'viem'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Change } from '../../../../scripts/dev/faults/fault-proxy.ts'
import { createRandom, type Random } from '../../../../scripts/dev/random.ts'
import { exchange } from '../../../../scripts/dev/rpc.ts'
import { answeringNode, type Call, type Said } from '../../../support/fake-node.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { readFullBlock, readRecording } from '../../../support/rskj-node/recording.ts'
import { replay } from '../../../support/rskj-node/replay.ts'
import { seed, times } from '../../../support/sample.ts'
import {
  beforeABlock,
  deployEmitter,
  deployFlood,
  emit,
  mined,
  sender,
  topic,
} from '../support/anvil-rpc.ts'
import { kindsOfLies, liesOfEthereum, type MixedSubject } from '../support/kinds-of-lies.ts'
import { openNode } from '../support/open.ts'
import { lieAbout } from '../support/proxy-node.ts'
import { type Served, serve } from '../support/serve.ts'

type Json = Record<string, unknown>
type Question = readonly [method: string, ...params: unknown[]]

/** Limits how long a lie may remain after its node became honest. */
const lieMs = 60_000

/** Lists requests about an account, a transaction and its block. */
function questionsAbout(emitter: string, hash: Hex, { blockHash, blockNumber }: Mined): Question[] {
  return [
    ['eth_getBlockByHash', blockHash],
    ['eth_getBlockByHash', blockHash, true],
    ['eth_getBlockByNumber', blockNumber],
    ['eth_getBlockByNumber', 'latest'],
    ['eth_blockNumber'],
    ['eth_getBlockTransactionCountByHash', blockHash],
    ['eth_getUncleCountByBlockHash', blockHash],
    ['eth_getTransactionByHash', hash],
    ['eth_getTransactionByBlockHashAndIndex', blockHash, '0x0'],
    ['eth_getTransactionReceipt', hash],
    ['eth_getLogs', { blockHash }],
    ['eth_getLogs', { fromBlock: blockNumber, toBlock: blockNumber }],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', address: emitter }],
    ['eth_getBalance', emitter, blockHash],
    ['eth_getBalance', emitter, 'latest'],
    ['eth_getCode', emitter, blockHash],
    ['eth_getStorageAt', emitter, '0x0', blockHash],
    ['eth_getTransactionCount', emitter, blockHash],
    ['eth_call', { to: emitter, data: `0x${'11'.repeat(96)}` }, 'latest'],
    ['chain_getRawBlockHeaderByHash', blockHash],
    ['chain_getRawTransactionReceiptByHash', hash],
    ['chain_getTransactionReceiptNodesByHash', blockHash, hash],
    ['trace_block', blockHash],
    ['trace_transaction', hash],
    ['web3_clientVersion'],
  ]
}

type Mined = { blockHash: Hex; blockNumber: Hex }

/** Lists the requests that nodes may lie about. */
const lies = [
  ...['eth_chainId', 'web3_clientVersion', 'eth_blockNumber', 'eth_getBlockByHash'],
  ...['eth_getBlockByNumber', 'eth_getBlockReceipts', 'eth_getTransactionReceipt'],
  ...['eth_getTransactionByHash', 'eth_getTransactionByBlockHashAndIndex', 'eth_getLogs'],
  ...['eth_getBlockTransactionCountByHash', 'eth_getUncleCountByBlockHash', 'eth_getBalance'],
  ...['eth_getCode', 'eth_getStorageAt', 'eth_getTransactionCount', 'eth_call', 'trace_block'],
  ...['trace_transaction', 'debug_traceTransaction', 'rsk_getRawBlockHeaderByHash'],
  ...['rsk_getRawTransactionReceiptByHash', 'rsk_getTransactionReceiptNodesByHash'],
]

/** Changes one part of a value, always the same one. */
function forged(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0) return value
    const index = random.int(0, value.length - 1)
    return random.weighted<() => unknown>([
      [() => value.toSpliced(index, 1), 2],
      [() => [], 1],
      [() => value.toSpliced(index, 0, value[index]), 1],
      [() => value.with(index, forged(value[index], random)), 6],
    ])()
  }
  if (typeof value === 'object' && value !== null) {
    const key = random.pick(Object.keys(value).toSorted())
    return { ...value, [key]: forged((value as Json)[key], random) }
  }
  if (typeof value === 'string' && value.length > 2) {
    const at = random.int(2, value.length - 1)
    const other = value[at] === '1' ? '2' : '1'
    return `${value.slice(0, at)}${other}${value.slice(at + 1)}`
  }
  return random.chance(0.5) ? null : '0x1'
}

/** Draws a lie about some methods, always the same one. */
function lieOf(random: Random, key: number): { methods: string[]; change: Change } {
  const share = random.pick([0.05, 0.1, 0.4, 1])
  const methods = lies.filter(() => random.chance(share))
  const isEmpty = random.chance(0.15)
  const change: Change = (answer, request) => {
    const { result } = answer
    if (!methods.includes(request.method) || result === null || result === undefined) return answer
    if (request.method === 'web3_clientVersion') {
      return { ...answer, result: /^Rsk/.test(`${result}`) ? 'Geth/v1.14' : 'RskJ/9.0.3' }
    }
    if (isEmpty) return { ...answer, result: Array.isArray(result) ? [] : null }
    return { ...answer, result: forged(result, createRandom(key, request.method)) }
  }
  return { methods, change }
}

const believed = { code: -32011, message: 'no node gave an answer that can be believed' }
const hosts = ['node-1.test', 'node-2.test', 'node-3.test']
const urls = hosts.map((host) => `http://${host}/`)

/**
 * Three ways to one node whose chain stands still, each of which may lie: what the node has
 * answered once it is not asked again.
 */
function createThree(ask: Still['ask']) {
  const changes: (Change | undefined)[] = []
  const honest = new Map<string, Promise<Said>>()
  const fetch = answeringNode(async (call, host) => {
    const key = JSON.stringify([call.method, call.params])
    const asked = honest.get(key) ?? ask(call)
    honest.set(key, asked)
    const said = await asked
    return (changes[hosts.indexOf(host)]?.(said, call) ?? said) as Said
  })
  const lie = (place: number, change: Change) => void Object.assign(changes, { [place]: change })
  return { fetch, lie, tellTheTruth: () => void changes.splice(0) }
}

/** Models a chain that stands still, with an account whose three logs lie in three blocks. */
type Still = {
  ask: (call: Call) => Promise<Said>
  questions: Question[]
  emitter: string
  subject: MixedSubject
  stop?: () => void
}

async function openAnvil(): Promise<Still> {
  const { url, direct, emitter, stop } = await openNode()
  const first = await emit(direct, emitter, 1n, 2n, 3n)
  const { blockHash: firstBlock } = await mined(direct, first)
  const block = (await direct('eth_getBlockByHash', [firstBlock, false])) as { hash: string }
  const another = await deployEmitter(direct)
  const hash = await beforeABlock(direct, async () => {
    await emit(direct, another, 1n, 2n, 3n)
    return await emit(direct, emitter, 4n, 5n, 6n)
  })
  const where = await mined(direct, hash)
  await mined(direct, await emit(direct, emitter, 7n, 8n, 9n))
  // More logs than a node may answer at once.
  const flood = { from: sender, to: await deployFlood(direct), data: topic(1_500n) }
  const sent = await direct('eth_sendTransaction', [{ ...flood, gas: '0x2dc6c0' }])
  const { blockNumber: floodedBlock } = await mined(direct, sent as Hex)
  await direct('anvil_mine', ['0x3c'])
  const questions = questionsAbout(emitter, hash, where)
  const mixed = { other: { hash: first, block }, floodedBlock }
  const subject = { rules: 'ethereum' as const, hash, ...where, account: emitter, ...mixed }
  const ask: Still['ask'] = async ({ method, params }) =>
    (await exchange(url, method, params)).answer as Said
  return { ask, questions, emitter, subject, stop }
}

/** Opens a real RSKj's recording, at its largest block. */
async function openRskj(): Promise<Still> {
  const node = replay(readRecording('main-network'))
  const { hash: blockHash, number: blockNumber, transactions } = readFullBlock()
  const where = { blockHash, blockNumber } as Mined
  const { to: account = '', hash } = Object(transactions[0]) as { to?: string; hash: Hex }
  const questions = questionsAbout(account, hash, where)
  const mixed = { other: { hash, block: { hash: blockHash } }, floodedBlock: blockNumber }
  const subject = { rules: 'rootstock' as const, hash, ...where, account, ...mixed }
  // Of calls and nonces nothing was recorded of this account.
  const state: Record<string, string> = { eth_call: '0x2a', eth_getTransactionCount: '0xb' }
  const ask: Still['ask'] = async (call) => {
    const result = state[call.method]
    return result === undefined ? node.say(call) : { result }
  }
  return { ask, questions, emitter: '0x77045e71a7a2c50903d88e564cd72fab11e82051', subject }
}

describe.each([
  { name: 'anvil', open: openAnvil, mining: undefined, more: liesOfEthereum },
  { name: 'RSKj', open: openRskj, mining: { minDifficulty: 1n, from: 1 }, more: {} },
])('three nodes as $name, one of which lies', (kind) => {
  let three: ReturnType<typeof createThree>
  let questions: Question[]
  let subject: MixedSubject
  let settledRange: Question
  let truths: unknown[]
  let rangeTruth: unknown

  const answersOf = async ({ rpc }: Served, asked: readonly Question[] = questions) => {
    const answers: unknown[] = []
    for (const [method, ...params] of asked) {
      const { result, error } = await rpc(method, params)
      answers.push(error ?? result)
    }
    return answers
  }

  beforeAll(async () => {
    const { ask, questions: all, emitter, stop, ...rest } = await kind.open()
    subject = rest.subject
    three = createThree(ask)
    settledRange = ['eth_getLogs', { fromBlock: '0x0', toBlock: '0x8', address: emitter }]
    const truthful = await serve(urls.slice(0, 1), 31, three.fetch)
    const told = await answersOf(truthful, all)
    const isAnswer = (one: unknown) => !Object.hasOwn(Object(one), 'code')
    questions = all.filter((_, index) => isAnswer(told[index]))
    truths = told.filter(isAnswer)
    ;[rangeTruth] = await answersOf(truthful, [settledRange])
    return stop
  })

  afterEach(() => three.tellTheTruth())

  /** Serves with this many of the nodes. */
  const serveBefore = (count: number, clock = createHandClock(), checks = {}) =>
    serve(urls.slice(0, count), 31, three.fetch, clock, checks)

  const distrusted = ({ logged }: Served) =>
    logged.flatMap((event) => (event.event === 'node.distrusted' ? [event.node] : []))

  describe.each(Object.entries({ ...kindsOfLies, ...kind.more }))('a lie about %s', (_, kindOf) => {
    /** Serves with this many nodes, of which two must agree on unproved answers. */
    const checks = { mining: kind.mining, comparesAnswers: true }
    const open = (count: number) => serveBefore(count, createHandClock(), checks)
    const lieAt = (place: number) => {
      const { changes, ...rest } = kindOf(subject)
      three.lie(place, (answer, { method }) => {
        const change = changes[method]
        if (change === undefined || (answer.result ?? null) === null) return answer
        const result = change(answer.result as never)
        if (result === undefined) return answer
        expect(result, 'the lie').not.toEqual(answer.result)
        return { ...answer, result }
      })
      return rest
    }

    test.for([0, 1, 2])('of node %i of three is corrected by the honest nodes', async (place) => {
      const [method, ...params] = kindOf(subject).question
      const truth = await (await open(3)).rpc(method, params)
      expect(truth.result ?? null).not.toBe(null)
      lieAt(place)
      const served = await open(3)
      expect(await served.rpc(method, params)).toEqual(truth)
      expect(await served.rpc(method, params)).toEqual(truth)
      expect(new Set([...distrusted(served), `node ${place + 1}`]).size).toBe(1)
    })

    test('of the only node is refused where the answer proves itself, and else counted', async () => {
      const [method, ...params] = kindOf(subject).question
      const truth = await (await open(1)).rpc(method, params)
      const { isCaughtAlone } = lieAt(0)
      const served = await open(1)
      const { result, error } = await served.rpc(method, params)
      const [standing] = served.service.nodes.describe()
      if (isCaughtAlone && error !== undefined) expect(error).toEqual(believed)
      else if (isCaughtAlone) expect(result).toEqual(truth.result)
      else expect(standing?.believed).toBeGreaterThan(0)
      if (!isCaughtAlone && /^eth_getBlockBy/.test(method)) {
        expect(served.logged).toContainEqual(expect.objectContaining({ event: 'node.unproved' }))
      }
    })
  })

  for (let run = 0; run < times({ sampled: 25, full: 100 }); run += 1) {
    test(`bans no honest one, and no lie outlives it by a minute: ${run}`, async () => {
      const random = createRandom(seed + run, kind.name)
      const place = random.pick([0, 0, 0, 0, 1, 2])
      const { methods, change } = lieOf(random, seed + run)
      const what = `node ${place + 1} lies about ${methods.join()} (seed ${seed})`
      const clock = createHandClock()
      const served = await serveBefore(3, clock)
      if (random.chance(0.2)) await answersOf(served)
      // What is kept is kept from here on.
      clock.forward(random.pick([0, lieMs]))
      three.lie(place, change)
      await answersOf(served)
      clock.forward(random.int(0, 2 * lieMs))
      await answersOf(served)
      three.tellTheTruth()
      clock.forward(lieMs)
      const after = await answersOf(served)
      for (const [index, question] of questions.entries()) {
        expect(after[index], `${JSON.stringify(question)}, ${what}`).toEqual(truths[index])
      }
      expect(new Set([...distrusted(served), `node ${place + 1}`]).size, what).toBe(1)
    })
  }

  for (const place of [0, 1, 2]) {
    test(`settles by a third what number ${place + 1} leaves out of a range`, async () => {
      expect(rangeTruth).toHaveLength(3)
      for (const gone of [0, 1, 2]) {
        const served = await serveBefore(3)
        const change = lieAbout('eth_getLogs', (logs: Json[]) => logs.toSpliced(gone, 1))
        three.lie(place, change)
        const told = await answersOf(served, [settledRange, settledRange])
        expect(told).toEqual([rangeTruth, rangeTruth])
        expect(new Set([...distrusted(served), `node ${place + 1}`]).size).toBe(1)
      }
    })
  }

  test('trusts the one of two nodes whose receipts prove its logs, and distrusts the other', async () => {
    const change = lieAbout('eth_getLogs', (logs: Json[]) => logs.slice(1))
    three.lie(0, change)
    const served = await serveBefore(2)
    const [answer] = await answersOf(served, [settledRange])
    expect(answer).toEqual(rangeTruth)
    expect(distrusted(served)).toEqual(['node 1'])
  })
})
