import { spawnSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { simulate as Simulate } from '../dev/simulator/runs/simulate.ts'
import { drawMutations } from './mutations.ts'
import { root } from './plant.ts'

/** What the process says of a mutation, a line each. `by` is undefined where nothing noticed it. */
export type Verdict = { index: number; by: string | undefined }

/** Seeds that are tried before the others, since they have noticed other mutations. */
const earlyLimit = 40

/** Seeds that are tried before the tests of the mutated files are. */
const firstSeeds = 60

const suites = ['ledger/stores/sqlite', 'tend/plan', 'tend/plan-cases', 'tend/round'].map(
  (name) => `test/unit/relay/${name}.test.ts`,
)

// Started with how many seeds to try, what draws the mutations, the first of them, and the step.
const [seeds = 1, sample = 0, draw = 1, first = 0, step = 1] = process.argv.slice(2).map(Number)
const mutations = await drawMutations(root, draw, sample === 0 ? undefined : sample)
const home = pathToFileURL(root).href
const early: number[] = []

// Each mutation is a graph of the relay's modules of its own; what npm gave is loaded once.
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const mark = new URL(context.parentURL ?? home).search
    const isOwn = resolved.url.startsWith(home) && !resolved.url.includes('/node_modules/')
    return mark !== '' && isOwn ? { ...resolved, url: `${resolved.url}${mark}` } : resolved
  },
  load(url, context, next) {
    const { pathname, search } = new URL(url)
    const mutation = search === '' ? undefined : mutations[Number(search.slice(1))]
    if (mutation === undefined || !pathname.endsWith(`/${mutation.file}`)) return next(url, context)
    return { format: 'module-typescript', source: mutation.text, shortCircuit: true }
  },
})

for (let index = first; index < mutations.length; index += step) {
  const verdict: Verdict = { index, by: await look(index) }
  writeSync(1, `${JSON.stringify(verdict)}\n`)
}

/** The seed that breaks a promise, the tests that fail, or how the relay fails to live through a history. */
async function look(index: number): Promise<string | undefined> {
  const script = new URL(`../dev/simulator/runs/simulate.ts?${index}`, import.meta.url).href
  try {
    const { simulate } = (await import(script)) as { simulate: typeof Simulate }
    const others = Array.from({ length: seeds }, (_, seed) => seed + 1)
    const tried = [...new Set([...early, ...others])]
    for (const [count, seed] of tried.entries()) {
      if (count === firstSeeds && failsTests(index)) return 'its tests'
      const [violation] = (await simulate(seed)).violations
      if (violation === undefined) continue
      if (!early.includes(seed) && early.length < earlyLimit) early.push(seed)
      return `seed ${seed}, ${violation.rule}`
    }
    return tried.length <= firstSeeds && failsTests(index) ? 'its tests' : undefined
  } catch (error) {
    return `fails: ${`${error}`.split('\n')[0]?.slice(0, 60)}`
  }
}

function failsTests(index: number): boolean {
  const { file, text } = mutations[index] ?? { file: '', text: '' }
  const hooks = new URL('mutated-module.ts', import.meta.url).href
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', '--run', '--project', 'unit', '--bail', '1', ...suites],
    {
      cwd: fileURLToPath(home),
      stdio: 'ignore',
      // Tests that do not end have noticed it too.
      timeout: 5 * 60_000,
      killSignal: 'SIGKILL',
      env: {
        ...process.env,
        SEED: '1',
        NODE_OPTIONS: `--import ${hooks}`,
        MUTATED_FILE: file,
        MUTATED_TEXT: text,
      },
    },
  )
  return status !== 0
}
