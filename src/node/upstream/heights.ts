import { TransportError } from '../../chain/rpc.ts'
import { cached } from '../../runtime/cached.ts'
import { runWithTimeLimit } from '../../runtime/time-limit.ts'
import { MalformedAnswer } from '../objects/bad-answers.ts'
import { toQuantity } from '../objects/values.ts'
import { type AttemptOptions, attempt, attemptMs } from './attempt.ts'
import type { NodeWork, UpstreamNode } from './node.ts'
import { isTrusted, recordFailure, recordHeight, type UpstreamState } from './upstream-state.ts'

const surveyMs = 1_000

/** Limits the wait for further heights after the first one, in ms. */
const slowNodeMs = 400

/** Sets after how long an unconfirmed head is dropped, in ms: a lie, or reorganized away. */
const headExpiresMs = 30_000

/** Limits the lead of a height for which a node need not show the block by number. */
const maxUnconfirmedLead = 2

/** The highest known block, and when a node last showed it (Unix ms). */
type Head = { number: number; shownAt: number }

export type HeightsOptions = AttemptOptions & {
  states: readonly UpstreamState[]
  /** Reads the number of a node's block for a selector; returns `null` if it has no block. */
  readBlockNumber: (node: UpstreamNode, selector: string) => Promise<number | null>
  /** Keeps the runtime alive for work that no request waits for (`waitUntil`). */
  background: (work: Promise<unknown>) => void
}

/** Tracks the heights of all nodes and the highest one. */
export function createHeights(options: HeightsOptions) {
  const { states, clock, background } = options
  let head: Head | undefined

  const survey = cached(clock, surveyMs, async () => {
    const surveys = states.map((state) => surveyHeight(state, head, options))
    background(Promise.allSettled(surveys))
    await Promise.any(surveys).catch(() => undefined)
    await Promise.race([Promise.allSettled(surveys), clock.sleep(slowNodeMs)])
    const now = clock.now()
    const number = findHighest(states, now)
    if (number === undefined) return
    if (head === undefined || number >= head.number || now - head.shownAt > headExpiresMs) {
      head = { number, shownAt: now }
    }
  })

  return {
    head: () => head,
    setHead(number: number): void {
      head = { number, shownAt: clock.now() }
    },
    /** Tells whether a node is behind the head, or has no known height. */
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
    async readSurveyedHead(): Promise<number> {
      await survey()
      if (head !== undefined && clock.now() - head.shownAt <= headExpiresMs) return head.number
      throw new TransportError('no node answered its height')
    },
    /** Records a node's latest block. @throws {TransportError} it is older than one shown before */
    record(name: string, number: number): void {
      const headNumber = head?.number ?? 0
      const state = states.find(({ upstream }) => upstream.name === name)
      if (state !== undefined) recordHeight(state, number, clock.now())
      if (number < headNumber) throw new TransportError(`${name} is behind`)
      // A higher number waits for the next survey, which checks the block by its number.
      if (number <= headNumber + maxUnconfirmedLead) head = { number, shownAt: clock.now() }
    },
  }
}

/** Returns the highest height, of suspended nodes too: slow calls must not stop the head. */
function findHighest(states: readonly UpstreamState[], now: number): number | undefined {
  const surveyed = states.filter(({ height }) => height !== undefined)
  const trusted = surveyed.filter((state) => isTrusted(state, now))
  const heights = (trusted.length > 0 ? trusted : surveyed).map(({ height = 0 }) => height)
  return heights.length === 0 ? undefined : Math.max(...heights)
}

/** Records a node's height, or that the height is unknown. */
async function surveyHeight(
  state: UpstreamState,
  head: Head | undefined,
  options: HeightsOptions,
): Promise<void> {
  const { clock, readBlockNumber } = options
  let isTimedOut = false
  const ask: NodeWork<number> = (node) => readConfirmedHeight(node, head, readBlockNumber)
  try {
    const { value: height } = await runWithTimeLimit(clock, attemptMs / 2, (timeLimit) => {
      timeLimit.addEventListener('abort', () => {
        isTimedOut = true
      })
      return attempt(state, ask, timeLimit, options)
    })
    recordHeight(state, height, clock.now())
  } catch (error) {
    recordHeight(state, undefined, clock.now())
    // The service itself asked for the head, so a malformed or late answer is the node's failure.
    if (error instanceof MalformedAnswer || isTimedOut) recordFailure(state, error, options)
    throw error
  }
}

/** Reads a node's height; far ahead of the head, the node must show that block by number. */
async function readConfirmedHeight(
  node: UpstreamNode,
  head: Head | undefined,
  readBlockNumber: HeightsOptions['readBlockNumber'],
): Promise<number> {
  const number = await readBlockNumber(node, 'latest')
  if (number === null) throw new MalformedAnswer('a node shows no latest block')
  if (head === undefined || number > head.number + maxUnconfirmedLead) {
    const sameHeight = await readBlockNumber(node, toQuantity(number))
    if (sameHeight === null)
      throw new MalformedAnswer('a node does not show the block at its height')
  }
  return number
}
