import type * as z from 'zod/mini'
import type { MiningRules } from '../../chain/chains.ts'
import { quantity } from '../objects/values.ts'

/** What kind of node it is: RSKj answers `rsk_*`, for others those answers are built. */
export type Profile = 'rskj' | 'ethereum'

/** Why nothing proves an answer: it is about state, a call or an old block, or a header's form is unknown. */
export type Doubt = 'unprovable' | 'unknown'

/** One node, for the time of one piece of work. */
export type UpstreamNode = {
  readonly name: string
  readonly profile: Profile
  /** Its most recent block when the heights of several nodes were last looked at. */
  readonly height: number | undefined
  /** How blocks are mined; undefined on a chain of one's own, which may have Ethereum's headers too. */
  readonly mining: MiningRules | undefined
  /** Notes that what this work gives cannot be proved. */
  readonly doubt: (why: Doubt) => void
  readonly isDoubted: () => boolean
  /** Notes of what kind its blocks show it to be, whatever it says of itself. */
  readonly isOfKind: (profile: Profile) => void
  /** Asks the node, and throws its error, or a `TransportError` where the answer has another shape. */
  readonly call: <T>(
    method: string,
    params: readonly unknown[],
    result: z.ZodMiniType<T>,
  ) => Promise<T>
}

export type NodeWork<T> = (node: UpstreamNode) => Promise<T>

/** What a node gave, and whether a hash proves it. */
export type Told<T> = { name: string; value: T; doubts: ReadonlySet<Doubt> }

export async function heightOf(node: UpstreamNode): Promise<number> {
  return Number(await node.call('eth_blockNumber', [], quantity))
}
