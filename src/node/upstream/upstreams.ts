import type { Hex } from 'viem'
import { isRefusal, waitForVerdict } from '../../chain/refusals.ts'
import { type OnUnproved, RpcError, TransportError } from '../../chain/rpc.ts'
import { createSleepEnd, waitEnded } from '../../runtime/clock.ts'
import { codes } from '../codes.ts'
import { createHeights } from './heights.ts'
import type { Upstream } from './http-upstream.ts'
import {
  type NodeAnswer,
  type NodeWork,
  readHeight,
  runOnNode,
  runOnNodeWithTimeLimit,
  sendToNode,
  type UpstreamsOptions,
} from './node.ts'
import { createUpstreamState, describeUpstream, type UpstreamState } from './upstream-state.ts'

export type Upstreams = ReturnType<typeof createUpstreams>

export type NodeAccess = Omit<Upstreams, 'withSignal' | 'describe'> &
  ReturnType<Upstreams['withSignal']> & {
    /** Tells whether the client has stopped waiting for the answer. */
    readonly isAborted: () => boolean
    /** Caches a proved value for good, an unproved one for a minute, and `null` not at all. */
    readonly getOrCompute: (
      key: string,
      kind: 'proved' | 'unproved',
      compute: () => Promise<string | null>,
    ) => Promise<string | null>
  }

function createGroup(upstreams: readonly Upstream[], options: UpstreamsOptions) {
  const states = upstreams.map((upstream) => createUpstreamState(upstream, options))
  const heights = createHeights({ ...options, states })
  return { ...options, states, hasMultiple: states.length > 1, ...heights }
}

type UpstreamGroup = ReturnType<typeof createGroup>

const findState = ({ states }: UpstreamGroup, name: string) =>
  states.find(({ upstream }) => upstream.name === name)

export function createUpstreams(upstreams: readonly Upstream[], options: UpstreamsOptions) {
  const group = createGroup(upstreams, options)
  const { states, hasMultiple, comparesAnswers, getHead } = group

  return {
    withSignal: (signal: AbortSignal, onUnproved?: OnUnproved) =>
      createAccess(signal, group, onUnproved),
    /** Tells whether answers are compared. Then both nodes must read the same block. */
    comparesAnswers: hasMultiple && comparesAnswers,
    getKnownHead: () => getHead()?.number,
    recordHead: group.recordHead,
    /** Ranks a node last for a while, because one of its answers was proved wrong. */
    distrust(name: string, reason: string): void {
      findState(group, name)?.recordUntrueAnswer(reason)
    },
    describe: () => states.map(describeUpstream),
  }
}

type IsEligible = (name: string) => boolean

/** Lists the nodes in the order in which they are asked. A single node is asked twice. */
function rankNodes({ states, hasMultiple, isBehind }: UpstreamGroup): UpstreamState[] {
  if (!hasMultiple) return [...states, ...states]
  const getRank = (state: UpstreamState) =>
    (state.isAvailable() ? 0 : 2) + (isBehind(state) ? 1 : 0)
  return states.toSorted((a, b) => getRank(a) - getRank(b))
}

