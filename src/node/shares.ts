import { RpcError } from '../chain/rpc.ts'
import type { Clock } from '../runtime/clock.ts'
import { codes } from './codes.ts'

/** Bytes of messages that a process holds: each customer's, and all together. */
const most = { each: 4 * 1024 * 1024, inAll: 32 * 1024 * 1024 }

/** Limits a customer's bytes in a ms; the dearest known message takes a third of its time. */
const bytesPerMs = 6_000

export type CustomerBudgets = ReturnType<typeof createShares>

/** Bounds what one customer may make a process hold and do, so that others are served as well. */
export function createShares({ now, sleep }: Pick<Clock, 'now' | 'sleep'>) {
  const customers = new Map<string, { held: number; freeAt: number }>()
  let sum = 0

  function of(customer: string): { held: number; freeAt: number } {
    const known = customers.get(customer) ?? { held: 0, freeAt: 0 }
    customers.set(customer, known)
    return known
  }

  return {
    /** Tells whether a customer may send so many bytes more, and counts them. */
    take(customer: string, bytes: number): boolean {
      const own = of(customer)
      if (own.held + bytes > most.each || sum + bytes > most.inAll) return false
      own.held += bytes
      sum += bytes
      return true
    },
    give(customer: string, bytes: number): void {
      of(customer).held -= bytes
      sum -= bytes
    },
    /** Waits until the customer's earlier messages had their time, and others some between them. */
    async turn(customer: string, bytes: number): Promise<void> {
      const own = of(customer)
      const waitMs = Math.floor(own.freeAt - now())
      own.freeAt = Math.max(own.freeAt, now()) + bytes / bytesPerMs
      if (waitMs > 0) await sleep(waitMs)
    },
  }
}

export function noRoom(): RpcError {
  return new RpcError(codes.limitExceeded, 'too many bytes of requests at a time')
}
