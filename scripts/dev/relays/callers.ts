import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  type LocalAccount,
  parseEther,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createCallerAccounts } from '../../../src/account/keys.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { devKey } from '../anvil.ts'
import type { TestChain } from '../chain.ts'
import { rpcTo } from '../rpc.ts'
import { until } from '../wait.ts'

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

export function createTreasury(chain: TestChain): Treasury {
  const owner = privateKeyToAccount(devKey)
  const call = rpcTo(chain.anvil.url)

  async function sendAll(calls: { data: Hex; value: bigint }[]): Promise<void> {
    const first = Number(await call('eth_getTransactionCount', [owner.address, 'pending']))
    let last: unknown
    for (const [index, { data, value }] of calls.entries()) {
      const raw = await owner.signTransaction({
        type: 'legacy',
        chainId: 31,
        nonce: first + index,
        to: chain.loan,
        gas: 300_000n,
        gasPrice: parseEther('10', 'gwei'),
        data,
        value,
      })
      last = await call('eth_sendRawTransaction', [raw])
    }
    await until(async () => (await call('eth_getTransactionReceipt', [last])) !== null, {
      everyMs: 5,
    })
  }

  return {
    deposit: (accounts, value) =>
      sendAll(
        accounts.map((account) => ({
          data: encodeFunctionData({
            abi: microLoanAbi,
            functionName: 'depositFor',
            args: [account],
          }),
          value,
        })),
      ),
    fund: (value) =>
      sendAll([{ data: encodeFunctionData({ abi: microLoanAbi, functionName: 'fund' }), value }]),
    async setWithdrawalLimit(limitWei) {
      const call = { functionName: 'setWithdrawalLimit', args: [limitWei] } as const
      await sendAll([{ data: encodeFunctionData({ abi: microLoanAbi, ...call }), value: 0n }])
    },
    async setDailyCap(dailyCap) {
      const abi = microLoanAbi
      const asked = encodeFunctionData({ abi, functionName: 'terms' })
      const data = (await call('eth_call', [{ to: chain.loan, data: asked }, 'latest'])) as Hex
      const terms = decodeFunctionResult({ abi, functionName: 'terms', data })
      const args = [{ ...terms, dailyCap }] as const
      await sendAll([
        { data: encodeFunctionData({ abi, functionName: 'setTerms', args }), value: 0n },
      ])
    },
  }
}
