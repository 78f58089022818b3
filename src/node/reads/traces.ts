import { MalformedAnswer, RpcError, TransportError, UntrueAnswer } from '../../chain/rpc.ts'
import { orNull } from '../../runtime/json.ts'
import { codes } from '../codes.ts'
import { getTransactionHash, type MinedBlock } from '../objects/block.ts'
import { rawReceipt } from '../objects/receipt.ts'
import { type CallFrame, callFrame, flattenFrame, rawTraces, type Trace } from '../objects/trace.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { lookUp, undefinedIfUnsupported } from './lookup.ts'
import { readMinedBlock } from './mined-block.ts'
import { throwBlockReorganized } from './receipts.ts'

/** Reads a block's traces. RSKj's `trace_block` takes any selector, so its block is not read. */
export async function traceBlock(node: UpstreamNode, selector: string): Promise<Trace[] | null> {
  if (node.kind === 'rskj') {
    return await lookUp(node, 'trace_block', [selector], rawTraces)
  }
  const block = await readMinedBlock(node, selector, false)
  return block && (await traceMinedBlock(node, block))
}

export async function traceMinedBlock(node: UpstreamNode, block: MinedBlock): Promise<Trace[]> {
  if (block.transactions.length === 0) return []
  // By number: anvil refuses a hash (findings/anvil-trace-selectors.sh).
  const blockTraces = await undefinedIfUnsupported(
    node.call('trace_block', [block.number], orNull(rawTraces)),
  )
  // The node has no `trace_block`: trace each transaction.
  if (blockTraces === undefined) {
    const transactionTraces = block.transactions.map(async (entry) => {
      const traces = await traceTransaction(node, getTransactionHash(entry) ?? '')
      if (traces === null) throw new TransportError('the traces of a mined transaction are missing')
      return traces
    })
    return (await Promise.all(transactionTraces)).flat()
  }
  const traces = blockTraces ?? []
  const tracedHashes = new Set(traces.map(({ transactionHash }) => transactionHash))
  // The block with this number may have changed meanwhile; then the node is not at fault.
  if (
    !traces.every(({ blockHash }) => blockHash === block.hash) ||
    !block.transactions.every((entry) => tracedHashes.has(getTransactionHash(entry) ?? ''))
  ) {
    const currentBlock = await readMinedBlock(node, block.number, false)
    if (currentBlock?.hash !== block.hash) throwBlockReorganized()
    throw new MalformedAnswer('the traces are of another block, or not of every transaction')
  }
  return traces
}

/** Returns the traces of a transaction; `null` if it is not mined. */
export async function traceTransaction(node: UpstreamNode, hash: string): Promise<Trace[] | null> {
  const nodeTraces = await undefinedIfUnsupported(
    lookUp(node, 'trace_transaction', [hash], rawTraces),
  )
  const traces = nodeTraces === undefined ? await buildTraces(node, hash) : nodeTraces
  if (traces?.some(({ transactionHash }) => transactionHash !== hash)) {
    throw new UntrueAnswer('traces came from another transaction than was asked for')
  }
  return traces !== null && traces.length > 0 ? traces : null
}

/** Builds traces from go-ethereum's call tracer, for nodes without a trace module. */
async function buildTraces(node: UpstreamNode, hash: string): Promise<Trace[] | null> {
  const receipt = await lookUp(node, 'eth_getTransactionReceipt', [hash], rawReceipt)
  if (receipt === null) return null
  const frame = await readCallFrame(node, hash)
  const position = {
    blockHash: receipt.blockHash,
    blockNumber: Number(receipt.blockNumber),
    transactionHash: hash,
    transactionPosition: Number(receipt.transactionIndex),
  }
  return flattenFrame(frame, [], position)
}

async function readCallFrame(node: UpstreamNode, hash: string): Promise<CallFrame> {
  try {
    return await node.call('debug_traceTransaction', [hash, { tracer: 'callTracer' }], callFrame)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    throw new RpcError(codes.methodNotFound, `the node makes no traces: ${error.message}`)
  }
}
