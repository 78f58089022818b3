import { fromRlp, type Hex, keccak256, parseSignature, toHex, toRlp, trim } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { Transaction } from '../../../../src/node/objects/block.ts'
import { verifyTransaction } from '../../../../src/node/objects/encoded-transaction.ts'
import {
  decodeHeader,
  encodeRootstockForms,
  proveHeader,
} from '../../../../src/node/objects/header.ts'
import type { RawReceipt } from '../../../../src/node/objects/receipt.ts'
import { listReceiptForms } from '../../../../src/node/objects/receipts-trie.ts'
import { readPairs } from '../../../support/rskj-node/recording.ts'
import { sampleOf } from '../../../support/sample.ts'

type Block = Readonly<Record<string, unknown>>

const pairs = readPairs('9.0.3-gas-limit-above-8388607')
const findResult = (method: string, number: unknown) =>
  pairs.find((pair) => pair.method === method && pair.params[0] === number)?.result
const blocks = pairs
  .filter(({ method }) => method === 'eth_getBlockByNumber')
  .map(({ result }) => result as Block)
  // The genesis holds what its file has, in whatever bytes, and is believed.
  .filter(({ number }) => number !== '0x0')
const [sample] = blocks

const evenHex = (value: bigint) => {
  const digits = value.toString(16)
  return digits.length % 2 === 0 ? digits : `0${digits}`
}

/** Writes numbers as Java does: two's complement, or without a sign and zero as nothing. */
const rules = {
  /** `BigInteger.toByteArray()` in `RLP.encodeElement`. */
  signed: (value: bigint) => {
    const digits = evenHex(value)
    return Number.parseInt(digits.slice(0, 2), 16) >= 0x80 ? `0x00${digits}` : `0x${digits}`
  },
  /** `BigIntegers.asUnsignedByteArray` in `RLP.encodeBigInteger` and `RLP.encodeCoin`. */
  unsigned: (value: bigint) => (value === 0n ? '0x' : `0x${evenHex(value)}`),
} as const

/** The integers of a header, by their place in it and RSKj's rule for each. */
const headerFields = [
  ['difficulty', 7, 'signed', 'RLP.encodeBlockDifficulty: BlockDifficulty.getBytes'],
  ['number', 8, 'unsigned', 'RLP.encodeBigInteger'],
  ['gasLimit', 9, 'signed', 'BlockToMineBuilder: gasLimit.toByteArray; RLP.encodeElement'],
  ['gasUsed', 10, 'unsigned', 'RLP.encodeBigInteger'],
  ['timestamp', 11, 'unsigned', 'RLP.encodeBigInteger'],
  ['paidFees', 13, 'unsigned', 'RLP.encodeCoin'],
  ['minimumGasPrice', 14, 'signed', 'RLP.encodeSignedCoinNonNullZero: Coin.getBytes'],
] as const

/** The integers of a receipt (`TransactionReceipt.getEncoded`), all unsigned. */
const receiptFields = [
  ['cumulativeGasUsed', 1],
  ['gasUsed', 4],
] as const

const account = privateKeyToAccount(`0x${'05'.repeat(32)}`)

/** Each power of two up to 2^64, and the number before it. */
const values = Array.from({ length: 65 }, (_, power) => 2n ** BigInt(power))
  .flatMap((power) => [power - 1n, power])
  .concat(10_000_000n)

test.for(blocks.map(({ number }) => `${number}`))(
  'a block of a gas limit above 8,388,607, as RSKj recorded it, proves its header: %s',
  (number) => {
    const block = findResult('eth_getBlockByNumber', number) as Block
    const raw = findResult('rsk_getRawBlockHeaderByNumber', number) as Hex
    expect(encodeRootstockForms(block).map((form) => form.raw)).toContain(raw)
    expect(decodeHeader(raw)?.hash).toBe(block.hash)
    expect(proveHeader(block, undefined)?.raw).toBe(raw)
  },
)

describe("each integer is written by RSKj's rule:", () => {
  test.for(headerFields)('%s of a header', ([name, place, rule]) => {
    for (const value of values) {
      const [form] = encodeRootstockForms({ ...sample, [name]: toHex(value) })
      const fields = fromRlp(form?.raw ?? '0x', 'hex') as Hex[]
      expect(fields[place], `${value}`).toBe(rules[rule](value))
      expect(decodeHeader(form?.raw ?? '0x'), `${value}`).toHaveProperty('hash')
      const decoded = decodeHeader(form?.raw ?? '0x')?.[name]
      expect(BigInt(decoded as string), `${value}`).toBe(value)
    }
  })

  test.for(receiptFields)('%s of a receipt', ([name, place]) => {
    for (const value of values) {
      const receipt = { status: '0x1', cumulativeGasUsed: '0x1', gasUsed: '0x1', logsBloom: '0x' }
      const raw = { ...receipt, type: '0x0', logs: [], [name]: toHex(value) } as never as RawReceipt
      const fields = fromRlp(listReceiptForms(raw, 'rootstock')[0], 'hex') as Hex[]
      expect(fields[place], `${value}`).toBe(rules.unsigned(value))
    }
  })

  // `Transaction.getEncoded`: nonce and gas limit stay as they were sent.
  test.for(['nonce', 'gasPrice', 'gas', 'value'] as const)('%s of a transaction', async (name) => {
    // viem reads a nonce as a number.
    const most = name === 'nonce' ? 2n ** 53n : 2n ** 256n
    for (const value of sampleOf(30, values, name).filter((one) => one < most)) {
      // Zero as a price is one byte (`RLP.encodeCoinNonNullZero`), or nothing, as it was sent.
      const forms = name === 'gasPrice' && value === 0n ? ['0x', '0x00'] : [rules.unsigned(value)]
      for (const form of forms) {
        const transaction = await signOf({ [name]: form })
        // What is written in an unusual way is left unproved.
        expect(await verifyTransaction(transaction, 'rootstock'), form).toBe(
          form === '0x00' ? 'unusual' : 'verified',
        )
      }
    }
  })
})

/** Signs a transaction whose integers are written like this, and describes it as nodes do. */
async function signOf(over: Readonly<Record<string, string>>): Promise<Transaction> {
  const one = '0x01'
  const written = { nonce: one, gasPrice: one, gas: '0x5208', to: account.address, value: one }
  const fields = Object.values({ ...written, ...over, input: '0x' }) as Hex[]
  const { r, s, yParity } = await account
    .sign({ hash: keccak256(toRlp([...fields, '0x1f', '0x', '0x'])) })
    .then(parseSignature)
  const v = toHex(31 * 2 + 35 + yParity)
  const hash = keccak256(toRlp([...fields, v, trim(r), trim(s)]))
  const shown = Object.entries({ ...written, ...over }).map(([name, value]) => [
    name,
    name === 'to' ? value : toHex(BigInt(value === '0x' ? 0 : value)),
  ])
  const rest = { input: '0x', type: '0x0', v, r, s, hash, from: account.address }
  return { ...Object.fromEntries(shown), ...rest } as Transaction
}
