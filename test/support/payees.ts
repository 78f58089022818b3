import { type Address, type Hex, numberToHex } from 'viem'
import { createRandom } from '../../scripts/dev/random.ts'
import { lowestWallet, type NobodyKind, precompiles } from '../../src/chain/payees.ts'
import { seed } from './sample.ts'

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
