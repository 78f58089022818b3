import { Bench } from 'tinybench'
import { createPublicClient, http, type PublicClient, webSocket } from 'viem'
import { rootstockTestnet } from 'viem/chains'
import { apiKey, recipient } from '../served/chain.ts'
import { type NodeProxy, startNodeProxy } from '../served/node-proxy.ts'
import { bundleBaseline, serveBaseline } from '../served/workerd.ts'
import { ratioOf } from '../statistics.ts'
import { takeTurns } from '../turns.ts'
import type { World } from '../world.ts'
import { headers, questionsOf } from './json-rpc.ts'

const titles = {
  'http.service': 'service over HTTP',
  'http.passOn': 'Worker that passes on (d) over HTTP',
  'http.node': 'node (b) over HTTP',
  'webSocket.service': 'service over a WebSocket',
  'webSocket.passOn': 'Worker that passes on (d) over a WebSocket',
}

type Name = keyof typeof titles
type Clients = Record<Name, PublicClient>

/**
 * What a program sees that reads the chain through viem (c), over HTTP and over a WebSocket: of a node
 * on this machine, and of one in the same part of the world.
 */
export async function measureReads(world: World): Promise<void> {
  const { chain, isFull, atEnd } = world
  const proxy = await startNodeProxy(chain.url)
  atEnd(proxy.stop)
  const relay = await world.serveRelay('reads', { nodeUrl: proxy.url })
  const baseline = await bundleBaseline('pass-on')
  const passOn = await serveBaseline({ baseline, variables: { NODE_URL: proxy.url } })
  atEnd(passOn.stop)
  const service = `${relay.url}/rpc/${apiKey}`
  const clients = {
    'http.service': overHttp(service),
    'http.passOn': overHttp(passOn.url),
    'http.node': overHttp(proxy.url),
    'webSocket.service': await overSocket(world, service),
    'webSocket.passOn': await overSocket(world, passOn.url),
  }
  await countQuestions(world, proxy, service)
  await readInTurn(world, clients, { where: 'near', turns: isFull ? 45 : 3, reads: 30 })
  proxy.set({ delayMs: distantMs })
  await readInTurn(world, clients, { where: 'distant', turns: isFull ? 15 : 3, reads: 10 })
}

/** What the node is asked for an answer of the service: what is kept, and what goes there in one. */
async function countQuestions(
  { chain, load, figures }: World,
  proxy: NodeProxy,
  url: string,
): Promise<void> {
  const common = { url, headers, pace: { callers: 1 }, expects: '"result":' }
  for (const { key, title, body, load: paces } of await questionsOf(chain)) {
    // How often an answer is shared by many callers depends on the machine.
    if (!paces.some(({ callers }) => callers === 1)) continue
    // The first is the one that finds nothing kept.
    await load.run({ ...common, bodies: [body()] })
    proxy.takeCounts()
    const bodies = Array.from({ length: 10 }, body)
    await load.run({ ...common, bodies })
    const counts = Object.values(proxy.takeCounts()).reduce((sum, count) => sum + count, 0)
    figures.hold(`nodeCalls.service.${key}`, `${title}: service`, 'questions/answer', [
      counts / bodies.length,
    ])
  }
}

const distantMs = 20

const asked = {
  near: 'eth_getBalance by viem',
  distant: `eth_getBalance by viem, node of ${distantMs} ms`,
}

async function readInTurn(
  { figures }: World,
  clients: Clients,
  { where, turns, reads }: { where: keyof typeof asked; turns: number; reads: number },
): Promise<void> {
  const names = Object.keys(clients) as Name[]
  const taken = await takeTurns(names, turns, async (name) => {
    const bench = new Bench({ iterations: reads, time: 0, warmupIterations: 3, warmupTime: 0 })
    bench.add(name, async () => {
      await clients[name].getBalance({ address: recipient })
    })
    const [task] = await bench.run()
    if (task?.result.state !== 'completed') throw new Error(`eth_getBalance by ${name} failed`)
    return task.result.latency.p50
  })
  const key = `jsonRpc.${where}`
  for (const name of names) {
    figures.add(`${key}.${name}.p50`, `${asked[where]}: ${titles[name]}`, 'ms, p50', taken[name])
  }
  // Of a node on this machine it is all waking of processes, which differs from minute to minute.
  const tell = where === 'distant' ? figures.hold : figures.add
  for (const transport of ['http', 'webSocket'] as const) {
    const [service, passOn] = [`${transport}.service`, `${transport}.passOn`] as const
    tell(
      `${key}.${transport}.ratio`,
      `${asked[where]}: ${titles[service]} against ${titles[passOn]}`,
      'ratio of p50',
      ratioOf(taken[service], taken[passOn]),
    )
  }
}

function overHttp(url: string): PublicClient {
  return createPublicClient({ chain: rootstockTestnet, transport: http(url) })
}

async function overSocket({ atEnd }: World, url: string): Promise<PublicClient> {
  const transport = webSocket(url.replace(/^http/, 'ws'), { reconnect: false, keepAlive: false })
  const client = createPublicClient({ chain: rootstockTestnet, transport })
  const { socket } = await client.transport.getRpcClient()
  atEnd(() => socket.close())
  return client
}
