import { type Address, checksumAddress, getAddress, type Hex } from 'viem'
import type { Node } from './node.ts'
import { RpcError, TransportError } from './rpc.ts'

/** Is Rootstock's bridge, by `PrecompiledContracts.java` of RSKj 9.1.0. */
const bridge = 0x01000006n

/** Is the lowest address that can be a wallet's: MicroLoan.sol pays no lower one. */
export const lowestWallet = 1n << 32n

/**
 * Lists addresses that people send to in order to destroy money, or that stand for something else
 * (the native currency, the system's own calls, examples). `0x...dead` is below the lowest wallet.
 */
export const burnAddresses: readonly Address[] = [
  '0xdead000000000000000000000000000000000000',
  '0xdead000000000000000042069420694206942069',
  '0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead',
  '0xdeadbeefdeadbeefdeadbeefdeadbeefdeadbeef',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  '0xfffffffffffffffffffffffffffffffffffffffe',
  '0xffffffffffffffffffffffffffffffffffffffff',
]

/** Parses an address to lower case; a checksum must be this chain's (EIP-1191) or Ethereum's. */
export function parseAddress(text: string, chainId: number): Address | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return undefined
  const lower = text.toLowerCase() as Address
  const isKnown =
    text === lower || text === checksumAddress(lower, chainId) || text === getAddress(lower)
  return isKnown ? lower : undefined
}

/** Tells why an address is nobody's wallet. The bridge of Rootstock gives BTC to plain accounts. */
export type NobodyKind = 'zero_address' | 'bridge' | 'nobody'

/** Tells whether an address is nobody's wallet, as far as the address itself shows. */
export function findNobody(address: Address): NobodyKind | undefined {
  const number = BigInt(address)
  if (number === 0n) return 'zero_address'
  if (number === bridge) return 'bridge'
  const isNobody = number < lowestWallet || burnAddresses.some((other) => BigInt(other) === number)
  return isNobody ? 'nobody' : undefined
}

/** Tells who is paid. `contract`: what it does with money is unknown. `unknown`: no node told. */
export type Payee = NobodyKind | 'wallet' | 'contract' | 'unknown'

/** Names what is paid nothing in any case. */
export type NotAWallet = Exclude<Payee, 'wallet' | 'unknown'>

/** Matches the code of a wallet that lends itself the code of a contract (EIP-7702). */
const delegation = /^0xef0100[0-9a-f]{40}$/i

/** Tells whether the code at an address is that of a wallet, which has none or delegates. */
export const isCodeOfWallet = (code: Hex): boolean => code === '0x' || delegation.test(code)

/** Reads who is paid at an address. It never throws: an unknown payee must be paid nothing. */
export async function readPayee(
  node: Pick<Node, 'getCode'>,
  address: Address,
  signal: AbortSignal,
): Promise<Payee> {
  const nobody = findNobody(address)
  if (nobody !== undefined) return nobody
  try {
    return isCodeOfWallet(await node.getCode(address, signal)) ? 'wallet' : 'contract'
  } catch (error) {
    if (error instanceof TransportError || error instanceof RpcError) return 'unknown'
    throw error
  }
}
