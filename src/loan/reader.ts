import {
  type Abi,
  type Address,
  type ContractFunctionReturnType,
  decodeEventLog,
  decodeFunctionResult,
  encodeEventTopics,
  type Hex,
  pad,
} from 'viem'
import { loanAbi } from './abi.ts'
import { type LoanRead, type LoanTerms, readCall } from './calls.ts'

export type LoanReader = ReturnType<typeof createLoanReader>

export type Received = { from: Address; amountWei: bigint }

/** Is the range that nodes serve in one answer (about 16 hours). */
const eventBlocks = 2_000
const mostReceived = 8

export type LoanSource = {
  /** Calls the contract as of the latest block, or of the one with this number. */
  read(calldata: Hex, block?: number): Promise<Hex>
  height(): Promise<number>
  /** Finds events by their topics, from this block on. */
  events(topics: (Hex | null)[], fromBlock: number): Promise<{ topics: Hex[]; data: Hex }[]>
}

export function createLoanReader({ read, height, events }: LoanSource) {
  async function ask<Name extends LoanRead>(
    name: Name,
    of: [] | [account: Address] = [],
    block?: number,
  ) {
    const data = await read(readCall(name, ...of), block)
    const functionName: string = name
    const found = decodeFunctionResult({ abi: loanAbi as Abi, functionName, data })
    return found as ContractFunctionReturnType<typeof loanAbi, 'view', Name>
  }

  async function lendable() {
    const block = await height()
    const [poolWei, capWei] = await Promise.all([
      ask('liquidity', [], block),
      ask('issuable', [], block),
    ])
    return { block, poolWei, capWei }
  }

  async function withdrawable() {
    const block = await height()
    return { block, outWei: await ask('withdrawable', [], block) }
  }

  return {
    /** Returns what the daily limit leaves for forwarded withdrawals, as of a block. */
    withdrawable: () => withdrawable().catch(withdrawable),
    /**
     * Returns what is left for new loans; asks again once if a node does not have the block yet.
     */
    lendable: () => lendable().catch(lendable),
    balance: (account: Address) => ask('getBalance', [account]),
    owed: (account: Address) => ask('loanOf', [account]),
    /** Returns an account's debt and its due date (Unix time in s; 0 without a loan). */
    async debt(account: Address) {
      const { owed, dueAt } = await ask('loanDetailsOf', [account])
      return { owedWei: owed, dueAt: Number(dueAt) }
    },
    async terms(): Promise<LoanTerms> {
      const { principal, feeRate, term } = await ask('terms')
      return {
        principalWei: principal,
        feeWei: (principal * BigInt(feeRate)) / 10_000n,
        termSeconds: term,
      }
    },
    /** Lists what others sent to an account within the last blocks, the newest first. */
    async received(account: Address): Promise<Received[]> {
      const from = Math.max(0, (await height()) - eventBlocks + 1)
      const [event = null] = encodeEventTopics({ abi: loanAbi, eventName: 'Transferred' })
      const found = await events([event, null, pad(account)], from)
      return found.slice(-mostReceived).reverse().map(receivedIn)
    },
  }
}

function receivedIn({ topics, data }: { topics: Hex[]; data: Hex }): Received {
  const { args } = decodeEventLog({
    abi: loanAbi,
    eventName: 'Transferred',
    data,
    topics: topics as [Hex, ...Hex[]],
  })
  return { from: args.from, amountWei: args.amount }
}
