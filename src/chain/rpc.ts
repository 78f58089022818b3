/**
 * Makes one JSON-RPC call past all caches, whose answer the caller parses. `signal` ends the wait,
 * but not what the node does. `onUnproved` is called if no hash proves the answer, and told whether
 * one of several nodes alone gave it in an unknown form.
 */
export type Rpc = (
  method: string,
  params: readonly unknown[],
  options: { signal: AbortSignal; onUnproved?: OnUnproved },
) => Promise<unknown>

export type OnUnproved = (isAlone: boolean) => void

/** Holds a node's error object (JSON-RPC 2.0, section 5.1). */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.data = data
  }
}

/** Reports a missing or malformed answer; the node may have done what it was asked. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
}

/** Reports an answer of the wrong form. It need not be false: nodes differ in rare cases. */
export class MalformedAnswer extends TransportError {}

/** Reports an answer that a hash proves wrong; its node is distrusted for a while. */
export class UntrueAnswer extends TransportError {}
