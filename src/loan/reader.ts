import { type Address, decodeFunctionResult, type Hex } from 'viem'
import { microLoanAbi } from './abi.ts'
import {
  balanceCall,
  debtCall,
  issuableCall,
  liquidityCall,
  owedCall,
  principalCall,
  termsCall,
} from './calls.ts'

/** Reads of the loan contract; in wei. They throw what their source throws. */
export type LoanReader = {
  balance(account: Address): Promise<bigint>
  /** What an account owes. */
  owed(account: Address): Promise<bigint>
  /** What an account owes, and until when (Unix time in s; 0 without a loan). */
  debt(account: Address): Promise<{ owedWei: bigint; dueAt: number }>
  /** What a loan is at present. */
  principal(): Promise<bigint>
  /** What a loan is at present, and how long after its issue it is due. */
  terms(): Promise<{ principalWei: bigint; termSeconds: number }>
  /** What the pool and the daily cap leave for new loans, as of a block: both are of the same one. */
  lendable(): Promise<{ block: number; poolWei: bigint; capWei: bigint }>
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

  return {
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
    async debt(account) {
      const data = await read(debtCall(account))
      const loan = decodeFunctionResult({ abi: microLoanAbi, functionName: 'loanDetailsOf', data })
      return { owedWei: loan.owed, dueAt: Number(loan.dueAt) }
    },
    async terms() {
      const data = await read(termsCall())
      const terms = decodeFunctionResult({ abi: microLoanAbi, functionName: 'terms', data })
      return { principalWei: terms.principal, termSeconds: terms.term }
    },
    async principal() {
      const data = await read(principalCall())
      return decodeFunctionResult({ abi: microLoanAbi, functionName: 'principal', data })
    },
  }
}
