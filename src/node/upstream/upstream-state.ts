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

export type UpstreamState = ReturnType<typeof createUpstreamState>

export function createUpstreamState(upstream: Upstream) {
  return {
    upstream,
    identity: undefined as NodeIdentity | undefined,
    suspendedUntil: 0,
    distrustedUntil: 0,
    malformedReportedAt: Number.NEGATIVE_INFINITY,
    consecutiveFailures: 0,
    latencyMs: undefined as number | undefined,
    height: undefined as number | undefined,
    heightAt: undefined as number | undefined,
    lastHeight: undefined as number | undefined,
    /** Holds when the node first showed `lastHeight` (Unix ms). */
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
  }
}

/** Describes a node for status and metrics; `p95Ms` is the 95th percentile of its latency. */
export function describeUpstream(node: UpstreamState, now: number) {
  const { upstream, height, heightAt, heightSince, answers, failures, unproved, unknownHeaderAt } =
    node
  const latenciesMs = node.latenciesMs.toSorted((a, b) => a - b)
  const p95Ms = latenciesMs[Math.ceil(latenciesMs.length * 0.95) - 1]
  const unavailableState = isTrusted(node, now) ? ('suspended' as const) : ('distrusted' as const)
  const state = isAvailable(node, now) ? ('able' as const) : unavailableState
  const { name } = upstream
  const counts = { answers, failures, unproved, callsToday: upstream.callsToday() }
  const methods = [...node.methods].map(([method, counts]) => ({ method, ...counts }))
  return { name, height, heightAt, heightSince, unknownHeaderAt, p95Ms, state, methods, ...counts }
}

export function recordHeight(state: UpstreamState, height: number | undefined, now: number): void {
  // A node that did not answer once may show the same height again.
  if (height !== undefined && height !== state.lastHeight) state.heightSince = now
  state.lastHeight = height ?? state.lastHeight
  state.height = height
  state.heightAt = height === undefined ? undefined : now
}

/** Tells whether a node is neither suspended for failures nor distrusted for an untrue answer. */
export function isAvailable(state: UpstreamState, now: number): boolean {
  return state.suspendedUntil <= now && isTrusted(state, now)
}

export function isTrusted({ distrustedUntil }: UpstreamState, now: number): boolean {
  return distrustedUntil <= now
}

/** Counts a call by its method, whether it succeeds or fails. */
export function recordCall({ methods }: UpstreamState, method: string, tookMs: number): void {
  const before = methods.get(method) ?? { calls: 0, tookMs: 0 }
  methods.set(method, { calls: before.calls + 1, tookMs: before.tookMs + tookMs })
}

export function recordAnswer(state: UpstreamState, tookMs: number): void {
  const { latencyMs } = state
  state.consecutiveFailures = 0
  state.latenciesMs[state.answers % maxRecentLatencies] = tookMs
  state.answers += 1
  state.latencyMs = latencyMs === undefined ? tookMs : latencyMs * 0.8 + tookMs * 0.2
}

export function recordFailure(state: UpstreamState, error: unknown, options: StateOptions): void {
  if (!(error instanceof TransportError)) return
  state.failures += 1
  suspend(state, 'node.failed', describeFault(error), options)
  // The node may come back as another client, or on another chain.
  state.identity = undefined
}

/** Forgets an old kind after an answer that does not fit it: another node may answer by now. */
export function forgetOldIdentity(state: UpstreamState, now: number): void {
  if (now - (state.identity?.identifiedAt ?? now) >= minIdentityAgeMs) state.identity = undefined
}

/** Suspends a node, since another one was faster. */
export function recordSlowness(state: UpstreamState, options: StateOptions): void {
  suspend(state, 'node.slow', 'another node was faster', options)
}

export function recordUntrueAnswer(
  state: UpstreamState,
  message: string,
  options: StateOptions,
): void {
  const now = options.clock.now()
  if (isTrusted(state, now)) logWarning(state, 'node.distrusted', message, options)
  forgetOldIdentity(state, now)
  state.distrustedUntil = now + distrustMs
  options.onUntrueAnswer()
}

/** Counts an unproved answer, and warns of a header of an unknown form. */
export function recordUnprovedAnswer(
  { name, unprovedReasons }: NodeAnswer<unknown>,
  options: StateOptions & { states: readonly UpstreamState[] },
): void {
  const state = options.states.find(({ upstream }) => upstream.name === name)
  if (state === undefined) return
  state.unproved += 1
  const now = options.clock.now()
  const isReportDue = now - (state.unknownHeaderAt ?? 0) >= reportIntervalMs
  if (!unprovedReasons.has('unknown_form') || !isReportDue) return
  state.unknownHeaderAt = now
  logWarning(state, 'node.unproved', 'a block has an unknown form', options)
}

/** Warns of a malformed answer. Does not suspend the node, since customers choose the calls. */
export function recordMalformedAnswer(
  state: UpstreamState,
  message: string,
  options: StateOptions,
): void {
  const now = options.clock.now()
  forgetOldIdentity(state, now)
  if (now - state.malformedReportedAt < reportIntervalMs) return
  state.malformedReportedAt = now
  logWarning(state, 'node.malformed', message, options)
}

function suspend(
  state: UpstreamState,
  event: string,
  message: string,
  options: StateOptions,
): void {
  const now = options.clock.now()
  const suspendForMs = Math.min(maxSuspensionMs, minSuspensionMs * 2 ** state.consecutiveFailures)
  state.consecutiveFailures += 1
  if (isAvailable(state, now)) logWarning(state, event, message, options)
  state.suspendedUntil = Math.max(state.suspendedUntil, now + suspendForMs)
}

function logWarning(
  { upstream }: UpstreamState,
  event: string,
  message: string,
  { log }: StateOptions,
) {
  log({ level: 'warn', event, message, node: upstream.name })
}
