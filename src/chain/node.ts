import { type Address, type Hex, toHex } from 'viem'
import * as z from 'zod/mini'
import { orNull } from '../runtime/json.ts'
import { type BlockRange, readLogs } from './logs.ts'
import { listVerdicts, type NodeVerdict } from './refusals.ts'
import { type Rpc, RpcError, TransportError } from './rpc.ts'

/** Selects a block by its hash (EIP-1898). */
export type BlockHash = { blockHash: Hex }

type LogFilter = { address: Address; topics: (Hex | Hex[] | null)[] }

/** Tells the result of sending. If no node took the transaction, it has each node's verdict. */
export type SendResult = { kind: 'taken' } | { kind: 'not_taken'; verdicts: readonly NodeVerdict[] }

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
    minimumGasPrice: z.optional(wei),
  }),
  z.transform(({ timestamp, gasUsed, gasLimit, minimumGasPrice, ...block }) => {
    /** Holds the used share of the gas limit, from 0 to 1; undefined if not reported. */
    const fullness = gasUsed !== undefined && gasLimit ? gasUsed / gasLimit : undefined
    return { ...block, timestampSeconds: timestamp, fullness, leastPriceWei: minimumGasPrice }
  }),
)

/**
 * Holds a block's identity, time and transactions, and its difficulty if proved. `leastPriceWei` is
 * what a unit of gas costs at least after it; undefined if the chain has no such price.
 */
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
  z.transform(({ transactionHash, blockNumber, blockHash, status, ...rest }) => ({
    ...rest,
    hash: transactionHash,
    block: { number: blockNumber, hash: blockHash },
    succeeded: BigInt(status) === 1n,
  })),
)

/** How a receipt is known; `alone`: by one of several nodes alone, in an unknown form. */
type ReceiptProof = 'proved' | 'unproved' | 'alone'

export type Receipt = z.output<typeof receipt> & { proof: ReceiptProof }

const calldata = z.object({ input: hex })

const loggedEvents = z.array(
  z.pipe(
    z.extend(log, { transactionHash: hash, blockHash: hash, blockNumber: count }),
    z.transform(({ blockHash, blockNumber, ...event }) => ({
      ...event,
      block: { number: blockNumber, hash: blockHash },
    })),
  ),
)

type Request = [method: string, params: readonly unknown[], signal: AbortSignal]

/** Reads a parsed answer, and how it is known. Settlement relies on it, so caches are bypassed. */
const createReader =
  (rpc: Rpc) =>
  async <Schema extends z.ZodMiniType>(
    schema: Schema,
    ...[method, params, signal]: Request
  ): Promise<{ answer: z.output<Schema>; proof: ReceiptProof }> => {
    let proof: ReceiptProof = 'proved'
    const onUnproved = (isAlone: boolean): void => {
      proof = isAlone ? 'alone' : 'unproved'
    }
    const parsed = schema.safeParse(await rpc(method, params, { signal, onUnproved }))
    if (parsed.success) return { answer: parsed.data, proof }
    throw new TransportError(`the answer to ${method} has an unexpected form`, {
      cause: parsed.error,
    })
  }

/** Reads the relay's chain. Each method but `send` throws if the node refuses or is silent. */
export type Node = ReturnType<typeof createNode>

