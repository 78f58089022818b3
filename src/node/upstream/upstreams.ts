import { RpcError, TransportError } from '../../chain/rpc.ts'
import { attemptInTime, handOver } from './attempt.ts'
import { createHeights, type HeightsOptions } from './heights.ts'
import type { Upstream } from './http-upstream.ts'
import { heightOf, type KnownOfNodes, type Nodes, type NodeWork, type Told } from './node.ts'
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
export type Upstreams = KnownOfNodes & {
  readonly during: (signal: AbortSignal) => Nodes
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
  const { head, isBehind, ...heights } = createHeights(options)

  /** Gives the nodes in the order in which they are asked; a single one twice, for a lost connection. */
  function candidates(): Standing[] {
    const [only] = standings
    if (only !== undefined && !several) return [only, only]
    const now = clock.now()
    const rank = (one: Standing): number => (isAble(one, now) ? 0 : 2) + (isBehind(one) ? 1 : 0)
    return standings.toSorted((a, b) => rank(a) - rank(b))
  }

  function during(signal: AbortSignal): Nodes {
    const ask: Nodes['ask'] = (work, among = () => true) => {
      const order = candidates().filter(({ upstream }) => among(upstream.name))
      return race(work, signal, { ...options, order, several, isBehind })
    }

    return {
      async ask(work, among) {
        if (several) await heights.freshen()
        return await ask(work, among)
      },
      async askTwo(work) {
        if (several) await heights.freshen()
        const now = clock.now()
        const able = candidates().filter((one) => isAble(one, now) && !isBehind(one))
        if (several && able.length > 1) {
          return await askBoth(able.slice(0, 2), work, signal, options)
        }
        return [await ask(async (node) => ({ name: node.name, value: await work(node) }))]
      },
      send: (raw, hash) =>
        sendToAll(
          standings.map((standing) => handOver(standing, raw, hash, signal, options)),
          background,
        ),
      async head() {
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
    sawHead: ({ name }, number) => (several ? heights.note(name, number) : heights.show(number)),
    distrust(name, why) {
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
