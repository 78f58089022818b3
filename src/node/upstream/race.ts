import { isRefusal } from '../../chain/refusals.ts'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { type AttemptOptions, attempt, attemptInTime } from './attempt.ts'
import type { NodeAnswer, NodeWork } from './node.ts'
import { recordSlowness, type UpstreamState } from './upstream-state.ts'

/** Sets after which multiple of its latency a silent node is joined by the next one. */
const hedge = { leastMs: 100, mostMs: 1_000, latencies: 4 }

export type RaceOptions = AttemptOptions & {
  order: readonly UpstreamState[]
  /** Tells whether these are different nodes, so that the next is asked while one is slow. */
  hasMultiple: boolean
  isBehind: (state: UpstreamState) => boolean
}

/** Runs work on the nodes in turn until one answers; after `null`, asks the next node too. */
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
  let nullAnswer: { answer: NodeAnswer<T>; isBehind: boolean } | undefined

  return new Promise((resolve, reject) => {
    if (!startNext()) giveUp()

    function startNext(): boolean {
      const state = order[started]
      if (state === undefined || isDone || signal.aborted) return false
      started += 1
      running += 1
      const startedAt = clock.now()
      const attempting = hasMultiple
        ? attemptInTime(state, work, AbortSignal.any([signal, stop.signal]), options)
        : attempt(state, work, signal, options)
      attempting.then(
        (answer) => succeed(state, answer),
        (error: unknown) => fail(state, startedAt, error),
      )
      if (hasMultiple) void hedgeAfter(state)
      return true
    }

    function succeed(state: UpstreamState, answer: NodeAnswer<T>): void {
      running -= 1
      if (answer.value === null && hasMultiple && (nullAnswer?.isBehind ?? true)) {
        nullAnswer = { answer, isBehind: isBehind(state) }
        if (!startNext() && running === 0) giveUp()
        return
      }
      finish(() => resolve(answer))
    }

    function fail(state: UpstreamState, startedAt: number, error: unknown): void {
      running -= 1
      if (isDone) {
        if (clock.now() - startedAt >= hedge.leastMs) recordSlowness(state, options)
        return
      }
      if (error instanceof RpcError && !(mayOtherNodeAnswer(error) && hasMultiple)) {
        finish(() => reject(error))
        return
      }
      failures.push(error)
      if (!startNext() && running === 0) giveUp()
    }

    function giveUp(): void {
      const found = nullAnswer
      // If a node at the head failed, `null` from a node that is behind means nothing.
      const isConclusive = found !== undefined && (failures.length === 0 || !found.isBehind)
      if (isConclusive) finish(() => resolve(found.answer))
      else finish(() => reject(pickFailure(failures)))
    }

    function finish(settle: () => void): void {
      if (isDone) return
      isDone = true
      settle()
      if (hasMultiple) stop.abort()
    }

    async function hedgeAfter({ latencyMs }: UpstreamState): Promise<void> {
      await clock.sleep(computeHedgeMs(latencyMs), stop.signal)
      startNext()
    }
  })
}

function computeHedgeMs(latencyMs = hedge.mostMs / 2): number {
  return Math.min(hedge.mostMs, Math.max(hedge.leastMs, latencyMs * hedge.latencies))
}

function mayOtherNodeAnswer(error: RpcError): boolean {
  const nodeErrorCodes: number[] = [
    codes.methodNotFound,
    codes.internal,
    codes.limitExceeded,
    codes.timeout,
  ]
  return nodeErrorCodes.includes(error.code) || isRefusal(error, 'cannot_tell')
}

/** Picks the most useful failure: an error that a node answered before a missing answer. */
export function pickFailure(failures: readonly unknown[]): Error {
  const refused = failures.filter((failure) => failure instanceof RpcError)
  const best = refused.find(({ code }) => code !== codes.methodNotFound) ?? refused[0]
  return best ?? new TransportError('no node gave an answer', { cause: failures[0] })
}
