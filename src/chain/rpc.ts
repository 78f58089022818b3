/**
 * One JSON-RPC call to the chain behind this deployment.
 *
 * The answer is untrusted: the caller parses it. `signal` ends the wait, never the effect: a
 * transaction whose call was aborted may have been sent. `fresh` bypasses every cache.
 *
 * @throws {RpcError} the node answered with an error object
 * @throws {TransportError} no node gave an answer; what happened there is unknown
 */
export type Rpc = (
  method: string,
  params: readonly unknown[],
  options: RpcOptions,
) => Promise<unknown>

export type RpcOptions = { signal: AbortSignal; fresh?: boolean }

/** A node's error object (JSON-RPC 2.0, section 5.1). */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** No answer, or one that is not JSON-RPC. Says nothing about what the node did. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
}
