import { RpcError } from '../chain/rpc.ts'
import type { Clock } from '../runtime/clock.ts'
import { codes } from './codes.ts'

/** Limits the bytes of messages in memory, per customer and in total. */
const maxBytes = { perCustomer: 4 * 1024 * 1024, total: 32 * 1024 * 1024 }

/** Limits a customer's bytes per ms; the slowest known message takes a third of that time. */
const bytesPerMs = 6_000

export type CustomerBudgets = ReturnType<typeof createCustomerBudgets>

/** Creates limits of memory and time per customer, so that no customer starves another. */
export function createCustomerBudgets({ now, sleep }: Pick<Clock, 'now' | 'sleep'>) {
  const customers = new Map<string, { heldBytes: number; busyUntil: number }>()
  let totalHeldBytes = 0

  function getBudget(customer: string): { heldBytes: number; busyUntil: number } {
    const budget = customers.get(customer) ?? { heldBytes: 0, busyUntil: 0 }
    customers.set(customer, budget)
    return budget
  }

  return {
    /** Reserves bytes for a customer; returns false if a limit is reached. */
    reserve(customer: string, bytes: number): boolean {
      const budget = getBudget(customer)
      const isFull = budget.heldBytes + bytes > maxBytes.perCustomer
      if (isFull || totalHeldBytes + bytes > maxBytes.total) return false
      budget.heldBytes += bytes
      totalHeldBytes += bytes
      return true
    },
    release(customer: string, bytes: number): void {
      getBudget(customer).heldBytes -= bytes
      totalHeldBytes -= bytes
    },
    /** Waits until the time of the customer's earlier messages is over. */
    async waitTurn(customer: string, bytes: number): Promise<void> {
      const budget = getBudget(customer)
      const waitMs = Math.floor(budget.busyUntil - now())
      budget.busyUntil = Math.max(budget.busyUntil, now()) + bytes / bytesPerMs
      if (waitMs > 0) await sleep(waitMs)
    },
  }
}

export function createTooManyBytesError(): RpcError {
  const { perCustomer, total } = maxBytes
  const words = `the requests of one key have at most ${perCustomer} bytes at a time, those of all keys ${total}`
  return new RpcError(codes.limitExceeded, words)
}
