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
  const bundle = await bundleBaseline('pass-on')
  const passOn = await serveBaseline('pass-on', { bundle, variables: { NODE_URL: chain.url } })
  world.atEnd(passOn.stop)
  const serviceUrl = `${relay.url}/rpc/${apiKey}`
  const answerers: Record<Name, Answerer> = {
    service: { url: serviceUrl, pid: relay.pid, title: 'service' },
    node: { url: chain.url, pid: chain.pid, title: 'node (b)' },
    passOn: { url: passOn.url, pid: passOn.pid, title: 'Worker that passes on (d)' },
  }
  // Deep enough to be kept by the service, and for a range of 2,000 blocks.
  const head = await growTo(world, 2_200)
  const block = numberToHex(head - 2_050)
  const withHash = z.object({ hash: z.string() })
  const { hash } = await chain.call('eth_getBlockByNumber', [block, false], withHash)
  for (const asked of questions(chain.loan, head, hash, world.isFull)) {
    for (const pace of asked.load) {
      await askInTurn(world, answerers, {
        ...{ key: `jsonRpc.${asked.key}`, title: asked.title, ...pace },
        ...{ headers, rounds: world.isFull ? 15 : 5, expects: '"result":' },
        body: asked.body,
        // What a node on the loopback address answers in a tenth of a millisecond is no measure.
        against: ['passOn'],
      })
    }
  }
  await measureClients(world, serviceUrl)
  if (world.isFull) await measureManyBlocks(world, answerers)
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
    const head = await chain.call('eth_blockNumber', [], z.string().transform(Number))
    if (head >= blocks) return head
    await chain.call('anvil_mine', [numberToHex(Math.min(500, blocks - head))], z.unknown())
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
  const crowd = { callers: 16, requests: 80, slices: 2 }
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

/** What a program sees that asks through viem: over HTTP, and over a WebSocket. */
async function measureClients({ chain, figures, isFull, atEnd }: World, serviceUrl: string) {
  const socketUrl = (url: string) => url.replace(/^http/, 'ws')
  const open = (url: string) =>
    createPublicClient({
      chain: rootstockTestnet,
      transport: webSocket(socketUrl(url), { reconnect: false, keepAlive: false }),
    })
  const serviceSocket = open(serviceUrl)
  const nodeSocket = open(chain.url)
  const sockets = [serviceSocket, nodeSocket]
  const client = (url: string) =>
    createPublicClient({ chain: rootstockTestnet, transport: http(url) })
  const pairs = {
    http: { title: 'viem over HTTP (c)', service: client(serviceUrl), node: client(chain.url) },
    webSocket: { title: 'viem over a WebSocket', service: serviceSocket, node: nodeSocket },
  }
  for (const [key, { title, ...clients }] of Object.entries(pairs)) {
    const taken = await takeTurns(['service', 'node'] as const, isFull ? 45 : 21, async (name) => {
      const bench = new Bench({ iterations: 20, time: 0, warmupIterations: 3, warmupTime: 0 })
      bench.add(name, async () => {
        await clients[name].getBalance({ address: recipient })
      })
      const [task] = await bench.run()
      if (task?.result.state !== 'completed') throw new Error(`${title} to the ${name} failed`)
      return task.result.latency.p50
    })
    figures.add(
      `jsonRpc.${key}.p50.service`,
      `eth_getBalance by ${title}: service`,
      'ms, p50',
      taken.service,
    )
    figures.add(
      `jsonRpc.${key}.p50.node`,
      `eth_getBalance by ${title}: node (b)`,
      'ms, p50',
      taken.node,
    )
    figures.hold(
      `jsonRpc.${key}.ratio`,
      `eth_getBalance by ${title}: service against node (b)`,
      'ratio of p50',
      ratioOf(taken.service, taken.node),
    )
  }
  for (const opened of sockets) {
    const { socket } = await opened.transport.getRpcClient()
    atEnd(() => socket.close())
  }
}
