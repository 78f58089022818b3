import type { Hash, PublicClient } from 'viem'
import { systemClock } from '../../src/runtime/clock.ts'

/** Resolves after `ms`, or when the signal aborts. Never rejects. */
export const { sleep } = systemClock

export type UntilOptions = {
  everyMs?: number
  /** Time limit in ms; undefined if the caller has its own limit, as tests do. */
  withinMs?: number
  late?: () => Error
}

/** Polls until a condition holds. @throws {Error} not in the time given, or polling failed */
export async function until(
  condition: () => boolean | Promise<boolean>,
  {
    everyMs = 20,
    withinMs = Number.POSITIVE_INFINITY,
    late = () => new Error('it did not happen in time'),
  }: UntilOptions = {},
): Promise<void> {
  const started = performance.now()
  while (!(await condition())) {
    if (performance.now() - started > withinMs) throw late()
    await sleep(everyMs)
  }
}

/**
 * Waits until a transaction of a key that is used here alone is in a block. viem's look for others
 * would miss a last block (findings/viem-block-missed-while-asking.sh). @throws {Error} after 180 s
 */
export const waitForReceipt = (client: PublicClient, hash: Hash) =>
  client.waitForTransactionReceipt({ hash, checkReplacement: false, pollingInterval: 50 })
