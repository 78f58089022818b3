import process from 'node:process'
import autocannon, { type Client, type Result } from 'autocannon'
import { sleep } from '../dev/wait.ts'
import { type LoadJob, type LoadReport, loadJob } from './load.ts'

process.on('message', async (message) => {
  const job = loadJob.parse(message)
  const { pace } = job
  const report = 'callers' in pace ? await askInTurn(job, pace) : await askOnTime(job, pace)
  process.send?.(report)
})
process.once('disconnect', () => process.exit())

/** Lets so many callers ask, each of whom asks again as soon as it has its answer. */
async function askInTurn(job: LoadJob, { callers }: { callers: number }): Promise<LoadReport> {
  const replyMs: number[] = []
  const bad: string[] = []
  let next = 0
  const options = {
    url: job.url,
    connections: Math.min(callers, job.bodies.length),
    amount: job.bodies.length,
    timeout: 60,
    // It looks so often, in ms, whether it is to end.
    sampleInt: 5,
    requests: [
      {
        method: 'POST' as const,
        headers: job.headers,
        setupRequest: (request: object) => ({ ...request, body: job.bodies[next++] ?? '' }),
        onResponse: (status: number, body: string) => {
          if (!body.includes(job.expects)) bad.push(`${status} ${body}`)
        },
      },
    ],
  }
  const startedAt = now()
  // autocannon itself ends a little later.
  let endedAt = startedAt
  await new Promise<Result>((resolve, reject) => {
    const running = autocannon(options, (error, result) => {
      if (error) reject(error)
      else resolve(result)
    })
    running.on('response', (_: Client, __: number, ___: number, ms: number) => {
      replyMs.push(ms)
      endedAt = now()
      if (replyMs.length === job.bodies.length) running.stop()
    })
  })
  const missing = job.bodies.length - replyMs.length
  return { startedAt, endedAt, replyMs, bad: [...bad, ...Array(missing).fill('no answer')] }
}

/** Asks so many times a second, as people come: nobody waits for another's answer. */
async function askOnTime(job: LoadJob, { perSecond }: { perSecond: number }): Promise<LoadReport> {
  const replyMs: number[] = []
  const bad: string[] = []
  const startedAt = now()
  await Promise.all(
    job.bodies.map(async (body, index) => {
      await sleep((index * 1000) / perSecond)
      const from = now()
      const response = await fetch(job.url, { method: 'POST', headers: job.headers, body })
      const text = await response.text()
      replyMs.push(now() - from)
      if (!text.includes(job.expects)) bad.push(`${response.status} ${text}`)
    }),
  )
  return { startedAt, endedAt: now(), replyMs, bad }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}
