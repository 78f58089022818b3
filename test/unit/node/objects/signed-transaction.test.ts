import {
  concatHex,
  fromRlp,
  type Hex,
  keccak256,
  parseGwei,
  serializeTransaction,
  type TransactionSerializable,
  toHex,
  toRlp,
} from 'viem'
import { describe, expect, test } from 'vitest'
import {
  assertSigner,
  parseSignedTransaction,
} from '../../../../src/node/objects/signed-transaction.ts'
import { customer } from '../../../chain/node/support/anvil-rpc.ts'

const to = `0x${'ab'.repeat(20)}` as const
const common = { chainId: 31, nonce: 7, gas: 21_000n, to, value: 1n } as const
const fees = { maxFeePerGas: parseGwei('1'), maxPriorityFeePerGas: 1n } as const
const blobs = { blobVersionedHashes: [`0x01${'22'.repeat(31)}`], maxFeePerBlobGas: 1n } as const

const { chainId: _, ...anyChain } = common
const ofEachType: [type: number, TransactionSerializable][] = [
  // Without replay protection it names no chain.
  [0, { ...anyChain, type: 'legacy', gasPrice: 1n }],
  [0, { ...common, type: 'legacy', gasPrice: 1n }],
  [0, { ...common, type: 'legacy', gasPrice: 0n, nonce: 0, value: 0n, to: null, data: '0x6000' }],
  [1, { ...common, type: 'eip2930', gasPrice: 1n, accessList: [{ address: to, storageKeys: [] }] }],
  [2, { ...common, type: 'eip1559', ...fees }],
  [3, { ...common, type: 'eip4844', ...fees, ...blobs }],
]

test.for<[type: Hex, TransactionSerializable]>([
  ['0x1', { ...common, type: 'eip2930', gasPrice: 0n }],
  ['0x2', { ...common, type: 'eip1559', ...fees, maxPriorityFeePerGas: 0n }],
  ['0x2', { ...common, type: 'eip1559', maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }],
  ['0x0203', { ...common, type: 'legacy', gasPrice: 0n }],
])(
  'of type %s without a price is refused in words, since nodes misread it',
  async ([type, one]) => {
    const signed = await customer.signTransaction(one)
    const raw = type === '0x0203' ? concatHex([type, signed]) : signed
    expect(() => parseSignedTransaction(raw)).toThrow(/is refused: .* is 0, with which nodes/)
  },
)

/** Returns a refusal's words after their common beginning. */
function refusal(raw: Hex): string {
  try {
    parseSignedTransaction(raw)
  } catch (error) {
    const { code, message } = error as { code: number; message: string }
    const [, why] = message.split('these bytes are not a signed transaction: ')
    return `${code} ${why}`
  }
  return 'taken'
}

const word = (digit: string): Hex => `0x${digit.repeat(64)}`

const fields: Hex[] = ['0x07', '0x01', '0x5208', to, '0x01', '0x', '0x61', word('1'), word('2')]

/** Encodes a legacy transaction of chain 31 with some fields (by position) replaced. */
const legacyWith = (changes: Readonly<Record<number, Hex>>): Hex =>
  toRlp(fields.map((field, position) => changes[position] ?? field))

describe('the hash of a signed transaction is its own', () => {
  test.for(ofEachType)('of type %i: %o', async ([type, transaction]) => {
    const raw = await customer.signTransaction(transaction)
    const { chainId } = transaction
    expect(parseSignedTransaction(raw)).toEqual({
      type: toHex(type),
      hash: keccak256(raw),
      chainId,
    })
    // And a key made its signature.
    await assertSigner(raw)
  })

  test('of a blob transaction without the blobs that travel with it', async () => {
    const signature = { r: word('1'), s: word('2'), yParity: 1 }
    const own = serializeTransaction({ ...common, type: 'eip4844', ...fees, ...blobs }, signature)
    const body = fromRlp(`0x${own.slice(4)}`)
    const [blob, commitment, proof] = [word('3'), word('4'), word('5')]
    // As EIP-4844 wraps it, and with a version as EIP-7594 does.
    const wrapped = [body, [blob], [commitment], [proof]]
    const versioned = [body, '0x01', [blob], [commitment], [proof]]
    for (const network of [wrapped, versioned]) {
      const raw = concatHex(['0x03', toRlp(network as never)])
      expect(parseSignedTransaction(raw)).toEqual({
        type: '0x3',
        hash: keccak256(own),
        chainId: 31,
      })
    }
  })
})

