import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { simulate as Simulate } from '../dev/simulator/runs/simulate.ts'
import { drawMutations } from './mutations.ts'
import { root } from './plant.ts'

/** What the process says of a mutation, a line each. `by` is undefined where nothing noticed it. */
export type Verdict = { index: number; by: string | undefined }

/** Seeds that are tried before the others, since they have noticed other mutations. */
const earlyLimit = 40

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

/** The seed that breaks a promise, or how the relay fails to live through one. */
async function look(index: number): Promise<string | undefined> {
  const script = new URL(`../dev/simulator/runs/simulate.ts?${index}`, import.meta.url).href
  try {
    const { simulate } = (await import(script)) as { simulate: typeof Simulate }
    const others = Array.from({ length: seeds }, (_, seed) => seed + 1)
    for (const seed of new Set([...early, ...others])) {
      const [violation] = (await simulate(seed)).violations
      if (violation === undefined) continue
      if (!early.includes(seed) && early.length < earlyLimit) early.push(seed)
      return `seed ${seed}, ${violation.rule}`
    }
    return undefined
  } catch (error) {
    return `fails: ${`${error}`.split('\n')[0]?.slice(0, 60)}`
  }
}
