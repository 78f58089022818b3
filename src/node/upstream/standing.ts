import { TransportError } from '../../chain/rpc.ts'
import type { Clock } from '../../runtime/clock.ts'
import { faultOf, type Log } from '../../runtime/log.ts'
import type { Upstream } from './http-upstream.ts'
import type { Profile, Told } from './node.ts'

/** So many of a node's last answers tell how long it takes. */
const keptAnswers = 100

/** What a node is, as far as it was asked, and when (Unix ms). */
export type NodeIdentity = { profile: Profile; at: number }

export type StandingOptions = {
  clock: Clock
  log: Log
  /** Told when a node is proved wrong: what it said before may be wrong too. */
  onLie: () => void
}

/** A node that failed is asked last for this long, twice as long after each further failure. */
const suspensionMs = 500
const longestSuspensionMs = 30_000

const distrustMs = 60_000

/** The operator is told no more often than this that a node's answers are malformed. */
const malformedMs = 60_000

/** What a node said that it is holds for so long where its answers do not go with it. */
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
    /** How long its last answers took, in ms, in no order. */
    tookMs: [] as number[],
    answers: 0,
    failures: 0,
    /** Counts answers that nothing proves and that were believed. */
    believed: 0,
    /** How often it was asked for each method, and how long that took in all (ms). */
    methods: new Map<string, { calls: number; tookMs: number }>(),
    /** When it showed a header of an unknown form last (Unix ms). */
    unknownAt: undefined as number | undefined,
  }
}

/** Tells how a node is; `p95Ms` is the time within which 95 of 100 of its last answers came. */
export function standingOf(standing: Standing, now: number) {
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

/** Whether a node has neither failed nor lied lately. */
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
  suspend(standing, 'node.failed', faultOf(error), options)
  // It may come back as another client, or another chain.
  standing.identity = undefined
}

/** Its answers do not go with what the node said that it is: that may have been a lie, or of another time. */
export function doubtIdentity(standing: Standing, now: number): void {
  if (now - (standing.identity?.at ?? now) >= identityMs) standing.identity = undefined
}

/** Another node was faster: the slow one is not waited for again at once. */
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

/** Counts an answer that nothing proves; the operator is told of headers whose form is not known. */
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
