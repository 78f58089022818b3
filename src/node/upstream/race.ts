import { isRefusal } from '../../chain/refusals.ts'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { type AttemptOptions, attempt, attemptInTime } from './attempt.ts'
import type { NodeWork, Told } from './node.ts'
import { noteSlowness, type Standing } from './standing.ts'

/** Limits when a read is given to a second node because the first has not answered. */
const hedge = { leastMs: 100, mostMs: 1_000, latencies: 4 }

export type RaceOptions = AttemptOptions & {
  order: readonly Standing[]
  /** Tells whether these are different nodes, so that a slow one's next is asked beside it. */
  several: boolean
  isBehind: (standing: Standing) => boolean
}

/** Runs work on the nodes in turn until one answers well; after `null` the next one is asked. */
export function race<T>(
  work: NodeWork<T>,
  signal: AbortSignal,
  options: RaceOptions,
): Promise<Told<T>> {
  const { order, several, isBehind, clock } = options
  const stop = new AbortController()
  const failures: unknown[] = []
  let started = 0
  let running = 0
  let isDone = false
  let absent: { told: Told<T>; isBehind: boolean } | undefined

  return new Promise((resolve, reject) => {
    if (!startNext()) giveUp()

    function startNext(): boolean {
      const standing = order[started]
      if (standing === undefined || isDone || signal.aborted) return false
      started += 1
      running += 1
      const since = clock.now()
      const trying = several
        ? attemptInTime(standing, work, AbortSignal.any([signal, stop.signal]), options)
        : attempt(standing, work, signal, options)
      trying.then(
        (told) => succeed(standing, told),
        (error: unknown) => fail(standing, since, error),
      )
      if (several) void hedgeAfter(standing)
      return true
    }

    function succeed(standing: Standing, told: Told<T>): void {
      running -= 1
      if (told.value === null && several && (absent?.isBehind ?? true)) {
        absent = { told, isBehind: isBehind(standing) }
        if (!startNext() && running === 0) giveUp()
        return
      }
      finish(() => resolve(told))
    }

    function fail(standing: Standing, since: number, error: unknown): void {
      running -= 1
      if (isDone) {
        if (clock.now() - since >= hedge.leastMs) noteSlowness(standing, options)
        return
      }
      if (error instanceof RpcError && !(mayDiffer(error) && several)) {
        finish(() => reject(error))
        return
      }
      failures.push(error)
      if (!startNext() && running === 0) giveUp()
    }

    function giveUp(): void {
      const found = absent
      // A node that is behind cannot tell that something is not there, where a better one failed.
      const isKnown = found !== undefined && (failures.length === 0 || !found.isBehind)
      if (isKnown) finish(() => resolve(found.told))
      else finish(() => reject(mostTelling(failures)))
    }

    function finish(settle: () => void): void {
      if (isDone) return
      isDone = true
      settle()
      if (several) stop.abort()
    }

    async function hedgeAfter({ latencyMs }: Standing): Promise<void> {
      await clock.sleep(patienceMs(latencyMs), stop.signal)
      startNext()
    }
  })
}

function patienceMs(latencyMs = hedge.mostMs / 2): number {
  return Math.min(hedge.mostMs, Math.max(hedge.leastMs, latencyMs * hedge.latencies))
}

function mayDiffer(error: RpcError): boolean {
  const ofTheNode: number[] = [
    codes.methodNotFound,
    codes.internal,
    codes.limitExceeded,
    codes.timeout,
  ]
  return ofTheNode.includes(error.code) || isRefusal(error, 'cannot_tell')
}

/** Returns the most useful of several failures: a node's answer before a missing one. */
export function mostTelling(failures: readonly unknown[]): Error {
  const refused = failures.filter((failure) => failure instanceof RpcError)
  const best = refused.find(({ code }) => code !== codes.methodNotFound) ?? refused[0]
  return best ?? new TransportError('no node gave an answer', { cause: failures[0] })
}
