import type { Address } from 'viem'
import { deployEmitter } from './anvil-rpc.ts'
import { anvil, type NodeKind, type StartedNode } from './nodes.ts'
import { type ProxyNode, startProxyNode } from './proxy-node.ts'
import { type RealWorker, startRealWorker } from './real-worker.ts'

/** A node with a contract that logs, and three ways to it that a test can spoil. */
export type OpenNode = StartedNode & {
  emitter: Address
  /** The first of the three. */
  proxy: ProxyNode
  proxies: readonly [ProxyNode, ProxyNode, ProxyNode]
}

/** Starts a node, an anvil where nothing else is said, and what tests of the service need of it. */
export async function openNode(kind: NodeKind = anvil): Promise<OpenNode> {
  const node = await kind.start()
  const proxies = [
    await startProxyNode(node.url),
    await startProxyNode(node.url),
    await startProxyNode(node.url),
  ] as const
  return {
    ...node,
    emitter: await deployEmitter(node.direct),
    proxy: proxies[0],
    proxies,
    async stop() {
      for (const proxy of proxies) await proxy.stop()
      await node.stop()
    },
  }
}

/** Starts a node and the Worker that serves it, through the first of the three ways or straight. */
export async function openWorker(
  kind: NodeKind = anvil,
  way: 'proxied' | 'straight' = 'straight',
): Promise<OpenNode & { worker: RealWorker }> {
  const node = await openNode(kind)
  const worker = await startRealWorker([way === 'proxied' ? node.proxy.url : node.url])
  return {
    ...node,
    worker,
    async stop() {
      await worker.stop()
      await node.stop()
    },
  }
}

export type OpenWorker = Awaited<ReturnType<typeof openWorker>>
