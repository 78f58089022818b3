import { z } from 'zod'

/** One JSON-RPC call to a node, for what viem has no function for. The answer is untrusted. */
export type NodeCall = <T>(method: string, params: unknown[], result: z.ZodType<T>) => Promise<T>

/** The node answered with an error object. */
export class NodeRefusal extends Error {
  override readonly name = 'NodeRefusal'
}

/** @throws {NodeRefusal} when the node says no; anything else means that it could not be asked */
export function createNodeCall(url: string, { timeoutMs = 10_000 } = {}): NodeCall {
  return async (method, params, result) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const answer = envelope.parse(await response.json())
    if (answer.error !== undefined) throw new NodeRefusal(`${method}: ${answer.error.message}`)
    return result.parse(answer.result)
  }
}

const envelope = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
})

/** JSON-RPC's hex numbers, as far as a number holds them. */
export const quantity = z.templateLiteral(['0x', z.string()]).transform(Number)

/** A block as far as the stack looks at it. */
export const blockHead = z.object({
  number: quantity,
  hash: z.templateLiteral(['0x', z.string()]),
  timestamp: quantity,
})

export type BlockHead = z.infer<typeof blockHead>
