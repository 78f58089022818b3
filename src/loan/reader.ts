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
import { microLoanAbi } from './abi.ts'
import { type LoanRead, type LoanTerms, readCall } from './calls.ts'

/** Reads the loan contract; amounts are in wei. */
export type LoanReader = {
  balance(account: Address): Promise<bigint>
  owed(account: Address): Promise<bigint>
  /** Tells what an account owes, and until when (Unix time in s; 0 without a loan). */
  debt(account: Address): Promise<{ owedWei: bigint; dueAt: number }>
  terms(): Promise<LoanTerms>
  /** Lists what others sent to an account within the last blocks, the newest first. */
  received(account: Address): Promise<Received[]>
  /** Tells what the pool and the daily cap leave for new loans, both as of one block. */
  lendable(): Promise<{ block: number; poolWei: bigint; capWei: bigint }>
  /** Tells what the daily limit leaves to forwarded withdrawals, as of a block. */
  withdrawable(): Promise<{ block: number; outWei: bigint }>
}

export type Received = { from: Address; amountWei: bigint }

/** Is what nodes give in one answer (about 16 hours). */
const eventBlocks = 2_000
const mostReceived = 8

export type LoanSource = {
  /** Calls without a transaction, as of the latest block or of the one with this number. */
  read(calldata: Hex, block?: number): Promise<Hex>
  height(): Promise<number>
  /** Finds events by their topics, from this block on. */
  events(topics: (Hex | null)[], fromBlock: number): Promise<{ topics: Hex[]; data: Hex }[]>
}

export function createLoanReader({ read, height, events }: LoanSource): LoanReader {
  async function ask<Name extends LoanRead>(
    name: Name,
    of: [] | [account: Address] = [],
    block?: number,
  ) {
    const data = await read(readCall(name, ...of), block)
    const functionName: string = name
    const found = decodeFunctionResult({ abi: microLoanAbi as Abi, functionName, data })
    return found as ContractFunctionReturnType<typeof microLoanAbi, 'view', Name>
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
    withdrawable: () => withdrawable().catch(withdrawable),
    // Once more where one node tells of a block that another one does not have yet.
    lendable: () => lendable().catch(lendable),
    balance: (account) => ask('getBalance', [account]),
    owed: (account) => ask('loanOf', [account]),
    async debt(account) {
      const { owed, dueAt } = await ask('loanDetailsOf', [account])
      return { owedWei: owed, dueAt: Number(dueAt) }
    },
    async terms() {
      const { principal, feeRate, term } = await ask('terms')
      return {
        principalWei: principal,
        feeWei: (principal * BigInt(feeRate)) / 10_000n,
        termSeconds: term,
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
    abi: microLoanAbi,
    eventName: 'Transferred',
    data,
    topics: topics as [Hex, ...Hex[]],
  })
  return { from: args.from, amountWei: args.amount }
}
