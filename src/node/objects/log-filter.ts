import { keccak256 } from 'viem'
import * as z from 'zod/mini'
import type { ChainLog } from './log.ts'
import { addressesParam, blockParam, hashParam } from './values.ts'

const topic = z.union(
  [hashParam, z.array(z.nullable(hashParam)).check(z.maxLength(1_000)), z.null()],
  { error: 'must be a 32-byte topic, an array of such topics, or null' },
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
  .object(
    {
      address: addressesParam,
      topics,
      blockHash: z.nullish(hashParam),
      fromBlock: z.nullish(blockParam),
      toBlock: z.nullish(blockParam),
    },
    { error: 'must be a filter object' },
  )
  .check(
    z.refine(({ blockHash, fromBlock, toBlock }) => !(blockHash && (fromBlock || toBlock)), {
      error: 'Cannot specify both blockHash and fromBlock/toBlock',
    }),
  )

export type LogFilter = z.output<typeof logSubscriptionParam>

/** Tells whether a log matches; it needs at least as many topics as the filter. */
export function matches(filter: LogFilter, log: Emitted): boolean {
  return (filter.topics?.length ?? 0) <= log.topics.length && couldMatch(filter, log)
}

/** Matches as `matches` does, but ignores missing trailing topics, about which nodes differ. */
export function couldMatch(filter: LogFilter, { address, topics }: Emitted): boolean {
  const values = [address.toLowerCase(), ...topics]
  return findWanted(filter).every((any, index) => any?.has(values[index] ?? '') ?? true)
}

/** Estimates a filter's bytes of memory after its first match, rather too high than too low. */
export function estimateBytes({ address, topics }: LogFilter): number {
  const conditions = [address, ...(topics ?? [])]
  return 500 + 160 * conditions.reduce((sum, any) => sum + (Array.isArray(any) ? any.length : 1), 0)
}

type Emitted = Pick<ChainLog, 'address' | 'topics'>

/** Tells whether a block with this bloom may hold a wanted log; only `false` is certain. */
export function mayContain(bloom: string, filter: LogFilter): boolean {
  return findWanted(filter).every(
    (any) => any === undefined || [...any].some((value) => isInBloom(bloom, value)),
  )
}

/** Returns the filter in a form that all nodes accept, with the blocks to search. */
export function toLogQuery(
  { address, topics }: LogFilter,
  where: { blockHash: string } | { fromBlock: string; toBlock: string },
): Record<string, unknown> {
  const conditions = (topics ?? []).map((condition) =>
    alternatives(condition).length === 0 ? null : condition,
  )
  return {
    ...where,
    ...(alternatives(address).length > 0 ? { address } : {}),
    ...(conditions.length > 0 ? { topics: conditions } : {}),
  }
}

type Condition = string | readonly (string | null)[] | null | undefined

/** Caches each filter's values, since they are compared with each log of each block. */
const wanted = new WeakMap<LogFilter, readonly (ReadonlySet<string> | undefined)[]>()

/** Returns the accepted values of the address and of each topic; undefined accepts any. */
function findWanted(filter: LogFilter): readonly (ReadonlySet<string> | undefined)[] {
  const known = wanted.get(filter)
  if (known !== undefined) return known
  const made = [filter.address, ...(filter.topics ?? [])]
    .map(alternatives)
    .map((any) => (any.length === 0 ? undefined : new Set(any)))
  wanted.set(filter, made)
  return made
}

/** Returns the values of which any matches; an empty list means no condition. */
function alternatives(condition: Condition): string[] {
  if (condition === null || condition === undefined) return []
  const any = typeof condition === 'string' ? [condition] : condition
  return any.every((value) => value !== null) ? [...any] : []
}

/** Tells whether a bloom of 2048 bits has a value's three bits (yellow paper, 4.3.1). */
function isInBloom(bloom: string, value: string): boolean {
  const digest = keccak256(value as `0x${string}`, 'bytes')
  return [0, 2, 4].every((offset) => {
    const bit = (((digest[offset] ?? 0) << 8) | (digest[offset + 1] ?? 0)) & 2047
    const digit = Number.parseInt(bloom[2 + 511 - (bit >> 2)] ?? '0', 16)
    return ((digit >> (bit & 3)) & 1) === 1
  })
}
