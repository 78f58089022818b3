/** Error codes of this service: JSON-RPC 2.0, section 5.1, and RSKj's where it has one of its own. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** What an Ethereum node says of a simulation that cannot be paid for. */
  failedSimulation: -32000,
  /** EIP-1474: the key's quota is spent. */
  limitExceeded: -32005,
  /** RSKj: nothing answered in time, or the answer is larger than what is served. */
  timeout: -32011,
  /** RSKj: more logs, or blocks, than one answer may cover. */
  logLimit: -32012,
} as const

/** HTTP refuses before there is a JSON-RPC answer: no key, wrong method, wrong type, too large. */
export const httpCodes = {
  unauthorized: -32001,
} as const
