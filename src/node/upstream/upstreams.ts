import type { Hex } from 'viem'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { attemptInTime, sendTo } from './attempt.ts'
import { createHeights, type HeightsOptions } from './heights.ts'
import type { Upstream } from './http-upstream.ts'
import { type NodeAnswer, type NodeWork, readHeight, type UpstreamNode } from './node.ts'
import { pickFailure, race } from './race.ts'
import {
  createUpstreamState,
  describeUpstream,
  isAble,
  recordLie,
  recordUnproved,
  type UpstreamState,
} from './upstream-state.ts'

/** Combines a network's nodes into one that keeps working while some of them fail. */
export type Upstreams = ReturnType<typeof createUpstreams>

/** Gives the work of one request access to the nodes. */
export type NodeAccess = Omit<Upstreams, 'withSignal' | 'describe'> &
  ReturnType<Upstreams['withSignal']> & {
    /** Tells whether the client has stopped waiting for the answer. */
    readonly isAborted: () => boolean
    /** Caches a proved value for good, an unproved one for a minute, and `null` not at all. */
    readonly cached: (
      key: string,
      kind: 'proved' | 'unproved',
      make: () => Promise<string | null>,
    ) => Promise<string | null>
  }

type UpstreamsOptions = Omit<HeightsOptions, 'states'> & {
  /** Tells whether two nodes must agree where nothing proves an answer. */
  compares: boolean
}

export function createUpstreams(upstreams: readonly Upstream[], rest: UpstreamsOptions) {
  const states = upstreams.map(createUpstreamState)
  const options = { ...rest, states }
  const { clock } = options
  const hasMultiple = states.length > 1
  const { head, isBehind, ...heights } = createHeights(options)
  const pool: Pool = { ...options, hasMultiple, isBehind, heights }

  return {
    withSignal: (signal: AbortSignal, onUnproved?: () => void) =>
      createAccess(signal, pool, onUnproved),
    /** Tells whether answers of two nodes are compared, so that both must read the same block. */
    compares: hasMultiple && rest.compares,
    knownHead: () => head()?.number,
    /** Records a node's latest block; with several nodes, throws if a newer one is known. */
    recordHead: ({ name }: UpstreamNode, number: number) =>
      hasMultiple ? heights.record(name, number) : heights.setHead(number),
    /** Asks a node last for a while, because an answer of it was proved wrong. */
    distrust(name: string, why: string): void {
      const state = states.find(({ upstream }) => upstream.name === name)
      if (state !== undefined) recordLie(state, why, options)
    },
    describe() {
      const nodes = states.map((state) => describeUpstream(state, clock.now()))
      if (hasMultiple) return nodes
      // A single node is never surveyed: its height is the last one that it answered.
      return nodes.map((node) => ({ ...node, height: head()?.number, heightAt: head()?.shownAt }))
    },
  }
}

type Heights = ReturnType<typeof createHeights>
type Pool = HeightsOptions &
  UpstreamsOptions &
  Pick<Heights, 'isBehind'> & { hasMultiple: boolean; heights: Omit<Heights, 'isBehind' | 'head'> }

