import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { startLoopbackServer, textOf } from '../../../../scripts/dev/loopback-server.ts'
import { sleep } from '../../../../scripts/dev/wait.ts'

type Request = { id: unknown; method: string; params: readonly unknown[] }

/** What a dishonest node makes of an honest answer. */
export type Change = (answer: Response, request: Request) => Response

type Response = { id?: unknown; result?: unknown; error?: unknown }

export type ProxyNode = Awaited<ReturnType<typeof startProxyNode>>

/** Passes HTTP on to `target`, and WebSockets where it has any, until it is told to misbehave. */
export async function startProxyNode(
  target: string,
  { upgrades = 'passed' }: { upgrades?: 'passed' | 'refused' } = {},
) {
  const counts = new Map<string, number>()
  const held = new Set<ServerResponse>()
  const sockets = new Set<Socket>()
  let exchanges = 0
  let change: Change | undefined
  let frozen = false
  let delayMs = 0

  const server = await startLoopbackServer(serve)
  server.http.on('upgrade', (request, client, head) => {
    if (upgrades === 'refused') {
      // The client may be gone before it reads that.
      client.on('error', () => client.destroy())
      client.end('HTTP/1.1 501 Not Implemented\r\n\r\n')
      return
    }
    const { port, hostname } = new URL(target)
    const node = connect(Number(port), hostname, () => {
      const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
      node.write(`GET / HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
      node.write(head)
      node.pipe(client)
      client.pipe(node)
    })
    for (const [end, other] of [
      [node, client],
      [client, node],
    ] as const) {
      end.on('error', () => other.destroy())
      end.on('close', () => other.destroy())
    }
    sockets.add(node)
  })

  function rewritten(text: string, asked: Request | Request[]): string {
    if (change === undefined) return text
    const requests = new Map([asked].flat().map((one) => [one.id, one]))
    const rewrite = (one: Response): Response => {
      const request = requests.get(one.id)
      return request === undefined || change === undefined ? one : change(one, request)
    }
    const answer = JSON.parse(text) as Response | Response[]
    return JSON.stringify(Array.isArray(answer) ? answer.map(rewrite) : rewrite(answer))
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    exchanges += 1
    const body = await textOf(request)
    if (frozen) {
      held.add(response)
      return
    }
    const asked = JSON.parse(body) as Request | Request[]
    for (const { method } of [asked].flat()) counts.set(method, (counts.get(method) ?? 0) + 1)
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    await sleep(delayMs)
    response.setHeader('content-type', 'application/json')
    response.end(rewritten(await answer.text(), asked))
  }

  async function cut(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    await server.close()
  }

  return {
    url: server.url,
    /** Rewrites answers from now on; `undefined` is honesty. */
    lie: (next: Change | undefined) => {
      change = next
    },
    /** Answers this much later. */
    delay: (ms: number) => {
      delayMs = ms
    },
    /** Takes requests and never answers, like a stopped process. */
    freeze: () => {
      frozen = true
    },
    thaw: () => {
      frozen = false
      for (const response of held) response.destroy()
      held.clear()
    },
    /** Ends every connection and takes no new one. */
    cut,
    /** Takes connections again, at the same address. */
    restore: server.open,
    /** How often a method was asked for. */
    seen: (method: string) => counts.get(method) ?? 0,
    exchanges: () => exchanges,
    stop: cut,
  }
}

/** Rewrites the result of one method. */
export function lieAbout(
  method: string,
  change: (result: never, request: Request) => unknown,
): Change {
  return (answer, request) =>
    request.method === method && 'result' in answer
      ? { ...answer, result: change(answer.result as never, request) }
      : answer
}

/** Puts the head elsewhere wherever a node is asked for it. */
export function lieAboutHeight(elsewhere: (height: number) => number): Change {
  const moved = (number: unknown): string => `0x${elsewhere(Number(number)).toString(16)}`
  return (answer, { method, params }) => {
    if (method === 'eth_blockNumber') return { ...answer, result: moved(answer.result) }
    if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return answer
    const block = answer.result as { number: unknown }
    return { ...answer, result: { ...block, number: moved(block.number) } }
  }
}
