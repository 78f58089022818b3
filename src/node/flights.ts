import { RpcError } from '../chain/rpc.ts'
import type { Clock } from '../clock.ts'

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
  const flights = new Map<string, Promise<unknown>>()

  return {
    async share<T>(key: string, work: () => Promise<T>, signal: AbortSignal) {
      const flight = flights.get(key) as Promise<T> | undefined
      if (flight !== undefined) {
        const landed = await landedWithin(flight, signal)
        if (landed !== undefined) return landed.value
      }
      const own = work()
      flights.set(key, own)
      try {
        return await own
      } finally {
        if (flights.get(key) === own) flights.delete(key)
      }
    },
  }

  /** Undefined when it did not land in time, or crashed: that may have been its starter's fault. */
  async function landedWithin<T>(
    flight: Promise<T>,
    signal: AbortSignal,
  ): Promise<{ value: T } | undefined> {
    const stop = new AbortController()
    try {
      return await Promise.race([
        flight.then((value) => ({ value })),
        clock.sleep(patienceMs, AbortSignal.any([signal, stop.signal])).then(() => undefined),
      ])
    } catch (error) {
      if (error instanceof RpcError) throw error
      return undefined
    } finally {
      stop.abort()
    }
  }
}
