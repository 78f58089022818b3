import { startAnvil } from '../../../../scripts/dev/anvil.ts'
import { createRpcCall } from '../../../../scripts/dev/rpc.ts'
import { deployEmitter } from './anvil-rpc.ts'
import { askNamedNode, namedNodeUrl } from './named-node.ts'
import { startProxyNode } from './proxy-node.ts'
import { startRealWorker } from './real-worker.ts'

/** Finds the node that is named, or starts an anvil. `direct` asks it past the service. */
export async function findNode() {
  if (namedNodeUrl !== undefined) {
    return { url: namedNodeUrl, direct: askNamedNode(namedNodeUrl), stop: async () => {} }
  }
  const { url, stop } = await startAnvil()
  return { url, direct: createRpcCall(url), stop }
}

/** Opens a node with a contract that logs, and three ways to it that a test can spoil. */
export async function openNode() {
  const { url, direct, stop } = await findNode()
  const proxies = [
    await startProxyNode(url),
    await startProxyNode(url),
    await startProxyNode(url),
  ] as const
  return {
    url,
    direct,
    emitter: await deployEmitter(direct),
    /** The first of the three. */
    proxy: proxies[0],
    proxies,
    async stop() {
      for (const proxy of proxies) await proxy.stop()
      await stop()
    },
  }
}

/** Starts anvil and its Worker, by the first of the three ways or straight. */
export async function openWorker(way: 'proxied' | 'straight' = 'straight') {
  const node = await openNode()
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
