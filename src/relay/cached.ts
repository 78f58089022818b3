import type { Clock } from '../clock.ts'

/**
 * So long others wait for somebody's question before they ask themselves: in a Worker it dies with the
 * request that asked it.
 */
const PENDING_MS = 2_000

type Kept<Answer> = { answer: Promise<Answer>; until: number; isKnown: boolean }

/** What became of somebody else's question while it was waited for. */
type Joined<Answer> =
  | { kind: 'answered'; answer: Answer }
  | { kind: 'failed'; error: unknown }
  | { kind: 'silent' }

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

  function begin(): Promise<Answer> {
    const answer = ask()
    const entry = { answer, until: clock.now() + PENDING_MS, isKnown: false }
    kept = entry
    answer.then(
      () => {
        entry.until = clock.now() + ttlMs
        entry.isKnown = true
      },
      () => {
        if (kept === entry) kept = undefined
      },
    )
    return answer
  }

  async function join({ answer, until }: Kept<Answer>): Promise<Joined<Answer>> {
    const done = new AbortController()
    try {
      return await Promise.race([
        own(answer).then(
          (known): Joined<Answer> => ({ kind: 'answered', answer: known }),
          (error): Joined<Answer> => ({ kind: 'failed', error }),
        ),
        clock
          .sleep(until - clock.now(), done.signal)
          .then((): Joined<Answer> => ({ kind: 'silent' })),
      ])
    } finally {
      done.abort()
    }
  }

  return async () => {
    let hasFailed = false
    for (;;) {
      const shared = current()
      if (shared === undefined) return begin()
      if (shared.isKnown) return own(shared.answer)
      const joined = await join(shared)
      switch (joined.kind) {
        case 'answered':
          return joined.answer
        case 'failed':
          if (hasFailed) throw joined.error
          hasFailed = true
          break
        case 'silent':
          break
      }
    }
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
