import { RpcError } from '../chain/rpc.ts'

/** Lists the error codes of this service: JSON-RPC 2.0 (section 5.1), and RSKj's. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Says that the call reverts, as in go-ethereum, with the revert's bytes in `data`. */
  reverted: 3,
  /** Says that a simulation cannot be paid for or a block is unknown, as Ethereum nodes do. */
  failed: -32000,
  unauthorized: -32001,
  /** Says that a key's quota is spent or a connection has its most (EIP-1474). */
  limitExceeded: -32005,
  /** Says that nothing answered in time, or the answer is too large (RSKj). */
  timeout: -32011,
  /** Says that there are more logs than one answer may hold (RSKj). */
  logLimit: -32012,
  /** Says that the machine failed (RSKj's RskJsonRpcRequestException.executionError). */
  executionFailed: -32015,
} as const

/** Characters of a method's name that are told back. The longest name that is served has 39. */
const shownLength = 64

/** Refuses a method in go-ethereum's words, which ethers looks for before it polls for logs. */
export function notAvailable(name: string, where = ''): RpcError {
  const words = `the method ${shown(name)} does not exist/is not available${where}`
  return new RpcError(codes.methodNotFound, words)
}

/** Returns what logs and errors show of a method's name, which may be any bytes: ASCII. */
function shown(name: string): string {
  const start = name.slice(0, shownLength).replace(/[^\x21-\x7e]/g, '?')
  return name.length > shownLength ? `${start}...` : start
}
