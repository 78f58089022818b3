import { concatHex, fromRlp, type Hex, padHex, recoverAddress, toRlp } from 'viem'
import * as z from 'zod/mini'
import { UntrueAnswer } from '../../chain/rpc.ts'
import { hashKeccak } from '../../runtime/keccak.ts'
import { isNamespaced, type MinedBlock, splitType, type Transaction, toTypeBytes } from './block.ts'
import { asHex, encodeQuantity } from './header.ts'
import { computeTrieRoot, type TrieKind } from './receipts-trie.ts'
import { data, quantity } from './values.ts'

/** Limits a number's bytes, including leading zeros, which RSKj leaves as the sender wrote them. */
const maxNumberBytes = 32

const maxHashedBytes = 300_000

/** The search's result: `unknown` for an unknown type, or a search that would take too long. */
type EncodingSearch =
  | { kind: 'found'; bytes: Hex; zeros: number }
  | { kind: 'unknown' }
  | { kind: 'none' }

/** Holds the fields of one. RSKj keeps zeros that a sender wrote before nonce and gas limit. */
type Form = {
  before: readonly Hex[]
  prices: readonly Hex[]
  gas: Hex
  after: readonly Field[]
  /** Counts the bytes of zero that other fields have. */
  zeros: number
}
type Field = Hex | readonly Field[]

/**
 * Finds the encoding that has a transaction's hash; `budget` limits the bytes to hash. RSKj keeps a
 * typed transaction's lists as their sender wrote them, with lengths that no node returns: where no
 * form of it fits, its encoding is unknown.
 */
function findEncoding(
  transaction: Transaction,
  trieKind: TrieKind,
  budget: { bytesLeft: number },
): EncodingSearch {
  const prefix = toTypeBytes(transaction.type)
  const isTyped = prefix !== '0x' && !isNamespaced(transaction.type)
  const forms = isTyped ? listTypedForms(transaction) : listLegacyForms(transaction)
  if (forms === undefined) return { kind: 'unknown' }
  const nonce = encodeQuantity(transaction.nonce)
  for (let zeros = 0; zeros < 2 * maxNumberBytes; zeros += 1) {
    for (let nonceZeros = 0; nonceZeros <= zeros; nonceZeros += 1) {
      for (const form of forms) {
        const list = encodeForm(padWithZeros(nonce, nonceZeros), form, zeros - nonceZeros)
        if (list === undefined) continue
        const bytes = concatHex([prefix, list])
        if (hashKeccak(bytes) === transaction.hash)
          return { kind: 'found', bytes, zeros: zeros + form.zeros }
        budget.bytesLeft -= bytes.length / 2
        if (budget.bytesLeft < 0) return { kind: 'unknown' }
      }
    }
    // Ethereum's transactions have no such zeros.
    if (isTyped && trieKind === 'ethereum') return { kind: 'none' }
  }
  return { kind: isTyped ? 'unknown' : 'none' }
}

/** Encodes a form with leading zeros in the gas limit; undefined if a number is too long. */
function encodeForm(nonce: Hex | undefined, form: Form, gasZeros: number): Hex | undefined {
  const gas = padWithZeros(form.gas, gasZeros)
  if (nonce === undefined || gas === undefined) return undefined
  return toRlp([...form.before, nonce, ...form.prices, gas, ...form.after] as Hex[])
}

/** Lists how RSKj may hold gas prices: zero as nothing, or as a byte (`encodeCoinNonNullZero`). */
function listPriceForms(gasPrices: readonly string[]): Pick<Form, 'prices' | 'zeros'>[] {
  const [gasPrice, ...others] = gasPrices
  if (gasPrice === undefined) return [{ prices: [], zeros: 0 }]
  const price = encodeQuantity(gasPrice)
  return listPriceForms(others).flatMap(({ prices, zeros }) => {
    const usual = { prices: [price, ...prices], zeros }
    return price === '0x' ? [usual, { prices: ['0x00', ...prices], zeros: zeros + 1 }] : [usual]
  })
}

/** Lists what a legacy signature's `v` may be where a node prints its parity alone (RSKIP-546). */
function listParityForms({ v, r }: Transaction): string[] {
  const parity = Number(v)
  if (parity > 1 || Number(r) === 0) return [v]
  const ofChains = [30, 31, 33].map((chainId) => `0x${(2 * chainId + 35 + parity).toString(16)}`)
  return [...ofChains, `0x${(27 + parity).toString(16)}`, v]
}

/** Lists what stands after the gas limit; `lists` come before the signature. */
const listEnd = (
  { to, value, input, r, s }: Transaction,
  parity: string,
  lists: readonly Field[] = [],
): Field[] => [
  asHex(to ?? '0x'),
  encodeQuantity(value),
  asHex(input),
  ...lists,
  ...[parity, r, s].map(encodeQuantity),
]

function listLegacyForms(transaction: Transaction): Form[] {
  const { gasPrice, v } = transaction
  const gas = encodeQuantity(transaction.gas)
  // REMASC's transaction encodes zeros as a byte, but not in its value (`RemascTransaction`).
  if (isUnsigned(transaction)) {
    const after = listEnd(transaction, v)
    return [{ before: [], prices: ['0x00'], gas: '0x00', after, zeros: 0 }]
  }
  const ends = listParityForms(transaction).map((parity) => listEnd(transaction, parity))
  return listPriceForms([gasPrice]).flatMap((priced) =>
    ends.map((after) => ({ before: [], ...priced, gas, after })),
  )
}

