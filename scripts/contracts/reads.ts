import {
  type Address,
  type GetContractEventsReturnType,
  getContract,
  type Hex,
  type PublicClient,
} from 'viem'
import { readLogs } from '../../src/chain/logs.ts'
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

export async function readLoanEvents(client: PublicClient, address: Address, range: EventRange) {
  const logs = await collectLogs(range, (blocks) =>
    client.getContractEvents({ address, abi: microLoanAbi, strict: true, ...blocks }),
  )
  return logs.map(
    ({ eventName, args, transactionHash: hash }) => ({ eventName, args, hash }) as Booked,
  )
}

/** Collects the logs of a range, part by part. */
export async function collectLogs<Log>(
  { fromBlock, toBlock }: EventRange,
  ask: (blocks: EventRange) => Promise<readonly Log[]>,
): Promise<Log[]> {
  const parts = readLogs({ from: Number(fromBlock), to: Number(toBlock) }, ({ from, to }) =>
    ask({ fromBlock: BigInt(from), toBlock: BigInt(to) }).catch((error: Error) => error),
  )
  const found: Log[] = []
  for await (const { logs } of parts) for (const log of logs) found.push(log)
  return found
}
