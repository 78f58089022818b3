/**
 * What Rootstock charges for an operation, in gas: RSKj 9.0.3, `org.ethereum.vm.GasCost`, `OpCode` and
 * `VM` (github.com/rsksmart/rskj). It has neither EIP-2929 (what is touched first costs no more) nor
 * EIP-2200 (a second write of a slot costs as much as the first), and none of EIP-150's 63/64.
 */
export const rootstockPrices = {
  transaction: 21_000,
  zeroByte: 4,
  /** RSKIP400 (EIP-2028): 68 before it. */
  otherByte: 16,
  sload: 200,
  /** A write of a slot that was empty, with something. */
  sstoreSet: 20_000,
  /** Any other write, be it of what stands there already. */
  sstoreReset: 5_000,
  /** Given back for a slot that a write empties; all refunds together are at most half of the gas used. */
  sstoreRefund: 15_000,
  refundQuotient: 2,
  tload: 100,
  tstore: 100,
  balance: 400,
  extcodesize: 700,
  extcodehash: 400,
  call: 700,
  callValue: 9_000,
  /** A CALL, with value or without, of an address that the state does not know. */
  callNewAccount: 25_000,
  /** Has to be left for a call with value; what the callee leaves of it comes back. */
  callStipend: 2_300,
  keccak256: 30,
  keccak256Word: 6,
  copyWord: 3,
  log: 375,
  logTopic: 375,
  logByte: 8,
  exp: 10,
  expByte: 50,
  memoryWord: 3,
  memoryQuotient: 512,
} as const

/** Prices of operations that cost the same whatever they are given: the tiers of RSKj's `OpCode`. */
const tiers: readonly (readonly [price: number, names: string])[] = [
  [0, 'STOP RETURN REVERT'],
  [1, 'JUMPDEST'],
  [2, 'ADDRESS ORIGIN CALLER CALLVALUE CALLDATASIZE CODESIZE GASPRICE RETURNDATASIZE COINBASE'],
  [2, 'TIMESTAMP NUMBER DIFFICULTY PREVRANDAO GASLIMIT CHAINID BASEFEE POP PC MSIZE GAS PUSH0'],
  [3, 'ADD SUB LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CALLDATALOAD'],
  [3, 'CALLDATACOPY CODECOPY RETURNDATACOPY MCOPY MLOAD MSTORE MSTORE8'],
  [5, 'MUL DIV SDIV MOD SMOD SIGNEXTEND SELFBALANCE'],
  [8, 'ADDMOD MULMOD JUMP'],
  [10, 'JUMPI'],
]

/** An operation's fixed part, by its name; what is missing here has no fixed price. */
export const fixedPrices: ReadonlyMap<string, number> = new Map([
  ...tiers.flatMap(([price, names]) => names.split(' ').map((name) => [name, price] as const)),
  ...Array.from({ length: 32 }, (_, index) => [`PUSH${index + 1}`, 3] as const),
  ...Array.from({ length: 16 }, (_, index) => [`DUP${index + 1}`, 3] as const),
  ...Array.from({ length: 16 }, (_, index) => [`SWAP${index + 1}`, 3] as const),
])

/** What a precompiled contract takes for so many bytes; RSKj's and Ethereum's are the same here. */
export const precompilePrices: Readonly<Record<number, (bytes: number) => number>> = {
  1: () => 3_000,
  2: (bytes) => 60 + 12 * Math.ceil(bytes / 32),
  4: (bytes) => 15 + 3 * Math.ceil(bytes / 32),
}
