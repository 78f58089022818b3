import {
  type Abi,
  type Address,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeEventTopics,
  type Hex,
  isAddressEqual,
  pad,
  zeroAddress,
} from 'viem'
import { loanAbi } from './abi.ts'
import type { Unit } from './amounts.ts'
import {
  decodeEvent,
  encodeReadCall,
  type LoanLog,
  type LoanRead,
  type LoanTerms,
} from './calls.ts'

export type LoanReader = ReturnType<typeof createLoanReader>

/** Means that the contract refused a read: it has no such function. */
export class RevertedRead extends Error {
  override readonly name = 'RevertedRead'
}

/** Reads the terms of a loan to an account: of the asked amount, or of all that it may borrow. */
export async function readLoanTerms(
  { readTerms, readLimit }: Pick<LoanReader, 'readTerms' | 'readLimit'>,
  account: Address,
  askedWei: bigint | 'all',
): Promise<LoanTerms> {
  const [terms, limitWei] = await Promise.all([readTerms(), readLimit(account)])
  const mostWei = limitWei ?? terms.principalWei
  const isWhole = askedWei === 'all' || askedWei > mostWei || limitWei === undefined
  const principalWei = isWhole ? mostWei : askedWei
  const feeWei = (principalWei * terms.feeRate) / 10_000n
  return { principalWei, feeWei, termSeconds: terms.termSeconds }
}

/**
 * Reads where a wallet sends money for an account: to itself, or in a pool of tokens to its inlet.
 * @throws {Error} as {@link LoanReader.readInlet}
 */
export const readReceiveAddress = async (
  { readInlet }: Pick<LoanReader, 'readInlet'>,
  { token }: Unit,
  account: Address,
): Promise<Address> => (token === null ? account : await readInlet(account))

/** Describes a transfer to an account, by the event of the loan contract. */
export type Received = ReturnType<typeof decodeReceived>

type LoanEvent = LoanLog & { transactionHash: Hex; block: { number: number } }

/** Limits the blocks that nodes search in one request: about 16 hours. */
const maxEventBlocks = 2_000
const maxReceived = 8

export type LoanSource = {
  read(calldata: Hex, block?: number | { blockHash: Hex }): Promise<Hex>
  readHeight(): Promise<number>
  findEvents(topics: (Hex | null)[], fromBlock: number): Promise<LoanEvent[]>
}

function createContractReader({ read }: LoanSource) {
  return async <Name extends LoanRead>(
    name: Name,
    args: [] | [account: Address] = [],
    block?: number | { blockHash: Hex },
  ) => {
    const data = await read(encodeReadCall(name, ...args), block)
    const functionName: string = name
    const result = decodeFunctionResult({ abi: loanAbi as Abi, functionName, data })
    return result as ContractFunctionReturnType<typeof loanAbi, 'view', Name>
  }
}

/** Reads facts of one block; asks again if a node lacks the block. */
async function readAtOnce<Facts>(
  { readHeight }: LoanSource,
  readFacts: (block: number) => Promise<Facts>,
) {
  const attempt = async () => {
    const block = await readHeight()
    return { block, ...(await readFacts(block)) }
  }
  return attempt().catch(attempt)
}

export function createLoanReader(source: LoanSource) {
  const { readHeight, findEvents } = source
  const readContract = createContractReader(source)
  return {
    /** Reads what an account has and owes at a block, and what `listSpent` tells of that. */
    readHoldings: (account: Address, listSpent: (block: number) => Promise<Hex[]>) =>
      readAtOnce(source, async (block) => {
        const [wei, owedWei, spent] = await Promise.all([
          readContract('getBalance', [account], block),
          readContract('loanOf', [account], block),
          listSpent(block),
        ])
        return { wei, owedWei, spent }
      }),
    /** Reads what the day's limit on withdrawals leaves. */
    readWithdrawable: () =>
      readAtOnce(source, async (block) => {
        const outWei = await readContract('withdrawable', [], block)
        return { poolWei: 0n, capWei: 0n, outWei }
      }),
    /** Reads the pool and what the day's cap leaves. */
    readLendable: () =>
      readAtOnce(source, async (block) => {
        const [poolWei, capWei] = await Promise.all([
          readContract('liquidity', [], block),
          readContract('issuable', [], block),
        ])
        return { poolWei, capWei }
      }),
    /**
     * Reads the address from which anybody credits tokens to an account.
     * @throws {Error} what arrives there is another account's, to which this one was passed on
     */
    async readInlet(account: Address): Promise<Address> {
      const [inlet, holder] = await Promise.all([
        readContract('inletOf', [account]),
        readContract('holderOf', [account]),
      ])
      if (!isAddressEqual(holder, account)) throw new Error('the inlet is of an heir')
      return inlet
    },
    readBalance: (account: Address) => readContract('getBalance', [account]),
    /**
     * Reads what an account has in a block that nothing but its own forwarded calls can take out:
     * zero where its key has announced a withdrawal, or where accounts are about to move.
     */
    async readSettled(account: Address, blockHash: Hex): Promise<bigint> {
      const block = { blockHash }
      const [balanceWei, [announcedWei], [next]] = await Promise.all([
        readContract('getBalance', [account], block),
        readContract('announcedBy', [account], block),
        readContract('successor', [], block),
      ])
      return announcedWei === 0n && isAddressEqual(next, zeroAddress) ? balanceWei : 0n
    },
    readOwed: (account: Address) => readContract('loanOf', [account]),
    /** Reads an account's debt and its due date (Unix time in s); both are 0 without a loan. */
    async readDebt(account: Address) {
      const { owed, dueAt } = await readContract('loanDetailsOf', [account])
      return { owedWei: owed, dueAt: Number(dueAt) }
    },
    /** Reads the terms on which loans are given now; the fee is in basis points. */
    async readTerms() {
      const { principal, feeRate, term, listOnly } = await readContract('terms')
      return { principalWei: principal, feeRate: BigInt(feeRate), termSeconds: term, listOnly }
    },
    readListed: (account: Address) => readContract('isListed', [account]),
    /** Reads what an account may borrow at a time; undefined of a contract of version 1.0. */
    readLimit: (account: Address) =>
      readContract('limitOf', [account]).catch((error: unknown) => {
        if (error instanceof RevertedRead) return undefined
        throw error
      }),
    /** Lists the last transfers to an account, the newest first; older blocks are not searched. */
    async listReceived(account: Address, limit = maxReceived): Promise<Received[]> {
      const height = await readHeight()
      const from = Math.max(0, height - maxEventBlocks + 1)
      const [event = null] = encodeEventTopics({ abi: loanAbi, eventName: 'Transferred' })
      const logs = await findEvents([event, null, pad(account)], from)
      return logs
        .slice(-limit)
        .reverse()
        .map((log) => decodeReceived(log, height))
    },
  }
}

function decodeReceived({ transactionHash: hash, block, ...log }: LoanEvent, height: number) {
  const event = decodeEvent(log)
  if (event.eventName !== 'Transferred') throw new Error('the event is no transfer')
  const { from, amount: amountWei } = event.args
  /** Counts the blocks down to its own, from the latest on: 1 in the latest block. */
  const depth = height - block.number + 1
  return { from, amountWei, hash, block: block.number, depth }
}
