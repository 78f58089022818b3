import type { Address, Hex } from 'viem'
import * as z from 'zod/mini'
import { classifyRefusal, type SendRefusal } from './refusals.ts'
import { type Rpc, RpcError, TransportError } from './rpc.ts'

/** Names a block by its hash, whatever is at its height (EIP-1898). */
export type BlockHash = { blockHash: Hex }

type LogRange = {
  address: Address
  topics: (Hex | Hex[] | null)[]
  fromBlock: number
  toBlock?: number
}

/**
 * Tells whether a node took a transaction; after `unknown`, a transport error, assume that it did.
 */
export type Sent =
  | { kind: 'taken' }
  | { kind: 'refused'; refusal: Exclude<SendRefusal, 'known'>; message: string }
  | { kind: 'unknown' }

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
    difficulty: z.optional(quantity),
    transactions: z.array(hash),
    gasUsed: z.optional(count),
    gasLimit: z.optional(count),
  }),
  z.transform(({ timestamp, gasUsed, gasLimit, ...block }) => {
    /** Gives the used share of its gas, from 0 to 1; undefined: the node does not report it. */
    const fullness = gasUsed !== undefined && gasLimit ? gasUsed / gasLimit : undefined
    return { ...block, timestampSeconds: timestamp, fullness }
  }),
)

/** Holds a block's identity, time, transactions, and difficulty if its header is proved. */
export type Head = z.output<typeof head>

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
  z.transform((value) => ({
    hash: value.transactionHash,
    block: { number: value.blockNumber, hash: value.blockHash },
    succeeded: BigInt(value.status) === 1n,
    gasUsed: value.gasUsed,
    logs: value.logs,
  })),
)

/** Holds a receipt, and whether the header of its block proves it. */
export type Receipt = z.output<typeof receipt> & { isProved: boolean }

const calldata = z.pipe(
  z.object({ input: hex }),
  z.transform(({ input }) => input),
)

const loggedEvent = z.pipe(
  z.extend(log, { transactionHash: hash, blockHash: hash, blockNumber: count }),
  z.transform(({ blockHash, blockNumber, ...event }) => ({
    ...event,
    block: { number: blockNumber, hash: blockHash },
  })),
)

type Question = [method: string, params: readonly unknown[], signal: AbortSignal]

/** Calls `rpc` and parses every answer; reads bypass caches, since settlement relies on them. */
const createAsker =
  (rpc: Rpc) =>
  async <Schema extends z.ZodMiniType>(
    schema: Schema,
    ...[method, params, signal, onUnproved = () => {}]: [...Question, onUnproved?: () => void]
  ): Promise<z.output<Schema>> => {
    const answer = await rpc(method, params, { signal, fresh: true, onUnproved })
    const parsed = schema.safeParse(answer)
    if (parsed.success) return parsed.data
    throw new TransportError(`${method} was answered in a shape that is not its own`, {
      cause: parsed.error,
    })
  }

/** Reads the relay's chain; all methods but `send` throw if the node refuses or is silent. */
export type Node = ReturnType<typeof createNode>

export function createNode(rpc: Rpc) {
  const ask = createAsker(rpc)

  const find = async <Schema extends z.ZodMiniType>(schema: Schema, ...question: Question) =>
    (await ask(z.nullable(schema), ...question)) ?? undefined

  /** Asks, and tells besides whether a hash proves the answer. */
  async function prove<Schema extends z.ZodMiniType>(schema: Schema, ...question: Question) {
    let isProved = true
    const answer = await ask(schema, ...question, () => {
      isProved = false
    })
    return { answer, isProved }
  }

  return {
    async head(signal: AbortSignal): Promise<Head> {
      return toHead(await prove(head, 'eth_getBlockByNumber', ['latest', false], signal))
    },
    /** Reads a block by number; undefined if the chain is shorter. */
    async block(number: number, signal: AbortSignal): Promise<Head | undefined> {
      const params = [toHex(number), false]
      const { answer, isProved } = await prove(
        z.nullable(head),
        'eth_getBlockByNumber',
        params,
        signal,
      )
      return answer === null ? undefined : toHead({ answer, isProved })
    },
    /** Counts the account's transactions up to a block, or with those that wait in the pool. */
    transactionCount(
      account: Address,
      signal: AbortSignal,
      upTo: number | 'latest' | 'pending' = 'latest',
    ) {
      const block = typeof upTo === 'number' ? toHex(upTo) : upTo
      return ask(count, 'eth_getTransactionCount', [account, block], signal)
    },
    /** Returns the gas price in wei. */
    gasPrice: (signal: AbortSignal) => ask(wei, 'eth_gasPrice', [], signal),
    /** Returns an account's balance in wei of the native currency. */
    balance: (account: Address, signal: AbortSignal) =>
      ask(wei, 'eth_getBalance', [account, 'latest'], signal),
    /** Calls a contract at the latest block, or at a given one; a node without that one refuses. */
    async call(
      { gas, ...call }: { from?: Address; to: Address; data: Hex; gas?: number },
      signal: AbortSignal,
      at: number | 'latest' | BlockHash = 'latest',
    ): Promise<{ kind: 'returned' | 'reverted'; data: Hex }> {
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
    async receipt(hash: Hex, signal: AbortSignal): Promise<Receipt | undefined> {
      const method = 'eth_getTransactionReceipt'
      const { answer, isProved } = await prove(z.nullable(receipt), method, [hash], signal)
      return answer === null ? undefined : { ...answer, isProved }
    },
    /** Returns a transaction's calldata; undefined if the node does not know it. */
    calldata: (hash: Hex, signal: AbortSignal) =>
      find(calldata, 'eth_getTransactionByHash', [hash], signal),
    logs({ fromBlock, toBlock, ...filter }: LogRange, signal: AbortSignal) {
      const to = toBlock === undefined ? 'latest' : toHex(toBlock)
      const range = { ...filter, fromBlock: toHex(fromBlock), toBlock: to }
      return ask(z.array(loggedEvent), 'eth_getLogs', [range], signal)
    },
    /** Sends a transaction and never throws: a transport error is an outcome, too. */
    async send(raw: Hex, signal: AbortSignal): Promise<Sent> {
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

const toHead = ({ answer, isProved }: { answer: Head; isProved: boolean }): Head =>
  isProved ? answer : { ...answer, difficulty: undefined }

/** Returns the revert data of a failed call, which the node service answers with code 3. */
function revertData(error: RpcError): Hex | undefined {
  if (error.code !== 3) return undefined
  const data = hex.safeParse(error.data)
  return data.success ? data.data : '0x'
}

const toHex = (value: number): Hex => `0x${value.toString(16)}`