/** Gives one request access to the nodes; calls `onUnproved` for each unproved answer. */
function createAccess(signal: AbortSignal, pool: Pool, onUnproved: () => void = () => {}) {
  const { states, hasMultiple, compares, isBehind, heights, clock, background } = pool

  /** Orders the nodes to ask; a single one comes twice, to retry after a lost connection. */
  function candidates(): UpstreamState[] {
    const [only] = states
    if (only !== undefined && !hasMultiple) return [only, only]
    const now = clock.now()
    const rank = (node: UpstreamState) => (isAble(node, now) ? 0 : 2) + (isBehind(node) ? 1 : 0)
    return states.toSorted((a, b) => rank(a) - rank(b))
  }

  function raceEligible<T>(
    work: NodeWork<T>,
    isEligible: (name: string) => boolean,
  ): Promise<NodeAnswer<T>> {
    const order = candidates().filter(({ upstream }) => isEligible(upstream.name))
    return race(work, signal, { ...pool, order })
  }

  /** Runs work on an eligible node, and on another one if it fails, lies or is slow. */
  async function ask<T>(
    work: NodeWork<T>,
    isEligible = (_name: string): boolean => true,
  ): Promise<T> {
    if (hasMultiple) await heights.refresh()
    const first = await raceEligible(work, isEligible)
    const { doubts } = first
    const isCompared = hasMultiple && (doubts.has('unknown') || (compares && doubts.size > 0))
    const answer = isCompared ? await agree(first, work, isEligible) : first
    if (answer.doubts.size > 0) {
      onUnproved()
      recordUnproved(answer, pool)
    }
    return answer.value
  }

  /** Returns a proved answer, or one that two nodes give; the first if no two nodes agree. */
  async function agree<T>(
    first: NodeAnswer<T>,
    work: NodeWork<T>,
    isEligible: (name: string) => boolean,
  ): Promise<NodeAnswer<T>> {
    const answers = [first]
    while (answers.length < states.length) {
      const isNotAsked = (name: string) =>
        isEligible(name) && answers.every((answer) => answer.name !== name)
      const next = await raceEligible(work, isNotAsked).catch(() => undefined)
      if (next === undefined) break
      const isProved = next.doubts.size === 0 && next.value !== null
      if (isProved || answers.some(({ value }) => isSame(value, next.value))) return next
      answers.push(next)
    }
    return first
  }

  return {
    ask,
    /** Runs work on up to two nodes that are at the head; returns at least one answer. */
    async askBoth<T>(work: NodeWork<T>): Promise<NodeAnswer<T>[]> {
      if (hasMultiple) await heights.refresh()
      const now = clock.now()
      const able = candidates().filter((one) => isAble(one, now) && !isBehind(one))
      if (hasMultiple && able.length > 1) return await askEach(able.slice(0, 2), work, signal, pool)
      return [await raceEligible(work, () => true)]
    },
    /** Sends a transaction to every node; throws if none accepts it, though one may have it. */
    send: (raw: Hex, hash: Hex) =>
      sendToAll(
        states.map((state) => sendTo(state, raw, hash, signal, pool)),
        background,
      ),
    /** Returns the latest block's number, which never goes back if there are several nodes. */
    async head(): Promise<number> {
      if (hasMultiple) return await heights.surveyedHead()
      const number = await ask(readHeight)
      heights.setHead(number)
      return number
    },
  }
}

/** Runs work on each node, and returns the answers; throws if every node fails. */
async function askEach<T>(
  states: readonly UpstreamState[],
  work: NodeWork<T>,
  signal: AbortSignal,
  options: HeightsOptions,
): Promise<NodeAnswer<T>[]> {
  const attempts = states.map((state) => attemptInTime(state, work, signal, options))
  const outcomes = await Promise.allSettled(attempts)
  const answers = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (answers.length > 0) return answers
  throw pickFailure(outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])))
}

/** Compares two answers as JSON, regardless of the order of an object's members. */
function isSame(one: unknown, other: unknown): boolean {
  const [text, otherText] = [one, other].map((value) =>
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ),
  )
  return text === otherText
}

/** Waits until one node accepts a transaction; the others get it in the background. */
async function sendToAll(
  sent: readonly Promise<void>[],
  background: (work: Promise<unknown>) => void,
): Promise<void> {
  background(Promise.allSettled(sent))
  try {
    await Promise.any(sent)
  } catch (error) {
    const failures: unknown[] = error instanceof AggregateError ? error.errors : [error]
    const unanswered = failures.find((failure) => !(failure instanceof RpcError))
    if (unanswered === undefined) throw failures[0]
    throw new TransportError('the transaction may have been sent', { cause: unanswered })
  }
}
