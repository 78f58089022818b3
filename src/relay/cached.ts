import type { Clock } from '../clock.ts'

/**
 * A question that others wait for as well is asked again after this time: in a Worker it dies with
 * the request that asked it.
 */
const PENDING_MS = 2_000

/**
 * Keeps an answer for some time and lets everybody who asks meanwhile share one question.
 * A failure is shared by those who waited for it and is not kept.
 */
export function cached<Answer>(
  clock: Clock,
  ttlMs: number,
  ask: () => Promise<Answer>,
): () => Promise<Answer> {
  let kept: { answer: Promise<Answer>; until: number } | undefined
  return () => {
    if (kept !== undefined && clock.now() < kept.until) return own(kept.answer)
    const answer = ask()
    const entry = { answer, until: clock.now() + PENDING_MS }
    kept = entry
    answer.then(
      () => {
        entry.until = clock.now() + ttlMs
      },
      () => {
        if (kept === entry) kept = undefined
      },
    )
    return answer
  }
}

/**
 * A promise of the caller's own. In a Worker whoever awaits another request's promise goes on as a
 * part of that request, and everything that it asks for from then on is dropped when that one ends.
 */
function own<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    answer.then(resolve, reject)
  })
}
