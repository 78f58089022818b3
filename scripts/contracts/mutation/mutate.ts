import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { readFlags } from '../../stack/command.ts'
import { say } from '../../stack/report.ts'
import { projectRoot } from '../forge.ts'
import { createMutationCopy, type Outcome } from './mutation-copy.ts'
import { type Mutation, mutationsOf } from './mutations.ts'

const help = `Changes contracts/src in a copy, one mistake at a time, and runs the tests on each. One that no test notices has
to stand in contracts/test/mutation/survivors.diff with the reason why it may.

  npx node scripts/contracts/mutation/mutate.ts [--only backdoor] [--from N] [--to N]

  --only       those in whose description this stands: a file, a kind of mistake, a line
  --from --to  a part
  --list       names them and ends`

type Survivor = Pick<Mutation, 'file' | 'before' | 'after'> & { reason: string }

const survivorsFile = join(projectRoot, 'contracts/test/mutation/survivors.diff')
const survivors = readSurvivors(readFileSync(survivorsFile, 'utf8'))

const flags = readFlags(help, { only: '', list: false, from: '1', to: 'Infinity' })
const all = mutationsOf(globSync('contracts/src/*.sol', { cwd: projectRoot }).sort())
const mutations = all
  .filter((mutation) => describe(mutation).includes(flags.only))
  .slice(Number(flags.from) - 1, Number(flags.to))
const stale = survivors.filter((survivor) => !all.some((mutation) => isOf(survivor, mutation)))

if (flags.list) {
  for (const mutation of mutations) say(describe(mutation))
  say(`${mutations.length} mutations`)
} else {
  await run()
}

async function run(): Promise<void> {
  for (const { file, before } of stale) say(`survivors.diff: ${file} has no line ${before}`)
  const counts = { killed: 0, stillborn: 0, survived: 0 }
  let problems = stale.length
  const left = mutations.values()
  await Promise.all(Array.from({ length: availableParallelism() }, lane))
  const { killed, stillborn, survived } = counts
  say(`${killed} killed, ${survived} survived, ${stillborn} did not compile`)
  if (problems > 0) process.exitCode = 1

  async function lane(): Promise<void> {
    const copy = createMutationCopy()
    try {
      await copy.prepare()
      for (const mutation of left) {
        const outcome = await copy.outcomeOf(mutation)
        counts[outcome] += 1
        const done = counts.killed + counts.survived + counts.stillborn
        if (!tell(mutation, outcome, done)) problems += 1
      }
    } finally {
      copy.remove()
    }
  }
}

/** Reads reasons (`# `), files, and in them each line (`- `) with what may stand in its place (`+ `). */
function readSurvivors(text: string): Survivor[] {
  let [reason, file, before] = ['', '', '']
  return text.split('\n').flatMap((line) => {
    const rest = line.slice(2)
    if (line.startsWith('+ ')) return [{ file, before, after: rest, reason }]
    if (line.startsWith('# ')) reason = rest
    else if (line.startsWith('- ')) before = rest
    else if (line !== '') file = line
    return []
  })
}

/** Says what became of a mutation; false where that is not what survivors.diff says. */
function tell(mutation: Mutation, outcome: Outcome, done: number): boolean {
  const reason = reasonFor(mutation)
  const isExpected = (outcome === 'survived') === (reason !== undefined)
  const progress = `${done}/${mutations.length} ${outcome}`
  const fault = reason === undefined ? ' WITHOUT A REASON' : ', although survivors.diff has it'
  if (!isExpected) say(`${progress}${fault}\n${describe(mutation)}`)
  else if (outcome === 'survived') say(`${progress}: ${reason}\n${describe(mutation)}`)
  else if (process.stdout.isTTY || done % 20 === 0) say(progress)
  return isExpected
}

function reasonFor(mutation: Mutation): string | undefined {
  return survivors.find((survivor) => isOf(survivor, mutation))?.reason
}

function isOf({ file, before, after }: Survivor, mutation: Mutation): boolean {
  return file === mutation.file && before === mutation.before && after === mutation.after
}

function describe({ file, line, rule, before, after }: Mutation): string {
  return `  ${file}:${line} (${rule})\n    - ${before}\n    + ${after}`
}
