import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Verdict } from './mutant-process.ts'
import { drawMutations, type Mutation } from './mutations.ts'
import { root } from './plant.ts'

const help = `Changes the ledger's state machine, or the plan of a round, in one small way at a time, and has the
simulator look for it.

  npx node scripts/plant-bugs/mutate.ts [--seeds N] [--sample K] [--seed S]

  --seeds   histories until a mutation counts as unnoticed (2000)
  --sample  so many mutations, drawn at random (all)
  --seed    what draws them (1)
  --bar     the share that has to be noticed (0.95)`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    sample: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    bar: { type: 'string', default: '0.95' },
    help: { type: 'boolean', default: false },
  },
})

/** A history takes some ms. One that takes this long does not end: the mutation is noticed. */
const hangsAfterMs = 10 * 60 * 1000

const print = (line: string) => process.stdout.write(`${line}\n`)

if (values.help) print(help)
else process.exitCode = await main()

async function main(): Promise<number> {
  const mutations = await drawMutations(
    root,
    Number(values.seed),
    Number(values.sample) || undefined,
  )
  print(`${mutations.length} mutations, seed ${values.seed}`)
  const jobs = Math.min(2, availableParallelism())
  const noticed = new Map<number, boolean>()
  const tell = ({ index, by }: Verdict) => {
    noticed.set(index, by !== undefined)
    print(`${index + 1} | ${by ?? 'UNNOTICED'} | ${wordsOf(mutations[index])}`)
  }
  await Promise.all(
    Array.from({ length: jobs }, (_, job) => lookFrom(job, jobs, mutations.length, tell)),
  )
  const count = [...noticed.values()].filter(Boolean).length
  const share = count / Math.max(1, mutations.length)
  print(`${count} of ${mutations.length} noticed (${(share * 100).toFixed(1)} %)`)
  return share >= Number(values.bar) ? 0 : 1
}

function wordsOf(mutation: Mutation | undefined): string {
  if (mutation === undefined) return 'no mutation'
  const { file, line, within, words, was } = mutation
  return `${file.split('/').at(-1)}:${line}, ${within} | ${words} | ${was}`
}

/** Looks for each `step`th mutation. A process that ends or hangs has noticed the one that it was at. */
async function lookFrom(
  first: number,
  step: number,
  count: number,
  tell: (verdict: Verdict) => void,
): Promise<void> {
  let next = first
  while (next < count) {
    await runProcess(next, step, (verdict) => {
      next = verdict.index + step
      tell(verdict)
    })
    if (next >= count) return
    tell({ index: next, by: 'ends or hangs' })
    next += step
  }
}

function runProcess(first: number, step: number, told: (verdict: Verdict) => void): Promise<void> {
  const script = fileURLToPath(new URL('mutant-process.ts', import.meta.url))
  const args = [values.seeds, values.sample, values.seed, `${first}`, `${step}`]
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    const hangs = () => setTimeout(() => child.kill('SIGKILL'), hangsAfterMs)
    let watch = hangs()
    if (child.stdout === null) throw new Error('the process has no output')
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => {
      clearTimeout(watch)
      watch = hangs()
      told(JSON.parse(line) as Verdict)
    })
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(watch)
      resolve()
    })
  })
}
