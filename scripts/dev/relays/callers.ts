import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hash,
  type Hex,
  http,
  type LocalAccount,
} from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { relayForwarderAbi } from '../../../src/relay/forwarder/abi.ts'
import { loanAt } from '../../contracts/reads.ts'
import { devKey } from '../anvil.ts'
import type { TestChain } from '../chain.ts'
import { until } from '../wait.ts'

export type Caller = { phone: string; account: LocalAccount }

/** Creates the callers of a test, with numbers from +254700001000. */
export async function createCallers(chain: TestChain, count: number): Promise<Caller[]> {
  const accountOf = createCallerAccounts(chain.bindings.ACCOUNT_KEY_SECRET as Hex)
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const phone = `+2547000${10_000 + index}`
      return { phone, account: await accountOf(parseCaller(phone) as PhoneNumber) }
    }),
  )
}

type Owned = Pick<TestChain, 'loan' | 'forwarder'> & { anvil: { url: string } }

export type OwnersCall = {
  of?: 'loan' | 'forwarder'
  args?: readonly unknown[]
  value?: bigint
  /** Puts the transaction first in its block if it is above all other prices. */
  gasPrice?: bigint
}

/** Sends a call as the owner, signed by anvil; it may not be in a block yet. */
export async function callAsOwner(
  { anvil, ...contracts }: Owned,
  functionName: string,
  { of = 'loan', args = [], ...paid }: OwnersCall = {},
): Promise<Hash> {
  const account = privateKeyToAddress(devKey)
  const client = createWalletClient({ account, transport: http(anvil.url) })
  const abi: Abi = [...microLoanAbi, ...relayForwarderAbi]
  const data = encodeFunctionData({ abi, functionName, args })
  return client.sendTransaction({ to: contracts[of], data, chain: null, ...paid })
}

/** Sets some of the loans' terms, as `callAsOwner` calls. */
export async function setTerms(
  chain: Owned,
  terms: { principal?: bigint; dailyCap?: bigint },
  paid: OwnersCall = {},
): Promise<void> {
  const loan = loanAt(createPublicClient({ transport: http(chain.anvil.url) }), chain.loan)
  await callAsOwner(chain, 'setTerms', { args: [{ ...(await loan.terms()), ...terms }], ...paid })
}

/** Gives the pool an amount of what the contract counts; the owner has approved its tokens. */
export const fundPool = (chain: TestChain, amount: bigint): Promise<Hash> =>
  chain.unit.token === null
    ? callAsOwner(chain, 'fund', { value: amount })
    : callAsOwner(chain, 'fundTokens', { args: [amount] })

/** Deposits an amount for each account, and waits for the block; the chain mines by itself. */
export async function deposit(chain: TestChain, accounts: readonly Address[], value: bigint) {
  let last: Hash | undefined
  for (const one of accounts) {
    last =
      chain.unit.token === null
        ? await callAsOwner(chain, 'depositFor', { args: [one], value })
        : await callAsOwner(chain, 'depositTokensFor', { args: [one, value] })
  }
  // viem asks again with the next block, which a chain that mines on request may not have.
  const isIn = () => chain.anvil.ask('eth_getTransactionReceipt', [last])
  if (last !== undefined) await until(async () => Boolean(await isIn()))
}
