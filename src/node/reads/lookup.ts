import type * as z from 'zod/mini'
import { means, type ReadRefusal } from '../../chain/refusals.ts'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import type { UpstreamNode } from '../upstream/node.ts'

/** With which refusal a node says that what a method looks up is not there, if not by `null`. */
const absence = {
  eth_getBlockByHash: 'no_block',
  eth_getBlockByNumber: 'no_block',
  eth_getBlockTransactionCountByHash: 'no_block',
  eth_getBlockTransactionCountByNumber: 'no_block',
  eth_getUncleCountByBlockHash: 'no_block',
  eth_getUncleCountByBlockNumber: 'no_block',
  eth_getTransactionByHash: 'no_transaction',
  eth_getTransactionByBlockHashAndIndex: 'no_block',
  eth_getTransactionByBlockNumberAndIndex: 'no_block',
  eth_getTransactionReceipt: 'no_transaction',
  trace_block: 'no_block',
  trace_transaction: 'no_transaction',
} as const satisfies Readonly<Record<string, ReadRefusal>>

export type Lookup = keyof typeof absence

/** Gives what a node finds by hash or number, `null` where it says that there is none. */
export async function lookUp<T>(
  node: UpstreamNode,
  method: Lookup,
  params: readonly unknown[],
  result: z.ZodMiniType<T>,
): Promise<T | null> {
  try {
    return await node.call(method, params, result)
  } catch (error) {
    if (error instanceof RpcError && means(error, absence[method])) return null
    throw error
  }
}

/** Undefined where the node does not serve the method, so that its answer can be made otherwise. */
export async function ifServed<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RpcError && error.code === codes.methodNotFound) return undefined
    throw error
  }
}

/** Gives `null` where the node refuses. */
export async function unlessRefused<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}
