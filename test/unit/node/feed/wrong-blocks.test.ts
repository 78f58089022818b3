import { expect, test } from 'vitest'
import { until } from '../../../../scripts/dev/wait.ts'
import { isObject } from '../../../../src/runtime/json.ts'
import { serve } from '../../../chain/node/support/serve.ts'
import { answeringNode } from '../../../support/fake-node.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { readRecording } from '../../../support/rskj-node/recording.ts'
import { type ReplayNode, replay } from '../../../support/rskj-node/replay.ts'
import { sampleOf } from '../../../support/sample.ts'
import { connectTo, followNodes } from './listener.ts'

type Json = Record<string, unknown>
type Change = readonly [part: 'header' | 'receipt' | 'log', field: string, how: keyof typeof hows]

const recording = readRecording('main-network')
const [wrong, last] = [28, 43]
const hexOf = (number: number) => `0x${number.toString(16)}`
const isWrong = ({ blockNumber, number }: Json) => (blockNumber ?? number) === hexOf(wrong)

const hows = {
  missing: () => undefined,
  'of a wrong type': (value: unknown) => (Array.isArray(value) ? {} : [value]),
  'of a wrong value'(value: unknown): unknown {
    if (Array.isArray(value)) return value.length > 0 ? value.slice(1) : [`0x${'1'.repeat(64)}`]
    const text = `${value ?? '0x1'}`
    return `${text.slice(0, -1)}${text.endsWith('1') ? '2' : '1'}`
  },
}

const receipts = recording.pairs
  .filter(({ method, result }) => method === 'eth_getTransactionReceipt' && result)
  .map(({ result }) => result as Json & { transactionHash: string; logs: Json[] })
const [receipt] = receipts.filter(isWrong)
const parts = { header: recording.blocks[wrong], receipt, log: receipt?.logs[0] }
const changes = Object.entries(parts).flatMap(([part, whole]) =>
  Object.keys(whole ?? {}).flatMap((field) =>
    Object.keys(hows).map((how) => [part, field, how] as unknown as Change),
  ),
)

/** Answers as the recorded node does, but for one field of one block. */
function answerWrongly(node: ReplayNode, [part, field, how]: Change) {
  const seenHeights = new Set<number>()
  function change(whole: Json): Json {
    const { [field]: value, ...others } = whole
    const changed = hows[how](value)
    return changed === undefined ? others : { ...others, [field]: changed }
  }
  function changeResult(result: unknown): unknown {
    if (!isObject(result) || !isWrong(result)) return result
    const isReceipt = 'cumulativeGasUsed' in result
    if (part === 'header') return isReceipt ? result : change(result)
    if (!isReceipt) return result
    return part === 'receipt' ? change(result) : { ...result, logs: receipt?.logs.map(change) }
  }
  const fetch = answeringNode((call, host) => {
    if (call.params.includes('latest')) seenHeights.add(node.height)
    const said = node.say(call)
    const isChanged = host === 'wrong.test' && 'result' in said
    return isChanged ? { result: changeResult(said.result) } : said
  })
  return { seenHeights, fetch }
}

/** Follows a node whose one block is wrong up to that block, with some listeners. */
async function listen(change: Change, urls: readonly string[]) {
  const node = replay(recording)
  const mining = { minDifficulty: 1n, from: 1 }
  const clock = createHandClock(0.001)
  const { seenHeights, fetch } = answerWrongly(node, change)
  const served = await serve(urls, 31, fetch, clock, { mining })
  node.height = wrong - 1
  const feed = followNodes({ service: served.service, clock })
  async function subscribe(type: string, ...filter: object[]) {
    const client = connectTo(feed)
    await client.subscribe(type, ...filter)
    feed.follow()
    expect(JSON.parse(`${client.sent[0]}`)).toHaveProperty('result')
    return { closings: client.closings, told: (): Json[] => client.told() }
  }
  return { ...served, node, seenHeights, subscribe }
}

