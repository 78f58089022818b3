import { TransportError } from '../../chain/rpc.ts'
import type { Clock } from '../../runtime/clock.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import type { Upstream } from './http-upstream.ts'
import type { Profile, Told } from './node.ts'

/** Limits the last answers by which a node's speed is known. */
const keptAnswers = 100

/** Holds a node's kind, as far as it was asked, and when (Unix ms). */
export type NodeIdentity = { profile: Profile; at: number }

export type StandingOptions = {
  clock: Clock
  log: Log
  /** Is called when a node is proved wrong, since its earlier answers may be wrong too. */
  onLie: () => void
}

/** Limits how long a failed node is asked last; the time doubles with each further failure. */
const suspensionMs = 500
const longestSuspensionMs = 30_000

const distrustMs = 60_000

/** Limits reports of malformed answers to one in this time, in ms. */
const malformedMs = 60_000

/** Limits for how long a node's kind is believed when its answers do not fit it. */
const identityMs = 60_000

export type Standing = ReturnType<typeof newStanding>

export function newStanding(upstream: Upstream) {
  return {
    upstream,
    identity: undefined as NodeIdentity | undefined,
    suspendedUntil: 0,
    distrustedUntil: 0,
    malformedToldAt: Number.NEGATIVE_INFINITY,
    strikes: 0,
    latencyMs: undefined as number | undefined,
    height: undefined as number | undefined,
    heightAt: undefined as number | undefined,
    /** Holds the times of its last answers, in ms, in no order. */
    tookMs: [] as number[],
    answers: 0,
    failures: 0,
    /** Counts answers that nothing proves and that were believed. */
    believed: 0,
    /** Counts the calls of each method and adds their time in ms. */
    methods: new Map<string, { calls: number; tookMs: number }>(),
    /** Is when the node last showed a header of an unknown form (Unix ms). */
    unknownAt: undefined as number | undefined,
  }
}

/** Tells how a node is; `p95Ms` is the time within which 95 of 100 of its last answers came. */
export function describeStanding(standing: Standing, now: number) {
  const { upstream, height, heightAt, tookMs, answers, failures, believed, unknownAt } = standing
  const p95Ms = tookMs.toSorted((a, b) => a - b)[Math.ceil(tookMs.length * 0.95) - 1]
  const doubted = isTrusted(standing, now) ? ('suspended' as const) : ('distrusted' as const)
  const state = isAble(standing, now) ? ('able' as const) : doubted
  const callsToday = upstream.callsToday()
  const counts = { answers, failures, believed, callsToday }
  const methods = [...standing.methods].map(([method, taken]) => ({ method, ...taken }))
  return { name: upstream.name, height, heightAt, unknownAt, p95Ms, state, methods, ...counts }
}

export function noteHeight(standing: Standing, height: number | undefined, now: number): void {
  standing.height = height
  standing.heightAt = height === undefined ? undefined : now
}

/** Tells whether a node has neither failed nor lied lately. */
export function isAble(standing: Standing, now: number): boolean {
  return standing.suspendedUntil <= now && isTrusted(standing, now)
}

export function isTrusted({ distrustedUntil }: Standing, now: number): boolean {
  return distrustedUntil <= now
}

/** Counts a question by its method, whatever came of it. */
export function noteCall({ methods }: Standing, method: string, tookMs: number): void {
  const before = methods.get(method) ?? { calls: 0, tookMs: 0 }
  methods.set(method, { calls: before.calls + 1, tookMs: before.tookMs + tookMs })
}

export function noteAnswer(standing: Standing, tookMs: number): void {
  const { latencyMs } = standing
  standing.strikes = 0
  standing.tookMs[standing.answers % keptAnswers] = tookMs
  standing.answers += 1
  standing.latencyMs = latencyMs === undefined ? tookMs : latencyMs * 0.8 + tookMs * 0.2
}

export function noteFailure(standing: Standing, error: unknown, options: StandingOptions): void {
  if (!(error instanceof TransportError)) return
  standing.failures += 1
  suspend(standing, 'node.failed', describeFault(error), options)
  // It may come back as another client, or another chain.
  standing.identity = undefined
}

/** Forgets a node's kind, since its answers do not fit it: it was a lie, or has changed. */
export function doubtIdentity(standing: Standing, now: number): void {
  if (now - (standing.identity?.at ?? now) >= identityMs) standing.identity = undefined
}

/** Notes that another node was faster, so that this one is not waited for at once. */
export function noteSlowness(standing: Standing, options: StandingOptions): void {
  suspend(standing, 'node.slow', 'another node was faster', options)
}

export function noteLie(standing: Standing, message: string, options: StandingOptions): void {
  const now = options.clock.now()
  if (isTrusted(standing, now)) warn(standing, 'node.distrusted', message, options)
  doubtIdentity(standing, now)
  standing.distrustedUntil = now + distrustMs
  options.onLie()
}

/** Counts an answer that nothing proves, and reports headers of an unknown form. */
export function noteBelief(
  { name, doubts }: Told<unknown>,
  options: StandingOptions & { standings: readonly Standing[] },
): void {
  const standing = options.standings.find(({ upstream }) => upstream.name === name)
  if (standing === undefined) return
  standing.believed += 1
  const now = options.clock.now()
  if (!doubts.has('unknown') || now - (standing.unknownAt ?? 0) < malformedMs) return
  standing.unknownAt = now
  warn(standing, 'node.unproved', 'a block has a form that is not known', options)
}

/** Keeps a node's place: a customer chose the question, and nodes differ in unusual ones. */
export function noteMalformed(standing: Standing, message: string, options: StandingOptions): void {
  const now = options.clock.now()
  doubtIdentity(standing, now)
  if (now - standing.malformedToldAt < malformedMs) return
  standing.malformedToldAt = now
  warn(standing, 'node.malformed', message, options)
}

function suspend(
  standing: Standing,
  event: string,
  message: string,
  options: StandingOptions,
): void {
  const now = options.clock.now()
  const forMs = Math.min(longestSuspensionMs, suspensionMs * 2 ** standing.strikes)
  standing.strikes += 1
  if (isAble(standing, now)) warn(standing, event, message, options)
  standing.suspendedUntil = Math.max(standing.suspendedUntil, now + forMs)
}

function warn({ upstream }: Standing, event: string, message: string, { log }: StandingOptions) {
  log({ level: 'warn', event, message, node: upstream.name })
}
