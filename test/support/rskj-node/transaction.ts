import { fromRlp, type Hex, keccak256, recoverAddress, toHex, toRlp } from 'viem'
import { refusals, regtest } from './quirks.ts'

/** Signed bytes as RSKj understands them. */
export type Decoded = {
  /** Of RSKj's own encoding: bytes that are not canonical are known by another hash than theirs. */
  hash: Hex
  /** That encoding. */
  raw: Hex
  /** Of what RSKj believes was signed. */
  from: Hex
  nonce: bigint
  gasPrice: bigint
  gas: bigint
  to: Hex
  data: Hex
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Reads signed bytes as `ImmutableTransaction` does, and refuses what
 * `EthModuleTransactionBase.sendRawTransaction` refuses before the pool sees it. Typed envelopes
 * (EIP-2718) are no list, which RSKj did not foresee.
 *
 * @throws {RpcError} the refusal
 */
export async function decodeTransaction(raw: unknown): Promise<Decoded> {
  if (typeof raw !== 'string' || !/^(?:0x)?(?:[0-9a-f]{2})*$/i.test(raw)) throw refusals.noHex()
  const [nonce, gasPrice, gas, to, value, data, v, r, s] = fieldsOf(raw as Hex)
  if (to.length !== 2 && to.length !== 42) throw refusals.receiverLength(raw.length - 2)
  if ([r, s].every((part) => part === '0x') && v !== '0x') throw refusals.fault()
  const chainId = chainIdOf(v)
  const [id, bigR, bigS] = [chainId, bigint(r), bigint(s)]
  const isSigned = bigR > 0n && bigR < order && bigS > 0n && bigS <= order / 2n
  // Bytes without a chain id are signed as before EIP-155, and taken.
  if (!isSigned || (id !== 0 && id !== regtest.chainId)) throw refusals.chainId(id)
  const unsigned: Hex[] = [
    nonce === '0x00' ? '0x' : nonce,
    bigint(gasPrice) === 0n ? '0x00' : canonical(gasPrice),
    gas,
    to,
    canonical(value),
    data,
  ]
  const signed = toRlp([...unsigned, v, canonical(r), canonical(s)])
  const message = toRlp(id === 0 ? unsigned : [...unsigned, toHex(id), '0x', '0x'])
  const yParity = id === 0 ? Number(v) - 27 : (Number(v) - 35) % 2
  return {
    hash: keccak256(signed),
    raw: signed,
    from: await recoverAddress({
      hash: keccak256(message),
      signature: { r: toHex(bigR, { size: 32 }), s: toHex(bigS, { size: 32 }), yParity },
    }).catch(() => {
      throw refusals.fault()
    }),
    nonce: bigint(nonce),
    gasPrice: bigint(gasPrice),
    gas: bigint(gas),
    to,
    data,
  }
}

type Nine = [Hex, Hex, Hex, Hex, Hex, Hex, Hex, Hex, Hex]

/** The nine members of a transaction. What is RLP but no such list is a fault of RSKj. */
function fieldsOf(raw: Hex): Nine {
  const bytes = Buffer.from(raw.replace(/^0x/, ''), 'hex')
  const ends: number[] = []
  for (let at = 0; at < bytes.length; ) {
    at = endOfItem(bytes, at)
    ends.push(at)
  }
  if (ends.length !== 1 || (bytes[0] ?? 0) < 0xc0) throw refusals.fault()
  let fields: unknown
  try {
    fields = fromRlp(raw, 'hex')
  } catch {
    throw refusals.fault()
  }
  const isNine =
    Array.isArray(fields) &&
    fields.length === 9 &&
    fields.every((field) => typeof field === 'string')
  if (!isNine) throw refusals.fault()
  return fields as Nine
}

/** Where an item of RLP ends, in the words of RSKj's decoder (`RLP.decodeElement`). */
function endOfItem(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return at + 1
  const base = first < 0xc0 ? 0x80 : 0xc0
  const short = first - base
  const sizeOfLength = Math.max(0, short - 55)
  if (at + 1 + sizeOfLength > bytes.length) {
    throw refusals.noRlp("The length of the RLP item length can't possibly fit the data byte array")
  }
  const digits = bytes.subarray(at + 1, at + 1 + sizeOfLength).toString('hex')
  const length = sizeOfLength === 0 ? BigInt(short) : BigInt(`0x${digits}`)
  if (length > 0x7fffffffn) throw refusals.noRlp("The length of the RLP item can't be negative")
  const end = at + 1 + sizeOfLength + Number(length)
  if (end > bytes.length) {
    throw refusals.noRlp(
      "The RLP byte array doesn't have enough space to hold an element with the specified length",
    )
  }
  return end
}

/** EIP-155; zero means that it names no chain. */
function chainIdOf(v: Hex): number {
  const number = Number(bigint(v))
  return number < 35 ? 0 : (number - 35) >> 1
}

function bigint(value: Hex): bigint {
  return value === '0x' ? 0n : BigInt(value)
}

function canonical(value: Hex): Hex {
  const number = bigint(value)
  return number === 0n ? '0x' : toHex(number)
}

/** What a transaction costs before it does anything, as of RSKIP400. */
export function basicCost({ to, data }: Decoded): bigint {
  let gas = to === '0x' ? 53_000n : 21_000n
  for (let at = 2; at < data.length; at += 2) gas += data.slice(at, at + 2) === '00' ? 4n : 16n
  return gas
}
