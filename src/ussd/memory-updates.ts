import type { Address } from 'viem'
import type { Memory } from '../account/memory.ts'
import { describeFault } from '../runtime/log.ts'
import type { Services } from './services.ts'

/** Changes an account's memory after the reply. A failure is logged: screens then show less. */
export function updateMemoryLater(
  { memory, waitUntil, log }: Services,
  account: Address,
  change: Parameters<Memory['change']>[1],
  writer?: Parameters<Memory['change']>[2],
): void {
  const logFailure = (error: unknown) =>
    log({ level: 'warn', event: 'memory.failed', message: describeFault(error) })
  waitUntil(memory.change(account, change, writer).catch(logFailure))
}
