import { type Address, type GetLogsReturnType, getAbiItem, type PublicClient } from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'

/** All that names an account, its debts, and where it went. */
const events = [
  getAbiItem({ abi: microLoanAbi, name: 'Deposited' }),
  getAbiItem({ abi: microLoanAbi, name: 'Transferred' }),
  getAbiItem({ abi: microLoanAbi, name: 'LoanIssued' }),
  getAbiItem({ abi: microLoanAbi, name: 'LoanRepaid' }),
  getAbiItem({ abi: microLoanAbi, name: 'LoanWrittenOff' }),
  getAbiItem({ abi: microLoanAbi, name: 'BorrowerSet' }),
  getAbiItem({ abi: microLoanAbi, name: 'AccountPassed' }),
  getAbiItem({ abi: microLoanAbi, name: 'AccountMoved' }),
  getAbiItem({ abi: microLoanAbi, name: 'AccountTakenOver' }),
] as const

/** An event of the loan contract, decoded. */
export type LoanEvent = GetLogsReturnType<undefined, typeof events, true>[number]

/** Where events are looked for. Blocks count from `fromBlock` to `toBlock`, both included. */
export type EventRange = {
  loan: Address
  fromBlock: bigint
  toBlock: bigint
  /** The most blocks that one question asks for. */
  maxBlocks: bigint
}

/**
 * The events of a loan contract in their order. Nodes limit the range of `eth_getLogs` in blocks or in
 * results, each in its own words, so a range that is refused is asked for in two halves.
 *
 * @throws what the node answers for a single block
 */
export async function readEvents(
  client: PublicClient,
  { loan, fromBlock, toBlock, maxBlocks }: EventRange,
): Promise<LoanEvent[]> {
  const found: LoanEvent[] = []
  let width = maxBlocks
  for (let first = fromBlock; first <= toBlock; ) {
    const last = first + width - 1n < toBlock ? first + width - 1n : toBlock
    try {
      const logs = await client.getLogs({
        address: loan,
        events,
        strict: true,
        fromBlock: first,
        toBlock: last,
      })
      for (const log of logs) found.push(log)
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