/** Parses what a typed transaction has beyond {@link Transaction}; RSKj spells `yparity`. */
const typedFields = z.object({
  chainId: quantity,
  accessList: z._default(z.array(z.object({ address: data, storageKeys: z.array(data) })), []),
  yParity: z.optional(quantity),
  yparity: z.optional(quantity),
})
const feeFields = z.object({ maxPriorityFeePerGas: quantity, maxFeePerGas: quantity })

/** Lists the forms of a typed transaction (EIP-2930, 1559); undefined for others. */
function listTypedForms(transaction: Transaction): Form[] | undefined {
  if (transaction.type !== '0x1' && transaction.type !== '0x2') return undefined
  const typed = typedFields.safeParse(transaction).data
  const prices = listPrices(transaction)
  if (typed === undefined || prices === undefined) return undefined
  const list = typed.accessList.map((entry) => [entry.address, entry.storageKeys] as Field[])
  const after = listEnd(transaction, typed.yParity ?? typed.yparity ?? '0x', [list])
  const before = [encodeQuantity(typed.chainId)]
  const gas = encodeQuantity(transaction.gas)
  return listPriceForms(prices).map((priced) => ({ before, ...priced, gas, after }))
}

/** Lists what stands between nonce and gas limit: EIP-2930's price, or else EIP-1559's fees. */
function listPrices(transaction: Transaction): string[] | undefined {
  if (transaction.type === '0x1') return [transaction.gasPrice]
  const fees = feeFields.safeParse(transaction).data
  return fees && [fees.maxPriorityFeePerGas, fees.maxFeePerGas]
}

function padWithZeros(number: Hex, zeros: number): Hex | undefined {
  const digits = `${'00'.repeat(zeros)}${number.slice(2)}`
  return digits.length > 2 * maxNumberBytes ? undefined : `0x${digits}`
}

/** Tells whether a transaction is REMASC's, which ends each Rootstock block without a signature. */
const isUnsigned = ({ from, r, s }: Transaction): boolean =>
  Number(from) === 0 && Number(r) === 0 && Number(s) === 0

/**
 * Encodes a block's full transactions, each proved by its hash and position, and all by the root;
 * returns undefined if an encoding is unknown.
 * @throws {UntrueAnswer} a hash, a position or the root does not fit
 */
export function encodeProvedTransactions({ hash, ...block }: MinedBlock, trieKind: TrieKind) {
  const encoded: Hex[] = []
  const budget = { bytesLeft: maxHashedBytes }
  for (const [index, transaction] of block.transactions.entries()) {
    if (typeof transaction === 'string') return undefined
    const search = findEncoding(transaction, trieKind, budget)
    if (search.kind === 'unknown') return undefined
    const isInPlace =
      transaction.blockHash === hash && Number(transaction.transactionIndex) === index
    if (!isInPlace || search.kind === 'none') {
      throw new UntrueAnswer('a transaction does not fit its hash or its block')
    }
    encoded.push(search.bytes)
  }
  if (computeTrieRoot(encoded, trieKind) === block.transactionsRoot) return encoded
  throw new UntrueAnswer('the transactions of a block do not fit its transactionsRoot')
}

/**
 * Checks a transaction against its hash and signature. `unusual`: its hash fits an encoding with
 * zeros, whose signer is not recovered; `unknown`: it fits no encoding that can be found.
 * @throws {UntrueAnswer} they do not fit
 */
export async function verifyTransaction(
  transaction: Transaction,
  trieKind: TrieKind,
): Promise<'verified' | 'unusual' | 'unknown'> {
  const search = findEncoding(transaction, trieKind, { bytesLeft: maxHashedBytes })
  if (search.kind === 'unknown') return 'unknown'
  if (search.kind === 'found') {
    if (search.zeros > 0) return 'unusual'
    const { from } = transaction
    const signer = isUnsigned(transaction)
      ? from
      : await recoverSigner(search.bytes).catch(() => '')
    if (signer.toLowerCase() === from.toLowerCase()) return 'verified'
  }
  throw new UntrueAnswer('a transaction does not fit its hash')
}

/**
 * Recovers who signed a transaction: its type's bytes come before what is signed, which in a legacy
 * transaction and in Rootstock's namespace names the chain (EIP-155).
 * @throws {Error} nobody can have signed it
 */
export async function recoverSigner(bytes: Hex): Promise<Hex> {
  const { type, rlp } = splitType(bytes)
  const fields = fromRlp(rlp, 'hex') as Hex[]
  const [v = '0x', r = '0x', s = '0x'] = fields.slice(-3)
  const parity = Number(v === '0x' ? 0 : v)
  const isTyped = toTypeBytes(type) !== '0x' && !isNamespaced(type)
  const chainId = Math.floor((parity - 35) / 2)
  const ofChain: Hex[] =
    isTyped || parity < 35 ? [] : [encodeQuantity(`0x${chainId.toString(16)}`), '0x', '0x']
  const signed = toRlp([...fields.slice(0, -3), ...ofChain])
  return await recoverAddress({
    hash: hashKeccak(concatHex([toTypeBytes(type), signed])),
    signature: {
      r: padHex(r, { size: 32 }),
      s: padHex(s, { size: 32 }),
      yParity: isTyped ? parity : (parity + 1) % 2,
    },
  })
}
