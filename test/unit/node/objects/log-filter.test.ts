import { keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  type LogFilter,
  matchesFilter,
  mayContainLogs,
  mayMatchFilter,
  toLogQuery,
} from '../../../../src/node/objects/log.ts'
import { printed, printedBy } from '../portal.ts'

const address = `0x${'a1'.repeat(20)}`
const [a = '', b = '', c = ''] = ['aa', 'bb', 'cc'].map((byte) => `0x${byte.repeat(32)}`)
const other = c.slice(0, 42)
const log = { address, topics: [a, b] }

test('of 4,000 values is matched with a log in about the time of one of four', () => {
  const value = (index: number): string => `0x${index.toString(16).padStart(64, '0')}`
  const filterOf = (count: number): LogFilter => ({
    topics: [0, 1, 2, 3].map((place) =>
      Array.from({ length: count }, (_, index) => value(4 * index + place)),
    ),
  })
  const matched = { address, topics: [0, 1, 2, 3].map((place) => value(4 * 999 + place)) }
  const cpuMs = (filter: LogFilter): number => {
    const before = process.cpuUsage()
    for (let round = 0; round < 20_000; round += 1) mayMatchFilter(filter, matched)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  const [short, long] = [filterOf(1), filterOf(1_000)]
  expect(mayMatchFilter(long, matched)).toBe(true)
  expect(mayMatchFilter(short, matched)).toBe(false)
  cpuMs(short)
  expect(cpuMs(long)).toBeLessThan(20 * Math.max(10, cpuMs(short)))
})

describe('a filter', () => {
  test.for<[LogFilter, boolean]>([
    [{}, true],
    [{ address }, true],
    [{ address: [other, address] }, true],
    [{ address: [] }, true],
    [{ address: other }, false],
    [{ topics: [] }, true],
    [{ topics: [a] }, true],
    [{ topics: [b] }, false],
    [{ topics: [null, b] }, true],
    [{ topics: [[], [a, b]] }, true],
    [{ topics: [[a, null], [c]] }, false],
    [{ topics: [[c, null]] }, true],
    [{ topics: [a, b, null] }, false],
    [{ topics: [a, b, c] }, false],
  ])('%j selects as go-ethereum and RSKj do', ([filter, wanted]) => {
    expect(matchesFilter(filter, log)).toBe(wanted)
  })

  test('may be served by a node that supports fewer positions', () => {
    expect(mayMatchFilter({ topics: [a, b, null] }, log)).toBe(true)
    expect(mayMatchFilter({ topics: [a, b, c] }, log)).toBe(false)
  })

  test('is sent to a node without empty conditions', () => {
    const where = { fromBlock: '0x1', toBlock: '0x2' }
    expect(toLogQuery({ address: [], topics: [] }, where)).toEqual(where)
    expect(toLogQuery({ address, topics: [a, [], [b, null], [c]] }, where)).toEqual({
      ...where,
      address,
      topics: [a, null, null, [c]],
    })
  })
})

describe('a bloom', () => {
  test('may contain what was added, and excludes what was not', () => {
    const bloom = bloomOf([address, a, b])
    const held = [{}, { address }, { address: [other, address], topics: [null, [b, c]] }]
    expect(held.map((filter) => mayContainLogs(bloom, filter))).toEqual([true, true, true])
    const lacking = [{ topics: [c] }, { address: other }]
    expect(lacking.map((filter) => mayContainLogs(bloom, filter))).toEqual([false, false])
    expect(mayContainLogs(`0x${'00'.repeat(256)}`, { topics: [a] })).toBe(false)
    expect(mayContainLogs(`0x${'ff'.repeat(256)}`, { topics: [c] })).toBe(true)
  })

  test('of a real block of Rootstock holds the address and topic of its log', () => {
    const [first] = printedBy<{ address: string; topics: string[] }[]>('eth_getLogs')
    const logsBloom = `${printed.logsBloom}`
    expect(mayContainLogs(logsBloom, { address: first?.address, topics: first?.topics })).toBe(true)
    expect(mayContainLogs(logsBloom, { address })).toBe(false)
  })
})

/** Computes a bloom by the yellow paper. */
function bloomOf(values: readonly string[]): string {
  let bits = 0n
  for (const value of values) {
    const digest = keccak256(value as `0x${string}`, 'bytes')
    for (const at of [0, 2, 4]) {
      bits |= 1n << BigInt((((digest[at] ?? 0) << 8) | (digest[at + 1] ?? 0)) & 2047)
    }
  }
  return `0x${bits.toString(16).padStart(512, '0')}`
}
