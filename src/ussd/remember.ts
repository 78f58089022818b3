import type { Address } from 'viem'
import type { AccountMemory, Memory } from '../account/memory.ts'
import { describeFault, type Log } from '../runtime/log.ts'

export type RememberOptions = {
  memory: Memory
  background: (work: Promise<unknown>) => void
  log: Log
}

type Change = (kept: AccountMemory) => AccountMemory | undefined

/** Stores a fact about a caller after the reply; a failure only makes screens shorter. */
export function remember(
  of: RememberOptions,
  account: Address,
  change: Change,
  by?: Parameters<Memory['change']>[2],
): void {
  const failed = (error: unknown) =>
    of.log({ level: 'warn', event: 'memory.failed', message: describeFault(error) })
  of.background(of.memory.change(account, change, by).catch(failed))
}
