import type { ToldHead } from '../upstream/socket.ts'
import type { FeedBlock } from './chain.ts'

/** Looks are never further apart, whatever else: they look up the keys of open connections too. */
const longestMs = 40_000

const shortestMs = 1_000

/** Limits how late a head is found, in ms, without a connection that tells heads. */
const latestMs = 15_000

/** Limits the last blocks by which a chain's pace is known. */
const lastBlocks = 64

/** Returns the ms until the next look, by the pace of blocks and the calls left of the day. */
export function waitBetweenLooks(
  blocks: readonly FeedBlock[],
  told: ToldHead | undefined,
  now: number,
  stretchMs = 0,
): number {
  return Math.min(longestMs, Math.max(stretchMs, waitByPace(blocks, told, now)))
}

function waitByPace(blocks: readonly FeedBlock[], told: ToldHead | undefined, now: number): number {
  const paceMs = measurePace(blocks.slice(-lastBlocks))
  const alone = clamp(paceMs - shortestMs, shortestMs, latestMs)
  if (told === undefined) return alone
  // The node that was asked is behind the one that told.
  if (told.number > (blocks.at(-1)?.number ?? 0)) return clamp(now - told.at, shortestMs, alone)
  // Blocks come by chance: after so long one more was probably not told.
  return clamp(paceMs * 2.2, 2.5 * shortestMs, longestMs)
}

/** Returns the usual time between blocks by their timestamps, in ms; 0 if unknown. */
function measurePace(blocks: readonly FeedBlock[]): number {
  const gaps = blocks
    .slice(1)
    .map(({ timestamp }, index) => timestamp - (blocks[index]?.timestamp ?? timestamp))
    .filter(Number.isFinite)
    .toSorted((a, b) => a - b)
  return 1_000 * (gaps[Math.floor(gaps.length / 2)] ?? 0)
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
