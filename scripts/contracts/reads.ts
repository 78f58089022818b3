import {
  type Address,
  type GetContractEventsReturnType,
  getContract,
  type Hex,
  type PublicClient,
} from 'viem'
import { microLoanAbi } from '../../src/loan/abi.ts'
import { relayForwarderAbi } from '../../src/relay/forwarder/abi.ts'

export const loanAt = (client: PublicClient, address: Address) =>
  getContract({ client, address, abi: microLoanAbi }).read

export const forwarderAt = (client: PublicClient, address: Address) =>
  getContract({ client, address, abi: relayForwarderAbi }).read

/** Limits concurrent requests to what a public node serves. */
export const lanes = 8

type Log = GetContractEventsReturnType<typeof microLoanAbi, undefined, true>[number]

type Of<One> = One extends Log ? Pick<One, 'eventName' | 'args'> : never

/** Describes an event of the loan contract, in wei and Unix seconds. */
export type LoanEvent = Of<Log>

/** Reads the same with its transaction; a repayment counts as the borrower's unless it says so. */
export type Booked = LoanEvent & { hash: Hex; isSentAlong?: boolean }

export type EventRange = { fromBlock: bigint; toBlock: bigint }

/** Limits the blocks of one request for events. */
const maxBlocks = 2_000n

export async function readLoanEvents(client: PublicClient, address: Address, range: EventRange) {
  const logs = await readInPieces(range, (blocks) =>
    client.getContractEvents({ address, abi: microLoanAbi, strict: true, ...blocks }),
  )
  return logs.map(
    ({ eventName, args, transactionHash: hash }) => ({ eventName, args, hash }) as Booked,
  )
}

/** Reads logs in pieces: a range that a node refuses is asked for in halves. */
export async function readInPieces<Log>(
  { fromBlock, toBlock }: EventRange,
  ask: (blocks: EventRange) => Promise<readonly Log[]>,
): Promise<Log[]> {
  const found: Log[] = []
  let width = maxBlocks
  for (let first = fromBlock; first <= toBlock; ) {
    const last = first + width - 1n < toBlock ? first + width - 1n : toBlock
    try {
      for (const log of await ask({ fromBlock: first, toBlock: last })) found.push(log)
      first = last + 1n
      // What was too much here may be little further on; but a fixed limit is soon met again.
      const wider = width + width / 8n + 1n
      width = wider < maxBlocks ? wider : maxBlocks
    } catch (error) {
      if (last === first) throw error
      width = (last - first + 1n) / 2n
    }
  }
  return found
}
