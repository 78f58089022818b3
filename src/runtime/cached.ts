import type { Clock } from './clock.ts'
import { createWorkSharing } from './shared-work.ts'

/** Caches an answer for some time, but no failure. Concurrent callers share one request. */
export function cached<Answer>(clock: Clock, ttlMs: number, ask: () => Promise<Answer>) {
  const { share } = createWorkSharing({ clock, isSharedError: () => false })
  let cachedAnswer: { answer: Answer; readAt: number } | undefined

  return async () => {
    // A negative age means that the clock was set back: the answer is read again.
    const ageMs = clock.now() - (cachedAnswer?.readAt ?? 0)
    if (cachedAnswer && ageMs >= 0 && ageMs < ttlMs) return cachedAnswer.answer
    return await share('', async () => {
      const answer = await ask()
      cachedAnswer = { answer, readAt: clock.now() }
      return answer
    })
  }
}
