import type { Hex } from 'viem'
import * as z from 'zod/mini'
import type { MiningRules } from '../../chain/chains.ts'
import { classifyRefusal } from '../../chain/refusals.ts'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { runWithTimeLimit } from '../../runtime/time-limit.ts'
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

/** Limits the time of an attempt, in ms, while another node can be asked instead. */
export const attemptMs = 4_000

/** Runs work on one node, and updates the node's state with the outcome. */
export async function attempt<T>(
  state: UpstreamState,
  work: NodeWork<T>,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<NodeAnswer<T>> {
  const { clock } = options
  const startedAt = clock.now()
  const doubts = new Set<Doubt>()
  try {
    const value = await work(await createUpstreamNode(state, doubts, signal, options))
    recordAnswer(state, clock.now() - startedAt)
    return { name: state.upstream.name, value, doubts }
  } catch (error) {
    if (error instanceof RpcError) {
      recordAnswer(state, clock.now() - startedAt)
      if (error.code === codes.methodNotFound) doubtIdentity(state, clock.now())
    }
    // A customer's call may be slow by itself, so only the survey of heights counts time-outs.
    else recordAttemptFailure(state, error, signal.aborted, options)
    throw error
  }
}

/** Runs an attempt within `attemptMs`. */
export function attemptInTime<T>(
  state: UpstreamState,
  work: NodeWork<T>,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<NodeAnswer<T>> {
  return runWithTimeLimit(options.clock, attemptMs, (timeLimit) =>
    attempt(state, work, AbortSignal.any([signal, timeLimit]), options),
  )
}

/** Sends a transaction to one node; after a `TransportError` it may have been sent. */
export function sendToNode(
  state: UpstreamState,
  raw: Hex,
  hash: Hex,
  requestSignal: AbortSignal,
  options: AttemptOptions,
): Promise<void> {
  const { upstream } = state
  return runWithTimeLimit(options.clock, attemptMs, async (timeLimit) => {
    const signal = AbortSignal.any([requestSignal, timeLimit])
    try {
      // A transaction never goes to a node of another chain.
      if (state.identity === undefined) await identify(state, signal, options)
      const answer = await upstream.call('eth_sendRawTransaction', [raw], signal)
      // RSKj answers zero if it does not know the transaction yet.
      if (answer === hash || /^0x0{64}$/.test(`${answer}`)) return
      throw new MalformedAnswer(`${upstream.name} answered the hash of another transaction`)
    } catch (error) {
      if (error instanceof RpcError && classifyRefusal(error) === 'known') return
      if (!(error instanceof RpcError))
        recordAttemptFailure(state, error, requestSignal.aborted, options)
      throw error
    }
  })
}

/** Records a lie, a malformed answer or a failure, unless the caller ended the attempt. */
function recordAttemptFailure(
  state: UpstreamState,
  error: unknown,
  isAborted: boolean,
  options: AttemptOptions,
): void {
  if (error instanceof UntrueAnswer) recordLie(state, error.message, options)
  else if (error instanceof MalformedAnswer) recordMalformed(state, error.message, options)
  else if (!isAborted) recordFailure(state, error, options)
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
    setProfile(shownProfile) {
      if (shownProfile !== profile)
        state.identity = { profile: shownProfile, at: options.clock.now() }
    },
    async call(method, params, result) {
      const startedAt = options.clock.now()
      const answer = await call(method, params, signal).finally(() =>
        recordCall(state, method, options.clock.now() - startedAt),
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
  const [chainIdAnswer, client] = await Promise.all([
    call('eth_chainId', [], signal),
    call('web3_clientVersion', [], signal).catch((error: unknown) => {
      if (error instanceof RpcError) return ''
      throw error
    }),
  ])
  if (Number(chainIdAnswer) !== chainId) {
    throw new TransportError(`${name} serves another chain than ${chainId}`)
  }
  state.identity = {
    profile: /^rsk/i.test(`${client}`) ? 'rskj' : 'ethereum',
    // A node without a client version is identified again once an answer does not fit.
    at: client === '' ? Number.NEGATIVE_INFINITY : clock.now(),
  }
  return state.identity
}
