import { TransportError } from '../../chain/rpc.ts'
import { cached } from '../../runtime/cached.ts'
import { withinTime } from '../../runtime/time-limit.ts'
import { MalformedAnswer } from '../objects/bad-answers.ts'
import { toQuantity } from '../objects/values.ts'
import { type AttemptOptions, attempt, attemptMs } from './attempt.ts'
import type { NodeWork, UpstreamNode } from './node.ts'
import { isTrusted, noteFailure, noteHeight, type Standing } from './standing.ts'

const heightsMs = 1_000

/** Nodes that have not told their height so long after the first one are not waited for. */
const slowHeightMs = 400

/** Forgets a head that no node has shown for this time, in ms: it is gone, or was never one. */
const headMs = 30_000

/** Limits how far a height may lead the others before the node must show that block by number. */
const plausibleLead = 2

/** Holds the latest block that nodes have shown, and when (Unix ms). */
type Head = { number: number; shownAt: number }

export type HeightsOptions = AttemptOptions & {
  standings: readonly Standing[]
  /** Gives the number of the block that a node shows for a selector; `null` when it shows none. */
  blockNumber: (node: UpstreamNode, selector: string) => Promise<number | null>
  /** Keeps the runtime alive for work that no request waits for. */
  background: (work: Promise<unknown>) => void
}

/** Knows how far several nodes have come. */
export function createHeights(options: HeightsOptions) {
  const { standings, clock, background } = options
  let head: Head | undefined

  const survey = cached(clock, heightsMs, async () => {
    const told = standings.map((standing) => tellHeight(standing, head, options))
    background(Promise.allSettled(told))
    await Promise.any(told).catch(() => undefined)
    await Promise.race([Promise.allSettled(told), clock.sleep(slowHeightMs)])
    const now = clock.now()
    const number = highest(standings, now)
    if (number === undefined) return
    if (head === undefined || number >= head.number || now - head.shownAt > headMs) {
      head = { number, shownAt: now }
    }
  })

  return {
    head: () => head,
    show(number: number): void {
      head = { number, shownAt: clock.now() }
    },
    /** Tells whether a node is behind, or has not told its height yet while others have. */
    isBehind: ({ height }: Standing): boolean =>
      head !== undefined && (height === undefined || height < head.number),
    /** Looks at the heights when that is due; only the first requests wait for it. */
    async freshen(): Promise<void> {
      const surveyed = survey()
      if (head === undefined) await surveyed
      else background(surveyed)
    },
    /**
     * Returns the height of the latest block. @throws {TransportError} no node has shown a block
     * lately
     */
    async surveyedHead(): Promise<number> {
      await survey()
      if (head !== undefined && clock.now() - head.shownAt <= headMs) return head.number
      throw new TransportError('no node told its height')
    },
    /** Records a node's latest block. @throws {TransportError} it is older than one shown before */
    note(name: string, number: number): void {
      const known = head?.number ?? 0
      const standing = standings.find(({ upstream }) => upstream.name === name)
      if (standing !== undefined) noteHeight(standing, number, clock.now())
      if (number < known) throw new TransportError(`${name} is behind`)
      // Higher ones wait for the next survey, which looks closer.
      if (number <= known + plausibleLead) head = { number, shownAt: clock.now() }
    },
  }
}

/** Counts suspended nodes too: a customer whose questions take too long must not stop the head. */
function highest(standings: readonly Standing[], now: number): number | undefined {
  const known = standings.filter(({ height }) => height !== undefined)
  const trusted = known.filter((standing) => isTrusted(standing, now))
  const heights = (trusted.length > 0 ? trusted : known).map(({ height = 0 }) => height)
  return heights.length === 0 ? undefined : Math.max(...heights)
}

/** Asks a node for its height; a node that does not answer has none until it does. */
async function tellHeight(
  standing: Standing,
  head: Head | undefined,
  options: HeightsOptions,
): Promise<void> {
  const { clock, blockNumber } = options
  let tookTooLong = false
  const ask: NodeWork<number> = (node) => confirmedHeight(node, head, blockNumber)
  try {
    const { value: height } = await withinTime(clock, attemptMs / 2, (limit) => {
      limit.addEventListener('abort', () => {
        tookTooLong = true
      })
      return attempt(standing, ask, limit, options)
    })
    noteHeight(standing, height, clock.now())
  } catch (error) {
    noteHeight(standing, undefined, clock.now())
    // The service asks for a node's head, and no customer: a malformed or late answer is its
    // failure.
    if (error instanceof MalformedAnswer || tookTooLong) noteFailure(standing, error, options)
    throw error
  }
}

/** Reads a node's height; one that is far ahead must be found by its number, too. */
async function confirmedHeight(
  node: UpstreamNode,
  head: Head | undefined,
  blockNumber: HeightsOptions['blockNumber'],
): Promise<number> {
  const number = await blockNumber(node, 'latest')
  if (number === null) throw new MalformedAnswer('a node shows no latest block')
  if (head === undefined || number > head.number + plausibleLead) {
    const again = await blockNumber(node, toQuantity(number))
    if (again === null) throw new MalformedAnswer('a node does not show the block at its height')
  }
  return number
}
