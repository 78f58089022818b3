import { z } from 'zod'
import { RpcError } from '../../chain/rpc.ts'
import { hashOf, rawBlock } from '../objects/block.ts'
import { data, hash } from '../objects/values.ts'
import type { Node } from '../upstream/node.ts'
import type { NodeSocket } from '../upstream/socket.ts'
import type { FeedEvents } from './network-feed.ts'

/**
 * What nodes tell beyond their chain: by the socket where there is one, else by a filter that is
 * asked again and again, else by what is in the pending block.
 */
export function createFeedEvents(
  ask: <T>(work: (node: Node) => Promise<T>) => Promise<T>,
  socket: NodeSocket,
): FeedEvents {
  let wasOpen = false
  let filter: { node: string; id: string } | undefined

  return {
    async entered() {
      socket.ensure()
      const isOpen = socket.isOpen()
      const live = isOpen && wasOpen
      wasOpen = isOpen
      if (live) return { hashes: socket.takeHashes(), live }
      const seen = await pool()
      if (isOpen) return { hashes: [...seen, ...socket.takeHashes()], live }
      return await filtered(seen)
    },
    pool,
    syncing: () => ask((node) => node.call('eth_syncing', [], z.unknown())),
    skip: () => void socket.takeHashes(),
    rest() {
      wasOpen = false
      filter = undefined
      socket.close()
    },
  }

  function pool(): Promise<string[]> {
    return ask(async (node) => {
      const pending = await node.call(
        'eth_getBlockByNumber',
        ['pending', false],
        rawBlock.nullable(),
      )
      return (pending?.transactions ?? []).flatMap((entry) => hashOf(entry) ?? [])
    })
  }

  async function filtered(seen: string[]): Promise<{ hashes: string[]; live: boolean }> {
    const known = filter
    try {
      return await ask(async (node) => {
        if (known?.node === node.name) {
          const hashes = await node.call('eth_getFilterChanges', [known.id], z.array(hash))
          return { hashes, live: true }
        }
        filter = {
          node: node.name,
          id: await node.call('eth_newPendingTransactionFilter', [], data),
        }
        return { hashes: seen, live: false }
      })
    } catch (error) {
      filter = undefined
      if (error instanceof RpcError) return { hashes: seen, live: false }
      throw error
    }
  }
}
