import {
  type Address,
  createWalletClient,
  type Hash,
  type Hex,
  http,
  type LocalAccount,
  publicActions,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createCallerAccounts } from '../../../src/account/keys.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { devKey } from '../anvil.ts'
import type { TestChain } from '../chain.ts'
import { rpcTo } from '../rpc.ts'
import { until } from '../wait.ts'

export type Caller = { phone: string; account: LocalAccount }

/** The callers of a test, numbered from +254700001000 on. */
export async function callersOf(chain: TestChain, count: number): Promise<Caller[]> {
  const accountOf = createCallerAccounts(chain.bindings.ACCOUNT_KEY_SECRET as Hex)
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const phone = `+2547000${10_000 + index}`
      return { phone, account: await accountOf(parseCaller(phone) as PhoneNumber) }
    }),
  )
}

/** Makes the owner's and depositors' transactions, on a chain that still mines by itself. */
export function createTreasury({ anvil, loan }: TestChain) {
  // An account that anvil signs for.
  const { address: account } = privateKeyToAccount(devKey)
  const client = createWalletClient({ account, transport: http(anvil.url) }).extend(publicActions)
  const contract = { address: loan, abi: microLoanAbi, chain: null } as const
  // viem asks again with the next block only: a chain that mines when asked to may have none.
  const ask = rpcTo(anvil.url)
  const isIn = (hash: Hash) =>
    until(async () => Boolean(await ask('eth_getTransactionReceipt', [hash])))
  return {
    async deposit(accounts: readonly Address[], value: bigint) {
      const call = { ...contract, functionName: 'depositFor', value } as const
      let last: Hash | undefined
      for (const one of accounts) last = await client.writeContract({ ...call, args: [one] })
      if (last !== undefined) await isIn(last)
    },
    fund: async (value: bigint) =>
      isIn(await client.writeContract({ ...contract, functionName: 'fund', value })),
    /** A lower limit holds at once, a higher one a day later. */
    async setWithdrawalLimit(limitWei: bigint) {
      const call = { functionName: 'setWithdrawalLimit', args: [limitWei] } as const
      await isIn(await client.writeContract({ ...contract, ...call }))
    },
    async setDailyCap(dailyCap: bigint) {
      const terms = await client.readContract({ ...contract, functionName: 'terms' })
      const call = { functionName: 'setTerms', args: [{ ...terms, dailyCap }] } as const
      await isIn(await client.writeContract({ ...contract, ...call }))
    },
  }
}
