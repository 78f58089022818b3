import { RpcError } from '../chain/rpc.ts'

/** Error codes of this service: JSON-RPC 2.0, section 5.1, and RSKj's where it has one of its own. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** go-ethereum: the call reverts, with the revert's bytes in `data`. What every client decodes. */
  reverted: 3,
  /** What an Ethereum node says of a simulation that cannot be paid for, and of unknown blocks. */
  failed: -32000,
  unauthorized: -32001,
  /** EIP-1474: the key's quota is spent, or a connection has as much as it may. */
  limitExceeded: -32005,
  /** RSKj: nothing answered in time, or the answer is larger than what is served. */
  timeout: -32011,
  /** RSKj: more logs than one answer may hold. */
  logLimit: -32012,
  /** RSKj: the call fails in the machine (RskJsonRpcRequestException.executionError). */
  executionFailed: -32015,
} as const

/** Characters of a method's name that are told back. The longest name that is served has 39. */
const shownLength = 64

/** Refuses a method in go-ethereum's words, which ethers looks for before it polls for logs. */
export function notAvailable(name: string, where = ''): RpcError {
  const words = `the method ${shown(name)} does not exist/is not available${where}`
  return new RpcError(codes.methodNotFound, words)
}

/** The name is any bytes that a customer sends; what a terminal or a log shows of it is ASCII. */
function shown(name: string): string {
  const start = name.slice(0, shownLength).replace(/[^\x21-\x7e]/g, '?')
  return name.length > shownLength ? `${start}...` : start
}
