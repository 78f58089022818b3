import type { Hex } from 'viem'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { attemptInTime, handOver } from './attempt.ts'
import { createHeights, type HeightsOptions } from './heights.ts'
import type { Upstream } from './http-upstream.ts'
import { type NodeWork, readHeight, type Told, type UpstreamNode } from './node.ts'
import { mostTelling, race } from './race.ts'
import {
  describeStanding,
  isAble,
  newStanding,
  noteBelief,
  noteLie,
  type Standing,
} from './standing.ts'

/** Uses the nodes of one network as if they were one that does not fail. */
export type Upstreams = ReturnType<typeof createUpstreams>

/** Gives the work of one request access to the nodes. */
export type NodeAccess = Omit<Upstreams, 'during' | 'standings'> &
  ReturnType<Upstreams['during']> & {
    /** Tells whether the client has stopped waiting for the answer. */
    readonly ended: () => boolean
    /** Makes once what can never change; keeps no `null`, and the unproved for a minute. */
    readonly cached: (
      key: string,
      kind: 'proved' | 'believed',
      make: () => Promise<string | null>,
    ) => Promise<string | null>
  }

type UpstreamsOptions = Omit<HeightsOptions, 'standings'> & {
  /** Tells whether two nodes must agree where nothing proves an answer. */
  compares: boolean
}

export function createUpstreams(upstreams: readonly Upstream[], rest: UpstreamsOptions) {
  const standings = upstreams.map(newStanding)
  const options = { ...rest, standings }
  const { clock } = options
  const several = standings.length > 1
  const { head, isBehind, ...heights } = createHeights(options)
  const pool: Pool = { ...options, several, isBehind, heights }

  return {
    during: (signal: AbortSignal, believed?: () => void) => askDuring(signal, pool, believed),
    /** Tells whether nodes are compared: then state has to be asked for of one block. */
    compares: several && rest.compares,
    knownHead: () => head()?.number,
    /** Notes a node's latest block; among several nodes throws if an earlier one was newer. */
    sawHead: ({ name }: UpstreamNode, number: number) =>
      several ? heights.note(name, number) : heights.show(number),
    /** Asks a node last for a while: it gave an answer that is proved wrong. */
    distrust(name: string, why: string): void {
      const standing = standings.find(({ upstream }) => upstream.name === name)
      if (standing !== undefined) noteLie(standing, why, options)
    },
    standings() {
      const told = standings.map((standing) => describeStanding(standing, clock.now()))
      if (several) return told
      // Of a single node no survey is made: its height is what it was last asked for.
      return told.map((one) => ({ ...one, height: head()?.number, heightAt: head()?.shownAt }))
    },
  }
}

type Heights = ReturnType<typeof createHeights>
type Pool = HeightsOptions &
  UpstreamsOptions &
  Pick<Heights, 'isBehind'> & { several: boolean; heights: Omit<Heights, 'isBehind' | 'head'> }

/** Gives the nodes to one request until it ends; `believed` is called for each unproved answer. */
function askDuring(signal: AbortSignal, pool: Pool, believed: () => void = () => {}) {
  const { standings, several, compares, isBehind, heights, clock, background } = pool

  /** Returns the nodes in the order of asking; a single one twice, for a lost connection. */
  function candidates(): Standing[] {
    const [only] = standings
    if (only !== undefined && !several) return [only, only]
    const now = clock.now()
    const rank = (one: Standing): number => (isAble(one, now) ? 0 : 2) + (isBehind(one) ? 1 : 0)
    return standings.toSorted((a, b) => rank(a) - rank(b))
  }

  function raceAmong<T>(work: NodeWork<T>, among: (name: string) => boolean): Promise<Told<T>> {
    const order = candidates().filter(({ upstream }) => among(upstream.name))
    return race(work, signal, { ...pool, order })
  }

  /** Runs work on one node of those named; on another when that one fails, lies or is slow. */
  async function ask<T>(work: NodeWork<T>, among = (_name: string): boolean => true): Promise<T> {
    if (several) await heights.freshen()
    const first = await raceAmong(work, among)
    const { doubts } = first
    const isCompared = several && (doubts.has('unknown') || (compares && doubts.size > 0))
    const told = isCompared ? await settle(first, work, among) : first
    if (told.doubts.size > 0) {
      believed()
      noteBelief(told, pool)
    }
    return told.value
  }

  /** Gives what another node proves, or says too; what was told first where no two agree. */
  async function settle<T>(
    first: Told<T>,
    work: NodeWork<T>,
    among: (name: string) => boolean,
  ): Promise<Told<T>> {
    const told = [first]
    while (told.length < standings.length) {
      const others = (name: string) => among(name) && told.every((one) => one.name !== name)
      const next = await raceAmong(work, others).catch(() => undefined)
      if (next === undefined) break
      const isProved = next.doubts.size === 0 && next.value !== null
      if (isProved || told.some(({ value }) => isSame(value, next.value))) return next
      told.push(next)
    }
    return first
  }

  return {
    ask,
    /** Runs the work on up to two nodes that are at the head; gives at least one answer. */
    async askBoth<T>(work: NodeWork<T>): Promise<Told<T>[]> {
      if (several) await heights.freshen()
      const now = clock.now()
      const able = candidates().filter((one) => isAble(one, now) && !isBehind(one))
      if (several && able.length > 1) return await askBoth(able.slice(0, 2), work, signal, pool)
      return [await raceAmong(work, () => true)]
    },
    /**
     * Hands bytes of this hash to every node; throws if none took it and one refused or was silent.
     */
    send: (raw: Hex, hash: Hex) =>
      sendToAll(
        standings.map((standing) => handOver(standing, raw, hash, signal, pool)),
        background,
      ),
    /** Gives the number of the most recent block. Among several nodes it never goes back. */
    async head(): Promise<number> {
      if (several) return await heights.surveyedHead()
      const number = await ask(readHeight)
      heights.show(number)
      return number
    },
  }
}

/** Gives the answers of two nodes, or of the one that gave one. */
async function askBoth<T>(
  standings: readonly Standing[],
  work: NodeWork<T>,
  signal: AbortSignal,
  options: HeightsOptions,
): Promise<Told<T>[]> {
  const attempts = standings.map((standing) => attemptInTime(standing, work, signal, options))
  const outcomes = await Promise.allSettled(attempts)
  const answers = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (answers.length > 0) return answers
  throw mostTelling(outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])))
}

/** Tells whether two answers say the same; nodes write an object's members in any order. */
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

/** Waits for one node that takes a transaction; the others are told in the background. */
async function sendToAll(
  sent: readonly Promise<void>[],
  background: (work: Promise<unknown>) => void,
): Promise<void> {
  background(Promise.allSettled(sent))
  try {
    await Promise.any(sent)
  } catch (error) {
    const failures: unknown[] = error instanceof AggregateError ? error.errors : [error]
    const lost = failures.find((failure) => !(failure instanceof RpcError))
    if (lost === undefined) throw failures[0]
    throw new TransportError('the transaction may have been sent', { cause: lost })
  }
}
