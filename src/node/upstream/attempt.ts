import type { Hex } from 'viem'
import * as z from 'zod/mini'
import type { MiningRules } from '../../chain/chains.ts'
import { classifyRefusal } from '../../chain/refusals.ts'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { withinTime } from '../../runtime/time-limit.ts'
import { codes } from '../codes.ts'
import { MalformedAnswer, UntrueAnswer } from '../objects/bad-answers.ts'
import type { Doubt, NodeAnswer, NodeWork, UpstreamNode } from './node.ts'
import {
  doubtIdentity,
  type NodeIdentity,
  recordAnswer,
  recordCall,
  recordFailure,
  recordLie,
  recordMalformed,
  type StateOptions,
  type UpstreamState,
} from './upstream-state.ts'
import '../../runtime/english.ts'

export type AttemptOptions = StateOptions & {
  chainId: number
  mining: MiningRules | undefined
}

/** Limits the time of one attempt, in ms, if another node can be asked instead. */
export const attemptMs = 4_000

/** Runs work on one node, and updates the node's state with the outcome. */
export async function attempt<T>(
  state: UpstreamState,
  work: NodeWork<T>,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<NodeAnswer<T>> {
  const { clock } = options
  const since = clock.now()
  const doubts = new Set<Doubt>()
  try {
    const value = await work(await createUpstreamNode(state, doubts, signal, options))
    recordAnswer(state, clock.now() - since)
    return { name: state.upstream.name, value, doubts }
  } catch (error) {
    if (error instanceof RpcError) {
      recordAnswer(state, clock.now() - since)
      if (error.code === codes.methodNotFound) doubtIdentity(state, clock.now())
    }
    // A customer's call may be slow by itself, so only the survey of heights counts a time-out.
    else recordEnd(state, error, signal.aborted, options)
    throw error
  }
}

/** Runs `attempt` within the time limit for one node. */
export function attemptInTime<T>(
  state: UpstreamState,
  work: NodeWork<T>,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<NodeAnswer<T>> {
  return withinTime(options.clock, attemptMs, (limit) =>
    attempt(state, work, AbortSignal.any([signal, limit]), options),
  )
}

/** Sends a transaction to one node; after a `TransportError` it may have been sent. */
export function sendTo(
  state: UpstreamState,
  raw: Hex,
  hash: Hex,
  asked: AbortSignal,
  options: AttemptOptions,
): Promise<void> {
  const { upstream } = state
  return withinTime(options.clock, attemptMs, async (limit) => {
    const signal = AbortSignal.any([asked, limit])
    try {
      // A transaction never goes to a node of another chain.
      if (state.identity === undefined) await identify(state, signal, options)
      const answer = await upstream.call('eth_sendRawTransaction', [raw], signal)
      // RSKj answers zero if it does not know the transaction yet.
      if (answer === hash || /^0x0{64}$/.test(`${answer}`)) return
      throw new MalformedAnswer(`${upstream.name} answered the hash of another transaction`)
    } catch (error) {
      if (error instanceof RpcError && classifyRefusal(error) === 'known') return
      if (!(error instanceof RpcError)) recordEnd(state, error, asked.aborted, options)
      throw error
    }
  })
}

/** Records why an answer is missing; nothing if the caller ended the attempt. */
function recordEnd(
  state: UpstreamState,
  error: unknown,
  wasEnded: boolean,
  options: AttemptOptions,
): void {
  if (error instanceof UntrueAnswer) recordLie(state, error.message, options)
  else if (error instanceof MalformedAnswer) recordMalformed(state, error.message, options)
  else if (!wasEnded) recordFailure(state, error, options)
}

async function createUpstreamNode(
  state: UpstreamState,
  doubts: Set<Doubt>,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<UpstreamNode> {
  const { name, call } = state.upstream
  const { profile } = state.identity ?? (await identify(state, signal, options))
  return {
    name,
    profile,
    height: state.height,
    mining: options.mining,
    doubt: (why) => void doubts.add(why),
    isDoubted: () => doubts.size > 0,
    setProfile(shown) {
      if (shown !== profile) state.identity = { profile: shown, at: options.clock.now() }
    },
    async call(method, params, result) {
      const since = options.clock.now()
      const answer = await call(method, params, signal).finally(() =>
        recordCall(state, method, options.clock.now() - since),
      )
      const outcome = result.safeParse(answer)
      if (outcome.success) return outcome.data
      throw new MalformedAnswer(`${name} returned a malformed ${method} result`, {
        cause: new Error(z.prettifyError(outcome.error)),
      })
    },
  }
}

async function identify(
  state: UpstreamState,
  signal: AbortSignal,
  { chainId, clock }: AttemptOptions,
): Promise<NodeIdentity> {
  const { name, call } = state.upstream
  const [id, client] = await Promise.all([
    call('eth_chainId', [], signal),
    call('web3_clientVersion', [], signal).catch((error: unknown) => {
      if (error instanceof RpcError) return ''
      throw error
    }),
  ])
  if (Number(id) !== chainId) {
    throw new TransportError(`${name} serves another chain than ${chainId}`)
  }
  state.identity = {
    profile: /^rsk/i.test(`${client}`) ? 'rskj' : 'ethereum',
    // A node without a client version is asked again as soon as an answer does not fit.
    at: client === '' ? Number.NEGATIVE_INFINITY : clock.now(),
  }
  return state.identity
}
