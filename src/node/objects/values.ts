import * as z from 'zod/mini'

/** 32 bytes, as clients write them in parameters; case does not matter. */
export const hashParam = hexParam(/^0x[0-9a-fA-F]{64}$/, 'a 32-byte hash')

/** 20 bytes, in any case: a checksum is the wallet's business (EIP-55 and EIP-1191 both pass). */
export const addressParam = hexParam(/^0x[0-9a-fA-F]{40}$/, 'a 20-byte address')

export const addressesParam = z.nullish(
  z.union([addressParam, z.array(addressParam).check(z.maxLength(1_000))], {
    error: 'must be an address or an array of addresses',
  }),
)

export const dataParam = hexParam(/^0x(?:[0-9a-fA-F]{2})*$/, 'hex data of whole bytes')

/** A number in hex; leading zeros, which nodes disagree about, are dropped before it travels on. */
export const quantityParam = param(/^0x[0-9a-fA-F]{1,64}$/, 'a hex quantity', canonicalQuantity)

/** A block by number or tag. `safe` and `finalized` are not served on Rootstock: count blocks. */
export const blockParam = param(
  /^(?:latest|earliest|pending|0x0*[0-9a-fA-F]{1,13})$/,
  'a block number in hex, latest, earliest or pending',
  canonicalNumber,
)

/** A mined block by number or tag, or by hash: what traces are selected by. */
export const minedBlockOrHashParam = param(
  /^(?:latest|earliest|0x0*[0-9a-fA-F]{1,13}|0x[0-9a-fA-F]{64})$/,
  'a block number in hex, a block hash, latest or earliest',
  canonicalSelector,
)

export const minedBlockParam = param(
  /^(?:latest|earliest|0x0*[0-9a-fA-F]{1,13})$/,
  'a block number in hex, latest or earliest',
  canonicalNumber,
)

const anyBlock = param(
  /^(?:latest|earliest|pending|0x0*[0-9a-fA-F]{1,13}|0x[0-9a-fA-F]{64})$/,
  'a block number in hex, a block hash, latest, earliest or pending',
  canonicalSelector,
)

const canonical = z.optional(z.boolean({ error: 'must be true or false' }))

/** A block by number, hash or tag; also in the object forms of EIP-1898. */
export const blockOrHashParam = selector(anyBlock)

/** A block by number or tag; also in the object forms of EIP-1898. */
export const stateBlockParam = selector(blockParam)

export type Selector = string | { blockHash: string; requireCanonical: true }

/** The optional switch of the block methods: whole transactions instead of their hashes. */
export const fullParam = z._default(z.boolean({ error: 'must be true or false' }), false)

/** A quantity in an answer (execution-apis `uint`): leading zeros that a node prints are dropped. */
export const quantity = z
  .string()
  .check(z.regex(/^0x[0-9a-fA-F]+$/), z.overwrite(canonicalQuantity))

/** A quantity as some nodes print it: in hex, in decimal, or as a JSON number. */
export const anyQuantity = z.union([
  quantity,
  z.pipe(
    z.union([z.string().check(z.regex(/^\d+$/)), z.int().check(z.nonnegative())]),
    z.transform((value) => toQuantity(BigInt(value))),
  ),
])

export const data = z.string().check(z.regex(/^0x[0-9a-fA-F]*$/))

export const hash = z.string().check(z.regex(/^0x[0-9a-f]{64}$/))

export const address = z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/))

/** Whether a selector names a block by its hash, whatever became of the block. */
export function isHash(selector: Selector): boolean {
  return typeof selector === 'string' && selector.length === 66
}

/** Gives the number of a block by its number or tag. */
export function numberOf(block: string | null | undefined, latest: number): number {
  if (block === 'earliest') return 0
  return block?.startsWith('0x') ? Number(block) : latest
}

/** Reads what nodes may leave out, or print as `null`, as something else. */
export function orElse<S extends z.ZodMiniType, Other extends string | null>(
  other: Other,
  schema: S,
) {
  return z.pipe(
    z.nullish(schema),
    z.transform((value) => (value ?? other) as z.output<S> | Other),
  )
}

export function toQuantity(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

function canonicalQuantity(text: string): string {
  if (/^0x(?:0|[1-9a-f][0-9a-f]*)$/.test(text)) return text
  return `0x${text
    .slice(2)
    .replace(/^0+(?=.)/, '')
    .toLowerCase()}`
}

/** A number of 64 digits is a number where no hash may stand. */
function canonicalNumber(text: string): string {
  return text.startsWith('0x') ? canonicalQuantity(text) : text
}

function canonicalSelector(text: string): string {
  return text.length === 66 ? text.toLowerCase() : canonicalNumber(text)
}

function hexParam(pattern: RegExp, what: string) {
  return param(pattern, what, (text) => text.toLowerCase())
}

function param(pattern: RegExp, what: string, canonical: (text: string) => string) {
  const error = `must be ${what}`
  return z.string({ error }).check(z.regex(pattern, { error }), z.overwrite(canonical))
}

function selector(text: ReturnType<typeof param>) {
  return z.pipe(
    z.union(
      [
        text,
        z.looseObject({ blockHash: hashParam, requireCanonical: canonical }),
        z.looseObject({ blockNumber: blockParam }),
      ],
      { error: (issue) => unionError(issue.input, text) },
    ),
    z.transform((value): Selector => {
      if (typeof value === 'string') return value
      if ('blockNumber' in value && typeof value.blockNumber === 'string') return value.blockNumber
      const { blockHash, requireCanonical } = value as {
        blockHash: string
        requireCanonical?: boolean
      }
      return requireCanonical ? { blockHash, requireCanonical } : blockHash
    }),
  )
}

/** What the textual form would have said: the union itself knows no words. */
function unionError(input: unknown, text: ReturnType<typeof param>): string {
  const outcome = text.safeParse(typeof input === 'string' ? input : undefined)
  return outcome.error?.issues[0]?.message ?? 'must be a block'
}
