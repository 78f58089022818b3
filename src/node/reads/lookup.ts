import type * as z from 'zod/mini'
import { isRefusal } from '../../chain/refusals.ts'
import { RpcError } from '../../chain/rpc.ts'
import { orNull } from '../../runtime/json.ts'
import { codes } from '../codes.ts'
import type { UpstreamNode } from '../upstream/node.ts'

/** Lists the methods that take a transaction's hash; other methods take a block. */
const transactionMethods = [
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'trace_transaction',
]

/** Looks up an object by hash or number; returns `null` if the node does not have it. */
export function lookUp<T>(
  node: UpstreamNode,
  method: string,
  params: readonly unknown[],
  result: z.ZodMiniType<T>,
): Promise<T | null> {
  const absence = transactionMethods.includes(method) ? 'no_transaction' : 'no_block'
  const isAbsent = (error: RpcError) => isRefusal(error, absence)
  return replaceRefusal(node.call(method, params, orNull(result)), isAbsent, null)
}

/** Returns an answer, or undefined if the node does not support its method. */
export const undefinedIfUnsupported = <T>(answer: Promise<T>): Promise<T | undefined> =>
  replaceRefusal(answer, ({ code }) => code === codes.methodNotFound, undefined)

/** Returns an answer, or `null` if the node answers with an error. */
export const nullIfRefused = <T>(answer: Promise<T>): Promise<T | null> =>
  replaceRefusal(answer, () => true, null)

const replaceRefusal = <T, R>(
  answer: Promise<T>,
  isExpected: (error: RpcError) => boolean,
  replacement: R,
): Promise<T | R> =>
  answer.catch((error: unknown) => {
    if (error instanceof RpcError && isExpected(error)) return replacement
    throw error
  })
