import type * as z from 'zod/mini'

/** What kind of node it is: RSKj answers `rsk_*`, for others those answers are built. */
export type Profile = 'rskj' | 'ethereum'

/** One node, for the time of one piece of work. */
export type UpstreamNode = {
  readonly name: string
  readonly profile: Profile
  readonly client: string
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
