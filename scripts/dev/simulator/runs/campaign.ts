import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { limitCpu } from '../../../run-command.ts'
import { addCounts, type Counts } from '../../count.ts'
import type { Violation } from '../oracle/rules.ts'
import type { Message } from './simulate.ts'

type CampaignOptions = {
  from: number
  count: number
  jobs: number
  stopsAtFirst?: boolean
  environment?: Record<string, string>
  /** CPU time of each process after which it is ended. */
  cpuSeconds?: number
  found?: (broken: Broken) => void
}

export type Broken = { seed: number; violation: Violation }

/** Runs many seeds in several processes. @throws {Error} a history could not be run */
export async function runCampaign(options: CampaignOptions) {
  const { from, count, jobs, stopsAtFirst = false, found, environment, cpuSeconds } = options
  const script = fileURLToPath(new URL('simulate.ts', import.meta.url))
  const started = performance.now()
  const broken: Broken[] = []
  const seen: Counts = {}
  const excused: Counts = {}
  const met: Counts = {}
  const children: ChildProcess[] = []
  const failures: string[] = []

  function hear(message: Message): void {
    if ('failure' in message) return void failures.push(`seed ${message.seed}: ${message.failure}`)
    addCounts(seen, message.seen)
    addCounts(excused, message.excused)
    addCounts(met, message.met)
    const [violation] = message.violations
    if (violation === undefined) return
    broken.push({ seed: message.seed, violation })
    found?.({ seed: message.seed, violation })
    if (stopsAtFirst) for (const child of children) child.kill()
  }

  async function runOne(job: number): Promise<void> {
    const seeds = [from + job, jobs, from + count].map(String)
    const whole = [process.execPath, script, ...seeds]
    const [command = '', ...args] = cpuSeconds ? limitCpu(cpuSeconds, whole) : whole
    const child = spawn(command, args, {
      env: { ...process.env, ...environment },
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    })
    children.push(child)
    child.on('message', hear)
    const [[code]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
    const isCut = stopsAtFirst && broken.length > 0
    if (code !== 0 && !isCut) throw new Error(`a process of the campaign ended with code ${code}`)
  }

  await Promise.all(Array.from({ length: jobs }, (_, job) => runOne(job)))
  if (failures.length > 0) throw new Error(failures.join('\n'))
  broken.sort((a, b) => a.seed - b.seed)
  return { broken, seen, excused, met, seconds: (performance.now() - started) / 1000 }
}
