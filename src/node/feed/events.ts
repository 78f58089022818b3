import * as z from 'zod/mini'
import { RpcError } from '../../chain/rpc.ts'
import { rawBlock, sentTransactions } from '../objects/block.ts'
import { data, hash } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import type { NodeSocket } from '../upstream/socket.ts'

export type FeedEvents = ReturnType<typeof createFeedEvents>

/** Listens to the pool by the socket or a filter, which begins with the pending block. */
export function createFeedEvents(
  ask: <T>(work: (node: UpstreamNode) => Promise<T>) => Promise<T>,
  socket: NodeSocket,
) {
  let listenedTo: number | undefined
  let filter: { node: string; id: string } | undefined

  return {
    /** Gives the hashes that entered the pool since the last call, as far as that was seen. */
    async entered(): Promise<string[]> {
      socket.ensure()
      const connection = socket.connection()
      if (connection === undefined) {
        listenedTo = undefined
        return await filtered()
      }
      if (connection === listenedTo) return socket.takeHashes()
      const inPool = await ask(readPool)
      // Not before: where the node gave no answer, the next look still has to find what it missed.
      listenedTo = connection
      return [...inPool, ...socket.takeHashes()]
    },
    /** Gives the hashes that came over the connection that is listened to, and asks nothing. */
    heard: () =>
      listenedTo !== undefined && socket.connection() === listenedTo ? socket.takeHashes() : [],
    /** Asks how far the node has come (`eth_syncing`); `false` is all the way. */
    syncing: () => ask((node) => node.call('eth_syncing', [], z.unknown())),
    /** Drops the hashes that came so far, since no client wants them. */
    skip: () => void socket.takeHashes(),
    rest(): void {
      listenedTo = undefined
      filter = undefined
      socket.close()
    },
  }

  async function filtered(): Promise<string[]> {
    const known = filter
    try {
      return await ask(async (node) => {
        if (known?.node === node.name) {
          return await node.call('eth_getFilterChanges', [known.id], z.array(hash))
        }
        const id = await node.call('eth_newPendingTransactionFilter', [], data)
        filter = { node: node.name, id }
        // Asked after the filter is there: what enters between the two is in both, and not in
        // neither.
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
  const pending = await node.call('eth_getBlockByNumber', ['pending', false], z.nullable(rawBlock))
  return pending === null ? [] : sentTransactions(pending)
}
