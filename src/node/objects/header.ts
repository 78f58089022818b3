import { fromRlp, type Hex, keccak256, toRlp } from 'viem'
import type { MiningRules } from '../../chain/chains.ts'
import { MalformedAnswer, UntrueAnswer } from './bad-answers.ts'
import { assertMined } from './merged-mining.ts'

type Fields = Readonly<Record<string, unknown>>
type Encoder = (value: string) => Hex

/** Describes what a block's hash proves: the raw header, and the kind of its tries. */
export type ProvedHeader = { raw: Hex; trieKind: 'rootstock' | 'ethereum' }

/** Passes a value that is in bytes already. */
const bytes: Encoder = (value) => value as Hex

/** Lists the first fields of both chains' headers, in their order (yellow paper). */
const firstFields = {
  parentHash: bytes,
  sha3Uncles: bytes,
  miner: bytes,
  stateRoot: bytes,
  transactionsRoot: bytes,
  receiptsRoot: bytes,
}

const workFields = {
  difficulty: encodeQuantity,
  number: encodeQuantity,
  gasLimit: encodeQuantity,
  gasUsed: encodeQuantity,
  timestamp: encodeQuantity,
  extraData: bytes,
}

const ethereumFields = {
  ...firstFields,
  logsBloom: bytes,
  ...workFields,
  mixHash: bytes,
  nonce: bytes,
}

/** Lists the header fields that Ethereum added, in order (EIP-1559, 4895, 4844, 4788, 7685). */
const laterFields = {
  baseFeePerGas: encodeQuantity,
  withdrawalsRoot: bytes,
  blobGasUsed: encodeQuantity,
  excessBlobGas: encodeQuantity,
  parentBeaconBlockRoot: bytes,
  requestsHash: bytes,
}

/** Lists Rootstock's next fields; three are signed numbers (RSKj's `BlockHeader.getEncoded`). */
const rootstockWorkFields = {
  ...workFields,
  difficulty: encodeSigned,
  gasLimit: encodeSigned,
  paidFees: encodeQuantity,
  minimumGasPrice: encodeSigned,
}

/**
 * Proves a header by its hash; undefined if the header may have an unknown form.
 * @throws {UntrueAnswer} the hash is not the header's, or nobody mined it
 */
export function proveHeader(
  block: Fields,
  mining: MiningRules | undefined,
): ProvedHeader | undefined {
  if (mining === undefined && typeof block.minimumGasPrice !== 'string') {
    return { raw: encodeEthereumHeader(block), trieKind: 'ethereum' }
  }
  if (Number(block.number) < (mining?.from ?? 1)) return undefined
  const form = encodeRootstockForms(block).find(({ hashed }) => keccak256(hashed) === block.hash)
  if (form === undefined) return undefined
  if (mining !== undefined) assertMined(block, form.mined, mining)
  return { raw: form.raw, trieKind: 'rootstock' }
}

function encodeEthereumHeader(block: Fields): Hex {
  const later = Object.entries(laterFields).filter(([name]) => typeof block[name] === 'string')
  const raw = toRlp(encodeFields(block, { ...ethereumFields, ...Object.fromEntries(later) }))
  if (keccak256(raw) !== block.hash) throw new UntrueAnswer('a block does not fit its own hash')
  return raw
}

/** The bytes of the block's hash, those that are mined, and the header as RSKj returns it raw. */
type HeaderForm = { hashed: Hex; mined: Hex; raw: Hex }

