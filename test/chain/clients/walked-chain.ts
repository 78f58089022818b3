import { createWalletClient, type Hex, http, parseEther, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { rootstockTestnet } from 'viem/chains'
import { devKey, startAnvil } from '../../../scripts/dev/anvil.ts'
import { startRootstockPool } from '../../../scripts/dev/rootstock-pool/start.ts'

/** Limits a walk in ms; an external chain sets its own block times. */
export const walkTimeoutMs = process.env.WALK_NODE_URL === undefined ? 30_000 : 300_000

/**
 * Rootstock's pool before an anvil, with a block every 50 ms. With `WALK_NODE_URL` the node that it
 * names, of chain id 31, where `WALK_KEY` (a private key) or anvil's first account has money.
 */
export async function startWalkedChain() {
  const { WALK_NODE_URL: nodeUrl, WALK_KEY: key = devKey } = process.env
  if (nodeUrl !== undefined) {
    return { nodeUrl, accounts: fundedBy(nodeUrl, key as Hex), stop: async () => {} }
  }
  const anvil = await startAnvil()
  const pool = await startRootstockPool({ anvilUrl: anvil.url, blockMs: 50 })
  return {
    nodeUrl: pool.url,
    accounts: fundedBy(pool.url, devKey),
    async stop() {
      await pool.stop()
      await anvil.stop()
    },
  }
}

/** Funds new accounts, at most 16, because a pool holds this many of one sender. */
function fundedBy(nodeUrl: string, key: Hex) {
  const purse = createWalletClient({
    account: privateKeyToAccount(key),
    chain: rootstockTestnet,
    transport: http(nodeUrl),
    pollingInterval: 50,
  }).extend(publicActions)
  return async (count: number) => {
    const keys = Array.from({ length: count }, generatePrivateKey)
    const first = await purse.getTransactionCount({ address: purse.account.address })
    let hash: Hex = '0x'
    for (const [index, one] of keys.entries()) {
      const { address: to } = privateKeyToAccount(one)
      const nonce = first + index
      hash = await purse.sendTransaction({ to, nonce, gas: 21_000n, value: parseEther('0.1') })
    }
    if (count > 0) await purse.waitForTransactionReceipt({ hash })
    return keys
  }
}
