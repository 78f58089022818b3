import type * as z from 'zod/mini'
import { isRefusal } from '../../chain/refusals.ts'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import type { UpstreamNode } from '../upstream/node.ts'

/** Lists the methods that take a transaction's hash; other methods take a block. */
const transactionMethods = [
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'trace_transaction',
]

/** Looks up an object by hash or number; returns `null` if the node does not have it. */
export async function lookUp<T>(
  node: UpstreamNode,
  method: string,
  params: readonly unknown[],
  result: z.ZodMiniType<T>,
): Promise<T | null> {
  try {
    return await node.call(method, params, result)
  } catch (error) {
    const absence = transactionMethods.includes(method) ? 'no_transaction' : 'no_block'
    if (error instanceof RpcError && isRefusal(error, absence)) return null
    throw error
  }
}

/** Returns an answer, or undefined if the node does not support its method. */
export async function undefinedIfUnsupported<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RpcError && error.code === codes.methodNotFound) return undefined
    throw error
  }
}

/** Returns an answer, or `null` if the node answers with an error. */
export async function nullIfRefused<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}
