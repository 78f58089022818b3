import { isRefusal } from '../../chain/refusals.ts'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import {
  type AttemptOptions,
  type NodeAnswer,
  type NodeWork,
  runOnNode,
  runOnNodeWithTimeLimit,
} from './node.ts'
import type { UpstreamState } from './upstream-state.ts'

/** Sets how long a node may be silent before the next is asked: a multiple of its usual latency. */
const hedgeDelay = { latencies: 4, minMs: 100, maxMs: 1_000 }

export type RaceOptions = AttemptOptions & {
  order: readonly UpstreamState[]
  /** Tells whether there are several nodes. Only then is the next asked while one is slow. */
  hasMultiple: boolean
  isBehind: (state: UpstreamState) => boolean
}

/** Runs work on the nodes in turn until one answers. After `null`, the next node is asked too. */
export function raceNodes<T>(
  work: NodeWork<T>,
  signal: AbortSignal,
  options: RaceOptions,
): Promise<NodeAnswer<T>> {
  const { order, hasMultiple, isBehind, clock } = options
  const settled = hasMultiple ? new AbortController() : undefined
  const attemptSignal = settled ? AbortSignal.any([signal, settled.signal]) : signal
  const failures: unknown[] = []
  let startedCount = 0
  let runningCount = 0
  let isSettled = false
  let nullAnswer: { answer: NodeAnswer<T>; isBehind: boolean } | undefined

  return new Promise((resolve, reject) => {
    if (!startNext()) settleWithoutValue()

    function startNext(): boolean {
      const state = order[startedCount]
      if (state === undefined || isSettled || signal.aborted) return false
      startedCount += 1
      runningCount += 1
      const startedAt = clock.now()
      const attempt = hasMultiple
        ? runOnNodeWithTimeLimit(state, work, attemptSignal, options)
        : runOnNode(state, work, attemptSignal, options)
      attempt.then(
        (answer) => handleAnswer(state, answer),
        (error: unknown) => handleFailure(state, startedAt, error),
      )
      if (hasMultiple) void startNextAfterDelay(state)
      return true
    }

    function handleAnswer(state: UpstreamState, answer: NodeAnswer<T>): void {
      runningCount -= 1
      if (answer.value === null && hasMultiple && (nullAnswer?.isBehind ?? true)) {
        nullAnswer = { answer, isBehind: isBehind(state) }
        if (!startNext() && runningCount === 0) settleWithoutValue()
        return
      }
      settleOnce(() => resolve(answer))
    }

    function handleFailure(state: UpstreamState, startedAt: number, error: unknown): void {
      runningCount -= 1
      if (isSettled) {
        if (clock.now() - startedAt >= hedgeDelay.minMs) state.recordSlowness()
        return
      }
      if (error instanceof RpcError && !(canOtherNodeAnswer(error) && hasMultiple)) {
        settleOnce(() => reject(error))
        return
      }
      failures.push(error)
      if (!startNext() && runningCount === 0) settleWithoutValue()
    }

    /** Settles with `null` or a failure once every node was asked. */
    function settleWithoutValue(): void {
      const answered = nullAnswer
      // A node behind the head lacks the newest blocks, so its `null` counts if no other failed.
      const isConclusive = answered !== undefined && (failures.length === 0 || !answered.isBehind)
      if (isConclusive) settleOnce(() => resolve(answered.answer))
      else settleOnce(() => reject(pickFailure(failures)))
    }

    function settleOnce(settle: () => void): void {
      if (isSettled) return
      isSettled = true
      settle()
      settled?.abort()
    }

    async function startNextAfterDelay({ latencyMs }: UpstreamState): Promise<void> {
      await clock.sleep(computeHedgeDelayMs(latencyMs), settled?.signal)
      startNext()
    }
  })
}

function computeHedgeDelayMs(latencyMs = hedgeDelay.maxMs / 2): number {
  const { latencies, minMs, maxMs } = hedgeDelay
  return Math.min(maxMs, Math.max(minMs, latencyMs * latencies))
}

function canOtherNodeAnswer(error: RpcError): boolean {
  const nodeErrorCodes: number[] = [
    codes.methodNotFound,
    codes.internal,
    codes.limitExceeded,
    codes.timeout,
  ]
  return nodeErrorCodes.includes(error.code) || isRefusal(error, 'cannot_tell')
}

/** Picks the most useful failure: a node's own error, or else that no node answered. */
export function pickFailure(failures: readonly unknown[]): Error {
  const refused = failures.filter((failure) => failure instanceof RpcError)
  const best = refused.find(({ code }) => code !== codes.methodNotFound) ?? refused[0]
  return best ?? new TransportError('no node gave an answer', { cause: failures[0] })
}
