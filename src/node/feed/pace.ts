import type { ReportedHead } from '../upstream/socket.ts'
import type { FeedBlock } from './chain.ts'

/** Limits the wait between polls, in ms: they also check the keys of open connections. */
const longestMs = 40_000

const shortestMs = 1_000

/** Limits how late a head is found, in ms, without a socket that reports heads. */
const latestMs = 15_000

/** Sets how many of the last blocks a chain's pace is measured by. */
const lastBlocks = 64

/** Returns the ms until the next poll, by the pace of blocks and the day's remaining calls. */
export function pollWaitMs(
  blocks: readonly FeedBlock[],
  reported: ReportedHead | undefined,
  now: number,
  stretchMs = 0,
): number {
  return Math.min(longestMs, Math.max(stretchMs, waitByPace(blocks, reported, now)))
}

function waitByPace(
  blocks: readonly FeedBlock[],
  reported: ReportedHead | undefined,
  now: number,
): number {
  const paceMs = measurePace(blocks.slice(-lastBlocks))
  const alone = clamp(paceMs - shortestMs, shortestMs, latestMs)
  if (reported === undefined) return alone
  // The polled node is behind the one that reported the head.
  if (reported.number > (blocks.at(-1)?.number ?? 0))
    return clamp(now - reported.at, shortestMs, alone)
  // Block times are random: after this long, the socket has probably missed a block.
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
