import * as z from 'zod/mini'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { MalformedAnswer, UntrueAnswer } from '../objects/bad-answers.ts'
import { getTransactionHash, type MinedBlock } from '../objects/block.ts'
import { rawReceipt } from '../objects/receipt.ts'
import {
  type CallFrame,
  callFrame,
  flattenFrame,
  rawTraces,
  shapeTraces,
  type Trace,
} from '../objects/trace.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { catchUnserved, lookUp } from './lookup.ts'
import { readMinedBlock } from './mined-block.ts'
import { throwBlockReorganized } from './receipts.ts'

export async function traceBlock(node: UpstreamNode, selector: string): Promise<Trace[] | null> {
  if (node.kind === 'rskj') {
    return shapeTraces(await lookUp(node, 'trace_block', [selector], rawTraces))
  }
  const block = await readMinedBlock(node, selector, false)
  return block && (await traceMinedBlock(node, block))
}

/** Reads a block's traces from an Ethereum node, by number since anvil takes no hash here. */
export async function traceMinedBlock(node: UpstreamNode, block: MinedBlock): Promise<Trace[]> {
  if (block.transactions.length === 0) return []
  const blockTraces = await catchUnserved(node.call('trace_block', [block.number], rawTraces))
  if (blockTraces === undefined) {
    const transactionTraces = block.transactions.map((entry) =>
      traceTransaction(node, getTransactionHash(entry) ?? ''),
    )
    return (await Promise.all(transactionTraces)).flatMap((traces) => {
      if (traces === null) throw new TransportError('the traces of a mined transaction are missing')
      return traces
    })
  }
  const traces = shapeTraces(blockTraces) ?? []
  const traced = new Set(traces.map(({ transactionHash }) => transactionHash))
  if (
    !traces.every(({ blockHash }) => blockHash === block.hash) ||
    !block.transactions.every((entry) => traced.has(getTransactionHash(entry) ?? ''))
  ) {
    const currentBlock = await readMinedBlock(node, block.number, false)
    if (currentBlock?.hash !== block.hash) throwBlockReorganized()
    throw new MalformedAnswer('the traces of a block are not its own')
  }
  return traces
}

/** Returns the traces of a transaction; `null` if it is not mined. */
export async function traceTransaction(node: UpstreamNode, hash: string): Promise<Trace[] | null> {
  const served = await catchUnserved(lookUp(node, 'trace_transaction', [hash], rawTraces))
  const traces = served === undefined ? await buildTraces(node, hash) : shapeTraces(served)
  if (traces?.some(({ transactionHash }) => transactionHash !== hash)) {
    throw new UntrueAnswer('traces came from another transaction than was asked for')
  }
  return traces !== null && traces.length > 0 ? traces : null
}

/** Builds traces from go-ethereum's call tracer, for nodes without a trace module. */
async function buildTraces(node: UpstreamNode, hash: string): Promise<Trace[] | null> {
  const receipt = await lookUp(node, 'eth_getTransactionReceipt', [hash], z.nullable(rawReceipt))
  if (receipt === null) return null
  const frame = await readFrame(node, hash)
  const position = {
    blockHash: receipt.blockHash,
    blockNumber: Number(receipt.blockNumber),
    transactionHash: hash,
    transactionPosition: Number(receipt.transactionIndex),
  }
  return flattenFrame(frame, [], position)
}

async function readFrame(node: UpstreamNode, hash: string): Promise<CallFrame> {
  try {
    return await node.call('debug_traceTransaction', [hash, { tracer: 'callTracer' }], callFrame)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    throw new RpcError(codes.methodNotFound, `the node makes no traces: ${error.message}`)
  }
}
