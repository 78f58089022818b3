import { type Address, type Hex, numberToHex } from 'viem'
import { createRandom } from '../../scripts/dev/random.ts'
import { lowestWallet, type NobodyKind } from '../../src/chain/payees.ts'
import { seed } from './sample.ts'

type Precompile = { number: number; name: string; networks: readonly ('rootstock' | 'ethereum')[] }

const both = ['rootstock', 'ethereum'] as const

/**
 * Lists the precompiles that a network has, or gets by an upgrade that is written already.
 * Rootstock, main and test network alike: `PrecompiledContracts.java` of RSKj 9.1.0 (RSKIP106, 119,
 * 137, 153, 203, 516). Ethereum, and so anvil: its execution specifications (EIP-4844, 2537, 7951).
 */
export const precompiles: readonly Precompile[] = [
  { number: 0x1, name: 'ecrecover', networks: both },
  { number: 0x2, name: 'sha256', networks: both },
  { number: 0x3, name: 'ripemd160', networks: both },
  { number: 0x4, name: 'identity', networks: both },
  { number: 0x5, name: 'modexp', networks: both },
  { number: 0x6, name: 'bn128 addition', networks: both },
  { number: 0x7, name: 'bn128 multiplication', networks: both },
  { number: 0x8, name: 'bn128 pairing', networks: both },
  { number: 0x9, name: 'blake2f', networks: both },
  { number: 0xa, name: 'KZG point evaluation', networks: ['ethereum'] },
  { number: 0xb, name: 'BLS12-381 G1 addition', networks: ['ethereum'] },
  { number: 0xc, name: 'BLS12-381 G1 sum of products', networks: ['ethereum'] },
  { number: 0xd, name: 'BLS12-381 G2 addition', networks: ['ethereum'] },
  { number: 0xe, name: 'BLS12-381 G2 sum of products', networks: ['ethereum'] },
  { number: 0xf, name: 'BLS12-381 pairing', networks: ['ethereum'] },
  { number: 0x10, name: 'BLS12-381 field to G1', networks: ['ethereum'] },
  { number: 0x11, name: 'BLS12-381 field to G2', networks: ['ethereum'] },
  { number: 0x100, name: 'P-256 signature', networks: ['ethereum'] },
  { number: 0x01000006, name: 'bridge', networks: ['rootstock'] },
  { number: 0x01000008, name: 'remasc', networks: ['rootstock'] },
  { number: 0x01000009, name: 'HD wallet utilities', networks: ['rootstock'] },
  { number: 0x01000010, name: 'block header', networks: ['rootstock'] },
  { number: 0x01000011, name: 'environment', networks: ['rootstock'] },
  { number: 0x01000016, name: 'secp256k1 addition', networks: ['rootstock'] },
  { number: 0x01000017, name: 'secp256k1 multiplication', networks: ['rootstock'] },
]

export const toAddress = (number: number | bigint): Address => numberToHex(number, { size: 20 })

const random = createRandom(seed, 'addresses below the lowest wallet')
const drawn = Array.from({ length: 8 }, () => random.int(0x02000000, 0xffffffff))

/** Writes again what people send to in order to destroy money, so that none leaves its list. */
const burnt = [
  ...['dead', 'deadbeef', 'e', 'f'].map((word) => word.repeat(40 / word.length)),
  ...['dead'.padEnd(40, '0'), 'e'.padStart(40, 'f'), 'dead'.padEnd(20, '0') + '42069'.repeat(4)],
]

/** Lists addresses that are nobody's wallet, with the kind that screens tell. */
export const nobodies: readonly (readonly [address: Address, kind: NobodyKind])[] = [
  [toAddress(0), 'zero_address'],
  ...precompiles.map(
    ({ number, name }) => [toAddress(number), name === 'bridge' ? 'bridge' : 'nobody'] as const,
  ),
  ...[0x12, 0xdead, 0x01000005, 0x01000007, lowestWallet - 1n, ...drawn].map(
    (number) => [toAddress(number), 'nobody'] as const,
  ),
  ...burnt.map((digits) => [`0x${digits}`, 'nobody'] as const),
]

const bytes = (count: number): string => 'ab'.repeat(count)

/** Lists codes by their size, with who is paid where they stand. */
export const codes: readonly { name: string; code: Hex; payee: 'wallet' | 'contract' }[] = [
  { name: 'no byte', code: '0x', payee: 'wallet' },
  // It takes whatever it is sent, as a wrapped token does.
  { name: '1 byte', code: '0x00', payee: 'contract' },
  { name: '22 bytes that begin as a delegation', code: `0xef0100${bytes(19)}`, payee: 'contract' },
  { name: '23 bytes that delegate', code: `0xef0100${bytes(20)}`, payee: 'wallet' },
  { name: '23 bytes in capitals that delegate', code: `0xEF0100${bytes(20)}`, payee: 'wallet' },
  { name: '23 other bytes', code: `0xef0101${bytes(20)}`, payee: 'contract' },
  { name: '24 bytes that begin as a delegation', code: `0xef0100${bytes(21)}`, payee: 'contract' },
]
