import { z } from 'zod'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { hashOf, type MinedBlock, minedBlock } from '../objects/block.ts'
import { rawReceipt } from '../objects/receipt.ts'
import { UntrueAnswer } from '../objects/untrue-answer.ts'
import { address, data, hash, quantity } from '../objects/values.ts'
import type { Node } from '../upstream/node.ts'
import { ifServed, lookUp } from './lookup.ts'

const position = z.int().nonnegative()

/** A trace as it is answered; fields beyond these pass. */
export const trace = z.looseObject({
  action: z.looseObject({
    callType: z.string().optional(),
    from: address.optional(),
    to: address.optional(),
    gas: quantity.optional(),
    input: data.optional(),
    value: quantity.optional(),
  }),
  blockHash: hash,
  blockNumber: position,
  transactionHash: hash,
  transactionPosition: position,
  type: z.string(),
  subtraces: position,
  traceAddress: z.array(position),
  /** `null` when the call failed. */
  result: z.looseObject({ gasUsed: quantity, output: data.optional() }).nullable(),
  error: z.string().optional(),
})

export type Trace = z.output<typeof trace>

/** A number as some nodes print it: RSKj in decimal, others in hex. */
const anyNumber = z.union([position, quantity.transform(Number)])

const rawTrace = trace.extend({
  blockNumber: anyNumber,
  transactionPosition: anyNumber.nullish(),
  transactionHash: hash.nullish(),
  result: z.looseObject({ gasUsed: quantity.nullish(), output: data.nullish() }).nullish(),
  error: z.string().nullish(),
})

type RawTrace = z.output<typeof rawTrace>

/** Traces as nodes print them. */
export const rawTraces = z.array(rawTrace).nullable()

/** The traces of every transaction of a block; `null` when there is no such block. */
export async function tracesOfBlock(node: Node, selector: string): Promise<Trace[] | null> {
  if (node.profile === 'rskj') {
    return shapeTraces(await lookUp(node, 'trace_block', [selector], rawTraces))
  }
  const block = await minedBlock(node, selector, false)
  return block && (await tracesOfMinedBlock(node, block))
}

/** The traces of a block. anvil takes no hash here, and RSKj takes one. */
export async function tracesOfMinedBlock(node: Node, block: MinedBlock): Promise<Trace[]> {
  if (block.transactions.length === 0) return []
  const selector = node.profile === 'rskj' ? block.hash : block.number
  const whole = await ifServed(node.call('trace_block', [selector], rawTraces))
  if (whole === undefined) {
    const each = block.transactions.map((entry) => tracesOfTransaction(node, hashOf(entry) ?? ''))
    return (await Promise.all(each)).flatMap((traces) => traces ?? [])
  }
  const traces = shapeTraces(whole) ?? []
  const traced = new Set(traces.map(({ transactionHash }) => transactionHash))
  if (
    !traces.every(({ blockHash }) => blockHash === block.hash) ||
    !block.transactions.every((entry) => traced.has(hashOf(entry) ?? ''))
  ) {
    const now = await minedBlock(node, block.number, false)
    if (now?.hash !== block.hash)
      throw new TransportError('the block left the chain while it was read')
    throw new UntrueAnswer('the traces of a block are not its own')
  }
  return traces
}

/** The traces of one transaction; `null` when it is not mined. */
export async function tracesOfTransaction(node: Node, hash: string): Promise<Trace[] | null> {
  const served = await ifServed(lookUp(node, 'trace_transaction', [hash], rawTraces))
  const traces = served === undefined ? await rebuilt(node, hash) : shapeTraces(served)
  if (traces?.some(({ transactionHash }) => transactionHash !== hash)) {
    throw new UntrueAnswer('traces came from another transaction than was asked for')
  }
  return traces !== null && traces.length > 0 ? traces : null
}

/** With every field, and no result where the call failed. */
export function shapeTraces(raw: z.output<typeof rawTraces>): Trace[] | null {
  if (raw === null) return null
  return raw.flatMap(({ transactionHash, transactionPosition, error, result, ...rest }) => {
    // A block's reward has no transaction.
    if (!transactionHash) return []
    const failed = error !== undefined && error !== null
    return {
      ...rest,
      transactionHash,
      transactionPosition: transactionPosition ?? 0,
      result: failed || !result ? null : shapeResult(result),
      ...(failed ? { error: wordOf(error) } : {}),
    }
  })
}

function shapeResult({ gasUsed, output, ...rest }: NonNullable<RawTrace['result']>) {
  return { ...rest, gasUsed: gasUsed ?? '0x0', ...(output ? { output } : {}) }
}

/** go-ethereum and its kin say it in their own words; the spec's is OpenEthereum's. */
function wordOf(error: string): string {
  return /revert/i.test(error) ? 'Reverted' : error
}

type Frame = {
  type: string
  from: string
  to?: string | undefined
  gas: string
  gasUsed: string
  input: string
  output?: string | undefined
  value?: string | undefined
  error?: string | undefined
  calls?: Frame[] | undefined
}

const frame: z.ZodType<Frame> = z.looseObject({
  type: z.string(),
  from: address,
  to: address.optional(),
  gas: quantity,
  gasUsed: quantity,
  input: data,
  output: data.optional(),
  value: quantity.optional(),
  error: z.string().optional(),
  get calls() {
    return z.array(frame).optional()
  },
})

/** From the call tracer of go-ethereum, for nodes without a trace module. */
async function rebuilt(node: Node, hash: string): Promise<Trace[] | null> {
  const receipt = await lookUp(node, 'eth_getTransactionReceipt', [hash], rawReceipt.nullable())
  if (receipt === null) return null
  const top = await callFrame(node, hash)
  const place = {
    blockHash: receipt.blockHash,
    blockNumber: Number(receipt.blockNumber),
    transactionHash: hash,
    transactionPosition: Number(receipt.transactionIndex),
  }
  return flatten(top, [], place)
}

async function callFrame(node: Node, hash: string): Promise<Frame> {
  try {
    return await node.call('debug_traceTransaction', [hash, { tracer: 'callTracer' }], frame)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    throw new RpcError(codes.methodNotFound, `the node makes no traces: ${error.message}`)
  }
}

type Place = Pick<Trace, 'blockHash' | 'blockNumber' | 'transactionHash' | 'transactionPosition'>

function flatten(top: Frame, traceAddress: number[], place: Place): Trace[] {
  const { type, from, to, gas, gasUsed, input, output, value = '0x0', error, calls = [] } = top
  const creates = type.startsWith('CREATE')
  const own: Trace = {
    ...place,
    action: creates
      ? { from, gas, value, init: input, creationMethod: type.toLowerCase() }
      : { callType: type.toLowerCase(), from, to, gas, input, value },
    type: creates ? 'create' : type === 'SELFDESTRUCT' ? 'suicide' : 'call',
    subtraces: calls.length,
    traceAddress,
    result: error
      ? null
      : creates
        ? { gasUsed, address: to, code: output ?? '0x' }
        : { gasUsed, output: output ?? '0x' },
    ...(error ? { error: wordOf(error) } : {}),
  }
  return [own, ...calls.flatMap((call, index) => flatten(call, [...traceAddress, index], place))]
}
