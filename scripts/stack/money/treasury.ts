import {
  type Abi,
  type Address,
  BaseError,
  encodeFunctionData,
  erc20Abi,
  type Hash,
  type Hex,
  type PublicClient,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { getQuantum } from '../../../src/loan/amounts.ts'
import { readUnit } from '../../contracts/reads.ts'
import { devKey } from '../../dev/anvil.ts'
import { sleep, waitForReceipt } from '../../dev/wait.ts'
import {
  type ChainNode,
  createNodeCall,
  maxGasPrice,
  priceObstacle,
  readMaxGasPrice,
} from '../chain/node.ts'
import { money, StackError } from '../report.ts'

export type Treasury = ReturnType<typeof createTreasury>

export const fundCalls = { coins: 'fund', tokens: 'fundTokens' }
export const depositCalls = { coins: 'depositFor', tokens: 'depositTokensFor' }

type Payment = { to?: Address; valueWei?: bigint; data?: Hex }

/** Opens DEPLOYER_KEY's account, else an anvil's own with money; undefined where neither exists. */
export async function openTreasury(node: ChainNode, key: Hex | undefined, env = process.env) {
  if (key === undefined && !node.isAnvil) return undefined
  const maxGasPriceWei = readMaxGasPrice(env)
  const treasury = createTreasury(node, key ?? devKey, { maxGasPriceWei })
  if (key === undefined && (await treasury.balance()) < 10n ** 21n) {
    const call = createNodeCall(node.url)
    await call('anvil_setBalance', [treasury.address, toHex(10n ** 22n)])
  }
  return treasury
}

/** Sets a treasury's highest gas price, and where it reports that it waits. */
type Spending = { maxGasPriceWei?: bigint | undefined; log?: (line: string) => void }

/** Opens a key's account, which pays at most the given price or MAX_GAS_PRICE_WEI. */
export function createTreasury(
  node: ChainNode,
  key: Hex,
  { maxGasPriceWei = readMaxGasPrice(process.env), log = () => {} }: Spending = {},
) {
  const account = privateKeyToAccount(key)
  const { address } = account
  const { client } = node
  const maxWei = maxGasPrice(maxGasPriceWei, node)
  const balance = () => client.getBalance({ address })
  /** Sends and waits for the block; without `to` it creates a contract. @throws {StackError} */
  const send = async ({ to, valueWei = 0n, data = '0x' }: Payment): Promise<Hash> => {
    const price = await client.getGasPrice()
    const dear = priceObstacle(maxWei, price)
    if (dear !== undefined) throw new StackError(`Nothing was sent: ${dear}.`)
    // On a public network a tenth more: the price may rise while the block is waited for.
    const offered = node.isAnvil ? price : (price * 11n) / 10n
    const gasPrice = offered < maxWei ? offered : maxWei
    const call = { ...(to === undefined ? {} : { to }), value: valueWei, data, gasPrice }
    const nonce = await client.getTransactionCount({ address, blockTag: 'pending' })
    const needed = await client.estimateGas({ account: address, ...call }).catch(async (error) => {
      const has = await balance()
      if (has > valueWei) throw error
      const [there, wanted] = [has, valueWei].map((wei) => money(wei, node.chain.currency))
      throw new StackError(
        `Insufficient funds: ${address} has ${there}, and is to send ${wanted} and to pay for gas.`,
      )
    })
    // It is exact for the state it was made on; the block may find another.
    const gas = (needed * 12n) / 10n
    // Rootstock takes nothing newer (RSKIPs for types 1, 2 and 4 are drafts).
    const transaction = { type: 'legacy', chainId: node.chain.id, ...call, nonce, gas } as const
    const hash = await offer(client, await account.signTransaction(transaction), log)
    const receipt = await waitForReceipt(client, hash)
    if (receipt.status !== 'success') throw new StackError(`The transaction ${hash} failed.`)
    return hash
  }
  const abi: Abi = microLoanAbi
  const callLoan = (to: Address, functionName: string, args: readonly unknown[], valueWei = 0n) =>
    send({ to, valueWei, data: encodeFunctionData({ abi, functionName, args }) })
  return {
    address,
    key,
    balance,
    send,
    /** Has the loan contract do something. @throws {StackError} */
    callLoan,
    /**
     * Has the loan contract take an amount of what it counts: sent along with `coins`, or, of a
     * token, approved and pulled by `tokens`, which has the amount as its last argument.
     */
    async payLoan(
      loan: Address,
      { coins, tokens }: { coins: string; tokens: string },
      args: readonly unknown[],
      amount: bigint,
    ): Promise<Hash> {
      const unit = await readUnit(client, loan, node.chain.currency)
      if (unit.token === null) return callLoan(loan, coins, args, amount)
      const approved = [loan, amount * getQuantum(unit)] as const
      const approval = { abi: erc20Abi, functionName: 'approve', args: approved } as const
      const to = unit.token.address as Address
      await send({ to, data: encodeFunctionData(approval) })
      return callLoan(loan, tokens, [...args, amount])
    },
  }
}

const [quotaTurns, quotaPauseMs] = [900, 2_000]

const quotaWords =
  'the node takes little gas at a time from a key that never sent (account exceeds quota)'

/** Offers a transaction again where the node's gas quota, small for new accounts, refuses it. */
export async function offer(
  client: PublicClient,
  serializedTransaction: Hex,
  log: (line: string) => void = () => {},
): Promise<Hash> {
  for (let turn = 0; turn < quotaTurns; turn += 1) {
    try {
      return await client.sendRawTransaction({ serializedTransaction })
    } catch (error) {
      if (!(error instanceof BaseError && /exceeds quota/i.test(error.details))) throw error
      if (turn === 0) log(`waiting: ${quotaWords}`)
      await sleep(quotaPauseMs)
    }
  }
  throw new StackError(`Nothing more was sent: ${quotaWords}.`)
}
