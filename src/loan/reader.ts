import { type Address, decodeFunctionResult, type Hex } from 'viem'
import { microLoanAbi } from './abi.ts'
import {
  balanceCall,
  issuableCall,
  liquidityCall,
  owedCall,
  principalCall,
  withdrawableCall,
} from './calls.ts'

/** Reads of the loan contract; in wei. They throw what their source throws. */
export type LoanReader = {
  balance(account: Address): Promise<bigint>
  /** What an account owes. */
  owed(account: Address): Promise<bigint>
  /** What a loan is at present. */
  principal(): Promise<bigint>
  /** What the pool and the daily cap leave for new loans, as of a block: both are of the same one. */
  lendable(): Promise<{ block: number; poolWei: bigint; capWei: bigint }>
  /** What the daily limit leaves to forwarded withdrawals, as of a block. */
  withdrawable(): Promise<{ block: number; outWei: bigint }>
}

/** Where a loan contract is read. */
export type LoanSource = {
  /** A call without a transaction: its output, as of the latest block or of the one with this number. */
  read(calldata: Hex, block?: number): Promise<Hex>
  /** The number of the latest block. */
  height(): Promise<number>
}

export function createLoanReader({ read, height }: LoanSource): LoanReader {
  async function lendable() {
    const block = await height()
    const [pool, cap] = await Promise.all([
      read(liquidityCall(), block),
      read(issuableCall(), block),
    ])
    const abi = microLoanAbi
    return {
      block,
      poolWei: decodeFunctionResult({ abi, functionName: 'liquidity', data: pool }),
      capWei: decodeFunctionResult({ abi, functionName: 'issuable', data: cap }),
    }
  }

  async function withdrawable() {
    const block = await height()
    const data = await read(withdrawableCall(), block)
    const outWei = decodeFunctionResult({ abi: microLoanAbi, functionName: 'withdrawable', data })
    return { block, outWei }
  }

  return {
    withdrawable: () => withdrawable().catch(withdrawable),
    // Once more where one node tells of a block that another one does not have yet.
    lendable: () => lendable().catch(lendable),
    async balance(account) {
      const data = await read(balanceCall(account))
      return decodeFunctionResult({ abi: microLoanAbi, functionName: 'getBalance', data })
    },
    async owed(account) {
      const data = await read(owedCall(account))
      return decodeFunctionResult({ abi: microLoanAbi, functionName: 'loanOf', data })
    },
    async principal() {
      const data = await read(principalCall())
      return decodeFunctionResult({ abi: microLoanAbi, functionName: 'principal', data })
    },
  }
}
