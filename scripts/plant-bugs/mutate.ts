import { inLanes } from '../dev/lanes.ts'
import { createCommand, type Found, runAsProgram, textOr, type Values } from '../stack/command.ts'
import { say } from '../stack/report.ts'
import { type Changes, failsTests, findBroken, jobs } from './changes.ts'
import { drawMutations, type Mutation } from './mutations.ts'

const usage = `Changes the ledger's state machine, or the plan of a round, in one small way at a time, and has the
simulator look for it.

  npx node scripts/plant-bugs/mutate.ts [--seeds N] [--sample K] [--seed S] [--from F]

  --seeds   histories until a mutation counts as unnoticed (2000)
  --sample  so many mutations, drawn at random (all)
  --seed    what draws them (1)
  --from    the first that is decided (1): goes on where a run was cut off
  --bar     the share that has to be noticed (0.95)`

/** Seeds that are tried before the tests of the mutated files are: they take a second. */
const firstSeeds = 8

/** A history takes some 0.1 s of CPU: what takes far more does not end. */
const cpuSecondsFor = (histories: number): number => 60 + histories

/** Tests of the ledger and of a round's plan; both run the transitions. */
const suites = {
  ledger: ['ledger/rows', 'ledger/stores/sqlite', 'ledger/schedule', 'rounds/round'],
  rounds: ['rounds/plan', 'rounds/plan-cases', 'rounds/round'],
}

const options = {
  seeds: textOr('2000'),
  sample: textOr('0'),
  seed: textOr('1'),
  from: textOr('1'),
  bar: textOr('0.95'),
}

runAsProgram(import.meta, createCommand({ usage, options, run: mutate }))

async function mutate(flags: Values<typeof options>): Promise<Found> {
  const sample = Number(flags.sample) || undefined
  const mutations = await drawMutations(Number(flags.seed), sample)
  say(`${mutations.length} mutations, seed ${flags.seed}`)
  const isRed = await failsTests(testsOf('src/relay/ledger/transitions.ts'), {})
  if (isRed) throw new Error('the tests fail without a mutation, so they would notice any')
  const left = [...mutations.entries()].slice(Number(flags.from) - 1)
  let noticed = 0
  await inLanes(jobs, left, async ([index, mutation]) => {
    const by = await look(mutation, Number(flags.seeds))
    if (by !== undefined) noticed += 1
    const { file, line, within, words, was } = mutation
    const place = `${file.split('/').at(-1)}:${line}, ${within} | ${words} | ${was}`
    say(`${index + 1} | ${by ?? 'UNNOTICED'} | ${place}`)
  })
  const share = noticed / Math.max(1, left.length)
  const sum = `${noticed} of ${left.length} noticed (${(share * 100).toFixed(1)} %)`
  return { lines: [sum], isBad: share < Number(flags.bar) }
}

/** Returns the seed that breaks a promise, the tests that fail, or how a history ends early. */
async function look({ file, text }: Mutation, seeds: number): Promise<string | undefined> {
  const changes = { [file]: text }
  const first = Math.min(firstSeeds, seeds)
  return (
    (await findIn(1, first, changes)) ??
    ((await failsTests(testsOf(file), changes)) ? 'its tests' : undefined) ??
    (await findIn(1 + first, seeds - first, changes))
  )
}

async function findIn(from: number, count: number, changes: Changes) {
  const histories = { from, count, jobs: 1, cpuSeconds: cpuSecondsFor(count) }
  try {
    const found = await findBroken(changes, histories)
    return found && `seed ${found.seed}, ${found.violation.rule}`
  } catch (error) {
    return `fails: ${`${error}`.split('\n')[0]?.slice(0, 60)}`
  }
}

function testsOf(file: string): string[] {
  const own = (['ledger', 'rounds'] as const).filter(
    (folder) => file.includes(`/${folder}/`) || file.endsWith('/transitions.ts'),
  )
  const files = new Set(own.flatMap((folder) => suites[folder]))
  return [...files].map((name) => `test/unit/relay/${name}.test.ts`)
}