/** Encodes a header as of version 0, 1 and 2 (RSKIP92, 110, 144, 351, 535). */
export function encodeRootstockForms(block: Fields): HeaderForm[] {
  const bloom = encodeField(block, 'logsBloom', bytes)
  const bitcoinHeader = encodeField(block, 'bitcoinMergedMiningHeader', bytes)
  const uncles = Array.isArray(block.uncles) ? block.uncles.length : 0
  const tail = [encodeQuantity(`0x${uncles.toString(16)}`), '0x'] as const
  const encodeWithSummary = (summary: Hex): Hex[] => [
    ...encodeFields(block, firstFields),
    summary,
    ...encodeFields(block, rootstockWorkFields),
    ...tail,
  ]
  const edges = Array.isArray(block.rskPteEdges) ? [encodeEdges(block.rskPteEdges)] : []
  const baseEvent = typeof block.baseEvent === 'string' ? bytes(block.baseEvent) : '0x'
  const plain = encodeWithSummary(bloom)
  // Headers before the Papyrus upgrade do not end with an empty root.
  const beforePapyrus = plain.slice(0, -1)
  const versions = [
    { number: '0x01', fields: edges, after: edges },
    { number: '0x02', fields: [baseEvent, ...edges], after: [...edges, baseEvent] },
  ] as const
  const version0 = [plain, beforePapyrus].map((fields) => {
    const hashed = toRlp([...fields, bitcoinHeader])
    return { hashed, mined: toRlp(fields), raw: hashed }
  })
  return [
    ...version0,
    ...versions.map(({ number, fields, after }) => {
      const extension = keccak256(toRlp([keccak256(bloom), ...fields]))
      const compressed = encodeWithSummary(toRlp([number, extension]))
      const raw = toRlp([...plain, number, ...after, bitcoinHeader])
      return { hashed: toRlp([...compressed, bitcoinHeader]), mined: toRlp(compressed), raw }
    }),
  ]
}

/** Decodes Rootstock's raw header into a node's fields and its hash; undefined if unknown. */
export function decodeHeader(raw: Hex): (Fields & { hash: Hex }) | undefined {
  const names = [...Object.keys(firstFields), 'logsBloom', ...Object.keys(rootstockWorkFields)]
  const parts = [fromRlp(raw, 'hex')].flat()
  if (parts.length < names.length + 2 || !parts.every((part) => typeof part === 'string')) {
    return undefined
  }
  const [uncles = '0x', , version, ...after] = parts.slice(names.length, -1)
  const fields = names.map((name, index) => {
    const encoder: Encoder = rootstockWorkFields[name as keyof typeof rootstockWorkFields] ?? bytes
    return [name, encoder !== bytes && parts[index] === '0x' ? '0x0' : parts[index]]
  })
  if (uncles.length > '0x00'.length) return undefined
  const baseEvent = version === '0x02' ? after.pop() : undefined
  const block: Fields = {
    ...Object.fromEntries(fields),
    uncles: Array.from({ length: Number(uncles === '0x' ? 0 : uncles) }),
    bitcoinMergedMiningHeader: parts.at(-1),
    ...(after[0] && { rskPteEdges: parseEdges(after[0]) }),
    ...(baseEvent && { baseEvent }),
  }
  const form = encodeRootstockForms(block).find((candidate) => candidate.raw === raw)
  return form && { ...block, hash: keccak256(form.hashed) }
}

const parseEdges = (edges: Hex): number[] =>
  (edges.slice(2).match(/.{4}/g) ?? []).map((pair) =>
    Number(`0x${pair.slice(2)}${pair.slice(0, 2)}`),
  )

/** Writes the ends of a block's parallel parts (RSKIP144): two bytes each, low byte first. */
function encodeEdges(edges: readonly unknown[]): Hex {
  const shorts = edges.map((edge) => Number(edge).toString(16).padStart(4, '0'))
  return `0x${shorts.map((short) => short.slice(2) + short.slice(0, 2)).join('')}`
}

function encodeFields(block: Fields, fields: Readonly<Record<string, Encoder>>): Hex[] {
  return Object.entries(fields).map(([name, encoder]) => encodeField(block, name, encoder))
}

function encodeField(block: Fields, name: string, encoder: Encoder): Hex {
  const value = block[name]
  if (typeof value === 'string') return encoder(value)
  throw new MalformedAnswer('a block lacks a field of its header')
}

/** Writes a number as RLP has it: big-endian, without leading zeros, zero as nothing. */
export function encodeQuantity(value: string): Hex {
  const digits = value.slice(2).replace(/^0+/, '')
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}

/** Writes a number in two's complement, zero as one byte (`RLP.encodeSignedCoinNonNullZero`). */
function encodeSigned(value: string): Hex {
  const digits = encodeQuantity(value)
  const isNegative = Number.parseInt(digits.slice(2, 4) || '80', 16) >= 0x80
  return isNegative ? `0x00${digits.slice(2)}` : digits
}
