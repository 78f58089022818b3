import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { bytesOf, startLoopbackServer } from '../../dev/loopback-server.ts'
import { sleep } from '../../dev/wait.ts'

/** Stands before a node, counts what it is asked, and answers as late as Rootstock's. */
export type NodeProxy = {
  url: string
  /** Gives how often each method was asked since this was called last; batches one by one. */
  takeCounts: () => Record<string, number>
  /** Answers so much later from now on. */
  delay: (ms: number) => void
}

type Call = { id: unknown; method: string }

/** viem asks it first; anvil answers it, and no node of Rootstock does. */
const unknownToRootstock = 'eth_fillTransaction'

/** Starts it on a free port of the loopback address. */
export async function startNodeProxy(
  target: string,
  atEnd: (stop: () => unknown) => void,
): Promise<NodeProxy> {
  const agent = new Agent({ keepAlive: true })
  let delayMs = 0
  let counts: Record<string, number> = {}
  const server = await startLoopbackServer(serve)
  atEnd(server.close)
  atEnd(() => agent.destroy())

  return {
    url: server.url,
    takeCounts() {
      const taken = counts
      counts = {}
      return taken
    },
    delay(ms) {
      delayMs = ms
    },
  }

  async function serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await bytesOf(asked)
    const calls = [JSON.parse(body.toString()) as Call | Call[]].flat()
    for (const { method } of calls) counts[method] = (counts[method] ?? 0) + 1
    const [first] = calls
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

function refuse({ id }: Call, answer: ServerResponse): void {
  const error = { code: -32601, message: 'method not found' }
  answer.writeHead(200, { 'content-type': 'application/json' })
  answer.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
}
