import type { OpenNonce, Work } from '../../../src/relay/ledger/port.ts'
import type { Actor } from './actors.ts'
import type { ModelBlock, ModelChain } from './chain.ts'
import type { Knobs } from './plan.ts'
import type { ModelPool } from './pool.ts'

/** How things stand when a round begins. */
export type RoundStart = { head: ModelBlock; work: Work }

export type RoundWatchOptions = {
  knobs: Knobs
  chain: ModelChain
  pool: ModelPool
  work: () => Work
  /** Whether nothing goes wrong at this time, and no row of the ledger was ever lost. */
  isQuiet: () => boolean
  found: (words: string) => void
}

/** Looks at what each round leaves. */
export type RoundWatch = {
  /** Undefined where the round is not judged. */
  begin(): RoundStart | undefined
  end(actor: Actor, start: RoundStart | undefined): void
}

/**
 * What a round has to have done is written here a second time, by what the chain is and not by what the
 * relay has asked of it: a round that nothing disturbs leaves nothing undone. Only what was so from its
 * first moment to its last is held against it.
 */
export function createRoundWatch(options: RoundWatchOptions): RoundWatch {
  const { chain, work, isQuiet, found } = options
  return {
    begin: () => (isQuiet() ? { head: chain.head(), work: work() } : undefined),
    end(actor, start) {
      if (start === undefined || !isQuiet() || chain.head() !== start.head) return
      const left = work()
      // A chain that is shorter than it was is waited for.
      const isBehind = start.work.behindSince !== undefined || left.behindSince !== undefined
      if (!actor.isAlive || actor.troubles.size > 0 || isBehind) return
      for (const words of undone(options, start, left)) found(`${actor.name} leaves ${words}`)
    },
  }
}

function* undone(options: RoundWatchOptions, start: RoundStart, left: Work): Generator<string> {
  yield* unsettled(options, start, left)
  yield* unfilled(options, start, left)
}

/** What blocks of the right depth have decided. */
function* unsettled(
  { knobs, chain }: RoundWatchOptions,
  { head, work }: RoundStart,
  left: Work,
): Generator<string> {
  const deepNumber = head.number - knobs.rules.confirmations + 1
  for (const { session, execution } of left.mined) {
    const wasMined = work.mined.some((before) => before.session === session)
    if (wasMined && (execution?.block.number ?? deepNumber) < deepNumber + 1) {
      yield `a payment unconfirmed in block ${execution?.block.number} below ${head.number}`
    }
  }
  const before = new Set(recorded(work).map(({ nonce }) => nonce))
  for (const { nonce, transactions } of recorded(left)) {
    const isMined = transactions.some(({ hash }) => chain.find(hash, head) !== undefined)
    if (isMined && before.has(nonce)) yield `nonce ${nonce} open, which is mined`
  }
  const deep = chain.blockAt(Math.max(0, deepNumber), head)
  if (deep === undefined) return
  for (const { session, order } of [...left.queued, ...left.stuck, ...left.carried]) {
    const { intentId, deadline } = order.request
    const wasOpen = [...work.queued, ...work.stuck, ...work.carried].some(
      (one) => one.session === session,
    )
    const isDead = deadline < deep.timestampSeconds && !head.state.spentAt.has(intentId)
    if (wasOpen && isDead) yield `${intentId} open, whose deadline is over`
  }
}

/** Nonces that the pool has room for, and payments that could have them. */
function* unfilled(
  { knobs, pool }: RoundWatchOptions,
  { head, work }: RoundStart,
  left: Work,
): Generator<string> {
  const { nonce: count } = head.state
  const held = new Set([...heldBy(work), ...heldBy(left)])
  const highest = Math.max(-1, ...recorded(left).map(({ nonce }) => nonce))
  const free = Array.from({ length: knobs.rules.maxInFlight }, (_, index) => count + index).filter(
    (nonce) => nonce >= pool.nextNonce(count) && !held.has(nonce),
  )
  for (const nonce of free.filter((one) => one < highest)) {
    yield `nonce ${nonce} free below ${highest}`
  }
  for (const { session, order, acceptedAt } of left.queued) {
    const { deadline, from, intentId } = order.request
    const wasQueued = work.queued.some((one) => one.session === session)
    const isTooLate = deadline <= head.timestampSeconds
    // One that was carried in vain goes out where its intent is unspent.
    if (!wasQueued || isTooLate || head.state.spentAt.has(intentId)) continue
    const last = left.carried
      .filter((other) => other.order.request.from === from && other.acceptedAt <= acceptedAt)
      .reduce((top, other) => Math.max(top, other.nonce ?? -1), -1)
    const nonce = free.find((one) => one > last)
    if (nonce !== undefined) yield `${intentId} without a nonce, and ${nonce} free`
  }
}

const recorded = (work: Work): OpenNonce[] =>
  work.nonces.filter(({ state, transactions }) => state === 'recorded' && transactions.length > 0)

const heldBy = ({ nonces }: Work): number[] =>
  nonces
    .filter(({ state, leaseLive }) => state === 'recorded' || leaseLive)
    .map(({ nonce }) => nonce)
