import { RpcError } from '../chain/rpc.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Flight, fly, outcomeOf } from '../runtime/flight.ts'

/** Equal work that is under way at the same time is done once. */
export type Flights = {
  readonly share: <T>(key: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>
}

/**
 * Whoever started the work may leave and take it along (on Workers a request's I/O ends with the
 * request), so the others wait for it only this long and then work on their own.
 */
const patienceMs = 1_500

export function createFlights(clock: Clock): Flights {
  const flights = new Map<string, Flight<unknown>>()

  return {
    async share<T>(key: string, work: () => Promise<T>, signal: AbortSignal) {
      const others = flights.get(key) as Flight<T> | undefined
      if (others !== undefined) {
        const outcome = await outcomeOf(others, clock, patienceMs, signal)
        if (outcome?.kind === 'done') return outcome.value
        // Any other failure may have been that of whoever started it.
        if (outcome?.error instanceof RpcError) throw outcome.error
      }
      const own: Flight<T> = { outcome: undefined }
      flights.set(key, own)
      try {
        return await fly(own, work)
      } finally {
        if (flights.get(key) === own) flights.delete(key)
      }
    },
  }
}
