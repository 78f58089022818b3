import { RpcError } from '../chain/rpc.ts'
import type { Clock } from '../runtime/clock.ts'
import { codes } from './codes.ts'

/** Limits the bytes of messages in memory, per customer and in total. */
const most = { each: 4 * 1024 * 1024, inAll: 32 * 1024 * 1024 }

/** Limits a customer's bytes per ms; the slowest known message takes a third of its time. */
const bytesPerMs = 6_000

export type CustomerBudgets = ReturnType<typeof createCustomerBudgets>

/** Creates limits of memory and time per customer, so that none starves the others. */
export function createCustomerBudgets({ now, sleep }: Pick<Clock, 'now' | 'sleep'>) {
  const customers = new Map<string, { held: number; freeAt: number }>()
  let sum = 0

  function getBudget(customer: string): { held: number; freeAt: number } {
    const known = customers.get(customer) ?? { held: 0, freeAt: 0 }
    customers.set(customer, known)
    return known
  }

  return {
    /** Reserves bytes for a customer; returns false if a limit is reached. */
    reserve(customer: string, bytes: number): boolean {
      const own = getBudget(customer)
      if (own.held + bytes > most.each || sum + bytes > most.inAll) return false
      own.held += bytes
      sum += bytes
      return true
    },
    release(customer: string, bytes: number): void {
      getBudget(customer).held -= bytes
      sum -= bytes
    },
    /** Waits for the time that the customer's earlier messages have used up. */
    async waitTurn(customer: string, bytes: number): Promise<void> {
      const own = getBudget(customer)
      const waitMs = Math.floor(own.freeAt - now())
      own.freeAt = Math.max(own.freeAt, now()) + bytes / bytesPerMs
      if (waitMs > 0) await sleep(waitMs)
    },
  }
}

export function tooManyBytes(): RpcError {
  return new RpcError(codes.limitExceeded, 'too many bytes of requests at a time')
}
