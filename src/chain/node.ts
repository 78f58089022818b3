import type { Address, Hex } from 'viem'
import * as z from 'zod/mini'
import { classifyRefusal, type SendRefusal } from './refusals.ts'
import { type Rpc, RpcError, TransportError } from './rpc.ts'

/** A block's identity and time, and the hashes of what it holds. */
export type Head = {
  number: number
  hash: Hex
  parentHash: Hex
  timestampSeconds: number
  transactions: readonly Hex[]
}

export type CallOutcome = { kind: 'returned'; data: Hex } | { kind: 'reverted'; data: Hex }

export type Receipt = {
  hash: Hex
  block: { number: number; hash: Hex }
  succeeded: boolean
  /** Undefined: the node does not tell. */
  gasUsed?: number | undefined
  logs: { address: Address; topics: Hex[]; data: Hex }[]
}

export type LoggedEvent = {
  address: Address
  topics: Hex[]
  data: Hex
  transactionHash: Hex
  block: { number: number; hash: Hex }
}

/** A block by its hash, whatever is at its height (EIP-1898). */
export type BlockHash = { blockHash: Hex }

/** Whether a node took a transaction. `unknown` is a transport error: assume that it did. */
export type Sent =
  | { kind: 'taken' }
  | { kind: 'refused'; refusal: Exclude<SendRefusal, 'known'>; message: string }
  | { kind: 'unknown' }

/**
 * What the relay asks of its chain, every answer parsed. Reads bypass caches: settlement is decided
 * by them.
 *
 * @throws {RpcError} the node refused the question
 * @throws {TransportError} there was no answer, or none of the expected shape
 */
export type Node = {
  head(signal: AbortSignal): Promise<Head>
  /** Undefined where the chain is not that long. */
  block(number: number, signal: AbortSignal): Promise<Head | undefined>
  /** Counts the account's transactions up to a block, or with those that wait in the pool. */
  transactionCount(
    account: Address,
    signal: AbortSignal,
    upTo?: number | 'latest' | 'pending',
  ): Promise<number>
  /** In wei. */
  gasPrice(signal: AbortSignal): Promise<bigint>
  /** In wei, of the native currency. */
  balance(account: Address, signal: AbortSignal): Promise<bigint>
  /** As of the latest block, or of this one: a node without that one refuses. */
  call(
    call: { from?: Address; to: Address; data: Hex; gas?: number },
    signal: AbortSignal,
    at?: number | 'latest' | BlockHash,
  ): Promise<CallOutcome>
  receipt(hash: Hex, signal: AbortSignal): Promise<Receipt | undefined>
  /** Calldata of a transaction; undefined where the node does not know it. */
  calldata(hash: Hex, signal: AbortSignal): Promise<Hex | undefined>
  logs(
    filter: { address: Address; topics: (Hex | null)[]; fromBlock: number; toBlock?: number },
    signal: AbortSignal,
  ): Promise<LoggedEvent[]>
  /** Never throws: a transport error is an outcome like others. */
  send(raw: Hex, signal: AbortSignal): Promise<Sent>
}

const text = <Kind extends Hex>(pattern: RegExp) =>
  z.custom<Kind>((value) => typeof value === 'string' && pattern.test(value))

const hex = text<Hex>(/^0x[0-9a-fA-F]*$/)
const hash = text<Hex>(/^0x[0-9a-fA-F]{64}$/)
const address = text<Address>(/^0x[0-9a-fA-F]{40}$/)
const quantity = text<Hex>(/^0x[0-9a-fA-F]{1,64}$/)
const wei = z.pipe(
  quantity,
  z.transform((value) => BigInt(value)),
)
const count = z
  .pipe(quantity, z.transform(Number))
  .check(z.refine((value) => Number.isSafeInteger(value)))

const head = z.pipe(
  z.object({
    number: count,
    hash,
    parentHash: hash,
    timestamp: count,
    transactions: z.array(hash),
  }),
  z.transform(({ timestamp, ...block }): Head => ({ ...block, timestampSeconds: timestamp })),
)

