import type { Clock } from './clock.ts'
import { type Flight, fly, outcomeOf } from './flight.ts'

/**
 * So long others wait for somebody's question before they ask themselves: in a Worker it dies with the
 * request that asked it.
 */
const PENDING_MS = 2_000

type Kept<Answer> = { question: Flight<Answer>; until: number }

/**
 * Keeps an answer for some time and lets everybody who asks meanwhile share one question. A failure
 * is not kept, and is only the asker's: whoever had joined asks once more, together.
 */
export function cached<Answer>(
  clock: Clock,
  ttlMs: number,
  ask: () => Promise<Answer>,
): () => Promise<Answer> {
  let kept: Kept<Answer> | undefined

  const current = () => (kept !== undefined && clock.now() < kept.until ? kept : undefined)

  async function begin(): Promise<Answer> {
    const own: Kept<Answer> = {
      question: { outcome: undefined },
      until: clock.now() + PENDING_MS,
    }
    kept = own
    try {
      const answer = await fly(own.question, ask)
      own.until = clock.now() + ttlMs
      return answer
    } catch (error) {
      if (kept === own) kept = undefined
      throw error
    }
  }

  return async () => {
    let hasFailed = false
    for (;;) {
      const shared = current()
      if (shared === undefined) return begin()
      const outcome = await outcomeOf(shared.question, clock, shared.until - clock.now())
      switch (outcome?.kind) {
        case 'done':
          return outcome.value
        case 'failed':
          if (hasFailed) throw outcome.error
          hasFailed = true
          break
        case undefined:
          break
      }
    }
  }
}
