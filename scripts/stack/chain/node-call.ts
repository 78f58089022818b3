import { z } from 'zod'
import { RpcError } from '../../../src/chain/rpc.ts'
import { rpcTo } from '../../dev/rpc.ts'

/** One JSON-RPC call to a node, for what viem has no function for. The answer is untrusted. */
export type NodeCall = <T>(method: string, params: unknown[], result: z.ZodType<T>) => Promise<T>

/** The node answered with an error object. */
export class NodeRefusal extends Error {
  override readonly name = 'NodeRefusal'
}

/** @throws {NodeRefusal} when the node says no; anything else means that it could not be asked */
export function createNodeCall(url: string, { timeoutMs = 10_000 } = {}): NodeCall {
  const call = rpcTo(url, { timeoutMs })
  return async (method, params, result) => {
    try {
      return result.parse(await call(method, params))
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      throw new NodeRefusal(`${method}: ${error.message}`, { cause: error })
    }
  }
}

/** JSON-RPC's hex numbers, as far as a number holds them. */
export const quantity = z.templateLiteral(['0x', z.string()]).transform(Number)

/** A block as far as the stack looks at it. */
export const blockHead = z.object({
  number: quantity,
  hash: z.templateLiteral(['0x', z.string()]),
  timestamp: quantity,
})
