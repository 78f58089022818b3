import type * as z from 'zod/mini'
import type { MiningRules } from '../../chain/chains.ts'
import { quantity } from '../objects/values.ts'

/** Names a node's kind. RSKj serves `rsk_*` methods, whose answers are built here for others. */
export type NodeKind = 'rskj' | 'ethereum'

/** Names why an answer is unproved: no proof exists, or its header has an unknown form. */
export type UnprovedReason = 'unprovable' | 'unknown_form'

/** Gives the work of one request access to one node. */
export type UpstreamNode = {
  readonly name: string
  readonly kind: NodeKind
  /** Holds the node's latest block at the last survey of heights. */
  readonly height: number | undefined
  /** Sets how blocks are mined; undefined on private chains, which may have Ethereum's headers. */
  readonly mining: MiningRules | undefined
  /** Marks this work's answer as unproved. */
  readonly markUnproved: (reason: UnprovedReason) => void
  readonly isUnproved: () => boolean
  /** Sets the kind that the node's blocks show. It replaces the kind by client version. */
  readonly setKind: (kind: NodeKind) => void
  /** Calls the node. Throws its error, or a `TransportError` for a malformed answer. */
  readonly call: <T>(
    method: string,
    params: readonly unknown[],
    result: z.ZodMiniType<T>,
  ) => Promise<T>
}

export type NodeWork<T> = (node: UpstreamNode) => Promise<T>

/** Holds a node's answer, and the reasons why it is unproved. */
export type NodeAnswer<T> = { name: string; value: T; unprovedReasons: ReadonlySet<UnprovedReason> }

export async function readHeight(node: UpstreamNode): Promise<number> {
  return Number(await node.call('eth_blockNumber', [], quantity))
}
