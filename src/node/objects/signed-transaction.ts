import {
  fromRlp,
  type Hex,
  parseTransaction,
  serializeTransaction,
  type TransactionSerialized,
  toRlp,
} from 'viem'
import { RpcError } from '../../chain/rpc.ts'
import { hashKeccak } from '../../runtime/keccak.ts'
import { codes } from '../codes.ts'
import { isNamespaced, nameType, splitType } from './block.ts'
import { recoverSigner } from './encoded-transaction.ts'

/** Lists the known types (EIP-2718): from a legacy transaction to EIP-7702's. */
const knownTypes: readonly string[] = ['0x0', '0x1', '0x2', '0x3', '0x4']

const blobType = '0x3'

/** Lists the types of which RSKj reads no transaction without a price, or one of another signer. */
const pricedTypes: readonly string[] = ['0x1', '0x2']

/** Limits a transaction's bytes, as RSKj (TxValidatorMaximumSize) and go-ethereum do. */
const maxTransactionBytes = 131_072

/** Equals half of secp256k1's order, the highest `s` that EIP-2 and RSKj allow. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const curveOrder = halfOrder * 2n + 1n

/**
 * Reads the type, hash and chain of a signed transaction; `chainId` is undefined before EIP-155.
 * Refuses an encoding that is not canonical: RSKj encodes the transaction again before hashing it,
 * so the sender would wait for a hash that never appears.
 */
export function parseSignedTransaction(raw: Hex) {
  const { type, rlp } = readType(raw)
  if (!knownTypes.includes(type) && !isNamespaced(type))
    throw createRefusal(`type ${nameType(type)} is not known`)
  if (type !== blobType && raw.length > 2 + 2 * maxTransactionBytes) {
    throw createRefusal(`a transaction has at most ${maxTransactionBytes} bytes`)
  }
  if (hasTooManyItems(rlp))
    throw createRefusal('they hold more items than a transaction of their size')
  const encoding = removeBlobs(type, raw)
  // What follows a namespace's two bytes is encoded like a legacy transaction.
  const isOwn = isNamespaced(type)
  const { chainId, r, s, isCanonical, isFree } = readSignature(type, isOwn ? rlp : encoding)
  if (!isCanonical) throw createRefusal('their encoding is not canonical')
  if (r === 0n || r >= curveOrder) throw createRefusal('r is not within the order of the curve')
  if (s === 0n || s > halfOrder) {
    throw createRefusal('s is not within the lower half of the order of the curve (EIP-2)')
  }
  if (isFree && (isOwn || pricedTypes.includes(type))) {
    const price =
      type === '0x2' ? 'the lower of maxFeePerGas and maxPriorityFeePerGas' : 'its gas price'
    throw createParamError(
      `type ${nameType(type)} is refused: ${price} is 0, with which nodes of Rootstock read another transaction`,
    )
  }
  return { type, hash: hashKeccak(encoding), chainId }
}

/** Throws if no signer can be recovered: about half of all values of `r` are not on the curve. */
export async function assertSigner(raw: Hex): Promise<void> {
  const encoding = removeBlobs(readType(raw).type, raw)
  try {
    await recoverSigner(encoding)
  } catch {
    throw createRefusal('no key made its signature')
  }
}

/** Splits bytes by their type (EIP-2718): a first byte below 0x80; an RLP list begins at 0xc0. */
function readType(raw: Hex): ReturnType<typeof splitType> {
  const prefixByte = Number.parseInt(raw.slice(2, 4), 16)
  if (prefixByte >= 0xc0 || (prefixByte > 0 && prefixByte < 0x80)) return splitType(raw)
  throw createRefusal('they are neither a list in RLP nor of a known type (EIP-2718)')
}

/** Removes a transaction's blobs (EIP-4844), which its hash does not cover. */
function removeBlobs(type: string, raw: Hex): Hex {
  if (type !== blobType) return raw
  try {
    const [body] = fromRlp(`0x${raw.slice(4)}`) as Hex[][]
    return Array.isArray(body) ? `0x03${toRlp(body).slice(2)}` : raw
  } catch {
    throw createRefusal('they are not a list in RLP')
  }
}

function readSignature(type: string, encoding: Hex) {
  try {
    const { r, s, v, yParity, ...fields } = parseTransaction(encoding as TransactionSerialized)
    if (r === undefined || s === undefined) throw createRefusal('they are not signed')
    const signature = { r, s, v, yParity } as Parameters<typeof serializeTransaction>[1]
    const isInRange =
      Number.isSafeInteger(fields.chainId ?? 0) &&
      Object.values(fields).every((value) => typeof value !== 'bigint' || value < 2n ** 256n)
    const isCanonical = isInRange && serializeTransaction(fields, signature) === encoding
    const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = fields
    const isFree = !gasPrice && !(maxFeePerGas && maxPriorityFeePerGas)
    return { chainId: fields.chainId, r: toBigInt(r), s: toBigInt(s), isCanonical, isFree }
  } catch (error) {
    throw error instanceof RpcError
      ? error
      : createRefusal(`they cannot be read as of type ${nameType(type)}`)
  }
}

const toBigInt = (bytes: Hex): bigint => (bytes === '0x' ? 0n : BigInt(bytes))

/** Tells whether RLP has more items than a transaction of its size can: each costs time. */
function hasTooManyItems(payload: Hex): boolean {
  // The fields, and an access list: an item of it has at least 6 bytes on average.
  let itemsLeft = 64 + payload.length / 12
  for (let position = 2; position < payload.length && itemsLeft > 0; itemsLeft -= 1) {
    const prefixByte = Number.parseInt(payload.slice(position, position + 2), 16)
    position += 2
    const isList = prefixByte >= 0xc0
    const lengthDigits = 2 * Math.max(0, prefixByte - (isList ? 0xf7 : 0xb7))
    // A list's items come next, so the position moves only over the list's own header.
    if (lengthDigits > 0 && !isList)
      position += 2 * Number.parseInt(payload.slice(position, position + lengthDigits), 16)
    else if (prefixByte >= 0x80 && !isList) position += 2 * (prefixByte - 0x80)
    position += isList || prefixByte > 0xb7 ? lengthDigits : 0
  }
  return itemsLeft <= 0
}

export const createParamError = (reason: string): RpcError =>
  new RpcError(codes.invalidParams, `invalid parameter "transaction": ${reason}`)

const createRefusal = (reason: string): RpcError =>
  createParamError(`these bytes are not a signed transaction: ${reason}`)
