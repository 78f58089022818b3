import type { Hex } from 'viem'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { quantity } from '../objects/values.ts'
import { attemptInTime, handOver } from './attempt.ts'
import {
  freshenHeights,
  type Heights,
  type HeightsOptions,
  isBehind,
  noteHead,
  surveyedHead,
  unknownHeights,
} from './heights.ts'
import type { Upstream } from './http-upstream.ts'
import type { UpstreamNode } from './node.ts'
import { mostTelling, race } from './race.ts'
import {
  isAble,
  type NodeStanding,
  newStanding,
  noteLie,
  type Standing,
  standingOf,
} from './standing.ts'

/** The nodes behind one network, used as if they were one that does not fail. */
export type Upstreams = {
  /**
   * Runs reading work against one node; against another when that one fails, answers nonsense or is
   * slow. The first good answer counts. `among` says which nodes may be asked, by their names.
   *
   * @throws {RpcError} a node answered with an error object
   * @throws {TransportError} no node gave an answer
   */
  readonly ask: <T>(
    work: (node: UpstreamNode) => Promise<T>,
    signal: AbortSignal,
    among?: (name: string) => boolean,
  ) => Promise<T>
  /** Runs the work against up to two nodes that are at the head; at least one answer. */
  readonly askTwo: <T>(
    work: (node: UpstreamNode) => Promise<T>,
    signal: AbortSignal,
  ) => Promise<{ name: string; value: T }[]>
  /**
   * Hands a signed transaction to every node; one that takes it is enough. `hash` is the
   * transaction's own: a node that answers another one has not said that it took this one.
   *
   * @throws {RpcError} every node refused it
   * @throws {TransportError} none took it and at least one did not answer: it may have been sent
   */
  readonly send: (raw: Hex, hash: Hex, signal: AbortSignal) => Promise<void>
  /** The number of the most recent block. Among several nodes it never goes back. */
  readonly head: (signal: AbortSignal) => Promise<number>
  /** The highest block seen so far, without asking. */
  readonly knownHead: () => number | undefined
  /**
   * Notes the latest block that a node showed.
   *
   * @throws {TransportError} among several nodes: it is older than one that was shown before
   */
  readonly sawHead: (node: UpstreamNode, number: number) => void
  /** A node gave an answer that is proved wrong: for a while it is asked last. */
  readonly distrust: (name: string, why: string) => void
  readonly standings: () => readonly NodeStanding[]
}

export type UpstreamsOptions = Omit<HeightsOptions, 'standings'> & {
  upstreams: readonly Upstream[]
}

export function createUpstreams({ upstreams, ...rest }: UpstreamsOptions): Upstreams {
  const standings = upstreams.map(newStanding)
  const options: HeightsOptions = { ...rest, standings }
  const { clock, background } = options
  const several = standings.length > 1
  const heights = unknownHeights()

  /** The nodes in the order in which they are asked; a single one twice, for a lost connection. */
  function candidates(): Standing[] {
    const [only] = standings
    if (only !== undefined && !several) return [only, only]
    const now = clock.now()
    const rank = (one: Standing): number =>
      (isAble(one, now) ? 0 : 2) + (isBehind(one, heights) ? 1 : 0)
    return standings.toSorted((a, b) => rank(a) - rank(b))
  }

  function askFirst<T>(
    work: (node: UpstreamNode) => Promise<T>,
    signal: AbortSignal,
    among: (name: string) => boolean = () => true,
  ): Promise<T> {
    return race(work, signal, {
      ...options,
      order: candidates().filter(({ upstream }) => among(upstream.name)),
      several,
      isBehind: (standing) => isBehind(standing, heights),
    })
  }

  async function freshen(signal: AbortSignal): Promise<void> {
    if (several) await freshenHeights(heights, signal, options)
  }

  return {
    async ask(work, signal, among) {
      await freshen(signal)
      return await askFirst(work, signal, among)
    },

    async askTwo(work, signal) {
      await freshen(signal)
      const now = clock.now()
      const [first, second] = candidates().filter(
        (one) => isAble(one, now) && !isBehind(one, heights),
      )
      if (first === undefined || second === undefined || first === second) {
        return [
          await askFirst(async (node) => ({ name: node.name, value: await work(node) }), signal),
        ]
      }
      return await askBoth([first, second], work, signal, options)
    },

    send: (raw, hash, signal) =>
      sendToAll(
        standings.map((standing) => handOver(standing, raw, hash, signal, options)),
        background,
      ),

    async head(signal) {
      if (several) return await surveyedHead(heights, signal, options)
      const number = await askFirst(readHeight, signal)
      heights.head = { number, shownAt: clock.now() }
      return number
    },

    knownHead: () => heights.head?.number,

    sawHead(node, number) {
      if (several) noteHead(heights, node.name, number, options)
      else heights.head = { number, shownAt: clock.now() }
    },

    distrust(name, why) {
      const standing = standings.find(({ upstream }) => upstream.name === name)
      if (standing !== undefined) noteLie(standing, why, options)
    },

    standings: () => standingsOf(standings, heights, clock.now()),
  }
}

/** Of a single node no survey is made: its height is what it was last asked for. */
function standingsOf(standings: readonly Standing[], { head }: Heights, now: number) {
  const told = standings.map((standing) => standingOf(standing, now))
  if (told.length > 1) return told
  return told.map((one) => ({ ...one, height: head?.number, heightAt: head?.shownAt }))
}

/** The answers of two nodes, or of the one that gave one. */
async function askBoth<T>(
  standings: readonly Standing[],
  work: (node: UpstreamNode) => Promise<T>,
  signal: AbortSignal,
  options: HeightsOptions,
): Promise<{ name: string; value: T }[]> {
  const attempts = standings.map(async (standing) => ({
    name: standing.upstream.name,
    value: await attemptInTime(standing, work, signal, options),
  }))
  const outcomes = await Promise.allSettled(attempts)
  const answers = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (answers.length > 0) return answers
  throw mostTelling(outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])))
}

/** One node that takes a transaction is enough; the others are told in the background. */
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

async function readHeight(node: UpstreamNode): Promise<number> {
  return Number(await node.call('eth_blockNumber', [], quantity))
}
