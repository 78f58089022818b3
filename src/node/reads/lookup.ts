import type { z } from 'zod'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import type { Node } from '../upstream/node.ts'

/** There is no such block: RSKj, anvil (two ways), EthereumJS (two ways). */
const noBlock =
  /^Block (?:with hash )?(?:0x)?[0-9a-f]+ not found$|^BlockOutOfRange|^Resource not found$|^unknown block$|^specified block greater than current height$/i

/** There is no such transaction, as Erigon and Nethermind word it. */
const noTransaction = /^transaction (?:0x[0-9a-f]+ )?not found$/i

/**
 * With which words an error means that what a method looks up is not there, on nodes that do not
 * simply answer `null`. Any other error is an error: `header not found`, for one, says that a node
 * cannot tell, and not that there is nothing.
 */
const absentWords = {
  eth_getBlockByHash: noBlock,
  eth_getBlockByNumber: noBlock,
  eth_getBlockTransactionCountByHash: noBlock,
  eth_getBlockTransactionCountByNumber: noBlock,
  eth_getUncleCountByBlockHash: noBlock,
  eth_getUncleCountByBlockNumber: noBlock,
  eth_getTransactionByHash: noTransaction,
  eth_getTransactionByBlockHashAndIndex: noBlock,
  eth_getTransactionByBlockNumberAndIndex: noBlock,
  eth_getTransactionReceipt: noTransaction,
  trace_block: noBlock,
  trace_transaction: noTransaction,
} as const satisfies Readonly<Record<string, RegExp>>

/** A method that finds one thing by its hash or number. */
export type Lookup = keyof typeof absentWords

/**
 * What a node finds by hash or number, `null` where it says that there is no such thing.
 *
 * @throws {RpcError} any other error of the node
 */
export async function lookUp<T>(
  node: Node,
  method: Lookup,
  params: readonly unknown[],
  result: z.ZodType<T>,
): Promise<T | null> {
  try {
    return await node.call(method, params, result)
  } catch (error) {
    if (error instanceof RpcError && absentWords[method].test(error.message)) return null
    throw error
  }
}

/** Whether a node's error means that the block that it was to read at is not there. */
export function meansNoBlock({ message }: RpcError): boolean {
  return noBlock.test(message) || /^Invalid block number \d+$/.test(message)
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
