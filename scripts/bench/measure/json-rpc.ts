import { Bench } from 'tinybench'
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  http,
  numberToHex,
  webSocket,
} from 'viem'
import { rootstockTestnet } from 'viem/chains'
import { z } from 'zod'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { quantity } from '../../stack/chain/node-call.ts'
import { type Answerer, type Asking, askInTurn } from '../asking.ts'
import { apiKey, recipient } from '../served/chain.ts'
import { bundleBaseline, serveBaseline } from '../served/workerd.ts'
import { ratioOf } from '../statistics.ts'
import { takeTurns } from '../turns.ts'
import type { World } from '../world.ts'

type Name = 'service' | 'node' | 'passOn'

const headers = { 'content-type': 'application/json' }

/** The node service beside the node itself and a Worker of ten lines that only passes requests on. */
export async function measureJsonRpc(world: World): Promise<void> {
  const { chain } = world
  const relay = await world.serveRelay('plain')
  const baseline = await bundleBaseline('pass-on')
  const passOn = await serveBaseline({ baseline, variables: { NODE_URL: chain.url } })
  world.atEnd(passOn.stop)
  const serviceUrl = `${relay.url}/rpc/${apiKey}`
  const answerers: Record<Name, Answerer> = {
    service: { url: serviceUrl, pid: relay.pid, title: 'service' },
    node: { url: chain.url, pid: chain.pid, title: 'node (b)' },
    passOn: { url: passOn.url, pid: passOn.pid, title: 'Worker that passes on (d)' },
  }
  const head = await chain.call('eth_blockNumber', [], quantity)
  // Deep enough to be kept by the service.
  const block = numberToHex(head - 2_050)
  const withHash = z.object({ hash: z.string() })
  const { hash } = await chain.call('eth_getBlockByNumber', [block, false], withHash)
  for (const asked of questions(chain.loan, head, hash, world.isFull)) {
    for (const pace of asked.load) {
      await askInTurn(world, answerers, {
        ...{ key: `jsonRpc.${asked.key}`, title: asked.title, ...pace },
        ...{ headers, rounds: roundsOf(pace, world), expects: '"result":' },
        body: asked.body,
        // What a node on the loopback address answers in a tenth of a millisecond is no measure.
        against: ['passOn'],
      })
    }
  }
  await measureClients(world, { service: serviceUrl, node: chain.url, passOn: passOn.url })
  if (world.isFull) await measureManyBlocks(world, answerers)
}

/** A crowd's ratio is not held: in a quick run it is a glance. */
const roundsOf = ({ callers }: { callers: number }, { isFull }: World): number => {
  if (isFull) return 15
  return callers === 1 ? 5 : 2
}

/** What a chain of anvil's can be grown to: each of its blocks costs more than the one before. */
const manyBlocks = 10_000

/** Logs over many blocks, as an indexer of a contract asks. */
async function measureManyBlocks(world: World, answerers: Record<Name, Answerer>): Promise<void> {
  const head = await growTo(world, manyBlocks + 200)
  await askInTurn(world, answerers, {
    ...{ key: `jsonRpc.logs${manyBlocks}`, title: 'eth_getLogs over 10,000 blocks' },
    ...{ callers: 1, requests: 10, slices: 1, rounds: 9, headers, expects: '"result":' },
    body: logsOver(manyBlocks, head),
    against: [],
  })
}

/** Makes blocks until the chain has so many. Gives its head. */
async function growTo({ chain }: World, blocks: number): Promise<number> {
  for (;;) {
    const head = await chain.call('eth_blockNumber', [], quantity)
    if (head >= blocks) return head
    await chain.call('anvil_mine', [numberToHex(Math.min(2_500, blocks - head))], z.unknown())
  }
}

/** Bodies that ask for the logs of so many blocks, never the same twice. */
function logsOver(blocks: number, head: number): () => string {
  let asked = 0
  return () => {
    asked += 1
    const toBlock = head - (asked % 97)
    const fromBlock = numberToHex(toBlock - blocks + 1)
    const filter = { address: recipient, fromBlock, toBlock: numberToHex(toBlock) }
    return JSON.stringify({ jsonrpc: '2.0', id: asked, method: 'eth_getLogs', params: [filter] })
  }
}

type Asked = {
  key: string
  title: string
  body: () => string
  load: readonly Pick<Asking<Name>, 'callers' | 'requests' | 'slices'>[]
}

