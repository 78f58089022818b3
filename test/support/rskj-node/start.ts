import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Anvil, startAnvil } from '../../../scripts/dev/anvil.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { createAnswers } from './answers.ts'
import { createChain } from './chain.ts'
import { createHttpServer } from './http-server.ts'
import { regtest } from './quirks.ts'
import { createSocketServer } from './socket-server.ts'

/** A node with RSKj's ways and refusals, as far as a client can tell; anvil runs the contracts. */
export type RskjNode = {
  url: string
  /** On a port of its own, as RSKj has it. */
  wsUrl: string
  /** Told to start and to stop, listeners of `syncing` hear it. */
  setSyncing: (isSyncing: boolean) => void
  stop: () => Promise<void>
}

/** An anvil that takes Rootstock's prices and makes blocks of Rootstock's size. */
export function startAnvilForRskj(): Promise<Anvil> {
  const args = ['--gas-limit', `${regtest.gasLimit}`, '--block-base-fee-per-gas', '0']
  return startAnvil({ chainId: regtest.chainId, args })
}

/**
 * Serves anvil's chain in RSKj's shape: blocks, hashes, receipts and proofs are RSKj's own. Input
 * that the service refuses itself, and so never passes on, may be refused here in other words.
 */
export async function startRskjNode(anvilUrl: string): Promise<RskjNode> {
  const anvil = rpcTo(anvilUrl)
  const chain = createChain(anvil)
  const answer = createAnswers(anvil, chain)
  const http = createHttpServer(answer)
  const sockets = createSocketServer(chain, answer)
  await chain.follow()
  const [port, wsPort] = await Promise.all([listen(http), listen(sockets.server)])
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${wsPort}/websocket`,
    setSyncing: sockets.setSyncing,
    async stop() {
      sockets.stop()
      await Promise.all([http, sockets.server].map(close))
    },
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
