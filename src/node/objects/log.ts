import * as z from 'zod/mini'
import { hashKeccakBytes } from '../../runtime/keccak.ts'
import {
  address,
  addressesParam,
  blockParam,
  data,
  describeAlternatives,
  hash,
  hashParam,
  maxAlternatives,
  quantity,
} from './values.ts'

/** Parses a log in the form of an HTTP answer, without `removed`; unknown fields pass. */
export const log = z.looseObject({
  logIndex: z.nullable(quantity),
  transactionIndex: z.nullable(quantity),
  transactionHash: z.nullable(hash),
  blockHash: z.nullable(hash),
  blockNumber: z.nullable(quantity),
  address,
  data,
  topics: z.array(hash).check(z.maxLength(4)),
})

export const logs = z.array(log)

export type ChainLog = z.output<typeof log>

/** Parses a log as nodes return it, and drops `removed`, which belongs to notifications. */
export const rawLog = z.pipe(
  log,
  z.transform(({ removed: _, ...rest }): ChainLog => rest),
)

export const rawLogs = z.array(rawLog)

/** Returns a key of a log's content and place in its block, which tells equal logs apart. */
export function toContentKey({ logIndex, address, topics, data }: ChainLog): string {
  return `${logIndex} ${address.toLowerCase()} ${topics.join()} ${data}`
}

const topic = z.union(
  [hashParam, z.array(z.nullable(hashParam)).check(z.maxLength(maxAlternatives)), z.null()],
  {
    error: describeAlternatives(
      'topics in one place',
      'must be a 32-byte topic, an array of such topics, or null',
    ),
  },
)

const topics = z.nullish(
  z
    .array(topic, { error: 'must be an array of topics' })
    .check(z.maxLength(4, { error: 'must have at most 4 topics' })),
)

/** Parses the filter of a logs subscription; a list of addresses or topics matches any of them. */
export const logSubscriptionParam = z.object(
  { address: addressesParam, topics },
  { error: 'must be a filter object' },
)

export const logFilterParam = z
  .extend(logSubscriptionParam, {
    blockHash: z.nullish(hashParam),
    fromBlock: z.nullish(blockParam),
    toBlock: z.nullish(blockParam),
  })
  .check(
    z.refine(({ blockHash, fromBlock, toBlock }) => !(blockHash && (fromBlock || toBlock)), {
      error: 'Cannot specify both blockHash and fromBlock/toBlock',
    }),
  )

export type LogFilter = z.output<typeof logSubscriptionParam>

/** Tells whether a log matches; it needs at least as many topics as the filter. */
export function matchesFilter(filter: LogFilter, log: LogContent): boolean {
  return (filter.topics?.length ?? 0) <= log.topics.length && mayMatchFilter(filter, log)
}

/** Matches as `matchesFilter` does, but ignores missing last topics, about which nodes differ. */
export function mayMatchFilter(filter: LogFilter, { address, topics }: LogContent): boolean {
  const values = [address.toLowerCase(), ...topics]
  return getAcceptedValues(filter).every(
    (accepted, index) => accepted?.has(values[index] ?? '') ?? true,
  )
}

/** Estimates a filter's bytes of memory after its first match, rather too many than too few. */
export function estimateFilterBytes({ address, topics }: LogFilter): number {
  return 500 + 160 * [address, ...(topics ?? [])].flat().length
}

type LogContent = Pick<ChainLog, 'address' | 'topics'>

/** Tells whether a block with this bloom may hold a wanted log; only `false` is certain. */
export function mayContainLogs(bloom: string, filter: LogFilter): boolean {
  return getAcceptedValues(filter).every(
    (accepted) => accepted === undefined || [...accepted].some((value) => isInBloom(bloom, value)),
  )
}

/** Returns the filter in a form that all nodes accept, with the blocks to search. */
export function toLogQuery(
  { address, topics }: LogFilter,
  blocks: { blockHash: string } | { fromBlock: string; toBlock: string },
): Record<string, unknown> {
  const conditions = (topics ?? []).map((condition) =>
    listAlternatives(condition).length === 0 ? null : condition,
  )
  return {
    ...blocks,
    ...(listAlternatives(address).length > 0 ? { address } : {}),
    ...(conditions.length > 0 ? { topics: conditions } : {}),
  }
}

type Condition = string | readonly (string | null)[] | null | undefined

/** Caches each filter's values, since they are compared with each log of each block. */
const acceptedValues = new WeakMap<LogFilter, readonly (ReadonlySet<string> | undefined)[]>()

/** Returns the accepted values of the address and of each topic; undefined accepts any. */
function getAcceptedValues(filter: LogFilter): readonly (ReadonlySet<string> | undefined)[] {
  const known = acceptedValues.get(filter)
  if (known !== undefined) return known
  const valueSets = [filter.address, ...(filter.topics ?? [])]
    .map(listAlternatives)
    .map((accepted) => (accepted.length === 0 ? undefined : new Set(accepted)))
  acceptedValues.set(filter, valueSets)
  return valueSets
}

/** Returns the values of which any matches; an empty list means no condition. */
export function listAlternatives(condition: Condition): string[] {
  if (condition === null || condition === undefined) return []
  const accepted = typeof condition === 'string' ? [condition] : condition
  return accepted.every((value) => value !== null) ? [...accepted] : []
}

/** Tells whether a bloom of 2048 bits has a value's three bits (yellow paper, 4.3.1). */
function isInBloom(bloom: string, value: string): boolean {
  const digest = hashKeccakBytes(value as `0x${string}`)
  return [0, 2, 4].every((offset) => {
    const bit = (((digest[offset] ?? 0) << 8) | (digest[offset + 1] ?? 0)) & 2047
    const digit = Number.parseInt(bloom[2 + 511 - (bit >> 2)] ?? '0', 16)
    return ((digit >> (bit & 3)) & 1) === 1
  })
}
