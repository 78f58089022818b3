import * as z from 'zod/mini'
import { RpcError } from '../../chain/rpc.ts'
import { listSignedTransactions } from '../objects/block.ts'
import { data, hash } from '../objects/values.ts'
import { readPendingBlock } from '../reads/mined-block.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import type { NodeSocket } from '../upstream/socket.ts'

export type FeedEvents = ReturnType<typeof createFeedEvents>

/** Reads the pool's new transactions over the socket, or by a filter without a socket. */
export function createFeedEvents(
  ask: <T>(work: (node: UpstreamNode) => Promise<T>) => Promise<T>,
  socket: NodeSocket,
) {
  let syncedConnection: number | undefined
  let filter: { node: string; id: string } | undefined

  return {
    /** Returns the hashes known to have entered the pool since the last call. */
    async takePending(): Promise<string[]> {
      socket.connectIfDue()
      const connection = socket.subscribeToPending()
      if (connection === undefined) {
        syncedConnection = undefined
        return await readFilter()
      }
      if (connection === syncedConnection) return socket.takeHashes()
      const poolHashes = await ask(readPool)
      // Set only after the answer: if the node fails, the next poll must read the pool again.
      syncedConnection = connection
      return [...poolHashes, ...socket.takeHashes()]
    },
    /** Returns the hashes that the connection received, without a call to a node. */
    takeReceived: () =>
      syncedConnection !== undefined && socket.subscribeToPending() === syncedConnection
        ? socket.takeHashes()
        : [],
    /** Reads the node's progress (`eth_syncing`); `false` means synchronized. */
    readSyncStatus: () => ask((node) => node.call('eth_syncing', [], z.unknown())),
    /** Drops the hashes received so far, since no client wants them. */
    dropHashes: () => void socket.takeHashes(),
    close(): void {
      syncedConnection = undefined
      filter = undefined
      socket.close()
    },
  }

  async function readFilter(): Promise<string[]> {
    const knownFilter = filter
    try {
      return await ask(async (node) => {
        if (knownFilter?.node === node.name) {
          return await node.call('eth_getFilterChanges', [knownFilter.id], z.array(hash))
        }
        const id = await node.call('eth_newPendingTransactionFilter', [], data)
        filter = { node: node.name, id }
        // Read after the filter exists: a transaction in between is then in both, never in none.
        return await readPool(node)
      })
    } catch (error) {
      filter = undefined
      if (error instanceof RpcError) return await ask(readPool)
      throw error
    }
  }
}

async function readPool(node: UpstreamNode): Promise<string[]> {
  const pending = await readPendingBlock(node, false)
  return pending === null ? [] : listSignedTransactions(pending)
}
