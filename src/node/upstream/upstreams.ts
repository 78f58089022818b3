import type { Hex } from 'viem'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { attemptInTime, handOver } from './attempt.ts'
import { createHeights, type HeightsOptions } from './heights.ts'
import type { Upstream } from './http-upstream.ts'
import { heightOf, type NodeWork, type Told, type UpstreamNode } from './node.ts'
import { mostTelling, race } from './race.ts'
import { isAble, newStanding, noteLie, type Standing, standingOf } from './standing.ts'

/** The nodes behind one network, used as if they were one that does not fail. */
export type Upstreams = ReturnType<typeof createUpstreams>

/** What the work of one request may ask of the nodes. */
export type NodeAccess = Omit<Upstreams, 'during' | 'standings'> &
  ReturnType<Upstreams['during']> & {
    /** Tells whether the client has stopped waiting for the answer. */
    readonly ended: () => boolean
    /** Makes something once that can never change; `null` is not kept. */
    readonly once: (key: string, make: () => Promise<string | null>) => Promise<string | null>
  }

export function createUpstreams(
  upstreams: readonly Upstream[],
  rest: Omit<HeightsOptions, 'standings'>,
) {
  const standings = upstreams.map(newStanding)
  const options: HeightsOptions = { ...rest, standings }
  const { clock, background } = options
  const several = standings.length > 1
  const { head, isBehind, ...heights } = createHeights(options)

  /** Gives the nodes in the order in which they are asked; a single one twice, for a lost connection. */
  function candidates(): Standing[] {
    const [only] = standings
    if (only !== undefined && !several) return [only, only]
    const now = clock.now()
    const rank = (one: Standing): number => (isAble(one, now) ? 0 : 2) + (isBehind(one) ? 1 : 0)
    return standings.toSorted((a, b) => rank(a) - rank(b))
  }

  /** The nodes for as long as one request waits. */
  function during(signal: AbortSignal) {
    /** Runs work on one node of those named; on another when that one fails, lies or is slow. */
    async function ask<T>(work: NodeWork<T>, among = (_name: string): boolean => true): Promise<T> {
      if (several) await heights.freshen()
      const order = candidates().filter(({ upstream }) => among(upstream.name))
      return await race(work, signal, { ...options, order, several, isBehind })
    }

    return {
      ask,
      /** Runs the work on up to two nodes that are at the head; gives at least one answer. */
      async askTwo<T>(work: NodeWork<T>): Promise<Told<T>[]> {
        if (several) await heights.freshen()
        const now = clock.now()
        const able = candidates().filter((one) => isAble(one, now) && !isBehind(one))
        if (several && able.length > 1) {
          return await askBoth(able.slice(0, 2), work, signal, options)
        }
        return [await ask(async (node) => ({ name: node.name, value: await work(node) }))]
      },
      /** Hands bytes of this hash to every node: throws if all refuse, or none took it and one is silent. */
      send: (raw: Hex, hash: Hex) =>
        sendToAll(
          standings.map((standing) => handOver(standing, raw, hash, signal, options)),
          background,
        ),
      /** Gives the number of the most recent block. Among several nodes it never goes back. */
      async head(): Promise<number> {
        if (several) return await heights.surveyedHead()
        const number = await ask(heightOf)
        heights.show(number)
        return number
      },
    }
  }

  return {
    during,
    knownHead: () => head()?.number,
    /** Notes the latest block that a node showed; among several, throws where an earlier one was newer. */
    sawHead: ({ name }: UpstreamNode, number: number) =>
      several ? heights.note(name, number) : heights.show(number),
    /** Asks a node last for a while: it gave an answer that is proved wrong. */
    distrust(name: string, why: string): void {
      const standing = standings.find(({ upstream }) => upstream.name === name)
      if (standing !== undefined) noteLie(standing, why, options)
    },
    standings() {
      const told = standings.map((standing) => standingOf(standing, clock.now()))
      if (several) return told
      // Of a single node no survey is made: its height is what it was last asked for.
      return told.map((one) => ({ ...one, height: head()?.number, heightAt: head()?.shownAt }))
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
  const attempts = standings.map(async (standing) => ({
    name: standing.upstream.name,
    value: await attemptInTime(standing, work, signal, options),
  }))
  const outcomes = await Promise.allSettled(attempts)
  const answers = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (answers.length > 0) return answers
  throw mostTelling(outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])))
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
