import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../run-command.ts'
import { readFlags } from '../../stack/command.ts'
import { say } from '../../stack/report.ts'
import { foundryTool, projectRoot } from '../forge.ts'
import { type Mutation, mutate, mutationsOf } from './mutations.ts'

const help = `Changes contracts/src in a copy, one mistake at a time, and runs the tests on each. One that no test notices has
to stand in contracts/test/mutation/survivors.diff with the reason why it may.

  npx node scripts/contracts/mutation/mutate.ts [--only backdoor] [--from N] [--to N]

  --only       those in whose description this stands: a file, a kind of mistake, a line
  --from --to  a part
  --list       names them and ends`

/** The quick tests first: few mutations get past them, and those are asked of optimized code too. */
const stages = [
  { tests: 'unit', profile: 'unoptimized' },
  { tests: '', profile: 'unoptimized' },
  { tests: 'unit', profile: 'default' },
]

const quickLook = { FOUNDRY_FUZZ_RUNS: '64', FOUNDRY_INVARIANT_RUNS: '16' }

/** A mutation that loops without an end is noticed too. */
const limitSeconds = 300

const copied = [
  ...['contracts', 'foundry.toml', 'remappings.txt'],
  ...['scripts/solc', 'scripts/contracts/solc.mjs'],
]

/** What is compiled with the contracts and tests nothing of them. */
const needless = ['contracts/proofs', 'contracts/test/proofs']

const survivorsFile = join(projectRoot, 'contracts/test/mutation/survivors.diff')
const survivors = readSurvivors(readFileSync(survivorsFile, 'utf8'))

const flags = readFlags(help, { only: '', list: false, from: '1', to: 'Infinity' })
const all = mutationsOf(globSync('contracts/src/*.sol', { cwd: projectRoot }).sort())
const mutations = all
  .filter((mutation) => describe(mutation).includes(flags.only))
  .slice(Number(flags.from) - 1, Number(flags.to))
const counts = { killed: 0, 'did not compile': 0, survived: 0 }
let problems = 0

type Outcome = keyof typeof counts

if (flags.list) {
  for (const mutation of mutations) say(describe(mutation))
  say(`${mutations.length} mutations`)
} else {
  for (const survivor of survivors) {
    if (all.some((mutation) => isOf(survivor, mutation))) continue
    problems += 1
    say(`survivors.diff: ${survivor.file} has no line ${survivor.before}`)
  }
  const left = mutations.values()
  await Promise.all(Array.from({ length: availableParallelism() }, () => tryEach(left)))
  say(
    Object.entries(counts)
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(', '),
  )
  if (problems > 0) process.exitCode = 1
}

/** Takes what is left, one after the other, in a copy of its own of what forge needs of this project. */
async function tryEach(left: Iterable<Mutation>): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'ussd-relay-mutation-'))
  try {
    mkdirSync(join(copy, 'scripts/contracts'), { recursive: true })
    for (const part of copied) {
      cpSync(join(projectRoot, part), join(copy, part), { recursive: true })
    }
    for (const folder of needless) rmSync(join(copy, folder), { recursive: true })
    symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'))
    if ((await testIn(copy)) !== 'survived') throw new Error('the tests fail without any mutation')
    for (const mutation of left) {
      const path = join(copy, mutation.file)
      const original = readFileSync(path)
      writeFileSync(path, mutate(original, mutation))
      tell(mutation, await testIn(copy))
      writeFileSync(path, original)
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

async function testIn(copy: string): Promise<Outcome> {
  for (const [index, { tests, profile }] of stages.entries()) {
    const forge = [foundryTool('forge'), 'test', '--fail-fast', '--root', copy]
    const { code, output } = await runCommand(['timeout', `${limitSeconds}`, ...forge], {
      ...quickLook,
      FOUNDRY_PROFILE: profile,
      FOUNDRY_TEST: `contracts/test/${tests}`,
      // Each stage has what it builds in a folder of its own: of a mutation little is compiled there.
      FOUNDRY_OUT: `out/${index}`,
      FOUNDRY_CACHE_PATH: `cache/${index}`,
    })
    if (code !== 0) return output.includes('Compiler run failed') ? 'did not compile' : 'killed'
  }
  return 'survived'
}

/** Reads reasons (`# `), files, and in them each line (`- `) with what may stand in its place (`+ `). */
function readSurvivors(text: string) {
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

/** Says what became of a mutation, and counts it as a problem where that is not what survivors.diff says. */
function tell(mutation: Mutation, outcome: Outcome): void {
  counts[outcome] += 1
  const done = Object.values(counts).reduce((sum, count) => sum + count)
  const reason = survivors.find((survivor) => isOf(survivor, mutation))?.reason
  const isExpected = (outcome === 'survived') === (reason !== undefined)
  const progress = `${done}/${mutations.length} ${outcome}`
  const fault = reason === undefined ? ' WITHOUT A REASON' : ', although survivors.diff has it'
  if (!isExpected) {
    problems += 1
    say(`${progress}${fault}\n${describe(mutation)}`)
  } else if (outcome === 'survived') say(`${progress}: ${reason}\n${describe(mutation)}`)
  else if (process.stdout.isTTY || done % 20 === 0) say(progress)
}

function isOf(survivor: (typeof survivors)[number], mutation: Mutation): boolean {
  return (['file', 'before', 'after'] as const).every((part) => survivor[part] === mutation[part])
}

function describe({ file, line, rule, before, after }: Mutation): string {
  return `  ${file}:${line} (${rule})\n    - ${before}\n    + ${after}`
}
