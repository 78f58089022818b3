import { startAnvil } from '../../../../scripts/dev/anvil.ts'
import { createRpcCall } from '../../../../scripts/dev/rpc.ts'
import { deployEmitter } from './anvil-rpc.ts'
import { askNamedNode, namedNodeUrl } from './named-node.ts'
import { startRealWorker } from './real-worker.ts'

/** Finds the node that is named, or starts an anvil. `direct` asks it past the service. */
export async function findNode() {
  if (namedNodeUrl !== undefined) {
    return { url: namedNodeUrl, direct: askNamedNode(namedNodeUrl), stop: async () => {} }
  }
  const { url, stop } = await startAnvil()
  return { url, direct: createRpcCall(url), stop }
}

/** Opens a node with a contract that logs. */
export async function openNode() {
  const node = await findNode()
  return { ...node, emitter: await deployEmitter(node.direct) }
}

/** Starts a node and its Worker. */
export async function openWorker() {
  const node = await openNode()
  const worker = await startRealWorker([node.url])
  return {
    ...node,
    worker,
    async stop() {
      await worker.stop()
      await node.stop()
    },
  }
}
