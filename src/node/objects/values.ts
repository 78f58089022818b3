import * as z from 'zod/mini'

/** Parses a 32-byte hash of a parameter, in upper or lower case. */
export const hashParam = createHexParam(/^0x[0-9a-fA-F]{64}$/, 'a 32-byte hash')

/** Parses an address in any case; checksums (EIP-55, EIP-1191) are not checked. */
export const addressParam = createHexParam(/^0x[0-9a-fA-F]{40}$/, 'a 20-byte address')

/** Limits the addresses of a filter, and the topics in each of its places. */
export const maxAlternatives = 1_000

/** Creates the words for a bad list of alternatives, which name the limit of a too long one. */
export const describeAlternatives =
  (what: string, words: string) =>
  ({ input }: { input?: unknown }): string =>
    Array.isArray(input) && input.length > maxAlternatives
      ? `must have at most ${maxAlternatives} ${what}`
      : words

export const addressesParam = z.nullish(
  z.union([addressParam, z.array(addressParam).check(z.maxLength(maxAlternatives))], {
    error: describeAlternatives('addresses', 'must be an address or an array of addresses'),
  }),
)

export const dataParam = createHexParam(/^0x(?:[0-9a-fA-F]{2})*$/, 'hex data of whole bytes')

/** Parses a hex number and drops leading zeros, which some nodes refuse. */
export const quantityParam = createParam(
  /^0x[0-9a-fA-F]{1,64}$/,
  'a hex quantity',
  toCanonicalQuantity,
)

/** Matches a block number, of at most 13 hex digits: JavaScript holds such numbers exactly. */
const blockNumber = '0x0*[0-9a-fA-F]{1,13}'

const minedTags = ['latest', 'earliest']
const allTags = [...minedTags, 'pending']

/** Parses a block number or tag. Rootstock has no `safe`: clients count confirmations instead. */
export const blockParam = createBlockParam(allTags)

/** Parses a mined block's number, tag or hash, by which traces are selected. */
export const minedBlockOrHashParam = createBlockParam(minedTags, true)

export const minedBlockParam = createBlockParam(minedTags)

const booleanParam = z.boolean({ error: 'must be true or false' })
const requireCanonicalParam = z.optional(booleanParam)

/** Parses a block number, hash or tag, in text or in the object form of EIP-1898. */
export const blockOrHashParam = createSelectorParam(true)

/** Parses a block number or tag, in text or in the object form of EIP-1898. */
export const stateBlockParam = createSelectorParam(false)

export type Selector = string | { blockHash: string; requireCanonical: true }

export const fullTransactionsParam = z._default(booleanParam, false)

/** Parses a number of an answer (execution-apis `uint`) and drops its leading zeros. */
export const quantity = z
  .string()
  .check(z.regex(/^0x[0-9a-fA-F]+$/), z.overwrite(toCanonicalQuantity))

/** Parses a transaction's type as the node has it: `0x2`, or `0x0203` of Rootstock's namespace. */
export const transactionType = z.string().check(
  z.regex(/^0x[0-9a-fA-F]{1,4}$/),
  z.overwrite((type) => (type.length === 6 ? type.toLowerCase() : toCanonicalQuantity(type))),
)

/** Parses a number that a node prints in hex, in decimal, or as a JSON number. */
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

export function isBlockHash(selector: Selector): boolean {
  return typeof selector === 'string' && selector.length === '0x'.length + 64
}

export function toBlockNumber(block: string | null | undefined, latest: number): number {
  if (block === 'earliest') return 0
  return block?.startsWith('0x') ? Number(block) : latest
}

/** Replaces a value that nodes omit or return as `null`. */
export function withDefault<S extends z.ZodMiniType<string>>(defaultValue: string, schema: S) {
  return z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? defaultValue),
  )
}

/** Parses a field of an answer that is `null` where a node omits it. */
export const orMissing = <S extends z.ZodMiniType>(schema: S) =>
  z.prefault(z.nullable(schema), null)

export function toQuantity(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

function toCanonicalQuantity(text: string): string {
  if (/^0x(?:0|[1-9a-f][0-9a-f]*)$/.test(text)) return text
  return text.toLowerCase().replace(/^0x0+(?=.)/, '0x')
}

function createHexParam(pattern: RegExp, description: string) {
  return createParam(pattern, description, (text) => text.toLowerCase())
}

function createParam(pattern: RegExp, description: string, toCanonical: (text: string) => string) {
  const error = `must be ${description}`
  return z.string({ error }).check(z.regex(pattern, { error }), z.overwrite(toCanonical))
}

function createBlockParam(tags: readonly string[], takesHash = false) {
  const pattern = [...tags, blockNumber, ...(takesHash ? ['0x[0-9a-fA-F]{64}'] : [])].join('|')
  // Where no hash is accepted, zeros may pad a number to 64 digits.
  const toCanonical = (text: string) =>
    text.startsWith('0x') && !(takesHash && isBlockHash(text))
      ? toCanonicalQuantity(text)
      : text.toLowerCase()
  return createParam(new RegExp(`^(?:${pattern})$`), describeBlocks(tags, takesHash), toCanonical)
}

function describeBlocks(tags: readonly string[], takesHash: boolean): string {
  const words = ['a block number in hex', ...(takesHash ? ['a block hash'] : []), ...tags]
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function createSelectorParam(takesHash: boolean) {
  const byHash = z.looseObject({ blockHash: hashParam, requireCanonical: requireCanonicalParam })
  return z.union(
    [
      createBlockParam(allTags, takesHash),
      z.pipe(
        byHash,
        z.transform(
          ({ blockHash, requireCanonical }): Selector =>
            requireCanonical ? { blockHash, requireCanonical } : blockHash,
        ),
      ),
      z.pipe(
        z.looseObject({ blockNumber: blockParam }),
        z.transform(({ blockNumber }): Selector => blockNumber),
      ),
    ],
    { error: `must be ${describeBlocks(allTags, takesHash)}` },
  )
}
