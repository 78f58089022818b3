import { createPublicClient, http, type PublicClient, webSocket } from 'viem'
import { rootstockTestnet } from 'viem/chains'
import { apiKey, recipient } from '../served/chain.ts'
import { type NodeProxy, startNodeProxy } from '../served/node-proxy.ts'
import { serveBaseline } from '../served/workerd.ts'
import { divideRounds, median, takeTurns } from '../statistics.ts'
import type { World } from '../world.ts'
import { headers, makeQuestions } from './json-rpc.ts'

const nodeMs = 20

/** Reads of a turn, and turns. */
const reads = 10
const turns = 3

/** Measures what a program sees that reads through viem (c), of a node in the same part of the world. */
export async function measureReads(world: World): Promise<void> {
  const { chain, figures, atEnd } = world
  const proxy = await startNodeProxy(chain.url, atEnd)
  const relay = await world.serveRelay('reads', { nodeUrl: proxy.url })
  const passOn = await serveBaseline('pass-on', { NODE_URL: proxy.url })
  atEnd(passOn.stop)
  const service = `${relay.url}/rpc/${apiKey}`
  await countQuestions(world, proxy, service)
  proxy.delay(nodeMs)
  for (const [transport, connect] of [
    ['HTTP', connectHttp],
    ['a WebSocket', connectSocket],
  ] as const) {
    const clients = { own: await connect(world, service), passOn: await connect(world, passOn.url) }
    const taken = await takeTurns(['own', 'passOn'] as const, turns, (name) =>
      timeReads(clients[name]),
    )
    const title = `eth_getBalance by viem over ${transport}, node of ${nodeMs} ms`
    figures.add(`p50, ${title}: service`, 'ms', ...taken.own)
    const ratios = divideRounds(taken.own, taken.passOn)
    figures.hold(`p50, ${title}: service against Worker that passes on (d)`, 'ratio', ...ratios)
  }
}

/** Counts what the node is asked for an answer of the service: what is kept, and what goes there in one. */
async function countQuestions(
  { chain, load, figures }: World,
  proxy: NodeProxy,
  url: string,
): Promise<void> {
  const common = { url, headers, pace: { callers: 1 }, expects: '"result":' }
  for (const { title, body } of await makeQuestions(chain)) {
    // The first is the one that finds nothing kept.
    await load.run({ ...common, bodies: [body()] })
    proxy.takeCounts()
    const bodies = Array.from({ length: 10 }, body)
    await load.run({ ...common, bodies })
    const counts = Object.values(proxy.takeCounts()).reduce((sum, count) => sum + count, 0)
    const name = `questions to the node, ${title}: service`
    figures.hold(name, 'each answer', counts / bodies.length)
  }
}

/** Gives the median of a turn, in ms. */
async function timeReads(client: PublicClient): Promise<number> {
  const times: number[] = []
  for (let read = 0; read < 3 + reads; read += 1) {
    const from = performance.now()
    await client.getBalance({ address: recipient })
    // The first ones open the connection.
    if (read >= 3) times.push(performance.now() - from)
  }
  return median(times)
}

async function connectHttp(_: World, url: string): Promise<PublicClient> {
  return createPublicClient({ chain: rootstockTestnet, transport: http(url) })
}

async function connectSocket({ atEnd }: World, url: string): Promise<PublicClient> {
  const transport = webSocket(url.replace(/^http/, 'ws'), { reconnect: false, keepAlive: false })
  const client = createPublicClient({ chain: rootstockTestnet, transport })
  const { socket } = await client.transport.getRpcClient()
  atEnd(() => socket.close())
  return client
}
