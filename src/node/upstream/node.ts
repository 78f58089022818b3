import { type Hex, zeroHash } from 'viem'
import * as z from 'zod/mini'
import type { MiningRules } from '../../chain/chains.ts'
import { classifyRefusal } from '../../chain/refusals.ts'
import { MalformedAnswer, RpcError, TransportError, UntrueAnswer } from '../../chain/rpc.ts'
import { runWithTimeLimit } from '../../runtime/clock.ts'
import { codes } from '../codes.ts'
import { quantity } from '../objects/values.ts'
import type { NodeIdentity, NodeKind, StateOptions, UpstreamState } from './upstream-state.ts'
import '../../runtime/english.ts' // Sets the language of `prettifyError`.

/** Names why an answer is unproved: no proof exists, or its header has an unknown form. */
export type UnprovedReason = 'unprovable' | 'unknown_form'

export type UpstreamsOptions = StateOptions & {
  chainId: number
  /** Sets how blocks are mined; undefined on private chains, which may have Ethereum's headers. */
  mining: MiningRules | undefined
  /** Tells whether an answer without a proof needs the same answer of a second node. */
  comparesAnswers: boolean
  /** Reads the number of a node's block for a selector; returns `null` if it has no block. */
  readBlockNumber: (node: UpstreamNode, selector: string) => Promise<number | null>
  /** Keeps the runtime alive for work that no request waits for. */
  waitUntil: (work: Promise<unknown>) => void
}

export type AttemptOptions = Pick<UpstreamsOptions, 'chainId' | 'mining' | 'clock'>

export type UpstreamNode = Awaited<ReturnType<typeof createUpstreamNode>>

export type NodeWork<T> = (node: UpstreamNode) => Promise<T>

export type NodeAnswer<T> = { name: string; value: T; unprovedReasons: ReadonlySet<UnprovedReason> }

export async function readHeight(node: UpstreamNode): Promise<number> {
  return Number(await node.call('eth_blockNumber', [], quantity))
}

/** Limits the time of one attempt, in ms, if another node can be asked instead. */
export const maxAttemptMs = 4_000

/** Runs work on one node, and updates the node's state with the outcome. */
export async function runOnNode<T>(
  state: UpstreamState,
  work: NodeWork<T>,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<NodeAnswer<T>> {
  const { clock } = options
  const startedAt = clock.now()
  const unprovedReasons = new Set<UnprovedReason>()
  try {
    const value = await work(await createUpstreamNode(state, unprovedReasons, signal, options))
    state.recordAnswer(clock.now() - startedAt)
    return { name: state.upstream.name, value, unprovedReasons }
  } catch (error) {
    if (error instanceof RpcError) {
      state.recordAnswer(clock.now() - startedAt)
      // The node may have been replaced by one of another kind.
      if (error.code === codes.methodNotFound) state.forgetOldIdentity()
    }
    // A time-out aborts `signal`. It is no failure of the node, since a call may be slow by itself.
    else recordAttemptFailure(state, error, signal.aborted)
    throw error
  }
}

export const runOnNodeWithTimeLimit: typeof runOnNode = (state, work, signal, options) =>
  runWithTimeLimit(options.clock, maxAttemptMs, (timeoutSignal) =>
    runOnNode(state, work, AbortSignal.any([signal, timeoutSignal]), options),
  )

/** Sends a signed transaction to one node. @throws {TransportError} it may have been sent */
export function sendToNode(
  state: UpstreamState,
  rawTransaction: Hex,
  hash: Hex,
  requestSignal: AbortSignal,
  options: AttemptOptions,
): Promise<void> {
  const { upstream } = state
  return runWithTimeLimit(options.clock, maxAttemptMs, async (timeoutSignal) => {
    const signal = AbortSignal.any([requestSignal, timeoutSignal])
    try {
      // A transaction never goes to a node of another chain.
      if (state.identity === undefined) await identifyNode(state, signal, options)
      const answer = await upstream.call('eth_sendRawTransaction', [rawTransaction], signal)
      // RSKj answers with a hash of zeros if it does not know the transaction yet.
      if (answer === hash || answer === zeroHash) return
      throw new MalformedAnswer(`${upstream.name} did not answer with the transaction's hash`)
    } catch (error) {
      if (error instanceof RpcError && classifyRefusal(error) === 'known') return
      // A time-out is a failure here, since a node can answer this call at once.
      if (!(error instanceof RpcError)) recordAttemptFailure(state, error, requestSignal.aborted)
      throw error
    }
  })
}

/** Records an untrue or malformed answer, or a failure unless the attempt was aborted. */
function recordAttemptFailure(state: UpstreamState, error: unknown, isAborted: boolean): void {
  if (error instanceof UntrueAnswer) state.recordUntrueAnswer(error.message)
  else if (error instanceof MalformedAnswer) state.recordMalformedAnswer(error.message)
  else if (!isAborted) state.recordFailure(error)
}

async function createUpstreamNode(
  state: UpstreamState,
  unprovedReasons: Set<UnprovedReason>,
  signal: AbortSignal,
  options: AttemptOptions,
) {
  const { name, call } = state.upstream
  const { kind } = state.identity ?? (await identifyNode(state, signal, options))
  return {
    name,
    kind,
    /** Holds the node's latest block at the last survey of heights. */
    height: state.height,
    mining: options.mining,
    markUnproved: (reason: UnprovedReason) => void unprovedReasons.add(reason),
    isUnproved: () => unprovedReasons.size > 0,
    /** Sets the kind that the node's blocks show. It replaces the kind by client version. */
    setKind(detectedKind: NodeKind): void {
      if (detectedKind === kind) return
      state.identity = { kind: detectedKind, identifiedAt: options.clock.now() }
    },
    /** Calls the node. Throws its error, or a `TransportError` for a malformed answer. */
    async call<T>(method: string, params: readonly unknown[], result: z.ZodMiniType<T>) {
      const outcome = result.safeParse(await call(method, params, signal))
      if (outcome.success) return outcome.data
      throw new MalformedAnswer(`${name} returned a malformed ${method} result`, {
        cause: new Error(z.prettifyError(outcome.error)),
      })
    },
  }
}

/** Asks for a node's kind and stores it. @throws {TransportError} the node serves another chain */
async function identifyNode(
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
    kind: /^rsk/i.test(`${client}`) ? 'rskj' : 'ethereum',
    // Without a client version the kind is a guess, so it is asked again if an answer does not fit.
    identifiedAt: client === '' ? Number.NEGATIVE_INFINITY : clock.now(),
  }
  return state.identity
}
