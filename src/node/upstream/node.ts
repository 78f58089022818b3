import type * as z from 'zod/mini'
import type { MiningRules } from '../../chain/chains.ts'
import { quantity } from '../objects/values.ts'

/** Names the kind of a node: RSKj answers `rsk_*`; for others those answers are built. */
export type Profile = 'rskj' | 'ethereum'

/** Names why an answer has no proof: its kind has none, or its header's form is unknown. */
export type Doubt = 'unprovable' | 'unknown'

/** Describes one node while one piece of work uses it. */
export type UpstreamNode = {
  readonly name: string
  readonly profile: Profile
  /** Is the node's latest block when heights were last compared. */
  readonly height: number | undefined
  /** Sets how blocks are mined; undefined on a private chain, which may have Ethereum's headers. */
  readonly mining: MiningRules | undefined
  /** Notes that what this work gives cannot be proved. */
  readonly doubt: (why: Doubt) => void
  readonly isDoubted: () => boolean
  /** Notes of what kind its blocks show it to be, whatever it says of itself. */
  readonly isOfKind: (profile: Profile) => void
  /** Asks the node; throws its error, or a `TransportError` for an answer of another shape. */
  readonly call: <T>(
    method: string,
    params: readonly unknown[],
    result: z.ZodMiniType<T>,
  ) => Promise<T>
}

export type NodeWork<T> = (node: UpstreamNode) => Promise<T>

/** Holds a node's answer, and the reasons why no hash proves it. */
export type Told<T> = { name: string; value: T; doubts: ReadonlySet<Doubt> }

export async function readHeight(node: UpstreamNode): Promise<number> {
  return Number(await node.call('eth_blockNumber', [], quantity))
}
