import { encodeFunctionData, numberToHex } from 'viem'
import { z } from 'zod'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { quantile } from '../../dev/count.ts'
import { quantity } from '../../stack/chain/node.ts'
import { readCpuMs } from '../cpu.ts'
import { takeTurns } from '../figures.ts'
import { runLoad } from '../load.ts'
import { apiKey, type BenchChain, recipient } from '../served/chain.ts'
import { servePassOn } from '../served/workerd.ts'
import type { World } from '../world.ts'

const turns = 21
const titles = { own: 'service', baseline: 'Worker that passes on' }
const names = ['own', 'baseline'] as const
type Name = (typeof names)[number]
const pair = `${titles.own} against ${titles.baseline}`

type Question = {
  title: string
  requests: number
  body: () => object
  holdsCpu?: boolean
  /** Tells whether 16 callers ask it at once too. */
  isCommon?: boolean
}

/** Measures the node service beside a Worker that only passes requests on; what is held is CPU. */
export async function measureJsonRpc(world: World): Promise<void> {
  const { chain, figures, onEnd } = world
  const proxy = await world.serveProxy()
  const relay = await world.serveRelay('rpc', { nodeUrl: proxy.url })
  const passOn = await servePassOn({ NODE_URL: proxy.url })
  onEnd(passOn.stop)
  const served = { own: { ...relay, url: `${relay.url}/rpc/${apiKey}` }, baseline: passOn }
  const ask = async (name: Name, body: Question['body'], count: number, callers = 1) => {
    const headers = { 'content-type': 'application/json' }
    const bodies = Array.from({ length: count }, () => JSON.stringify(body()))
    const load = { url: served[name].url, headers, bodies, expects: '"result":' }
    const { startedAt, endedAt, replyMs } = await runLoad({ ...load, pace: { callers } })
    const [p50 = 0, p99 = 0] = [0.5, 0.99].map((part) => quantile(replyMs, part))
    return { p50, p99, perSecond: (count * 1000) / (endedAt - startedAt) }
  }
  for (const { title, requests, body, holdsCpu = true, isCommon } of await makeQuestions(chain)) {
    // The first answers are the compiler's, and they find nothing kept.
    for (const name of names) await ask(name, body, requests * 3)
    const asked = proxy.seen()
    await ask('own', body, 10)
    const each = (proxy.seen() - asked) / 10
    figures.hold(`questions to the node, ${title}: service`, 'each answer', each)
    // Whoever has no turn rests, so all turns are counted in one: in each, a tick of the clock that
    // counts would be a part of what is counted.
    const takeAll = async (count: number, callers: number) => {
      const before = names.map((name) => readCpuMs(served[name].pid))
      const taken = await takeTurns(names, turns, (name) => ask(name, body, count, callers))
      const after = names.map((name) => readCpuMs(served[name].pid))
      const [own = 0, baseline = 1] = after.map((cpuMs, index) => cpuMs - (before[index] ?? 0))
      return { taken, cpuRatio: own / baseline }
    }
    const at = `${title}, 1 caller`
    const alone = await takeAll(requests, 1)
    addReplies(figures, at, alone.taken)
    const tell = holdsCpu ? figures.hold : figures.add
    tell(`CPU of ${at}: ${pair}`, 'ratio', alone.cpuRatio)
    if (!isCommon) continue
    const { taken: many, cpuRatio } = await takeAll(160, 16)
    const atMany = `${title}, 16 callers`
    addReplies(figures, atMany, many)
    figures.add(`CPU of ${atMany}: ${pair}`, 'ratio', cpuRatio)
    for (const name of names) {
      const perSecond = many[name].map((taken) => taken.perSecond)
      figures.add(`answers, ${atMany}: ${titles[name]}`, 'a second', ...perSecond)
    }
    const perSecond = computeRatios(many, (taken) => taken.perSecond)
    figures.add(`answers, ${atMany}: ${pair}`, 'ratio', ...perSecond)
  }
}

type Taken = { p50: number; p99: number; perSecond: number }
type Turns = Record<Name, Taken[]>

/** Tells p50 and p99 of both, and the ratios of turns that followed each other. */
function addReplies({ add }: World['figures'], at: string, taken: Turns): void {
  for (const part of ['p50', 'p99'] as const) {
    const read = (one: Taken) => one[part]
    for (const name of names) add(`${part}, ${at}: ${titles[name]}`, 'ms', ...taken[name].map(read))
    add(`${part}, ${at}: ${pair}`, 'ratio', ...computeRatios(taken, read))
  }
}

const computeRatios = ({ own, baseline }: Turns, of: (taken: Taken) => number): number[] =>
  own.flatMap((taken, index) => {
    const beside = baseline[index]
    return beside === undefined ? [] : [of(taken) / of(beside)]
  })

/** Makes what a service is asked for: what it keeps, what it does not, many at once, and logs. */
async function makeQuestions({ call, loan }: BenchChain): Promise<Question[]> {
  const head = await call('eth_blockNumber', [], quantity)
  // Deep enough to be kept by the service.
  const block = numberToHex(head - 2_050)
  const withHash = z.object({ hash: z.string() })
  const { hash: deepBlock } = await call('eth_getBlockByNumber', [block, false], withHash)
  let id = 0
  const ask = (method: string, params: unknown[]) => {
    id += 1
    return { jsonrpc: '2.0', id, method, params }
  }
  const askBalance = () => {
    // Never the same twice: equal questions that are under way at a time share one answer.
    const call = { functionName: 'getBalance', args: [numberToHex(id, { size: 20 })] } as const
    const data = encodeFunctionData({ abi: microLoanAbi, ...call })
    return ask('eth_call', [{ to: loan, data }, 'latest'])
  }
  const askBalances = () => Array.from({ length: 20 }, askBalance)
  const askLogs = () => {
    const toBlock = head - (id % 97)
    const range = { fromBlock: numberToHex(toBlock - 1_999), toBlock: numberToHex(toBlock) }
    return ask('eth_getLogs', [{ address: recipient, ...range }])
  }
  return [
    { title: 'eth_call, never kept', body: askBalance, requests: 20, isCommon: true },
    {
      title: 'a block by its hash, kept by the service',
      body: () => ask('eth_getBlockByHash', [deepBlock, false]),
      // The quickest of all answers, so it takes more of them; and what V8 collects is much of its
      // CPU.
      requests: 80,
      holdsCpu: false,
      isCommon: true,
    },
    { title: 'a batch of 20 eth_call', body: askBalances, requests: 20 },
    { title: 'eth_getLogs over 2,000 blocks', body: askLogs, requests: 14 },
  ]
}
