import { TransportError } from '../../chain/rpc.ts'
import type { Clock } from '../../runtime/clock.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import type { Upstream } from './http-upstream.ts'
import type { NodeAnswer, NodeKind } from './node.ts'

/** Limits the latest answers from which a node's latency is computed. */
const maxRecentLatencies = 100

/** Holds a node's kind, and when the node was asked for it (Unix ms). */
export type NodeIdentity = { kind: NodeKind; identifiedAt: number }

export type StateOptions = {
  clock: Clock
  log: Log
  /** Is called when an answer is proved untrue, since earlier answers may be untrue too. */
  onUntrueAnswer: () => void
}

/** Limit how long a failed node is asked last, in ms. Each further failure doubles the time. */
const minSuspensionMs = 500
const maxSuspensionMs = 30_000

/** Sets how long a node is asked last after an untrue answer, in ms. */
const distrustMs = 60_000

/** Sets the shortest time between two warnings about a node's bad answers, in ms. */
const reportIntervalMs = 60_000

/** Sets the shortest time between two identifications of a node, in ms. */
const minIdentityAgeMs = 60_000

/** Creates what is known of a node before its first answer. */
const createReadings = (upstream: Upstream) => ({
  upstream,
  identity: undefined as NodeIdentity | undefined,
  latencyMs: undefined as number | undefined,
  height: undefined as number | undefined,
  heightAt: undefined as number | undefined,
  /** Holds when the node first showed its last height (Unix ms). */
  heightSince: undefined as number | undefined,
  /** Holds how long each of the latest answers took, in ms, in no order. */
  latenciesMs: [] as number[],
  answers: 0,
  failures: 0,
  /** Counts answers that were used without a proof. */
  unproved: 0,
  /** Counts the calls of each method and adds their time in ms. */
  methods: new Map<string, { calls: number; tookMs: number }>(),
  /** Holds when the node last showed a header of an unknown form (Unix ms). */
  unknownHeaderAt: undefined as number | undefined,
})

export type UpstreamState = ReturnType<typeof createUpstreamState>

export function createUpstreamState(upstream: Upstream, options: StateOptions) {
  const { clock, log, onUntrueAnswer } = options
  let suspendedUntil = 0
  let distrustedUntil = 0
  let malformedReportedAt = Number.NEGATIVE_INFINITY
  let consecutiveFailures = 0
  let lastHeight: number | undefined

  const state = {
    ...createReadings(upstream),
    isTrusted: () => distrustedUntil <= clock.now(),
    /** Tells whether the node is neither suspended for failures nor distrusted. */
    isAvailable: () => suspendedUntil <= clock.now() && state.isTrusted(),
    recordHeight(height: number | undefined): void {
      // A node that did not answer once may show the same height again.
      if (height !== undefined && height !== lastHeight) state.heightSince = clock.now()
      lastHeight = height ?? lastHeight
      state.height = height
      state.heightAt = height === undefined ? undefined : clock.now()
    },
    /** Counts a call by its method, whether it succeeds or fails. */
    recordCall(method: string, tookMs: number): void {
      const before = state.methods.get(method) ?? { calls: 0, tookMs: 0 }
      state.methods.set(method, { calls: before.calls + 1, tookMs: before.tookMs + tookMs })
    },
    recordAnswer(tookMs: number): void {
      const { latencyMs = tookMs } = state
      consecutiveFailures = 0
      state.latenciesMs[state.answers % maxRecentLatencies] = tookMs
      state.answers += 1
      state.latencyMs = latencyMs * 0.8 + tookMs * 0.2
    },
    recordFailure(error: unknown): void {
      if (!(error instanceof TransportError)) return
      state.failures += 1
      suspend('node.failed', describeFault(error))
      // The node may come back as another client, or on another chain.
      state.identity = undefined
    },
    /** Suspends a node, since another one was faster. */
    recordSlowness: () => suspend('node.slow', 'another node was faster'),
    recordUntrueAnswer(message: string): void {
      if (state.isTrusted()) warn('node.distrusted', message)
      state.forgetOldIdentity()
      distrustedUntil = clock.now() + distrustMs
      onUntrueAnswer()
    },
    /** Counts an unproved answer, and warns of a header of an unknown form. */
    recordUnprovedAnswer({ unprovedReasons }: NodeAnswer<unknown>): void {
      state.unproved += 1
      const isReportDue = clock.now() - (state.unknownHeaderAt ?? 0) >= reportIntervalMs
      if (!unprovedReasons.has('unknown_form') || !isReportDue) return
      state.unknownHeaderAt = clock.now()
      warn('node.unproved', 'a block has an unknown form')
    },
    /** Warns of a malformed answer, for which no node is suspended: customers choose the calls. */
    recordMalformedAnswer(message: string): void {
      state.forgetOldIdentity()
      if (clock.now() - malformedReportedAt < reportIntervalMs) return
      malformedReportedAt = clock.now()
      warn('node.malformed', message)
    },
    /** Forgets an old kind after an answer that does not fit: another node may answer by now. */
    forgetOldIdentity(): void {
      const age = clock.now() - (state.identity?.identifiedAt ?? clock.now())
      if (age >= minIdentityAgeMs) state.identity = undefined
    },
  }

  function suspend(event: string, message: string): void {
    const suspendForMs = Math.min(maxSuspensionMs, minSuspensionMs * 2 ** consecutiveFailures)
    consecutiveFailures += 1
    if (state.isAvailable()) warn(event, message)
    suspendedUntil = Math.max(suspendedUntil, clock.now() + suspendForMs)
  }

  function warn(event: string, message: string): void {
    log({ level: 'warn', event, message, node: upstream.name })
  }

  return state
}

/** Describes a node for status and metrics; `p95Ms` is the 95th percentile of its latency. */
export function describeUpstream(node: UpstreamState) {
  const { upstream, height, heightAt, heightSince, answers, failures, unproved, unknownHeaderAt } =
    node
  const latenciesMs = node.latenciesMs.toSorted((a, b) => a - b)
  const p95Ms = latenciesMs[Math.ceil(latenciesMs.length * 0.95) - 1]
  const unavailableState = node.isTrusted() ? ('suspended' as const) : ('distrusted' as const)
  const state = node.isAvailable() ? ('able' as const) : unavailableState
  const { name } = upstream
  const counts = { answers, failures, unproved, callsToday: upstream.callsToday() }
  const methods = [...node.methods].map(([method, counts]) => ({ method, ...counts }))
  return { name, height, heightAt, heightSince, unknownHeaderAt, p95Ms, state, methods, ...counts }
}
