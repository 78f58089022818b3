import process from 'node:process'
import autocannon, { type Client, type Result } from 'autocannon'
import { sleep } from '../dev/wait.ts'
import { type LoadJob, type LoadReport, loadJob } from './load-job.ts'

// The load generator, a process of its own: what it costs is nobody's figure.

process.on('message', (message) => {
  void answer(loadJob.parse(message))
})
process.once('disconnect', () => process.exit())

async function answer(job: LoadJob): Promise<void> {
  const report =
    'callers' in job.pace
      ? await inTurn(job, job.pace.callers)
      : await onTime(job, job.pace.perSecond)
  process.send?.(report)
}

/** As many callers, each of whom asks again as soon as it has its answer. */
async function inTurn(job: LoadJob, callers: number): Promise<LoadReport> {
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
  const { errors } = await new Promise<Result>((resolve, reject) => {
    const running = autocannon(options, (error, result) =>
      error ? reject(error) : resolve(result),
    )
    running.on('response', (_: Client, __: number, ___: number, ms: number) => {
      replyMs.push(ms)
      endedAt = now()
      if (replyMs.length === job.bodies.length) running.stop()
    })
  })
  const missing = job.bodies.length - replyMs.length
  const report = { startedAt, endedAt, replyMs, bad: bad.length + errors + missing }
  return bad[0] === undefined ? report : { ...report, firstBad: bad[0] }
}

/** So many a second, as people come: nobody waits for another's answer. */
async function onTime(job: LoadJob, perSecond: number): Promise<LoadReport> {
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
  const report = { startedAt, endedAt: now(), replyMs, bad: bad.length }
  return bad[0] === undefined ? report : { ...report, firstBad: bad[0] }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}
