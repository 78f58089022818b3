import type { Address, GetContractEventsReturnType, Hex, PublicClient } from 'viem'
import { microLoanAbi } from '../../src/loan/abi.ts'

/** What an event of the loan contract changes, in wei; of a repayment also what it was paid from. Times are Unix s. */
export type LoanEvent =
  | { name: 'Deposited' | 'Withdrawn' | 'LoanWrittenOff'; account: Address; wei: bigint }
  | { name: 'BorrowerSet'; account: Address; isListed: boolean }
  | { name: 'LoanIssued'; account: Address; wei: bigint; feeWei: bigint; dueAt: bigint }
  | { name: 'Transferred'; from: Address; to: Address; wei: bigint }
  | { name: 'LoanRepaid'; account: Address; wei: bigint; isFromBalance: boolean }
  | { name: 'AccountPassed'; from: Address; to: Address; wei: bigint; owedWei: bigint }
  | { name: 'AccountMoved'; account: Address; wei: bigint; owedWei: bigint }
  | {
      name: 'AccountTakenOver'
      account: Address
      wei: bigint
      owedWei: bigint
      feeRate: bigint
      dueAt: bigint
      isWrittenOff: boolean
    }
  | { name: 'Funded' | 'Defunded'; wei: bigint }

export type Booked = LoanEvent & { hash: Hex }

export type EventRange = {
  fromBlock: bigint
  toBlock: bigint
  /** The most blocks that one question asks for. */
  maxBlocks: bigint
}

/** The events of a loan contract in their order. What a borrower repays counts as paid from the balance. */
export async function readLoanEvents(
  client: PublicClient,
  address: Address,
  range: EventRange,
): Promise<Booked[]> {
  const logs = await readInPieces(range, (blocks) =>
    client.getContractEvents({ address, abi: microLoanAbi, strict: true, ...blocks }),
  )
  return logs.flatMap((log) => {
    const event = eventOf(log)
    return event === undefined ? [] : { ...event, hash: log.transactionHash }
  })
}

/** Reads logs in pieces: a range that a node refuses, each in its own words, is asked for in halves. */
export async function readInPieces<Log>(
  { fromBlock, toBlock, maxBlocks }: EventRange,
  ask: (blocks: { fromBlock: bigint; toBlock: bigint }) => Promise<readonly Log[]>,
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

type Log = GetContractEventsReturnType<typeof microLoanAbi, undefined, true>[number]

function eventOf({ eventName: name, args }: Log): LoanEvent | undefined {
  switch (name) {
    case 'Deposited':
    case 'Withdrawn':
      return { name, account: args.account, wei: args.amount }
    case 'LoanWrittenOff':
      return { name, account: args.borrower, wei: args.amount }
    case 'BorrowerSet':
      return { name, account: args.account, isListed: args.listed }
    case 'LoanIssued': {
      const { borrower: account, amount: wei, fee: feeWei, dueAt } = args
      return { name, account, wei, feeWei, dueAt }
    }
    case 'Transferred':
      return { name, from: args.from, to: args.to, wei: args.amount }
    case 'LoanRepaid': {
      const { borrower: account, payer, amount: wei } = args
      return { name, account, wei, isFromBalance: account === payer }
    }
    case 'AccountPassed':
      return { name, from: args.from, to: args.to, wei: args.amount, owedWei: args.owed }
    case 'AccountMoved':
      return { name, account: args.account, wei: args.amount, owedWei: args.owed }
    case 'AccountTakenOver': {
      const { account, amount: wei, loan } = args
      const { owed: owedWei, feeRate, dueAt, isWrittenOff } = loan
      return { name, account, wei, owedWei, feeRate, dueAt, isWrittenOff }
    }
    case 'Funded':
    case 'Defunded':
      return { name, wei: args.amount }
    default:
      return undefined
  }
}
