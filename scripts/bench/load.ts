import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { askChild, endChild } from './child.ts'
import { type LoadJob, type LoadReport, loadReport } from './load-job.ts'

/** The load generator. */
export type Load = {
  /** @throws {Error} an answer was not a good one, so nothing that was measured counts */
  run: (job: LoadJob) => Promise<LoadReport>
  stop: () => Promise<void>
}

/** Starts the load generator in a process of its own. */
export function startLoad(): Load {
  const child = fork(fileURLToPath(new URL('load-process.ts', import.meta.url)))
  return {
    async run(job) {
      const report = loadReport.parse(await askChild(child, job))
      if (report.bad > 0) {
        throw new Error(`${report.bad} of ${job.bodies.length} answers are bad: ${report.firstBad}`)
      }
      return report
    },
    stop: () => endChild(child),
  }
}
