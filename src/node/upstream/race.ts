import { isRefusal } from '../../chain/refusals.ts'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { type AttemptOptions, attempt, attemptInTime } from './attempt.ts'
import type { NodeAnswer, NodeWork } from './node.ts'
import { recordSlowness, type UpstreamState } from './upstream-state.ts'

/** Sets when a second node is asked because the first has not answered: a multiple of latency. */
const hedge = { leastMs: 100, mostMs: 1_000, latencies: 4 }

export type RaceOptions = AttemptOptions & {
  order: readonly UpstreamState[]
  /** Tells whether these are different nodes: then the next is asked while a slow one runs. */
  hasMultiple: boolean
  isBehind: (state: UpstreamState) => boolean
}

/** Runs work on the nodes in turn until one answers; after `null`, asks the next one too. */
export function race<T>(
  work: NodeWork<T>,
  signal: AbortSignal,
  options: RaceOptions,
): Promise<NodeAnswer<T>> {
  const { order, hasMultiple, isBehind, clock } = options
  const stop = new AbortController()
  const failures: unknown[] = []
  let started = 0
  let running = 0
  let isDone = false
  let notFound: { answer: NodeAnswer<T>; isBehind: boolean } | undefined

  return new Promise((resolve, reject) => {
    if (!startNext()) giveUp()

    function startNext(): boolean {
      const state = order[started]
      if (state === undefined || isDone || signal.aborted) return false
      started += 1
      running += 1
      const since = clock.now()
      const trying = hasMultiple
        ? attemptInTime(state, work, AbortSignal.any([signal, stop.signal]), options)
        : attempt(state, work, signal, options)
      trying.then(
        (answer) => succeed(state, answer),
        (error: unknown) => fail(state, since, error),
      )
      if (hasMultiple) void hedgeAfter(state)
      return true
    }

    function succeed(state: UpstreamState, answer: NodeAnswer<T>): void {
      running -= 1
      if (answer.value === null && hasMultiple && (notFound?.isBehind ?? true)) {
        notFound = { answer, isBehind: isBehind(state) }
        if (!startNext() && running === 0) giveUp()
        return
      }
      finish(() => resolve(answer))
    }

    function fail(state: UpstreamState, since: number, error: unknown): void {
      running -= 1
      if (isDone) {
        if (clock.now() - since >= hedge.leastMs) recordSlowness(state, options)
        return
      }
      if (error instanceof RpcError && !(mayDiffer(error) && hasMultiple)) {
        finish(() => reject(error))
        return
      }
      failures.push(error)
      if (!startNext() && running === 0) giveUp()
    }

    function giveUp(): void {
      const found = notFound
      // If a node at the head failed, `null` from a node that is behind means nothing.
      const isKnown = found !== undefined && (failures.length === 0 || !found.isBehind)
      if (isKnown) finish(() => resolve(found.answer))
      else finish(() => reject(pickFailure(failures)))
    }

    function finish(settle: () => void): void {
      if (isDone) return
      isDone = true
      settle()
      if (hasMultiple) stop.abort()
    }

    async function hedgeAfter({ latencyMs }: UpstreamState): Promise<void> {
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

/** Picks the most useful failure: an error that a node answered before a missing answer. */
export function pickFailure(failures: readonly unknown[]): Error {
  const refused = failures.filter((failure) => failure instanceof RpcError)
  const best = refused.find(({ code }) => code !== codes.methodNotFound) ?? refused[0]
  return best ?? new TransportError('no node gave an answer', { cause: failures[0] })
}