const place = ({ blockNumber, logIndex }: Json) => `${blockNumber} ${logIndex}`

test.for(sampleOf(12, changes, 'wrong blocks'))(
  'one block whose %s has a field %s that is %s costs at most those who asked for its logs',
  { timeout: 30_000 },
  async (change) => {
    const [part, field] = change
    const { node, seenHeights, rpc, subscribe } = await listen(change, ['http://wrong.test/'])
    const heads = await subscribe('newHeads')
    const all = await subscribe('logs')
    const logs = recording.logs.filter(({ blockNumber }) => Number(blockNumber) >= wrong)
    const ofOthers = logs.filter(({ address }) => !address.endsWith('1000008'))
    const address = [...new Set(ofOthers.map((log) => log.address))]
    const others = await subscribe('logs', { address })
    for (node.height = wrong; node.height < last; node.height += 1)
      await until(() => seenHeights.has(node.height) || heads.closings.length > 0, { everyMs: 2 })
    const isOver = ({ told, closings }: typeof all, wanted: readonly unknown[]) =>
      told().length === wanted.length || closings.length > 0
    const numbers = Array.from({ length: last - wrong + 1 }, (_, index) => hexOf(wrong + index))
    await until(() => isOver(heads, numbers) && isOver(all, logs) && isOver(others, ofOthers))

    // Heads end only where none links to the next, or its work is not shown: with a code, and anew.
    const isLink = /^(number|hash|parentHash|bitcoinMergedMiningCoinbaseTransaction)$/.test(field)
    if (part !== 'header' || !isLink)
      expect(heads.told().map(({ number }) => number)).toEqual(numbers)
    else expect([[], [1013]]).toContainEqual(heads.closings)
    await subscribe('newHeads')
    if (part !== 'header') expect(others.told()).toHaveLength(ofOthers.length)
    for (const [{ told, closings }, wanted] of [
      [all, logs],
      [others, ofOthers],
    ] as const) {
      const known = told()
        .filter((log) => !isWrong(log))
        .map(place)
      const hasAll = known.length === wanted.filter((log) => !isWrong(log)).length
      expect(closings).toEqual(hasAll ? [] : [1013])
      if (!hasAll) expect(known).toEqual([])
    }
    const range = [{ fromBlock: hexOf(wrong + 1), toBlock: hexOf(last) }]
    const later = logs.filter((log) => !isWrong(log))
    expect((await rpc('eth_getLogs', range)).result).toEqual(later)
    const [paid] = receipts.filter(({ blockNumber }) => blockNumber === '0x2a')
    const answer = await rpc('eth_getTransactionReceipt', [paid?.transactionHash])
    expect(answer.result).toMatchObject({ blockHash: paid?.blockHash })
  },
)

test.for(sampleOf(6, changes, 'beside an honest node'))(
  'one block whose %s has a field %s that is %s costs nobody anything beside an honest node',
  { timeout: 30_000 },
  async (change) => {
    const urls = ['http://wrong.test/', 'http://honest.test/']
    const { node, subscribe, logged } = await listen(change, urls)
    const [heads, all] = [await subscribe('newHeads'), await subscribe('logs')]
    const logs = recording.logs.filter(({ blockNumber }) => Number(blockNumber) >= wrong)
    for (node.height = wrong; node.height < wrong + 4; node.height += 1)
      await until(() => heads.told().length > node.height - wrong, { everyMs: 2 })
    node.height = last
    await until(() => all.told().length === logs.length, { everyMs: 2 })
    expect(all.told().map(place)).toEqual(logs.map(place))
    expect(heads.told()).toHaveLength(last - wrong + 1)
    expect([...heads.closings, ...all.closings]).toEqual([])
    const isBlamed = ({ event }: Json) => event === 'node.distrusted'
    expect(logged.filter((one) => isBlamed(one) && Object(one).node !== 'node 1')).toEqual([])
  },
)