export function createNode(rpc: Rpc) {
  const read = createReader(rpc)
  const readAnswer = async <Schema extends z.ZodMiniType>(schema: Schema, ...request: Request) =>
    (await read(schema, ...request)).answer

  return {
    async getHead(signal: AbortSignal): Promise<Head> {
      return toHead(await read(head, 'eth_getBlockByNumber', ['latest', false], signal))
    },
    /** Reads a block by number; undefined if the chain is shorter. */
    async getBlock(number: number, signal: AbortSignal): Promise<Head | undefined> {
      const request: Request = ['eth_getBlockByNumber', [toHex(number), false], signal]
      const { answer, proof } = await read(orNull(head), ...request)
      return answer === null ? undefined : toHead({ answer, proof })
    },
    /** Counts the account's transactions up to a block, or with those that wait in the pool. */
    getTransactionCount(
      account: Address,
      signal: AbortSignal,
      block: number | 'latest' | 'pending' = 'latest',
    ) {
      return readAnswer(count, 'eth_getTransactionCount', [account, toBlockTag(block)], signal)
    },
    getGasPrice: (signal: AbortSignal) => readAnswer(wei, 'eth_gasPrice', [], signal),
    /** Returns an account's balance in wei of the native currency. */
    getBalance: (account: Address, signal: AbortSignal) =>
      readAnswer(wei, 'eth_getBalance', [account, 'latest'], signal),
    getCode: (account: Address, signal: AbortSignal) =>
      readAnswer(hex, 'eth_getCode', [account, 'latest'], signal),
    async call(
      { gas, ...call }: { from?: Address; to: Address; data: Hex; gas?: number },
      signal: AbortSignal,
      block: number | 'latest' | BlockHash = 'latest',
    ): Promise<{ kind: 'returned' | 'reverted'; data: Hex }> {
      const fields = gas === undefined ? call : { ...call, gas: toHex(gas) }
      try {
        return {
          kind: 'returned',
          data: await readAnswer(hex, 'eth_call', [fields, toBlockTag(block)], signal),
        }
      } catch (error) {
        const data = error instanceof RpcError ? parseRevertData(error) : undefined
        if (data === undefined) throw error
        return { kind: 'reverted', data }
      }
    },
    async getReceipt(hash: Hex, signal: AbortSignal): Promise<Receipt | undefined> {
      const method = 'eth_getTransactionReceipt'
      const { answer, proof } = await read(orNull(receipt), method, [hash], signal)
      return answer === null ? undefined : { ...answer, proof }
    },
    async getCalldata(hash: Hex, signal: AbortSignal): Promise<Hex | undefined> {
      const method = 'eth_getTransactionByHash'
      return (await readAnswer(orNull(calldata), method, [hash], signal))?.input
    },
    ...createLogReader(read),
    /** Sends a transaction. Never throws, because a transport error is an outcome, too. */
    async send(raw: Hex, signal: AbortSignal): Promise<SendResult> {
      try {
        await rpc('eth_sendRawTransaction', [raw], { signal })
        return { kind: 'taken' }
      } catch (error) {
        const verdicts = listVerdicts(error)
        if (verdicts.some(({ verdict }) => verdict === 'taken')) return { kind: 'taken' }
        return { kind: 'not_taken', verdicts }
      }
    },
  }
}

function createLogReader(read: ReturnType<typeof createReader>) {
  async function getLogs(
    { fromBlock, toBlock, ...filter }: LogFilter & { fromBlock: number; toBlock?: number },
    signal: AbortSignal,
  ) {
    const to = toBlock === undefined ? 'latest' : toHex(toBlock)
    const range = { ...filter, fromBlock: toHex(fromBlock), toBlock: to }
    return (await read(loggedEvents, 'eth_getLogs', [range], signal)).answer
  }

  return {
    getLogs,
    /** Reads logs part by part, oldest first, each request with a signal of its own. */
    readLogs: (filter: LogFilter, range: BlockRange, createSignal: () => AbortSignal) =>
      readLogs(range, async ({ from, to }) => {
        try {
          return await getLogs({ ...filter, fromBlock: from, toBlock: to }, createSignal())
        } catch (error) {
          if (error instanceof RpcError) return error
          throw error
        }
      }),
  }
}

const toHead = ({ answer, proof }: { answer: Head; proof: ReceiptProof }): Head =>
  proof === 'proved' ? answer : { ...answer, difficulty: undefined }

/** Returns the revert data of a failed call; undefined if the call did not revert (code 3). */
function parseRevertData(error: RpcError): Hex | undefined {
  if (error.code !== 3) return undefined
  const data = hex.safeParse(error.data)
  return data.success ? data.data : '0x'
}

const toBlockTag = <Tag>(block: number | Tag): Hex | Tag =>
  typeof block === 'number' ? toHex(block) : block
