import { fromRlp, type Hex, isHex, keccak256, recoverAddress, toHex, toRlp } from 'viem'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'

/** What signed bytes say of themselves, read without asking a node. */
export type DecodedTransaction = {
  /** 0 is a legacy transaction; the others are numbered by EIP-2718. */
  type: number
  /** The transaction's own hash: of a blob transaction without the blobs that travel with it. */
  hash: Hex
  /** Undefined in a legacy transaction without replay protection (before EIP-155). */
  chainId: bigint | undefined
}

type Item = Hex | readonly Item[]

/** What a field is that is no number. */
const kinds: Readonly<Record<string, 'receiver' | 'bytes' | 'list' | undefined>> = {
  to: 'receiver',
  data: 'bytes',
  accessList: 'list',
  blobVersionedHashes: 'list',
  authorizationList: 'list',
}

const ofFeeMarket = 'chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value data accessList'

/** The fields of each type, in their order on the wire: yellow paper, EIP-2930, 1559, 4844, 7702. */
const types: Readonly<Record<number, string>> = {
  0: 'nonce gasPrice gas to value data v r s',
  1: 'chainId nonce gasPrice gas to value data accessList yParity r s',
  2: `${ofFeeMarket} yParity r s`,
  3: `${ofFeeMarket} maxFeePerBlobGas blobVersionedHashes yParity r s`,
  4: `${ofFeeMarket} authorizationList yParity r s`,
}

const blobType = 3

/** RSKj takes no larger one (TxValidatorMaximumSize), nor does go-ethereum but for blobs. */
const maxBytes = 131_072

/** Half of the order of secp256k1: EIP-2 allows no `s` above it, and RSKj no other either. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const order = halfOrder * 2n + 1n

/**
 * Reads a signed transaction in the form in which `eth_sendRawTransaction` takes it.
 *
 * Bytes that a node would encode otherwise are refused here: nodes hash their own encoding (RSKj) or
 * refuse the transaction (Ethereum's), so the sender would wait for a hash that never appears.
 *
 * @throws {RpcError} invalid params, saying what is wrong with the bytes
 */
export function parseSignedTransaction(raw: Hex): DecodedTransaction {
  const type = typeOf(raw)
  const fields = types[type]
  if (fields === undefined) throw refused(`type ${type} is not known`)
  if (type !== blobType && raw.length > 2 + 2 * maxBytes) {
    throw refused(`a transaction has at most ${maxBytes} bytes`)
  }
  const body = bodyOf(type, raw)
  const members = read(body, fields.split(' '))
  checkSignature(members)
  const signed = type === blobType ? encoded(type, body) : raw
  return { type, hash: keccak256(signed), chainId: chainIdOf(type, members) }
}

/** The fields of a transaction: without the blobs that travel with it. */
function bodyOf(type: number, raw: Hex): readonly Item[] {
  const items = decoded(type === 0 ? raw : `0x${raw.slice(4)}`)
  return type === blobType && isList(items[0]) ? items[0] : items
}

/** Fields as they are signed, and hashed (EIP-2718). */
const encoded = (type: number, body: readonly Item[]): Hex =>
  `${type === 0 ? '0x' : toHex(type, { size: 1 })}${toRlp(body as Hex[]).slice(2)}`

/** Refuses a signature that no key made: about half of all `r` are not a point of the curve. */
export async function assertSigner(raw: Hex): Promise<void> {
  const type = typeOf(raw)
  const body = bodyOf(type, raw)
  const [v, r, s] = body.slice(-3).map(numberOf)
  if (v === undefined || r === undefined || s === undefined) return
  const yParity = type !== 0 ? Number(v) : Number(v < 35n ? v - 27n : (v - 35n) % 2n)
  const unsigned: readonly Item[] =
    type === 0 && v >= 35n
      ? [...body.slice(0, 6), toHex((v - 35n) / 2n), '0x', '0x']
      : body.slice(0, -3)
  const signature = { r: toHex(r, { size: 32 }), s: toHex(s, { size: 32 }), yParity }
  try {
    await recoverAddress({ hash: keccak256(encoded(type, unsigned)), signature })
  } catch {
    throw refused('no key made its signature')
  }
}