/** Creates the access to the nodes for one request. Calls `onUnproved` for each unproved answer. */
function createAccess(
  signal: AbortSignal,
  group: UpstreamGroup,
  onUnproved: OnUnproved = () => {},
) {
  const { states, hasMultiple, comparesAnswers, isBehind } = group

  function raceEligible<T>(work: NodeWork<T>, isEligible: IsEligible): Promise<NodeAnswer<T>> {
    const order = rankNodes(group).filter(({ upstream }) => isEligible(upstream.name))
    return raceNodes(work, signal, { ...group, order })
  }

  /** Runs work on an eligible node, and on the next one if that fails, is untrue or is slow. */
  async function ask<T>(work: NodeWork<T>, isEligible: IsEligible = () => true): Promise<T> {
    if (hasMultiple) await group.surveyIfDue()
    const firstAnswer = await raceEligible(work, isEligible)
    const reasons = firstAnswer.unprovedReasons
    const isUnprovable = comparesAnswers && reasons.size > 0
    const isUnknown = reasons.has('unknown_form')
    const isCompared = hasMultiple && (isUnknown || isUnprovable)
    const agreed = isCompared ? await findAgreedAnswer(firstAnswer, work, isEligible) : undefined
    const answer = agreed ?? firstAnswer
    if (answer.unprovedReasons.size > 0) {
      onUnproved(hasMultiple && isUnknown && agreed === undefined)
      const isFormUnknown = answer.unprovedReasons.has('unknown_form')
      findState(group, answer.name)?.recordUnprovedAnswer(isFormUnknown)
    }
    return answer.value
  }

  /** Returns a proved answer, else one that two nodes give; undefined without either. */
  async function findAgreedAnswer<T>(
    firstAnswer: NodeAnswer<T>,
    work: NodeWork<T>,
    isEligible: IsEligible,
  ): Promise<NodeAnswer<T> | undefined> {
    const answers = [firstAnswer]
    while (answers.length < states.length) {
      const isUnasked = (name: string) =>
        isEligible(name) && answers.every((answer) => answer.name !== name)
      const next = await raceEligible(work, isUnasked).catch(() => undefined)
      if (next === undefined) break
      const isProved = next.unprovedReasons.size === 0 && next.value !== null
      if (isProved || answers.some(({ value }) => isSameAnswer(value, next.value))) return next
      answers.push(next)
    }
    return undefined
  }

  return {
    ask,
    /** Runs work on two eligible nodes at the head, or on one node if there are fewer. */
    async askUpToTwo<T>(work: NodeWork<T>, isEligible: IsEligible): Promise<NodeAnswer<T>[]> {
      if (hasMultiple) await group.surveyIfDue()
      const isAtHead = (node: UpstreamState) =>
        isEligible(node.upstream.name) && node.isAvailable() && !isBehind(node)
      const pair = hasMultiple ? rankNodes(group).filter(isAtHead).slice(0, 2) : []
      if (pair.length === 2) return await gatherAnswers(pair, 2, work, signal, group)
      return [await raceEligible(work, isEligible)]
    },
    /** Runs work on every node, and returns the answers in time; throws if every node fails. */
    async askAll<T>(work: NodeWork<T>): Promise<T[]> {
      if (!hasMultiple) return [await ask(work)]
      const available = states.filter((node) => node.isAvailable())
      const asked = available.length > 0 ? available : states
      const answers = await gatherAnswers(asked, countMajority(states), work, signal, group)
      return answers.map(({ value }) => value)
    },
    /** Sends a transaction to every node; throws if none accepts it, although one may have it. */
    sendTransaction(rawTransaction: Hex, hash: Hex): Promise<void> {
      const attempts = states.map((state) => sendToNode(state, rawTransaction, hash, signal, group))
      group.waitUntil(Promise.allSettled(attempts))
      return waitForVerdict(attempts, group.clock.sleep)
    },
    /** Returns the latest block's number. With several nodes it never falls. */
    async readHead(): Promise<number> {
      if (hasMultiple) return await group.readSurveyedHead()
      return await ask(async (node) => {
        const number = await readHeight(node)
        group.recordHead(node, number)
        return number
      })
    },
  }
}

/** Limits the wait for other nodes once a majority of all has answered, in ms. */
const maxMinorityWaitMs = 200

/** Runs work on nodes at once; returns the answers of a quorum, and of others that are fast. */
async function gatherAnswers<T>(
  states: readonly UpstreamState[],
  quorum: number,
  work: NodeWork<T>,
  signal: AbortSignal,
  options: UpstreamGroup,
): Promise<NodeAnswer<T>[]> {
  const answers = new Map<UpstreamState, NodeAnswer<T>>()
  const failures: unknown[] = []
  const hasQuorum = Promise.withResolvers<void>()
  const attempts = states.map(async (state) => {
    await runOnNodeWithTimeLimit(state, work, signal, options).then(
      (answer) => answers.set(state, answer),
      (error: unknown) => failures.push(error),
    )
    if (answers.size >= quorum) hasQuorum.resolve()
  })
  const all = Promise.all(attempts)
  options.waitUntil(all)
  const isLate = hasQuorum.promise.then(() => options.clock.sleep(maxMinorityWaitMs))
  await Promise.race([all, isLate])
  if (answers.size === 0) throw pickFailure(failures)
  return states.flatMap((state) => answers.get(state) ?? [])
}

const countMajority = ({ length }: readonly unknown[]): number => Math.floor(length / 2) + 1

/** Compares two answers as JSON, regardless of the order of an object's members. */
function isSameAnswer(answer: unknown, otherAnswer: unknown): boolean {
  const [text, otherText] = [answer, otherAnswer].map((value) =>
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    ),
  )
  return text === otherText
}

