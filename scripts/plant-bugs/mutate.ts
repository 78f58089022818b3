import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from '../dev/simulator/random.ts'
import { isEquivalent } from './equivalent.ts'
import { type Mutation, mutationsOf } from './mutations.ts'
import { plant, root } from './plant.ts'

const HELP = `Changes the ledger's state machine in one small way at a time, and has the simulator look for it.

  npm run mutate:ledger -- [--seeds N] [--sample K] [--seed S]

  --seeds   histories until a mutation counts as unnoticed (2000)
  --sample  so many mutations, drawn at random (all)
  --seed    what draws them (1)
  --bar     the share that has to be noticed (0.95)`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    bar: { type: 'string', default: '0.95' },
    help: { type: 'boolean', default: false },
  },
})

const FILES = ['transitions.ts', 'steps.ts', 'nonces.ts', 'payments.ts', 'sums.ts'].map(
  (name) => `src/relay/ledger/${name}`,
)

/** Seeds that are tried before the others. */
const EARLY_LIMIT = 40

const print = (line: string) => process.stdout.write(`${line}\n`)

if (values.help) print(HELP)
else process.exitCode = await main()

async function main(): Promise<number> {
  const mutations = draw(await allMutations())
  print(`${mutations.length} mutations, seed ${values.seed}`)
  let noticed = 0
  const early: number[] = []
  for (const [index, mutation] of mutations.entries()) {
    const by = await look(mutation, early)
    if (by !== undefined) noticed += 1
    const place = `${mutation.file.split('/').at(-1)}:${mutation.line}`
    print(`${index + 1} | ${by ?? 'UNNOTICED'} | ${place} | ${mutation.words}`)
  }
  const share = noticed / Math.max(1, mutations.length)
  print(`${noticed} of ${mutations.length} noticed (${(share * 100).toFixed(1)} %)`)
  return share >= Number(values.bar) ? 0 : 1
}

async function allMutations(): Promise<Mutation[]> {
  const found = await Promise.all(
    FILES.map(async (file) => mutationsOf(file, await readFile(join(root, file), 'utf8'))),
  )
  return found.flat().filter((mutation) => !isEquivalent(mutation))
}

function draw(all: readonly Mutation[]): readonly Mutation[] {
  if (values.sample === undefined) return all
  const random = createRandom(Number(values.seed), 'mutations')
  const left = [...all]
  const count = Math.min(Number(values.sample), all.length)
  return Array.from({ length: count }, () => left.splice(random.int(0, left.length - 1), 1)).flat()
}

/** The seed that breaks a promise, or that the relay cannot live through at all. */
async function look({ file, text }: Mutation, early: number[]): Promise<string | undefined> {
  // What has found others is tried first: mostly it finds this one too.
  const seeds = { from: 1, count: Number(values.seeds), first: early }
  try {
    return await plant(
      (home) => writeFile(join(home, file), text),
      seeds,
      async (_, { seed, violation }) => {
        if (!early.includes(seed) && early.length < EARLY_LIMIT) early.push(seed)
        return `seed ${seed}, ${violation.rule}`
      },
    )
  } catch (error) {
    return `fails: ${`${error}`.split('\n')[0]?.slice(0, 60)}`
  }
}
