import { RpcError } from '../chain/rpc.ts'

/** Lists the error codes of this service: those of JSON-RPC 2.0 (section 5.1) and RSKj. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Says that the call reverts, as in go-ethereum, with the revert's bytes in `data`. */
  reverted: 3,
  /** Says that the sender cannot pay or a block is unknown, as Ethereum nodes do. */
  failed: -32000,
  unauthorized: -32001,
  /** Says that a quota is spent or a limit of a connection is reached (EIP-1474). */
  limitExceeded: -32005,
  /** Says that no node answered in time, or the answer is too large (RSKj). */
  timeout: -32011,
  /** Says that the logs exceed the limit of one answer (RSKj). */
  logLimit: -32012,
  /** Says that execution failed (RSKj's RskJsonRpcRequestException.executionError). */
  executionFailed: -32015,
} as const

/** Limits a method's name in an error, in characters; the longest served name has 39. */
const maxShownLength = 64

/** Returns go-ethereum's error for an unknown method, by which ethers falls back to polling. */
export function createNotAvailableError(name: string, suffix = ''): RpcError {
  const words = `the method ${toPrintable(name)} does not exist/is not available${suffix}`
  return new RpcError(codes.methodNotFound, words)
}

/** Returns a method's name in printable ASCII and shortened, since clients may send any bytes. */
function toPrintable(name: string): string {
  const start = name.slice(0, maxShownLength).replace(/[^\x21-\x7e]/g, '?')
  return name.length > maxShownLength ? `${start}...` : start
}
