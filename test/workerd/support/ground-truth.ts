import { env } from 'cloudflare:workers'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  formatEther,
  type Hex,
  pad,
  parseEther,
} from 'viem'
import { createRpcCall } from '../../../scripts/dev/rpc.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { decodeResults, type RawLog } from '../../../src/relay/forwarder/requests.ts'
import { deriveRelayerAccount } from '../../../src/relay/signer.ts'

/** The Worker's environment as the tests were given it. */
export const bindings = env as unknown as {
  NODE_URL: string
  LOAN_ADDRESS: Address
  FORWARDER_ADDRESS: Address
  ACCOUNT_KEY_SECRET: Hex
} & Record<string, string>

/** Asks the chain itself, past everything under test. */
export const rpc = createRpcCall(bindings.NODE_URL)

export async function accountOf(phone: string): Promise<Address> {
  const accounts = createCallerAccounts(bindings.ACCOUNT_KEY_SECRET)
  return (await accounts(parseCaller(phone) as PhoneNumber)).address
}

export async function balanceOnChain(account: Address): Promise<string> {
  const call = { abi: microLoanAbi, functionName: 'getBalance' } as const
  const data = encodeFunctionData({ ...call, args: [account] })
  const output = await rpc('eth_call', [{ to: bindings.LOAN_ADDRESS, data }, 'latest'])
  return formatEther(decodeFunctionResult({ ...call, data: output as Hex }))
}

/** Puts money into a caller's account from one of the chain's own; it is there afterwards. */
export async function fund(phone: string, amount: string): Promise<void> {
  const [from] = (await rpc('eth_accounts', [])) as string[]
  const data = encodeFunctionData({
    ...{ abi: microLoanAbi, functionName: 'depositFor', args: [await accountOf(phone)] },
  })
  const value = `0x${parseEther(amount).toString(16)}`
  await rpc('eth_sendTransaction', [{ from, to: bindings.LOAN_ADDRESS, value, data }])
  // The node answers as soon as it is in the pool: this returns when it is in a block.
  await rpc('evm_mine', [])
}

/** Lists the forwarder's results for an account, in the chain's order. */
export async function processed(account: Address) {
  const address = bindings.FORWARDER_ADDRESS as Address
  // Both of its events name the intent, and then the account.
  const topics = [null, null, pad(account)]
  const logs = (await rpc('eth_getLogs', [
    { address, topics, fromBlock: '0x0', toBlock: 'latest' },
  ])) as (RawLog & { transactionHash: Hex })[]
  return logs.flatMap((log) =>
    decodeResults({ chainId: 31, address }, [log]).map((result) => ({
      ...result,
      hash: log.transactionHash,
    })),
  )
}

/** Transactions that the relayer has on the chain, or in its pool too. */
export async function relayerNonce(at: 'latest' | 'pending' = 'latest'): Promise<number> {
  const { address } = deriveRelayerAccount(bindings.RELAYER_MNEMONIC as string, 31, 0)
  return Number(await rpc('eth_getTransactionCount', [address, at]))
}