const log = z.object({ address, topics: z.array(hash), data: hex })

const receipt = z.pipe(
  z.object({
    transactionHash: hash,
    blockHash: hash,
    blockNumber: count,
    status: quantity,
    gasUsed: z.optional(count),
    logs: z.array(log),
  }),
  z.transform(
    (value): Receipt => ({
      hash: value.transactionHash,
      block: { number: value.blockNumber, hash: value.blockHash },
      succeeded: BigInt(value.status) === 1n,
      gasUsed: value.gasUsed,
      logs: value.logs,
    }),
  ),
)

const calldata = z.pipe(
  z.object({ input: hex }),
  z.transform(({ input }) => input),
)

const loggedEvent = z.pipe(
  z.extend(log, { transactionHash: hash, blockHash: hash, blockNumber: count }),
  z.transform(
    ({ blockHash, blockNumber, ...event }): LoggedEvent => ({
      ...event,
      block: { number: blockNumber, hash: blockHash },
    }),
  ),
)

export function createNode(rpc: Rpc): Node {
  async function ask<Schema extends z.ZodMiniType>(
    schema: Schema,
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    const answer = await rpc(method, params, { signal, fresh: true })
    const parsed = schema.safeParse(answer)
    if (parsed.success) return parsed.data
    throw new TransportError(`${method} was answered in a shape that is not its own`, {
      cause: parsed.error,
    })
  }

  const find = async <Schema extends z.ZodMiniType>(
    schema: Schema,
    ...question: [method: string, params: readonly unknown[], signal: AbortSignal]
  ) => (await ask(z.nullable(schema), ...question)) ?? undefined

  return {
    head: (signal) => ask(head, 'eth_getBlockByNumber', ['latest', false], signal),
    block: (number, signal) => find(head, 'eth_getBlockByNumber', [toHex(number), false], signal),
    transactionCount(account, signal, upTo = 'latest') {
      const block = typeof upTo === 'number' ? toHex(upTo) : upTo
      return ask(count, 'eth_getTransactionCount', [account, block], signal)
    },
    gasPrice: (signal) => ask(wei, 'eth_gasPrice', [], signal),
    balance: (account, signal) => ask(wei, 'eth_getBalance', [account, 'latest'], signal),
    async call({ gas, ...call }, signal, at = 'latest') {
      const fields = gas === undefined ? call : { ...call, gas: toHex(gas) }
      const block = typeof at === 'number' ? toHex(at) : at
      try {
        return { kind: 'returned', data: await ask(hex, 'eth_call', [fields, block], signal) }
      } catch (error) {
        const data = error instanceof RpcError ? revertData(error) : undefined
        if (data === undefined) throw error
        return { kind: 'reverted', data }
      }
    },
    receipt: (hash, signal) => find(receipt, 'eth_getTransactionReceipt', [hash], signal),
    calldata: (hash, signal) => find(calldata, 'eth_getTransactionByHash', [hash], signal),
    logs({ fromBlock, toBlock, ...filter }, signal) {
      const to = toBlock === undefined ? 'latest' : toHex(toBlock)
      const range = { ...filter, fromBlock: toHex(fromBlock), toBlock: to }
      return ask(z.array(loggedEvent), 'eth_getLogs', [range], signal)
    },
    async send(raw, signal) {
      try {
        await rpc('eth_sendRawTransaction', [raw], { signal })
        return { kind: 'taken' }
      } catch (error) {
        if (!(error instanceof RpcError)) return { kind: 'unknown' }
        const refusal = classifyRefusal(error)
        if (refusal === 'known') return { kind: 'taken' }
        return { kind: 'refused', refusal, message: error.message }
      }
    },
  }
}

/** Revert data of a failed call: the node service answers code 3 for it, whatever its node says. */
function revertData(error: RpcError): Hex | undefined {
  if (error.code !== 3) return undefined
  const data = hex.safeParse(error.data)
  return data.success ? data.data : '0x'
}

const toHex = (value: number): Hex => `0x${value.toString(16)}`
