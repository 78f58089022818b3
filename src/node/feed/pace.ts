import type { ReportedHead } from '../upstream/socket.ts'
import type { FeedBlock } from './chain.ts'

/** Limits the wait between polls, in ms, because polls also check the keys of connections. */
const maxWaitMs = 40_000

const minBlockWaitMs = 1_000

/** Limits how late a poll finds a head, in ms, without a socket that reports heads. */
const maxLateMs = 15_000

const measuredBlocks = 64

/** Returns the ms until the next poll, by the time between blocks and the day's remaining calls. */
export function computePollWaitMs(
  blocks: readonly FeedBlock[],
  reported: ReportedHead | undefined,
  now: number,
  minWaitMs = 0,
): number {
  const blockTimeMs = measureBlockTimeMs(blocks.slice(-measuredBlocks))
  const waitWithoutSocketMs = clamp(blockTimeMs - minBlockWaitMs, minBlockWaitMs, maxLateMs)
  // Block times are random: after this long, the socket has probably missed a block.
  let waitMs = Math.max(blockTimeMs * 2.2, 2.5 * minBlockWaitMs)
  if (reported === undefined) waitMs = waitWithoutSocketMs
  // The polled node is behind the one that reported the head.
  else if (reported.number > (blocks.at(-1)?.number ?? 0))
    waitMs = clamp(now - reported.reportedAt, minBlockWaitMs, waitWithoutSocketMs)
  return Math.min(maxWaitMs, Math.max(minWaitMs, waitMs))
}

/** Returns the usual time between blocks by their timestamps, in ms; 0 if unknown. */
function measureBlockTimeMs(blocks: readonly FeedBlock[]): number {
  const gaps = blocks
    .slice(1)
    .map(({ timestamp }, index) => timestamp - (blocks[index]?.timestamp ?? timestamp))
    .filter(Number.isFinite)
    .toSorted((a, b) => a - b)
  return 1_000 * (gaps[Math.floor(gaps.length / 2)] ?? 0)
}

function clamp(value: number, minimum: number, maximum: number): number {
  return Math.min(maximum, Math.max(minimum, value))
}