test('an access list of many addresses is read, and one of many keys', async () => {
  for (const storageKeys of [[], Array.from({ length: 20 }, (_, key) => word(`${key % 10}`))]) {
    const accessList = Array.from({ length: 150 }, () => ({ address: to, storageKeys }))
    const typed = { ...common, type: 'eip2930', gasPrice: 1n } as const
    const raw = await customer.signTransaction({ ...typed, accessList })
    expect(parseSignedTransaction(raw).hash).toBe(keccak256(raw))
  }
})

describe('bytes that a node would encode otherwise, or not at all, are refused in words', () => {
  const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
  const crowded = 'they hold more items than a transaction of their size'
  const another = 'their encoding is not canonical'
  const unread = 'they cannot be read as of type 0'
  const neither = 'they are neither a list in RLP nor of a known type (EIP-2718)'
  const low = 's is not within the lower half of the order of the curve (EIP-2)'
  const typed = (list: Hex) => `0x03${list.slice(2)}` as const

  test.for<[what: string, raw: Hex, why: string]>([
    ['nothing', '0x', neither],
    ['text', '0xb8', neither],
    ['two bytes', '0x1234', 'type 18 is not known'],
    ['a list that ends too early', '0xdeadbeef', unread],
    ['an empty list', '0xc0', unread],
    ['an unknown type', `0x05${legacyWith({}).slice(2)}`, 'type 5 is not known'],
    ['a type before text', '0x0280', 'they cannot be read as of type 2'],
    ['bytes after the end', `${legacyWith({})}00`, unread],
    ['an unsigned transaction', toRlp(['0x', '0x', '0x', to, '0x', '0x']), 'they are not signed'],
    ['a leading zero in the nonce', legacyWith({ 0: '0x0007' }), another],
    ['a zero in place of nothing', legacyWith({ 4: '0x00' }), another],
    ['a leading zero in r', legacyWith({ 7: `0x00${'11'.repeat(31)}` }), another],
    ['a leading zero in s', legacyWith({ 8: `0x00${'11'.repeat(31)}` }), another],
    ['a thousand fields of a byte', toRlp(Array<Hex>(1_000).fill('0x01')), crowded],
    ['a thousand lists beside blobs', typed(toRlp([Array<Hex[]>(1_000).fill([]), '0x'])), crowded],
    ['r of zero', legacyWith({ 7: '0x' }), 'r is not within the order of the curve'],
    ['r above the order', legacyWith({ 7: word('f') }), 'r is not within the order of the curve'],
    ['s in the upper half', legacyWith({ 8: toHex(halfOrder + 1n) }), low],
    ['a receiver of two bytes', legacyWith({ 3: '0x1234' }), unread],
    ['33 bytes', legacyWith({ 4: `0x01${'00'.repeat(32)}` }), another],
    ['v of no chain', legacyWith({ 6: '0x1d' }), unread],
    ['a list in place of a number', toRlp([[], ...fields.slice(1)]), another],
    ['a longer length than it needs', `0xf800${legacyWith({}).slice(4)}`, unread],
    ['another length of the same list', '0xf80101', unread],
    ['lists thousands deep', `0x${'c1'.repeat(131_000)}`, crowded],
    ['long lists thousands deep', `0xf9ffff${'f9ffff'.repeat(43_000)}`, crowded],
    [
      'a million lists',
      `0xfa0fffff${'c0'.repeat(0xfffff)}`,
      'a transaction has at most 131072 bytes',
    ],
  ])('%s', ([, raw, why]) => {
    expect(refusal(raw)).toBe(`-32602 ${why}`)
  })

  test('the valid form of all of them is accepted', () => {
    expect(refusal(legacyWith({}))).toBe('taken')
    expect(refusal(legacyWith({ 8: toHex(halfOrder) }))).toBe('taken')
  })
})
