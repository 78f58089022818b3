import type { Clock } from './clock.ts'
import { outcomeOf, runShared, type SharedWork } from './shared-work.ts'

/** Others wait so long: in a Worker a question is cancelled with the request that asked it. */
const pendingMs = 2_000

type Kept<Answer> = { question: SharedWork<Answer>; since: number; until: number }

/**
 * Keeps an answer for some time; all who ask meanwhile share one question. A failure is not kept and
 * belongs to the request that asked: those that had joined it ask once more, together.
 */
export function cached<Answer>(
  clock: Clock,
  ttlMs: number,
  ask: () => Promise<Answer>,
): () => Promise<Answer> {
  let kept: Kept<Answer> | undefined

  /** A clock that was set back makes nothing last longer. */
  const current = () => {
    const now = clock.now()
    return kept !== undefined && kept.since <= now && now < kept.until ? kept : undefined
  }

  async function begin(): Promise<Answer> {
    const own: Kept<Answer> = {
      question: { outcome: undefined },
      since: clock.now(),
      until: clock.now() + pendingMs,
    }
    kept = own
    try {
      const answer = await runShared(own.question, ask)
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
