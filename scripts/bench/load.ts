import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** What the load generator is asked for. */
export const loadJob = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /** Bodies, each sent once, in this order. */
  bodies: z.array(z.string()),
  /** Requests under way at a time; or requests begun a second, whatever becomes of them. */
  pace: z.union([z.object({ callers: z.number() }), z.object({ perSecond: z.number() })]),
  /** What a good answer holds. */
  expects: z.string(),
})

/** How they went. Times are Unix times in ms with fractions. */
export const loadReport = z.object({
  startedAt: z.number(),
  endedAt: z.number(),
  /** How long each answer took, in ms, in the order in which they came. */
  replyMs: z.array(z.number()),
  /** Answers that are not good. */
  bad: z.array(z.string()),
})

export type LoadJob = z.infer<typeof loadJob>
export type LoadReport = z.infer<typeof loadReport>

export type Load = {
  /** @throws {Error} an answer was not a good one, so nothing that was measured counts */
  run: (job: LoadJob) => Promise<LoadReport>
  stop: () => void
}

/** Starts the load generator in a process of its own: what it costs is nobody's figure. */
export function startLoad(): Load {
  const child = fork(fileURLToPath(new URL('load-process.ts', import.meta.url)))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the load generator ended with ${code}`)
  })
  // Told to whoever asks it next.
  ended.catch(() => {})
  return {
    async run(job) {
      child.send(job)
      const [answer] = await Promise.race([once(child, 'message'), ended])
      const report = loadReport.parse(answer)
      const { length } = report.bad
      if (length === 0) return report
      throw new Error(`${length} of ${job.bodies.length} answers are bad: ${report.bad[0]}`)
    },
    stop: () => void child.kill(),
  }
}
