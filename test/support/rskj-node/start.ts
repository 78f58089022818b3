import { type Anvil, startAnvil } from '../../../scripts/dev/anvil.ts'
import { type JsonRpcServer, serveJsonRpc } from '../../../scripts/dev/rootstock-pool/server.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { createAnswers } from './answers.ts'
import { createChain } from './chain.ts'
import { regtest } from './quirks.ts'

/** Starts an anvil that takes Rootstock's prices and makes blocks of Rootstock's size. */
export function startAnvilForRskj(): Promise<Anvil> {
  const args = ['--gas-limit', `${regtest.gasLimit}`, '--block-base-fee-per-gas', '0']
  return startAnvil({ chainId: regtest.chainId, args })
}

/** Serves anvil's chain in RSKj's shape: blocks, hashes, receipts and proofs are RSKj's own. */
export async function startRskjNode(anvilUrl: string): Promise<JsonRpcServer> {
  const anvil = rpcTo(anvilUrl)
  const chain = createChain(anvil)
  await chain.follow()
  return await serveJsonRpc(createAnswers(anvil, chain))
}
