/**
 * Makes one JSON-RPC call to this deployment's chain; the caller parses the answer. `signal` ends
 * the wait, never the effect. `fresh` bypasses every cache; then `onUnproved` is called if nothing
 * proves the answer.
 */
export type Rpc = (
  method: string,
  params: readonly unknown[],
  options: { signal: AbortSignal; fresh?: boolean; onUnproved?: () => void },
) => Promise<unknown>

/** Holds a node's error object (JSON-RPC 2.0, section 5.1). */
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

/** Reports that no answer came, or none in JSON-RPC, whatever the node did. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
}
