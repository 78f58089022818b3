import { isRefusal } from './refusals.ts'
import { RpcError } from './rpc.ts'

/** A range of blocks, both ends included. */
export type BlockRange = { from: number; to: number }

/** How many blocks the next request has, and how many answers came since the last refusal. */
export type LogPace = { blocks: number; answers: number; readonly maxBlocks: number }

/** Limits the blocks of one request to what public nodes serve. */
export const maxBlocksPerRequest = 2_000

/** Sets after how many answers the number of blocks per request doubles. */
export const answersBeforeDoubling = 4

/**
 * Reads the logs of a range in parts, oldest first. `ask` returns the logs of a part, or an error
 * that may be about the part's size: then the next parts have half the blocks until some answers
 * came. Throws the error if one block alone fails as well.
 */
export async function* readLogs<Log>(
  { from, to }: BlockRange,
  ask: (part: BlockRange) => Promise<readonly Log[] | Error>,
  pace: LogPace = { blocks: maxBlocksPerRequest, answers: 0, maxBlocks: maxBlocksPerRequest },
): AsyncGenerator<{ to: number; logs: readonly Log[] }, void> {
  // After an unclear error, one block alone shows whether it was about the part's size.
  let unclearError: Error | undefined
  let isCauseKnown = false
  for (let start = from; start <= to; ) {
    const end = unclearError === undefined ? Math.min(to, start + pace.blocks - 1) : start
    const answer = await ask({ from: start, to: end })
    if (!(answer instanceof Error)) {
      pace.answers += 1
      if (pace.answers % answersBeforeDoubling === 0)
        pace.blocks = Math.min(pace.maxBlocks, pace.blocks * 2)
      unclearError = undefined
      start = end + 1
      yield { to: end, logs: answer }
      continue
    }
    if (start === end) throw unclearError ?? answer
    const isClear = answer instanceof RpcError && isRefusal(answer, 'too_much')
    if (!isCauseKnown && !isClear) unclearError = answer
    isCauseKnown = true
    pace.blocks = Math.ceil((end - start + 1) / 2)
    pace.answers = 0
  }
}
