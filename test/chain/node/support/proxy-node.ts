import { connect, type Socket } from 'node:net'
import { type Change, startFaultProxy } from '../../../../scripts/dev/faults/fault-proxy.ts'

export type ProxyNode = Awaited<ReturnType<typeof startProxyNode>>

/** Passes HTTP on to `target`, and WebSockets where it has any, until it is told to misbehave. */
export async function startProxyNode(
  target: string,
  { upgrades = 'passed' }: { upgrades?: 'passed' | 'refused' } = {},
) {
  const proxy = await startFaultProxy({ target })
  const sockets = new Set<Socket>()

  proxy.http.on('upgrade', (request, client, head) => {
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
    node.on('close', () => sockets.delete(node))
  })

  function endSockets(): void {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }

  return {
    url: proxy.url,
    /** Rewrites answers from now on; `undefined` is honesty. */
    lie(change: Change | undefined) {
      proxy.clear()
      if (change !== undefined) proxy.script({ fault: { kind: 'changed', change } })
    },
    /** Takes requests and never answers, like a stopped process. */
    freeze: () => void proxy.script({ fault: { kind: 'delay_request', ms: 10 ** 9 } }),
    thaw: proxy.clear,
    /** Ends every connection and takes no new one. */
    async cut() {
      endSockets()
      await proxy.refuse()
    },
    /** Takes connections again, at the same address. */
    restore: proxy.accept,
    /** Counts the open WebSockets. */
    connections: () => sockets.size,
    /** Counts the calls of a method, or of all. */
    seen: proxy.seen,
    async stop() {
      endSockets()
      await proxy.stop()
    },
  }
}

/** Rewrites the result of one method. */
export function lieAbout(
  method: string,
  change: (result: never, request: Parameters<Change>[1]) => unknown,
): Change {
  return (answer, request) =>
    request.method === method && 'result' in answer
      ? { ...answer, result: change(answer.result as never, request) }
      : answer
}
