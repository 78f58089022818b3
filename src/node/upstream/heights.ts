import { TransportError } from '../../chain/rpc.ts'
import { cached } from '../../runtime/cached.ts'
import { withinTime } from '../../runtime/time-limit.ts'
import { MalformedAnswer } from '../objects/bad-answers.ts'
import { toQuantity } from '../objects/values.ts'
import { type AttemptOptions, attempt, attemptMs } from './attempt.ts'
import type { NodeWork, UpstreamNode } from './node.ts'
import { isTrusted, recordFailure, recordHeight, type UpstreamState } from './upstream-state.ts'

const heightsMs = 1_000

/** Limits the wait for further heights after the first one, in ms. */
const slowHeightMs = 400

/** Sets when a head that no node shows is dropped, in ms: it was reorganized away, or a lie. */
const headMs = 30_000

/** Limits how far a height may lead before the node must also show that block by number. */
const plausibleLead = 2

/** Holds the highest known block, and when a node last showed it (Unix ms). */
type Head = { number: number; shownAt: number }

export type HeightsOptions = AttemptOptions & {
  states: readonly UpstreamState[]
  /** Reads the number of the block that a node shows for a selector; `null` if there is none. */
  blockNumber: (node: UpstreamNode, selector: string) => Promise<number | null>
  /** Keeps the runtime alive for work that no request waits for (`waitUntil`). */
  background: (work: Promise<unknown>) => void
}

/** Tracks the heights of all nodes and the highest one. */
export function createHeights(options: HeightsOptions) {
  const { states, clock, background } = options
  let head: Head | undefined

  const survey = cached(clock, heightsMs, async () => {
    const surveys = states.map((state) => surveyHeight(state, head, options))
    background(Promise.allSettled(surveys))
    await Promise.any(surveys).catch(() => undefined)
    await Promise.race([Promise.allSettled(surveys), clock.sleep(slowHeightMs)])
    const now = clock.now()
    const number = highest(states, now)
    if (number === undefined) return
    if (head === undefined || number >= head.number || now - head.shownAt > headMs) {
      head = { number, shownAt: now }
    }
  })

  return {
    head: () => head,
    setHead(number: number): void {
      head = { number, shownAt: clock.now() }
    },
    /** Tells whether a node is behind the head, or has shown no height while others have. */
    isBehind: ({ height }: UpstreamState): boolean =>
      head !== undefined && (height === undefined || height < head.number),
    /** Surveys the heights if that is due; requests wait only until the first head is known. */
    async refresh(): Promise<void> {
      const surveyed = survey()
      if (head === undefined) await surveyed
      else background(surveyed)
    },
    /**
     * Returns the latest block's number.
     * @throws {TransportError} no node has shown a block within 30 s
     */
    async surveyedHead(): Promise<number> {
      await survey()
      if (head !== undefined && clock.now() - head.shownAt <= headMs) return head.number
      throw new TransportError('no node told its height')
    },
    /** Records a node's latest block. @throws {TransportError} it is older than one shown before */
    record(name: string, number: number): void {
      const known = head?.number ?? 0
      const state = states.find(({ upstream }) => upstream.name === name)
      if (state !== undefined) recordHeight(state, number, clock.now())
      if (number < known) throw new TransportError(`${name} is behind`)
      // A higher number waits for the next survey, which checks the block by its number.
      if (number <= known + plausibleLead) head = { number, shownAt: clock.now() }
    },
  }
}

/** Includes suspended nodes, since a customer's slow calls must not stop the head. */
function highest(states: readonly UpstreamState[], now: number): number | undefined {
  const known = states.filter(({ height }) => height !== undefined)
  const trusted = known.filter((state) => isTrusted(state, now))
  const heights = (trusted.length > 0 ? trusted : known).map(({ height = 0 }) => height)
  return heights.length === 0 ? undefined : Math.max(...heights)
}

/** Asks a node for its height, which is unknown until the node answers. */
async function surveyHeight(
  state: UpstreamState,
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
      return attempt(state, ask, limit, options)
    })
    recordHeight(state, height, clock.now())
  } catch (error) {
    recordHeight(state, undefined, clock.now())
    // The service itself asked for the head, so a malformed or late answer is the node's failure.
    if (error instanceof MalformedAnswer || tookTooLong) recordFailure(state, error, options)
    throw error
  }
}

/** Reads a node's height; far ahead of the others, the node must show the block by number too. */
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
