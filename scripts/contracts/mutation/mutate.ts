import {
  cpSync,
  globSync,
  mkdtempDisposableSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { foundryTool } from '../../dev/foundry-binary.ts'
import { runCommand } from '../../run-command.ts'
import { createCommand, flag, runAsProgram, textOr } from '../../stack/command.ts'
import { root } from '../../stack/folder.ts'
import { say } from '../../stack/report.ts'
import { type Mutation, mutate, mutationsOf } from './mutations.ts'

const usage = `Changes contracts/src in a copy, one mistake at a time, and runs the tests on each. One that no test notices has
to stand in contracts/test/mutation/survivors.diff with the reason why it may.

  npx node scripts/contracts/mutation/mutate.ts [--only backdoor] [--list]

  --only  those in whose description this stands: a file, a kind of mistake, a line
  --list  names them and ends`

/** Lists the quick tests first: few mutations pass them; optimized code is asked about those. */
const stages = [
  { tests: 'unit', profile: 'unoptimized' },
  { tests: '', profile: 'unoptimized' },
  { tests: 'unit', profile: 'default' },
]

/** A mutation that loops without an end is noticed too. */
const limitSeconds = 300

/** Lists what forge needs of this project, apart from what tests nothing of the contracts. */
const copied = [
  ...['contracts', 'foundry.toml', 'remappings.txt', 'scripts/solc', 'scripts/contracts/solc.mjs'],
]
const needless = ['contracts/proofs', 'contracts/test/proofs']

const survivors = readSurvivors('contracts/test/mutation/survivors.diff')
const counts = { killed: 0, 'did not compile': 0, survived: 0 }
let problems = 0

const mutateContracts = createCommand({
  usage,
  options: { only: textOr(''), list: flag },
  async run({ only, list }) {
    const all = mutationsOf(globSync('contracts/src/*.sol', { cwd: root }).sort())
    const mutations = all.filter((mutation) => describe(mutation).includes(only))
    if (list) return { lines: mutations.map(describe) }
    const known = new Set(all.map(keyOf))
    for (const key of survivors.keys())
      if (!known.has(key)) note(`survivors.diff has no line: ${key}`)
    const left = mutations.values()
    const lanes = Array.from({ length: availableParallelism() }, () =>
      tryEach(left, mutations.length),
    )
    await Promise.all(lanes)
    const lines = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`)
    return { lines, isBad: problems > 0 }
  },
})
runAsProgram(import.meta, mutateContracts)

/** Takes what is left of so many, one after the other, in a copy of its own. */
async function tryEach(left: Iterable<Mutation>, total: number): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'ussd-relay-mutation-'))
  const copy = folder.path
  const filter = (path: string) => !needless.some((folder) => path.endsWith(folder))
  for (const part of copied) {
    cpSync(join(root, part), join(copy, part), { recursive: true, filter })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  if ((await testIn(copy)) !== 'survived') throw new Error('the tests fail without any mutation')
  for (const mutation of left) {
    const path = join(copy, mutation.file)
    const original = readFileSync(path)
    writeFileSync(path, mutate(original, mutation.edits))
    tell(mutation, await testIn(copy), total)
    writeFileSync(path, original)
  }
}

async function testIn(copy: string): Promise<keyof typeof counts> {
  for (const [index, { tests, profile }] of stages.entries()) {
    const environment = {
      FOUNDRY_FUZZ_RUNS: '64',
      FOUNDRY_INVARIANT_RUNS: '16',
      FOUNDRY_PROFILE: profile,
      FOUNDRY_TEST: `contracts/test/${tests}`,
      // Each stage has what it builds in a folder of its own: of a mutation little is compiled
      // there.
      FOUNDRY_OUT: `out/${index}`,
      FOUNDRY_CACHE_PATH: `cache/${index}`,
    }
    const forge = (...args: string[]) =>
      runCommand(
        ['timeout', `${limitSeconds}`, foundryTool('forge'), ...args, '--root', copy],
        environment,
      )
    // A test deploys this one by its name alone.
    const built = await forge('build', 'contracts/test/support/SeeingMicroLoan.sol')
    const { code, output } = built.code === 0 ? await forge('test', '--fail-fast') : built
    if (code !== 0) return output.includes('Compiler run failed') ? 'did not compile' : 'killed'
  }
  return 'survived'
}

/** Reads reasons (`# `), files, and in them each line (`- `) with its replacements (`+ `). */
function readSurvivors(path: string): Map<string, string> {
  const found = new Map<string, string>()
  let [reason, file, before] = ['', '', '']
  for (const line of readFileSync(join(root, path), 'utf8').split('\n')) {
    const rest = line.slice(2)
    if (line.startsWith('+ ')) found.set(keyOf({ file, before, after: rest }), reason)
    else if (line.startsWith('# ')) reason = rest
    else if (line.startsWith('- ')) before = rest
    else if (line !== '') file = line
  }
  return found
}

/** Says what became of a mutation; it is a problem where that is not what survivors.diff says. */
function tell(mutation: Mutation, outcome: keyof typeof counts, total: number): void {
  counts[outcome] += 1
  const done = Object.values(counts).reduce((sum, count) => sum + count)
  const reason = survivors.get(keyOf(mutation))
  const progress = `${done}/${total} ${outcome}`
  if (outcome === 'survived' && reason === undefined) {
    note(`${progress} WITHOUT A REASON\n${describe(mutation)}`)
  } else if (outcome !== 'survived' && reason !== undefined) {
    note(`${progress}, although survivors.diff has it\n${describe(mutation)}`)
  } else if (outcome === 'survived') say(`${progress}: ${reason}\n${describe(mutation)}`)
  else if (process.stdout.isTTY || done % 20 === 0) say(progress)
}

function note(problem: string): void {
  problems += 1
  say(problem)
}

function keyOf({ file, before, after }: Pick<Mutation, 'file' | 'before' | 'after'>): string {
  return [file, before, after].join('\n')
}

function describe({ file, line, rule, before, after }: Mutation): string {
  return `  ${file}:${line} (${rule})\n    - ${before}\n    + ${after}`
}
