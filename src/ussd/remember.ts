import type { Address } from 'viem'
import type { AccountMemory, Memory } from '../account/memory.ts'
import { faultOf, type Log } from '../runtime/log.ts'

export type RememberOptions = {
  memory: Memory
  background: (work: Promise<unknown>) => void
  log: Log
}

/** Keeps something of a caller, after the reply if need be; where that fails, screens say less. */
export function remember(
  { memory, background, log }: RememberOptions,
  account: Address,
  change: (kept: AccountMemory) => AccountMemory | undefined,
): void {
  const remembering = memory
    .change(account, change)
    .catch((error) => log({ level: 'warn', event: 'memory.failed', message: faultOf(error) }))
  background(remembering)
}
