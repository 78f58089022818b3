import type { Address } from 'viem'
import type { AccountMemory, Memory } from '../account/memory.ts'
import { describeFault } from '../runtime/log.ts'
import type { Services } from './services.ts'

type MemoryChange = (memory: AccountMemory) => AccountMemory | undefined

/** Changes an account's memory after the reply. A failure is logged: screens then show less. */
export function updateMemoryLater(
  { memory, waitUntil, log }: Services,
  account: Address,
  change: MemoryChange,
  writer?: Parameters<Memory['change']>[2],
): void {
  const logFailure = (error: unknown) =>
    log({ level: 'warn', event: 'memory.failed', message: describeFault(error) })
  waitUntil(memory.change(account, change, writer).catch(logFailure))
}
