import type { Hex } from 'viem'
import type * as z from 'zod/mini'
import { quantity } from '../objects/values.ts'

/** What kind of node it is: RSKj answers `rsk_*`, for others those answers are built. */
export type Profile = 'rskj' | 'ethereum'

/** One node, for the time of one piece of work. */
export type UpstreamNode = {
  readonly name: string
  readonly profile: Profile
  /** Its most recent block when the heights of several nodes were last looked at. */
  readonly height: number | undefined
  /**
   * @throws {RpcError} the node's error object
   * @throws {TransportError} also when the answer does not have the shape of `result`
   */
  readonly call: <T>(
    method: string,
    params: readonly unknown[],
    result: z.ZodMiniType<T>,
  ) => Promise<T>
}

export async function heightOf(node: UpstreamNode): Promise<number> {
  return Number(await node.call('eth_blockNumber', [], quantity))
}

export type NodeWork<T> = (node: UpstreamNode) => Promise<T>

export type Told<T> = { name: string; value: T }

/** The nodes of one network, for as long as one request waits. */
export type Nodes = {
  /**
   * Runs reading work against one node; against another when that one fails, answers nonsense or is slow.
   * `among` says which nodes may be asked, by their names.
   *
   * @throws {RpcError} a node answered with an error object
   * @throws {TransportError} no node gave an answer
   */
  readonly ask: <T>(work: NodeWork<T>, among?: (name: string) => boolean) => Promise<T>
  /** Runs the work against up to two nodes that are at the head; gives at least one answer. */
  readonly askTwo: <T>(work: NodeWork<T>) => Promise<Told<T>[]>
  /**
   * Hands a signed transaction, whose own hash is `hash`, to every node; one that takes it is enough.
   *
   * @throws {RpcError} every node refused it
   * @throws {TransportError} none took it and at least one did not answer: it may have been sent
   */
  readonly send: (raw: Hex, hash: Hex) => Promise<void>
  /** Gives the number of the most recent block. Among several nodes it never goes back. */
  readonly head: () => Promise<number>
}

/** What is known of the nodes without asking them. */
export type KnownOfNodes = {
  readonly knownHead: () => number | undefined
  /**
   * Notes the latest block that a node showed.
   *
   * @throws {TransportError} among several nodes: it is older than one that was shown before
   */
  readonly sawHead: (node: UpstreamNode, number: number) => void
  /** Asks a node last for a while: it gave an answer that is proved wrong. */
  readonly distrust: (name: string, why: string) => void
}

/** What the work of one request may ask of the nodes. */
export type NodeAccess = Nodes &
  KnownOfNodes & {
    /** Tells whether the client has stopped waiting for the answer. */
    readonly ended: () => boolean
    /** Makes something once that can never change; `null` is not kept. */
    readonly once: (key: string, make: () => Promise<string | null>) => Promise<string | null>
  }
