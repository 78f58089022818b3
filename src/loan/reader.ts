import {
  type Address,
  decodeEventLog,
  decodeFunctionResult,
  encodeEventTopics,
  type Hex,
  pad,
} from 'viem'
import { microLoanAbi } from './abi.ts'
import {
  balanceCall,
  debtCall,
  issuableCall,
  type LoanTerms,
  liquidityCall,
  owedCall,
  termsCall,
  withdrawableCall,
} from './calls.ts'

/** Reads of the loan contract; in wei. They throw what their source throws. */
export type LoanReader = {
  balance(account: Address): Promise<bigint>
  /** What an account owes. */
  owed(account: Address): Promise<bigint>
  /** What an account owes, and until when (Unix time in s; 0 without a loan). */
  debt(account: Address): Promise<{ owedWei: bigint; dueAt: number }>
  /** What a loan is at present. */
  terms(): Promise<LoanTerms>
  /** What others sent to an account within the last blocks that a node gives at once, the newest first. */
  received(account: Address): Promise<Received[]>
  /** What the pool and the daily cap leave for new loans, as of a block: both are of the same one. */
  lendable(): Promise<{ block: number; poolWei: bigint; capWei: bigint }>
  /** What the daily limit leaves to forwarded withdrawals, as of a block. */
  withdrawable(): Promise<{ block: number; outWei: bigint }>
}

/** A transfer to an account. */
export type Received = { from: Address; amountWei: bigint }

/** What nodes give in one answer (Rootstock's public node: 2,000 blocks, about 16 hours). */
const eventBlocks = 2_000
/** Of these, so many are told. */
const mostReceived = 8

/** Where a loan contract is read. */
export type LoanSource = {
  /** A call without a transaction: its output, as of the latest block or of the one with this number. */
  read(calldata: Hex, block?: number): Promise<Hex>
  /** The number of the latest block. */
  height(): Promise<number>
  /** What a contract told of transfers, by their topics, from this block on. */
  events(topics: (Hex | null)[], fromBlock: number): Promise<{ topics: Hex[]; data: Hex }[]>
}

export function createLoanReader({ read, height, events }: LoanSource): LoanReader {
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
    async debt(account) {
      const data = await read(debtCall(account))
      const loan = decodeFunctionResult({ abi: microLoanAbi, functionName: 'loanDetailsOf', data })
      return { owedWei: loan.owed, dueAt: Number(loan.dueAt) }
    },
    async terms() {
      const data = await read(termsCall())
      const terms = decodeFunctionResult({ abi: microLoanAbi, functionName: 'terms', data })
      return {
        principalWei: terms.principal,
        feeWei: (terms.principal * BigInt(terms.feeRate)) / 10_000n,
        termSeconds: terms.term,
      }
    },
    async received(account) {
      const from = Math.max(0, (await height()) - eventBlocks + 1)
      const [event = null] = encodeEventTopics({ abi: microLoanAbi, eventName: 'Transferred' })
      const found = await events([event, null, pad(account)], from)
      return found.slice(-mostReceived).reverse().map(receivedIn)
    },
  }
}

function receivedIn({ topics, data }: { topics: Hex[]; data: Hex }): Received {
  const { args } = decodeEventLog({
    ...{ abi: microLoanAbi, eventName: 'Transferred', data },
    topics: topics as [Hex, ...Hex[]],
  })
  return { from: args.from, amountWei: args.amount }
}