/** A list in RLP begins at 0xc0; what begins below 0x80 is a type (EIP-2718). */
function typeOf(raw: Hex): number {
  const first = Number.parseInt(raw.slice(2, 4), 16)
  if (first >= 0xc0) return 0
  if (first > 0 && first < 0x80) return first
  throw refused('they are neither a list in RLP nor of a known type (EIP-2718)')
}

function decoded(payload: Hex): readonly Item[] {
  if (isCrowded(payload)) throw refused('they hold more items than a transaction of their size')
  let items: Item
  try {
    items = fromRlp(payload)
  } catch {
    throw refused('they are not valid RLP')
  }
  if (!isList(items)) throw refused('they are not a list in RLP')
  if (toRlp(items) !== payload) throw refused('a length in their RLP is not canonical')
  return items
}

/** Whether there are more items than an access list of this size has: items are what reading costs. */
function isCrowded(payload: Hex): boolean {
  let left = 64 + payload.length / 12
  for (let at = 2; at < payload.length && left > 0; left -= 1) {
    const first = Number.parseInt(payload.slice(at, at + 2), 16)
    at += 2
    const isList = first >= 0xc0
    const digits = 2 * Math.max(0, first - (isList ? 0xf7 : 0xb7))
    // What is in a list comes next, as what follows it does.
    if (digits > 0 && !isList) at += 2 * Number.parseInt(payload.slice(at, at + digits), 16)
    else if (first >= 0x80 && !isList) at += 2 * (first - 0x80)
    at += isList || first > 0xb7 ? digits : 0
  }
  return left <= 0
}

function read(body: readonly Item[], names: readonly string[]): Readonly<Record<string, Item>> {
  if (body.length === names.length - 3) throw refused('they are not signed')
  if (body.length !== names.length) {
    throw refused(`they have ${body.length} fields instead of ${names.length}`)
  }
  return Object.fromEntries(
    names.map((name, index) => {
      const item = body[index] ?? '0x'
      const fault = faultOf(item, kinds[name])
      if (fault !== undefined) throw refused(`${name} ${fault}`)
      return [name, item]
    }),
  )
}

function faultOf(item: Item, kind: (typeof kinds)[string]): string | undefined {
  if (kind === 'list') return isList(item) ? undefined : 'is not a list'
  if (isList(item)) return 'is a list'
  if (kind === 'receiver') {
    return item.length === 2 || item.length === 42 ? undefined : 'is not an address'
  }
  if (kind === 'bytes') return undefined
  if (item.startsWith('0x00')) return 'has a leading zero'
  return item.length > 66 ? 'is longer than 32 bytes' : undefined
}

function checkSignature({ r, s }: Readonly<Record<string, Item>>): void {
  const [first, second] = [numberOf(r), numberOf(s)]
  if (first === 0n || first >= order) throw refused('r is not within the order of the curve')
  if (second === 0n || second > halfOrder) {
    throw refused('s is not within the lower half of the order of the curve (EIP-2)')
  }
}

function chainIdOf(type: number, members: Readonly<Record<string, Item>>): bigint | undefined {
  if (type !== 0) {
    if (numberOf(members.yParity) > 1n) throw refused('yParity is neither 0 nor 1')
    return numberOf(members.chainId)
  }
  const v = numberOf(members.v)
  if (v === 27n || v === 28n) return undefined
  if (v < 35n) throw refused('v is neither 27, 28 nor one of EIP-155')
  return (v - 35n) / 2n
}

function numberOf(item: Item | undefined): bigint {
  return isHex(item) && item !== '0x' ? BigInt(item) : 0n
}

function isList(item: Item | undefined): item is readonly Item[] {
  return Array.isArray(item)
}

function refused(why: string): RpcError {
  return new RpcError(
    codes.invalidParams,
    `invalid parameter "transaction": these bytes are not a signed transaction: ${why}`,
  )
}
