import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Violation } from '../oracle/rules.ts'
import { add, newTally, type Tally } from './tally.ts'

type CampaignOptions = {
  from: number
  count: number
  jobs: number
  stopsAtFirst?: boolean
  environment?: Record<string, string>
  /** A process that takes so long does not end. */
  hangsAfterMs?: number
  found?: (broken: Broken) => void
}

export type Broken = { seed: number; violation: Violation }

export type Message =
  | ({ kind: 'broken' } & Broken)
  | { kind: 'done'; tally: Tally }
  | { kind: 'failed'; seed: number; message: string }

/** Runs many seeds in several processes. @throws {Error} a seed could not be lived through at all */
export async function runCampaign(options: CampaignOptions) {
  const { from, count, jobs, stopsAtFirst = false, found, environment, hangsAfterMs } = options
  const script = fileURLToPath(new URL('campaign-process.ts', import.meta.url))
  const started = performance.now()
  const broken: Broken[] = []
  const tally = newTally()
  const children: ChildProcess[] = []
  const failures: string[] = []

  const runOne = (job: number) =>
    new Promise<void>((resolve, reject) => {
      const seeds = [from + job, jobs, from + count].map(String)
      const child = spawn(process.execPath, [script, ...seeds], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, ...environment },
        timeout: hangsAfterMs,
        killSignal: 'SIGKILL',
      })
      children.push(child)
      createInterface({ input: child.stdout }).on('line', (line) => {
        const message = JSON.parse(line) as Message
        switch (message.kind) {
          case 'broken': {
            const one = { seed: message.seed, violation: message.violation }
            broken.push(one)
            found?.(one)
            if (stopsAtFirst) for (const other of children) other.kill()
            return
          }
          case 'done':
            return add(tally, message.tally)
          case 'failed':
            failures.push(`seed ${message.seed}: ${message.message}`)
        }
      })
      child.once('error', reject)
      child.once('close', (code) => {
        const isCut = stopsAtFirst && broken.length > 0
        if (code === 0 || isCut) resolve()
        else reject(new Error(`a process of the campaign ended with code ${code}`))
      })
    })

  await Promise.all(Array.from({ length: jobs }, (_, job) => runOne(job)))
  if (failures.length > 0) throw new Error(failures.join('\n'))
  broken.sort((a, b) => a.seed - b.seed)
  return { broken, tally, seconds: (performance.now() - started) / 1000 }
}
