import {
  type Address,
  BaseError,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type GetContractEventsReturnType,
  getContract,
  type Hex,
  type PublicClient,
  RpcRequestError,
  zeroAddress,
} from 'viem'
import { readLogs } from '../../src/chain/logs.ts'
import { parseRevertReason } from '../../src/chain/refusals.ts'
import { RpcError } from '../../src/chain/rpc.ts'
import { microLoanAbi } from '../../src/loan/abi.ts'
import { createCoinUnit, createTokenUnit } from '../../src/loan/amounts.ts'
import { codes } from '../../src/node/codes.ts'
import { relayForwarderAbi } from '../../src/relay/forwarder/abi.ts'

export const loanAt = (client: PublicClient, address: Address) =>
  getContract({ client, address, abi: microLoanAbi }).read

/** Reads what a loan contract counts. One of version 1.0 names no token: it counts the currency. */
export async function readUnit(client: PublicClient, loan: Address, currency: string) {
  const address = await readToken(client, loan)
  if (address === zeroAddress) return createCoinUnit(currency)
  const token = { address, abi: erc20Abi } as const
  const decimals = await client.readContract({ ...token, functionName: 'decimals' })
  // Not every token has one.
  const symbol = await client
    .readContract({ ...token, functionName: 'symbol' })
    .catch(() => 'tokens')
  return createTokenUnit(symbol, { address, decimals })
}

/** Reads the token of a loan contract. @throws {Error} the node is silent, or refuses */
async function readToken(client: PublicClient, to: Address): Promise<Address> {
  const call = { abi: microLoanAbi, functionName: 'token' } as const
  const request = { to, data: encodeFunctionData(call) }
  const data = await client
    .request({ method: 'eth_call', params: [request, 'latest'] })
    .catch((error: unknown): Hex => {
      if (isRevert(error)) return '0x'
      throw error
    })
  return data === '0x' ? zeroAddress : decodeFunctionResult({ ...call, data })
}

/** Tells a revert from other refusals: by its code, or by RSKj's words. */
function isRevert(error: unknown): boolean {
  const refusal =
    error instanceof BaseError ? error.walk((each) => each instanceof RpcRequestError) : undefined
  if (!(refusal instanceof RpcRequestError)) return false
  return (
    refusal.code === codes.reverted ||
    parseRevertReason(new RpcError(refusal.code, refusal.details)) !== undefined
  )
}

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
