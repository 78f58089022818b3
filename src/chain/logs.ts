import { isRefusal } from './refusals.ts'
import { RpcError } from './rpc.ts'

/** A range of blocks, both ends included. */
export type BlockRange = { from: number; to: number }

/** How many blocks the first request has, and how large and how many at a time they become. */
export type LogPace = { blocks: number; maxBlocks: number; parallel: number }

/** Limits the blocks of one request to what public nodes serve. */
export const maxBlocksPerRequest = 2_000

/** Sets after how many answers the number of blocks per request doubles again. */
const answersBeforeDoubling = 4

/**
 * Reads the logs of a range in parts, oldest first. `ask` returns the logs of a part, or an error
 * that may be about the part's size: then the next parts have half the blocks until some answers
 * came. Throws the error if one block alone fails as well.
 */
export async function* readLogs<Log>(
  { from, to }: BlockRange,
  ask: (part: BlockRange) => Promise<readonly Log[] | Error>,
  pace: LogPace = { blocks: maxBlocksPerRequest, maxBlocks: maxBlocksPerRequest, parallel: 1 },
): AsyncGenerator<{ to: number; logs: readonly Log[] }, void> {
  let { blocks } = pace
  // Parts of this many blocks are asked at once; one alone tries more, which may be refused.
  let acceptedBlocks = 0
  let answersLeft = 0
  // After an unclear error, one block alone shows whether it was about the part's size.
  let unclearError: Error | undefined
  let isCauseKnown = false
  for (let start = from; start <= to; ) {
    const isAccepted = blocks <= acceptedBlocks && (answersLeft > 0 || blocks === pace.maxBlocks)
    const count = isAccepted && unclearError === undefined ? pace.parallel : 1
    const parts = planParts(start, to, unclearError === undefined ? blocks : 1, count)
    const answers = await Promise.all(parts.map(ask))
    for (const [index, part] of parts.entries()) {
      const answer = answers[index] ?? []
      if (!(answer instanceof Error)) {
        if (unclearError === undefined) acceptedBlocks = Math.max(acceptedBlocks, blocks)
        unclearError = undefined
        answersLeft -= 1
        start = part.to + 1
        yield { to: part.to, logs: answer }
        continue
      }
      if (part.from === part.to) throw unclearError ?? answer
      const isClear = answer instanceof RpcError && isRefusal(answer, 'too_much')
      if (!isCauseKnown && !isClear) unclearError = answer
      isCauseKnown = true
      if (blocks <= acceptedBlocks) acceptedBlocks = 0
      while (blocks > part.to - part.from) blocks = Math.ceil(blocks / 2)
      answersLeft = answersBeforeDoubling
      break
    }
    if (answersLeft <= 0) blocks = Math.min(pace.maxBlocks, blocks * 2)
  }
}

const planParts = (first: number, last: number, blocks: number, count: number): BlockRange[] =>
  Array.from({ length: count }, (_, index) => first + index * blocks)
    .filter((from) => from <= last)
    .map((from) => ({ from, to: Math.min(last, from + blocks - 1) }))
