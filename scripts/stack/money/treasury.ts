import {
  type Address,
  createPublicClient,
  formatEther,
  type Hash,
  type Hex,
  http,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { devKey } from '../../dev/anvil.ts'
import { maxGasPrice, priceObstacle, readMaxGasPrice } from '../chain/gas-price.ts'
import type { ChainNode } from '../chain/node.ts'
import { createNodeCall } from '../chain/node-call.ts'
import { StackError } from '../report.ts'

/** The account that pays for what a stack sets up. */
export type Treasury = {
  address: Address
  /** For the deployment, which is another program. */
  key: Hex
  balance: () => Promise<bigint>
  /** Sends and waits for the block. @throws {StackError} it cannot pay, gas is too dear, or it reverts */
  send: (payment: { to: Address; valueWei: bigint; data?: Hex }) => Promise<Hash>
}

/**
 * The account behind DEPLOYER_KEY, else the development account of an anvil, which gets money if
 * that anvil was started with other accounts. Undefined where neither exists.
 */
export async function openTreasury(
  node: ChainNode,
  deployerKey: Hex | undefined,
): Promise<Treasury | undefined> {
  if (deployerKey !== undefined) return createTreasury(node, deployerKey)
  if (!node.isAnvil) return undefined
  const treasury = createTreasury(node, devKey)
  if ((await treasury.balance()) < 10n ** 21n) {
    const call = createNodeCall(node.url)
    await call('anvil_setBalance', [treasury.address, toHex(10n ** 22n)], z.unknown())
  }
  return treasury
}

/** The account of a key, which pays for gas at most what MAX_GAS_PRICE_WEI of the environment says. */
export function createTreasury(node: ChainNode, key: Hex): Treasury {
  const account = privateKeyToAccount(key)
  const client = createPublicClient({ transport: http(node.url), pollingInterval: 100 })
  const { currency } = node.chain
  const balance = () => client.getBalance({ address: account.address })
  return {
    address: account.address,
    key,
    balance,
    send: async ({ to, valueWei, data = '0x' }) => {
      const call = { account: account.address, to, value: valueWei, data }
      const [nonce, gasPrice, estimate] = await Promise.all([
        client.getTransactionCount({ address: account.address, blockTag: 'pending' }),
        client.getGasPrice(),
        client.estimateGas(call).catch(async (error: Error) => {
          const has = await balance()
          if (has > valueWei) throw error
          throw new StackError(
            `${account.address} has ${formatEther(has)} ${currency} and is to send ${formatEther(valueWei)}.`,
          )
        }),
      ])
      const dear = priceObstacle(maxGasPrice(readMaxGasPrice(process.env), node), gasPrice)
      if (dear !== undefined) throw new StackError(`Nothing was sent: ${dear}.`)
      // An estimate is exact for the state it was made on; the block may find another.
      const gas = (estimate * 12n) / 10n
      const raw = await account.signTransaction({
        // Rootstock takes nothing newer (RSKIPs for types 1, 2 and 4 are drafts).
        type: 'legacy',
        chainId: node.chain.id,
        ...{ to, value: valueWei, data, nonce, gasPrice, gas },
      })
      const hash = await client.sendRawTransaction({ serializedTransaction: raw })
      const receipt = await client.waitForTransactionReceipt({ hash, timeout: 180_000 })
      if (receipt.status !== 'success') throw new StackError(`The transaction ${hash} failed.`)
      return hash
    },
  }
}
