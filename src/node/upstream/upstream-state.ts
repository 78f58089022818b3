import { TransportError } from '../../chain/rpc.ts'
import type { Clock } from '../../runtime/clock.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import type { Upstream } from './http-upstream.ts'

/** Names a node's kind. RSKj serves `rsk_*` methods, whose answers are built here for others. */
export type NodeKind = 'rskj' | 'ethereum'

/** Holds the highest known block, and when a node first and last showed it (Unix ms). */
export type ShownHead = { number: number; since: number; shownAt: number }

export const showHead = (
  before: ShownHead | undefined,
  number: number,
  shownAt: number,
): ShownHead => ({
  number,
  since: number === before?.number ? before.since : shownAt,
  shownAt,
})

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

const reportIntervalMs = 60_000

const minIdentityAgeMs = 60_000

const createReadings = (upstream: Upstream) => ({
  upstream,
  identity: undefined as NodeIdentity | undefined,
  latencyMs: undefined as number | undefined,
  /** Holds the height at the last survey; undefined if the node did not answer. */
  height: undefined as number | undefined,
  lastHead: undefined as ShownHead | undefined,
  /** Holds how long each of the latest answers took, in ms, in no order. */
  latenciesMs: [] as number[],
  answers: 0,
  failures: 0,
  unproved: 0,
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

  const state = {
    ...createReadings(upstream),
    isTrusted: () => distrustedUntil <= clock.now(),
    isAvailable: () => suspendedUntil <= clock.now() && state.isTrusted(),
    recordHeight(height: number | undefined): void {
      state.height = height
      // A node that did not answer once may show the same height again.
      if (height !== undefined) state.lastHead = showHead(state.lastHead, height, clock.now())
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
    recordSlowness: () => suspend('node.slow', 'another node was faster'),
    recordUntrueAnswer(message: string): void {
      if (state.isTrusted()) warn('node.distrusted', message)
      state.forgetOldIdentity()
      distrustedUntil = clock.now() + distrustMs
      onUntrueAnswer()
    },
    /** Counts an unproved answer, and warns of a header of an unknown form. */
    recordUnprovedAnswer(isFormUnknown: boolean): void {
      state.unproved += 1
      const isReportDue = clock.now() - (state.unknownHeaderAt ?? 0) >= reportIntervalMs
      if (!isFormUnknown || !isReportDue) return
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
  const { upstream, height, lastHead, answers, failures, unproved, unknownHeaderAt } = node
  const latenciesMs = node.latenciesMs.toSorted((a, b) => a - b)
  const unavailableState = node.isTrusted() ? ('suspended' as const) : ('distrusted' as const)
  return {
    label: upstream.name,
    height: height ?? null,
    heightAt: height === undefined ? undefined : lastHead?.shownAt,
    heightSince: lastHead?.since,
    unknownHeaderAt,
    p95Ms: latenciesMs[Math.ceil(latenciesMs.length * 0.95) - 1] ?? null,
    state: node.isAvailable() ? ('able' as const) : unavailableState,
    answers,
    failures,
    believed: unproved,
    callsToday: upstream.callsToday(),
  }
}
