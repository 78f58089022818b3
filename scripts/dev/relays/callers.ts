import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  type LocalAccount,
  parseEther,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createCallerAccounts } from '../../../src/account/keys.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { devKey } from '../anvil.ts'
import type { TestChain } from '../chain.ts'

/** A person with a phone, whose account the test knows. */
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

/** Owner's and depositors' transactions, on a chain that still mines by itself. */
export type Treasury = {
  /** Credits accounts in the loan contract. */
  deposit(accounts: readonly Address[], amountWei: bigint): Promise<void>
  fund(amountWei: bigint): Promise<void>
  setDailyCap(capWei: bigint): Promise<void>
  /** A lower limit holds at once, a higher one a day later. */
  setWithdrawalLimit(limitWei: bigint): Promise<void>
}

export function createTreasury({ anvil, loan }: TestChain): Treasury {
  const account = privateKeyToAccount(devKey)
  const transport = http(anvil.url)
  const client = createPublicClient({ transport, cacheTime: 0, pollingInterval: 5 })
  const wallet = createWalletClient({ account, transport })
  const contract = { address: loan, abi: microLoanAbi } as const

  async function sendAll(calls: readonly { data: Hex; value?: bigint }[]): Promise<void> {
    const { address } = account
    const first = await client.getTransactionCount({ address, blockTag: 'pending' })
    const terms = { to: loan, chain: null, gas: 300_000n, gasPrice: parseEther('10', 'gwei') }
    let hash: Hex = '0x'
    for (const [index, call] of calls.entries()) {
      hash = await wallet.sendTransaction({
        ...terms,
        ...call,
        type: 'legacy',
        nonce: first + index,
      })
    }
    await client.waitForTransactionReceipt({ hash })
  }

  return {
    deposit: (accounts, value) =>
      sendAll(
        accounts.map((one) => {
          const call = { functionName: 'depositFor', args: [one] } as const
          return { data: encodeFunctionData({ abi: microLoanAbi, ...call }), value }
        }),
      ),
    fund: (value) =>
      sendAll([{ data: encodeFunctionData({ abi: microLoanAbi, functionName: 'fund' }), value }]),
    setWithdrawalLimit(limitWei) {
      const call = { functionName: 'setWithdrawalLimit', args: [limitWei] } as const
      return sendAll([{ data: encodeFunctionData({ abi: microLoanAbi, ...call }) }])
    },
    async setDailyCap(dailyCap) {
      const terms = await client.readContract({ ...contract, functionName: 'terms' })
      const call = { functionName: 'setTerms', args: [{ ...terms, dailyCap }] } as const
      await sendAll([{ data: encodeFunctionData({ abi: microLoanAbi, ...call }) }])
    },
  }
}
