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
  /** Asks the node, and throws its error, or a `TransportError` where the answer has another shape. */
  readonly call: <T>(
    method: string,
    params: readonly unknown[],
    result: z.ZodMiniType<T>,
  ) => Promise<T>
}

export type NodeWork<T> = (node: UpstreamNode) => Promise<T>

export type Told<T> = { name: string; value: T }

export async function heightOf(node: UpstreamNode): Promise<number> {
  return Number(await node.call('eth_blockNumber', [], quantity))
}
