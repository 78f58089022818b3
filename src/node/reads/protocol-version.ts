import * as z from 'zod/mini'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { quantity, toQuantity } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'

/** eth/68, what today's Ethereum nodes speak: many of them no longer serve the question. */
const ethereumProtocol = '0x44'

/** anvil and others print a JSON number, and some a decimal string. */
const anyVersion = z.union([
  quantity,
  z.pipe(
    z.int().check(z.nonnegative()),
    z.transform((value: number) => toQuantity(value)),
  ),
  z.pipe(
    z.string().check(z.regex(/^\d+$/)),
    z.transform((text) => toQuantity(BigInt(text))),
  ),
])

/** The version of the wire protocol, as a quantity on every node. */
export async function protocolVersion(node: UpstreamNode, method: string): Promise<string> {
  try {
    return await node.call(method, [], anyVersion)
  } catch (error) {
    if (error instanceof RpcError && error.code === codes.methodNotFound) return ethereumProtocol
    throw error
  }
}