/** Sets how long a node may be silent before the next is asked: a multiple of its usual latency. */
const hedgeDelay = { latencies: 4, minMs: 100, maxMs: 1_000 }

type RaceOptions = UpstreamGroup & { order: readonly UpstreamState[] }

/** Runs work on the nodes in turn until one answers. After `null`, the next node is asked too. */
function raceNodes<T>(
  work: NodeWork<T>,
  signal: AbortSignal,
  options: RaceOptions,
): Promise<NodeAnswer<T>> {
  const { order, hasMultiple, isBehind, clock } = options
  const race = Promise.withResolvers<NodeAnswer<T>>()
  const settled = createSleepEnd()
  // The only attempt has nothing to end: an abort costs as much as the parsing of its answer.
  const attempts = hasMultiple ? new AbortController() : undefined
  const attemptSignal = attempts ? AbortSignal.any([signal, attempts.signal]) : signal
  const failures: unknown[] = []
  let startedCount = 0
  let runningCount = 0
  let nullAnswer: { answer: NodeAnswer<T>; isBehind: boolean } | undefined

  function settle(outcome: NodeAnswer<T> | Error): void {
    if (outcome instanceof Error) race.reject(outcome)
    else race.resolve(outcome)
    settled.end()
    attempts?.abort(waitEnded)
  }

  function startNext(): boolean {
    const state = order[startedCount]
    if (state === undefined || settled.signal.aborted || signal.aborted) return false
    startedCount += 1
    runningCount += 1
    const startedAt = clock.now()
    const run = hasMultiple ? runOnNodeWithTimeLimit : runOnNode
    run(state, work, attemptSignal, options).then(
      (answer) => handleAnswer(state, answer),
      (error: unknown) => handleFailure(state, startedAt, error),
    )
    if (hasMultiple) void startNextAfterDelay(state)
    return true
  }

  /** Starts the next node, or settles with `null` or a failure once every node was asked. */
  function startNextOrEnd(): void {
    if (startNext() || runningCount > 0) return
    // A node behind the head lacks the newest blocks, so its `null` counts if no other failed.
    const isConclusive = failures.length === 0 || nullAnswer?.isBehind === false
    settle((isConclusive ? nullAnswer?.answer : undefined) ?? pickFailure(failures))
  }

  function handleAnswer(state: UpstreamState, answer: NodeAnswer<T>): void {
    runningCount -= 1
    if (answer.value === null && hasMultiple && (nullAnswer?.isBehind ?? true)) {
      nullAnswer = { answer, isBehind: isBehind(state) }
      startNextOrEnd()
    } else settle(answer)
  }

  function handleFailure(state: UpstreamState, startedAt: number, error: unknown): void {
    runningCount -= 1
    if (settled.signal.aborted) {
      if (clock.now() - startedAt >= hedgeDelay.minMs) state.recordSlowness()
    } else if (error instanceof RpcError && !(canOtherNodeAnswer(error) && hasMultiple)) {
      settle(error)
    } else {
      failures.push(error)
      startNextOrEnd()
    }
  }

  async function startNextAfterDelay({ latencyMs }: UpstreamState): Promise<void> {
    await clock.sleep(computeHedgeDelayMs(latencyMs), settled.signal)
    startNext()
  }

  startNextOrEnd()
  return race.promise
}

function computeHedgeDelayMs(latencyMs = hedgeDelay.maxMs / 2): number {
  const { latencies, minMs, maxMs } = hedgeDelay
  return Math.min(maxMs, Math.max(minMs, latencyMs * latencies))
}

function canOtherNodeAnswer(error: RpcError): boolean {
  const nodeErrorCodes: number[] = [
    codes.methodNotFound,
    codes.internal,
    codes.limitExceeded,
    codes.timeout,
  ]
  return nodeErrorCodes.includes(error.code) || isRefusal(error, 'cannot_tell')
}

/** Picks the most useful failure: a node's own error, or else that no node answered. */
function pickFailure(failures: readonly unknown[]): Error {
  const refused = failures.filter((failure) => failure instanceof RpcError)
  const best = refused.find(({ code }) => code !== codes.methodNotFound) ?? refused[0]
  return best ?? new TransportError('no node gave an answer', { cause: failures[0] })
}
