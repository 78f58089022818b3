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
import { encodeReadCall, type LoanRead, type LoanTerms } from './calls.ts'

export type LoanReader = ReturnType<typeof createLoanReader>

export type Received = { from: Address; amountWei: bigint }

/** The blocks that nodes search in one request: about 16 hours. */
const eventBlockRange = 2_000
const maxReceived = 8

export type LoanSource = {
  /** Calls the contract as of a block, or of the latest block. */
  read(calldata: Hex, block?: number): Promise<Hex>
  height(): Promise<number>
  /** Finds the contract's events by their topics, from a block on. */
  events(topics: (Hex | null)[], fromBlock: number): Promise<{ topics: Hex[]; data: Hex }[]>
}

export function createLoanReader({ read, height, events }: LoanSource) {
  async function readContract<Name extends LoanRead>(
    name: Name,
    args: [] | [account: Address] = [],
    block?: number,
  ) {
    const data = await read(encodeReadCall(name, ...args), block)
    const functionName: string = name
    const result = decodeFunctionResult({ abi: loanAbi as Abi, functionName, data })
    return result as ContractFunctionReturnType<typeof loanAbi, 'view', Name>
  }

  async function lendable() {
    const block = await height()
    const [poolWei, capWei] = await Promise.all([
      readContract('liquidity', [], block),
      readContract('issuable', [], block),
    ])
    return { block, poolWei, capWei }
  }

  async function withdrawable() {
    const block = await height()
    return { block, outWei: await readContract('withdrawable', [], block) }
  }

  return {
    /** Returns the rest of the day's limit on withdrawals; retries if a node lacks the block. */
    withdrawable: () => withdrawable().catch(withdrawable),
    /** Returns the pool and the rest of the day's cap; retries if a node lacks the block. */
    lendable: () => lendable().catch(lendable),
    readBalance: (account: Address) => readContract('getBalance', [account]),
    readOwed: (account: Address) => readContract('loanOf', [account]),
    /** Returns an account's debt and its due date (Unix time in s), both 0 without a loan. */
    async readDebt(account: Address) {
      const { owed, dueAt } = await readContract('loanDetailsOf', [account])
      return { owedWei: owed, dueAt: Number(dueAt) }
    },
    async readTerms(): Promise<LoanTerms> {
      const { principal, feeRate, term } = await readContract('terms')
      return {
        principalWei: principal,
        feeWei: (principal * BigInt(feeRate)) / 10_000n,
        termSeconds: term,
      }
    },
    /** Lists the last transfers to an account, the newest first; older blocks are not searched. */
    async listReceived(account: Address): Promise<Received[]> {
      const from = Math.max(0, (await height()) - eventBlockRange + 1)
      const [event = null] = encodeEventTopics({ abi: loanAbi, eventName: 'Transferred' })
      const found = await events([event, null, pad(account)], from)
      return found.slice(-maxReceived).reverse().map(decodeReceived)
    },
  }
}

function decodeReceived({ topics, data }: { topics: Hex[]; data: Hex }): Received {
  const { args } = decodeEventLog({
    abi: loanAbi,
    eventName: 'Transferred',
    data,
    topics: topics as [Hex, ...Hex[]],
  })
  return { from: args.from, amountWei: args.amount }
}
