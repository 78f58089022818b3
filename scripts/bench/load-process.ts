import process from 'node:process'
import { sleep } from '../dev/wait.ts'
import { type LoadJob, type LoadReport, loadJob } from './load.ts'

process.on('message', async (message) => {
  const job = loadJob.parse(message)
  const report: LoadReport = { startedAt: now(), endedAt: 0, replyMs: [], bad: [] }
  const { pace } = job
  const left = job.bodies.entries()
  // So many callers, each of whom asks again once answered; or all of them, each at its time.
  const lanes = 'callers' in pace ? pace.callers : job.bodies.length
  const lane = async () => {
    for (const [index, body] of left) {
      if ('perSecond' in pace) await sleep((index * 1000) / pace.perSecond)
      await ask(job, body, report)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  process.send?.({ ...report, endedAt: now() })
})
process.once('disconnect', () => process.exit())

async function ask({ url, headers, expects }: LoadJob, body: string, { replyMs, bad }: LoadReport) {
  const from = now()
  try {
    const response = await fetch(url, { method: 'POST', headers, body })
    const text = await response.text()
    replyMs.push(now() - from)
    if (!text.includes(expects)) bad.push(`${response.status} ${text}`)
  } catch (error) {
    bad.push(`no answer: ${error}`)
  }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}
