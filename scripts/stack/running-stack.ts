import { z } from 'zod'
import { readJson } from './files.ts'
import type { Folder } from './folder.ts'
import { StackError } from './report.ts'

const address = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])

const stackSchema = z.object({
  relayUrl: z.url(),
  /** Ends in a key that has no quota. */
  rpcUrl: z.url(),
  wsUrl: z.url(),
  nodeUrl: z.url(),
  chainId: z.literal([30, 31]),
  contracts: z.object({ loan: address, forwarder: address }),
  relayers: z.array(address),
  operatorToken: z.string(),
})

/** What `.dev/stack.json` tells other programs of the stack that runs. */
export type RunningStack = z.infer<typeof stackSchema>

/** @throws {StackError} where nothing runs */
export function readRunningStack(folder: Folder): RunningStack {
  const stack = stackSchema.safeParse(readJson(folder.stack))
  if (!stack.success) throw new StackError('No stack runs here. Start one with: npm start')
  return stack.data
}
