import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { bytesOf, startLoopbackServer } from '../../dev/loopback-server.ts'
import { sleep } from '../../dev/wait.ts'

/** Stands before a node, counts what it is asked, and answers as late as Rootstock's, and no more than they. */
export type NodeProxy = {
  url: string
  /** How often each method was asked since the last time that this was called; batches one by one. */
  takeCounts: () => Record<string, number>
  /** Another node, or another delay, from now on. */
  set: (changed: { target?: string; delayMs?: number }) => void
  stop: () => Promise<void>
}

/** Starts it on a free port of the loopback address. */
export async function startNodeProxy(first: string): Promise<NodeProxy> {
  const agent = new Agent({ keepAlive: true })
  let target = first
  let delayMs = 0
  let counts: Record<string, number> = {}
  const server = await startLoopbackServer(serve)

  return {
    url: server.url,
    takeCounts() {
      const taken = counts
      counts = {}
      return taken
    },
    set(changed) {
      target = changed.target ?? target
      delayMs = changed.delayMs ?? delayMs
    },
    async stop() {
      agent.destroy()
      await server.close()
    },
  }

  async function serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await bytesOf(asked)
    const requests = [JSON.parse(body.toString()) as Asked | Asked[]].flat()
    for (const { method } of requests) counts[method] = (counts[method] ?? 0) + 1
    const [first] = requests
    if (first?.method === unknownToRootstock) return refuse(first, answer)
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const [passed] = await Promise.all([
      new Promise<IncomingMessage>((resolve, reject) => {
        request(target, { method: 'POST', agent, headers }, resolve).on('error', reject).end(body)
      }),
      delayMs > 0 && sleep(delayMs),
    ])
    answer.writeHead(passed.statusCode ?? 502, { 'content-type': 'application/json' })
    passed.pipe(answer)
  }
}

type Asked = { id: unknown; method: string }

/** viem asks it first; anvil answers it, and no node of Rootstock does. */
const unknownToRootstock = 'eth_fillTransaction'

function refuse({ id }: Asked, answer: ServerResponse): void {
  const error = { code: -32601, message: 'method not found' }
  answer.writeHead(200, { 'content-type': 'application/json' })
  answer.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
}
