import { z } from 'zod'
import { type ParsedCall, rpcTo } from '../../dev/rpc.ts'

export function createNodeCall(url: string, { timeoutMs = 10_000 } = {}): ParsedCall {
  return rpcTo(url, { timeoutMs })
}

/** JSON-RPC's hex numbers, as far as a number holds them. */
export const quantity = z.templateLiteral(['0x', z.string()]).transform(Number)

export const blockHead = z.object({
  number: quantity,
  hash: z.templateLiteral(['0x', z.string()]),
  timestamp: quantity,
})
