import { TransportError } from '../../chain/rpc.ts'
import { outcomeOf, runShared, type SharedWork } from '../../runtime/shared-work.ts'
import { withinTime } from '../../runtime/time-limit.ts'
import { MalformedAnswer } from '../objects/malformed-answer.ts'
import { toQuantity } from '../objects/values.ts'
import { type AttemptOptions, attempt, attemptMs } from './attempt.ts'
import type { UpstreamNode } from './node.ts'
import { isTrusted, noteFailure, noteHeight, type Standing } from './standing.ts'

/** How long the heights of several nodes are believed. */
const heightsMs = 1_000

/** Nodes that have not told their height so long after the first one are not waited for. */
const slowHeightMs = 400

/** A head that no node has shown for so long was never one, or its chain is gone. */
const headMs = 30_000

/** A height further than this above the others has to be shown by number too. */
const plausibleLead = 2

/** What several nodes have shown of their heights. Times are Unix ms. */
export type Heights = {
  head: { number: number; shownAt: number } | undefined
  surveyedAt: number
  survey: { startedAt: number; shared: SharedWork<void> } | undefined
}

export type HeightsOptions = AttemptOptions & {
  standings: readonly Standing[]
  /** The number of the block that a node shows for a selector; `null` when it shows none. */
  blockNumber: (node: UpstreamNode, selector: string) => Promise<number | null>
  /** Keeps the runtime alive for work that no request waits for. */
  background: (work: Promise<unknown>) => void
}

export function unknownHeights(): Heights {
  return { head: undefined, surveyedAt: Number.NEGATIVE_INFINITY, survey: undefined }
}

/** Whether a node is behind, or has not told its height yet while others have. */
export function isBehind({ height }: Standing, { head }: Heights): boolean {
  return head !== undefined && (height === undefined || height < head.number)
}

/** Looks at the heights when that is due; only the first requests wait for it. */
export async function freshenHeights(
  heights: Heights,
  signal: AbortSignal,
  options: HeightsOptions,
): Promise<void> {
  if (!isSurveyDue(heights, options)) return
  const running = surveyed(heights, signal, options)
  if (heights.head === undefined) await running
  else options.background(running)
}

/**
 * The number of the most recent block, looked at when that is due.
 *
 * @throws {TransportError} no node has shown one lately
 */
export async function surveyedHead(
  heights: Heights,
  signal: AbortSignal,
  options: HeightsOptions,
): Promise<number> {
  if (isSurveyDue(heights, options)) await surveyed(heights, signal, options)
  const { head } = heights
  if (head === undefined || options.clock.now() - head.shownAt > headMs) {
    throw new TransportError('no node told its height')
  }
  return head.number
}

/**
 * Notes the latest block that a node showed.
 *
 * @throws {TransportError} it is older than one that was shown before
 */
export function noteHead(
  heights: Heights,
  name: string,
  number: number,
  { standings, clock }: HeightsOptions,
): void {
  const known = heights.head?.number ?? 0
  const standing = standings.find(({ upstream }) => upstream.name === name)
  if (standing !== undefined) noteHeight(standing, number, clock.now())
  if (number < known) throw new TransportError(`${name} is behind`)
  // Higher ones wait for the next survey, which looks closer.
  if (number <= known + plausibleLead) heights.head = { number, shownAt: clock.now() }
}

/** The first survey is waited for by every request that comes while it runs: there is nothing before it. */
function isSurveyDue({ head, survey, surveyedAt }: Heights, { clock }: HeightsOptions): boolean {
  const isFirst = head === undefined && survey !== undefined
  return isFirst || clock.now() - surveyedAt >= heightsMs
}

async function surveyed(
  heights: Heights,
  signal: AbortSignal,
  options: HeightsOptions,
): Promise<void> {
  const { clock } = options
  const now = clock.now()
  const { survey } = heights
  // The survey of a caller who left may never end: neither wait for it without an end nor for long.
  if (survey !== undefined && now - survey.startedAt <= attemptMs) {
    await outcomeOf(survey.shared, clock, attemptMs, signal)
    return
  }
  const own = { startedAt: now, shared: { outcome: undefined } }
  heights.survey = own
  const ended = runShared(own.shared, () => surveyHeights(heights, options)).finally(() => {
    if (heights.survey === own) heights.survey = undefined
  })
  await Promise.race([ended, clock.sleep(attemptMs, signal)])
}

async function surveyHeights(heights: Heights, options: HeightsOptions): Promise<void> {
  const { standings, clock, background } = options
  heights.surveyedAt = clock.now()
  const told = standings.map((standing) => tellHeight(standing, heights, options))
  background(Promise.allSettled(told))
  await Promise.any(told).catch(() => undefined)
  await Promise.race([Promise.allSettled(told), clock.sleep(slowHeightMs)])
  const now = clock.now()
  const number = highest(standings, now)
  if (number === undefined) return
  const { head } = heights
  if (head === undefined || number >= head.number || now - head.shownAt > headMs) {
    heights.head = { number, shownAt: now }
  }
}

/** Suspended nodes count too: a customer whose questions take too long must not stop the head. */
function highest(standings: readonly Standing[], now: number): number | undefined {
  const known = standings.filter(({ height }) => height !== undefined)
  const trusted = known.filter((standing) => isTrusted(standing, now))
  const heights = (trusted.length > 0 ? trusted : known).map(({ height = 0 }) => height)
  return heights.length === 0 ? undefined : Math.max(...heights)
}

/** A node that does not tell its height has none, until it tells one again. */
async function tellHeight(
  standing: Standing,
  heights: Heights,
  options: HeightsOptions,
): Promise<void> {
  const ask = (node: UpstreamNode) => confirmedHeight(node, heights, options)
  let tookTooLong = false
  try {
    const height = await withinTime(options.clock, attemptMs / 2, (limit) => {
      limit.addEventListener('abort', () => {
        tookTooLong = true
      })
      return attempt(standing, ask, limit, options)
    })
    noteHeight(standing, height, options.clock.now())
  } catch (error) {
    noteHeight(standing, undefined, options.clock.now())
    // The service asks for a node's head, and no customer: a malformed or late answer is its failure.
    if (error instanceof MalformedAnswer || tookTooLong) noteFailure(standing, error, options)
    throw error
  }
}

/** A node's height; one that is far ahead of what is known has to be found by its number too. */
async function confirmedHeight(
  node: UpstreamNode,
  heights: Heights,
  { blockNumber }: HeightsOptions,
): Promise<number> {
  const number = await blockNumber(node, 'latest')
  if (number === null) throw new MalformedAnswer('a node shows no latest block')
  const { head } = heights
  if (head === undefined || number > head.number + plausibleLead) {
    const again = await blockNumber(node, toQuantity(number))
    if (again === null) throw new MalformedAnswer('a node does not show the block at its height')
  }
  return number
}
