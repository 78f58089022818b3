import type { Hex } from 'viem'
import * as z from 'zod/mini'
import type { MiningRules } from '../../chain/chains.ts'
import { classifyRefusal } from '../../chain/refusals.ts'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { withinTime } from '../../runtime/time-limit.ts'
import { codes } from '../codes.ts'
import { MalformedAnswer, UntrueAnswer } from '../objects/bad-answers.ts'
import type { Doubt, NodeWork, Told, UpstreamNode } from './node.ts'
import {
  doubtIdentity,
  type NodeIdentity,
  noteAnswer,
  noteCall,
  noteFailure,
  noteLie,
  noteMalformed,
  type Standing,
  type StandingOptions,
} from './standing.ts'
import '../../runtime/english.ts'

export type AttemptOptions = StandingOptions & { chainId: number; mining: MiningRules | undefined }

/** Limits one node's time, in ms, where another node could be asked instead. */
export const attemptMs = 4_000

/** Does the work on one node; its standing follows from how that ends. */
export async function attempt<T>(
  standing: Standing,
  work: NodeWork<T>,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<Told<T>> {
  const { clock } = options
  const since = clock.now()
  const doubts = new Set<Doubt>()
  try {
    const value = await work(await createUpstreamNode(standing, doubts, signal, options))
    noteAnswer(standing, clock.now() - since)
    return { name: standing.upstream.name, value, doubts }
  } catch (error) {
    if (error instanceof RpcError) {
      noteAnswer(standing, clock.now() - since)
      if (error.code === codes.methodNotFound) doubtIdentity(standing, clock.now())
    }
    // What takes too long may be the question's fault: how the node is, the survey of heights
    // tells.
    else noteEnd(standing, error, signal.aborted, options)
    throw error
  }
}

/** Attempts as `attempt` does, within the time limit of one node among several. */
export function attemptInTime<T>(
  standing: Standing,
  work: NodeWork<T>,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<Told<T>> {
  return withinTime(options.clock, attemptMs, (limit) =>
    attempt(standing, work, AbortSignal.any([signal, limit]), options),
  )
}

/** Hands bytes with this hash to one node; after a `TransportError` they may have been sent. */
export function handOver(
  standing: Standing,
  raw: Hex,
  hash: Hex,
  asked: AbortSignal,
  options: AttemptOptions,
): Promise<void> {
  const { upstream } = standing
  return withinTime(options.clock, attemptMs, async (limit) => {
    const signal = AbortSignal.any([asked, limit])
    try {
      // A node of another chain is not told what is meant for this one.
      if (standing.identity === undefined) await identify(standing, signal, options)
      const answer = await upstream.call('eth_sendRawTransaction', [raw], signal)
      // RSKj may not know the transaction yet, and says zero.
      if (answer === hash || /^0x0{64}$/.test(`${answer}`)) return
      throw new MalformedAnswer(`${upstream.name} answered the hash of another transaction`)
    } catch (error) {
      if (error instanceof RpcError && classifyRefusal(error) === 'known') return
      if (!(error instanceof RpcError)) noteEnd(standing, error, asked.aborted, options)
      throw error
    }
  })
}

/** Notes what a missing answer says of the node: nothing, if the attempt was ended from here. */
function noteEnd(
  standing: Standing,
  error: unknown,
  wasEnded: boolean,
  options: AttemptOptions,
): void {
  if (error instanceof UntrueAnswer) noteLie(standing, error.message, options)
  else if (error instanceof MalformedAnswer) noteMalformed(standing, error.message, options)
  else if (!wasEnded) noteFailure(standing, error, options)
}

async function createUpstreamNode(
  standing: Standing,
  doubts: Set<Doubt>,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<UpstreamNode> {
  const { name, call } = standing.upstream
  const { profile } = standing.identity ?? (await identify(standing, signal, options))
  return {
    name,
    profile,
    height: standing.height,
    mining: options.mining,
    doubt: (why) => void doubts.add(why),
    isDoubted: () => doubts.size > 0,
    isOfKind(shown) {
      if (shown !== profile) standing.identity = { profile: shown, at: options.clock.now() }
    },
    async call(method, params, result) {
      const since = options.clock.now()
      const answer = await call(method, params, signal).finally(() =>
        noteCall(standing, method, options.clock.now() - since),
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
  standing: Standing,
  signal: AbortSignal,
  { chainId, clock }: AttemptOptions,
): Promise<NodeIdentity> {
  const { name, call } = standing.upstream
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
  standing.identity = {
    profile: /^rsk/i.test(`${client}`) ? 'rskj' : 'ethereum',
    // What did not say what it is, is asked again as soon as its answers do not fit.
    at: client === '' ? Number.NEGATIVE_INFINITY : clock.now(),
  }
  return standing.identity
}
