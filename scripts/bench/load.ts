import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
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
      const answer = nextMessage(child)
      child.send(job)
      const report = loadReport.parse(await answer)
      if (report.bad > 0) {
        throw new Error(`${report.bad} of ${job.bodies.length} answers are bad: ${report.firstBad}`)
      }
      return report
    },
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await gone
    },
  }
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) =>
      reject(new Error(`the load generator ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}
