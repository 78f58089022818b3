import { type Address, decodeFunctionResult, type Hex } from 'viem'
import { microLoanAbi } from './abi.ts'
import { balanceCall, principalCall } from './calls.ts'

/** Reads of the loan contract; in wei. They throw what their source throws. */
export type LoanReader = {
  balance(account: Address): Promise<bigint>
  /** What a loan is at present. */
  principal(): Promise<bigint>
}

/** `read` makes a call without a transaction on the loan contract and gives its output. */
export function createLoanReader(read: (calldata: Hex) => Promise<Hex>): LoanReader {
  return {
    async balance(account) {
      const data = await read(balanceCall(account))
      return decodeFunctionResult({ abi: microLoanAbi, functionName: 'getBalance', data })
    },
    async principal() {
      const data = await read(principalCall())
      return decodeFunctionResult({ abi: microLoanAbi, functionName: 'principal', data })
    },
  }
}
