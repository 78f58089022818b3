import type { Clock } from './clock.ts'
import { createWorkSharing } from './shared-work.ts'

/** Caches an answer, not a failure, for some time; concurrent callers share one request. */
export function cached<Answer>(clock: Clock, ttlMs: number, ask: () => Promise<Answer>) {
  const { share } = createWorkSharing({ clock, isAnswer: () => false })
  let kept: { answer: Answer; since: number } | undefined

  return async () => {
    // A clock that was set back extends nothing.
    const ageMs = clock.now() - (kept?.since ?? 0)
    if (kept !== undefined && ageMs >= 0 && ageMs < ttlMs) return kept.answer
    return await share('', async () => {
      const answer = await ask()
      kept = { answer, since: clock.now() }
      return answer
    })
  }
}