function questions(loan: Address, head: number, deepBlock: string, isFull: boolean): Asked[] {
  let id = 0
  const one = (method: string, params: unknown[]) => {
    id += 1
    return { jsonrpc: '2.0', id, method, params }
  }
  const call = () => {
    // Never the same twice: equal questions that are under way at a time share one answer.
    const account = numberToHex(id, { size: 20 })
    const data = encodeFunctionData({
      abi: microLoanAbi,
      functionName: 'getBalance',
      args: [account],
    })
    return one('eth_call', [{ to: loan, data }, 'latest'])
  }
  const same = JSON.stringify(call())
  const alone = { callers: 1, requests: 12, slices: 5 }
  const crowd = { callers: 16, requests: 40, slices: 2 }
  return [
    {
      key: 'uncached',
      title: 'eth_call, never kept',
      body: () => JSON.stringify(call()),
      load: [alone, crowd],
    },
    {
      key: 'shared',
      title: 'the same eth_call by all, never kept',
      body: () => same,
      load: [crowd],
    },
    {
      key: 'cached',
      title: 'a block by its hash, kept by the service',
      body: () => JSON.stringify(one('eth_getBlockByHash', [deepBlock, false])),
      // The quickest of all answers, so it takes more of them.
      load: [{ ...alone, requests: 50 }, crowd],
    },
    {
      key: 'batch',
      title: 'a batch of 20 eth_call',
      body: () => JSON.stringify(Array.from({ length: 20 }, call)),
      load: [{ callers: 1, requests: 5, slices: 5 }],
    },
    {
      key: 'logs2000',
      title: 'eth_getLogs over 2,000 blocks',
      body: logsOver(2_000, head),
      load: [{ callers: 1, requests: 5, slices: isFull ? 8 : 3 }],
    },
  ]
}

/** What a program sees that asks through viem: over HTTP (c), and over a WebSocket. */
async function measureClients({ figures, isFull, atEnd }: World, urls: Record<Name, string>) {
  const overHttp = (url: string) =>
    createPublicClient({ chain: rootstockTestnet, transport: http(url) })
  const overSocket = async (url: string) => {
    const transport = webSocket(url.replace(/^http/, 'ws'), { reconnect: false, keepAlive: false })
    const client = createPublicClient({ chain: rootstockTestnet, transport })
    const { socket } = await client.transport.getRpcClient()
    atEnd(() => socket.close())
    return client
  }
  const clients = {
    'http.service': overHttp(urls.service),
    'http.node': overHttp(urls.node),
    'http.passOn': overHttp(urls.passOn),
    'webSocket.service': await overSocket(urls.service),
    'webSocket.node': await overSocket(urls.node),
    'webSocket.passOn': await overSocket(urls.passOn),
  }
  const names = Object.keys(clients) as (keyof typeof clients)[]
  const taken = await takeTurns(names, isFull ? 45 : 21, async (name) => {
    const bench = new Bench({ iterations: 30, time: 0, warmupIterations: 3, warmupTime: 0 })
    bench.add(name, async () => {
      await clients[name].getBalance({ address: recipient })
    })
    const [task] = await bench.run()
    if (task?.result.state !== 'completed') throw new Error(`eth_getBalance by ${name} failed`)
    return task.result.latency.p50
  })
  const asked = 'eth_getBalance by viem'
  for (const name of names) {
    figures.add(`jsonRpc.${name}.p50`, `${asked}: ${clientTitles[name]}`, 'ms, p50', taken[name])
  }
  const hold = (key: string, first: (typeof names)[number], second: (typeof names)[number]) =>
    figures.hold(
      `jsonRpc.${key}.ratio`,
      `${asked}: ${clientTitles[first]} against ${clientTitles[second]}`,
      'ratio of p50',
      ratioOf(taken[first], taken[second]),
    )
  hold('http', 'http.service', 'http.passOn')
  hold('webSocket', 'webSocket.service', 'webSocket.passOn')
}

const clientTitles = {
  'http.service': 'service over HTTP',
  'http.node': 'node (b) over HTTP',
  'http.passOn': 'Worker that passes on (d) over HTTP',
  'webSocket.service': 'service over a WebSocket',
  'webSocket.node': 'node (b) over a WebSocket',
  'webSocket.passOn': 'Worker that passes on (d) over a WebSocket',
}
