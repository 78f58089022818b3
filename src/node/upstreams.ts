import { keccak256 } from 'viem'
import type { z } from 'zod'
import { RpcError, TransportError } from '../chain/rpc.ts'
import type { Upstream } from './upstream.ts'

/** One node, for the time of one piece of work. */
export type Node = {
  /** @throws {TransportError} also when the answer does not have the shape of `result` */
  readonly call: <T>(method: string, params: readonly unknown[], result: z.ZodType<T>) => Promise<T>
}

/** The nodes behind one network, used as if they were one that does not fail. */
export type Upstreams = {
  /**
   * Runs reading work against one node, and against the next if that one fails.
   *
   * @throws {RpcError} a node answered with an error object
   * @throws {TransportError} no node gave an answer
   */
  readonly ask: <T>(work: (node: Node) => Promise<T>, signal: AbortSignal) => Promise<T>
  /**
   * Hands a signed transaction to every node; one that takes it is enough.
   *
   * @returns the hash of the bytes
   * @throws {RpcError} every node refused it
   * @throws {TransportError} none took it and at least one did not answer: it may have been sent
   */
  readonly send: (raw: `0x${string}`, signal: AbortSignal) => Promise<string>
}

/** Uses the upstreams in their order. */
export function createUpstreams(upstreams: readonly Upstream[]): Upstreams {
  return {
    async ask(work, signal) {
      let failure: unknown
      for (const upstream of upstreams) {
        try {
          return await work(nodeOf(upstream, signal))
        } catch (error) {
          if (!(error instanceof TransportError)) throw error
          failure = error
        }
        if (signal.aborted) break
      }
      throw new TransportError('no node gave an answer', { cause: failure })
    },

    async send(raw, signal) {
      const sent = upstreams.map(async (upstream) => {
        try {
          await upstream.call('eth_sendRawTransaction', [raw], signal)
        } catch (error) {
          if (!(error instanceof RpcError && isKnown(error))) throw error
        }
      })
      try {
        await Promise.any(sent)
        return keccak256(raw)
      } catch (error) {
        const failures: unknown[] = error instanceof AggregateError ? error.errors : [error]
        const lost = failures.find((failure) => !(failure instanceof RpcError))
        if (lost === undefined) throw failures[0]
        throw new TransportError('the transaction may have been sent', { cause: lost })
      }
    },
  }
}

function nodeOf(upstream: Upstream, signal: AbortSignal): Node {
  return {
    async call(method, params, result) {
      const outcome = result.safeParse(await upstream.call(method, params, signal))
      if (outcome.success) return outcome.data
      throw new TransportError(`${upstream.name} gave nonsense for ${method}`, {
        cause: outcome.error,
      })
    },
  }
}

/** The pool holds these very bytes: what go-ethereum and its kin, Nethermind and RSKj say. */
function isKnown({ message }: RpcError): boolean {
  return /already known|already imported|alreadyknown|transaction with same hash already exists/i.test(
    message,
  )
}
