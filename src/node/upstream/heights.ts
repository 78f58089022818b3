import { MalformedAnswer, TransportError } from '../../chain/rpc.ts'
import { cached } from '../../runtime/cached.ts'
import { runWithTimeLimit, withTimeLimit } from '../../runtime/clock.ts'
import { toQuantity } from '../objects/values.ts'
import {
  maxAttemptMs,
  type NodeWork,
  runOnNode,
  type UpstreamNode,
  type UpstreamsOptions,
} from './node.ts'
import { type ShownHead, showHead, type UpstreamState } from './upstream-state.ts'

const surveyIntervalMs = 1_000

const maxSlowNodeWaitMs = 400

/** Limits the age of a head that no node shows again, in ms: it was untrue or reorganized. */
const maxHeadAgeMs = 30_000

/** Sets how far above the head a height may be without a look at its block by number. */
const maxUnconfirmedLead = 2

type HeightsOptions = UpstreamsOptions & { states: readonly UpstreamState[] }

export function createHeights(options: HeightsOptions) {
  const { states, clock, waitUntil } = options
  let head: ShownHead | undefined

  const survey = cached(clock, surveyIntervalMs, async () => {
    const surveys = states.map((state) => surveyHeight(state, head, options))
    waitUntil(Promise.allSettled(surveys))
    // Waits for the first node, and then a little for the others.
    await Promise.any(surveys).catch(() => undefined)
    const answered = Promise.allSettled(surveys)
    await withTimeLimit(clock, maxSlowNodeWaitMs, answered, () => [])
    const now = clock.now()
    const number = findMaxHeight(states)
    if (number === undefined) return
    if (head === undefined || number >= head.number || now - head.shownAt > maxHeadAgeMs) {
      head = showHead(head, number, now)
    }
  })

  return {
    getHead: () => head,
    isBehind: ({ height }: UpstreamState): boolean =>
      head !== undefined && (height === undefined || height < head.number),
    /** Surveys the heights if that is due. A request waits for it only if no head is known yet. */
    async surveyIfDue(): Promise<void> {
      const surveyed = survey()
      if (head === undefined) await surveyed
      else waitUntil(surveyed)
    },
    /** Returns the latest block's number. @throws {TransportError} no node showed one for 30 s */
    async readSurveyedHead(): Promise<number> {
      await survey()
      if (head !== undefined && clock.now() - head.shownAt <= maxHeadAgeMs) return head.number
      throw new TransportError('no node has shown its latest block')
    },
    /** Records a node's latest block. @throws {TransportError} another node showed a newer one */
    recordHead({ name }: UpstreamNode, number: number): void {
      const headNumber = head?.number ?? 0
      states.find(({ upstream }) => upstream.name === name)?.recordHeight(number)
      const isAlone = states.length === 1
      if (!isAlone && number < headNumber) throw new TransportError(`${name} is behind`)
      // A higher number waits for the next survey, which checks the block by its number.
      const isConfirmed = isAlone || number <= headNumber + maxUnconfirmedLead
      if (isConfirmed) head = showHead(head, number, clock.now())
    },
  }
}

/** Returns the highest height. Suspended nodes count, so that slow calls do not stop the head. */
function findMaxHeight(states: readonly UpstreamState[]): number | undefined {
  const surveyed = states.filter(({ height }) => height !== undefined)
  const trusted = surveyed.filter(({ isTrusted }) => isTrusted())
  const heights = (trusted.length > 0 ? trusted : surveyed).map(({ height = 0 }) => height)
  return heights.length === 0 ? undefined : Math.max(...heights)
}

async function surveyHeight(
  state: UpstreamState,
  head: ShownHead | undefined,
  options: HeightsOptions,
): Promise<void> {
  const { clock, readBlockNumber } = options
  let signal: AbortSignal | undefined
  const work: NodeWork<number> = (node) => readConfirmedHeight(node, head, readBlockNumber)
  try {
    const { value: height } = await runWithTimeLimit(clock, maxAttemptMs / 2, (timeoutSignal) => {
      signal = timeoutSignal
      return runOnNode(state, work, timeoutSignal, options)
    })
    state.recordHeight(height)
  } catch (error) {
    state.recordHeight(undefined)
    // This call is simple and not a customer's, so a bad or late answer is the node's failure.
    if (error instanceof MalformedAnswer || signal?.aborted) state.recordFailure(error)
    throw error
  }
}

/** Reads a node's height. Far ahead of the head, the node must show that block by number too. */
async function readConfirmedHeight(
  node: UpstreamNode,
  head: ShownHead | undefined,
  readBlockNumber: HeightsOptions['readBlockNumber'],
): Promise<number> {
  const number = await readBlockNumber(node, 'latest')
  if (number === null) throw new MalformedAnswer('a node shows no latest block')
  if (head === undefined || number > head.number + maxUnconfirmedLead) {
    const confirmedNumber = await readBlockNumber(node, toQuantity(number))
    if (confirmedNumber === null)
      throw new MalformedAnswer('a node does not show the block at its height')
  }
  return number
}
