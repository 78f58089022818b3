import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { foundryBinary, projectRoot } from './forge.ts'
import { type Mutation, mutate, mutationsOf } from './mutations.ts'

// `npm run test:contracts:mutation [-- --file MicroLoan.sol] [-- --list]` changes contracts/src line by line
// in a copy and runs the tests on each change. One that no test notices has to stand in
// contracts/test/mutation/survivors.json with the reason why it may. `--survivors` tries those alone, `--from N`
// goes on with the Nth.

type Survivor = { file: string; before: string; after: string; reason: string }

type Outcome = 'killed' | 'stillborn' | 'survived'

const sources = ['MicroLoan.sol', 'RelayForwarder.sol', 'RollingDay.sol']
const survivorsFile = join(projectRoot, 'contracts/test/mutation/survivors.json')
const survivors: Survivor[] = JSON.parse(readFileSync(survivorsFile, 'utf8'))

const { values } = parseArgs({
  options: {
    file: { type: 'string' },
    from: { type: 'string', default: '1' },
    list: { type: 'boolean' },
    survivors: { type: 'boolean' },
  },
})
const all = sources.flatMap((file) =>
  mutationsOf(file, readFileSync(sourcePath(projectRoot, file), 'utf8')),
)
const mutations = all
  .filter(({ file }) => values.file === undefined || values.file === file)
  .filter((mutation) => !values.survivors || reasonFor(mutation) !== undefined)
const stale = survivors.filter(({ file, before, after }) => {
  const isIt = (one: Mutation) => one.before.trim() === before && one.after.trim() === after
  return !all.some((mutation) => mutation.file === file && isIt(mutation))
})

if (values.list) {
  for (const mutation of mutations) say(describe(mutation))
  say(`${mutations.length} mutations`)
} else {
  await run()
}

async function run(): Promise<void> {
  const copy = createCopy()
  try {
    if ((await outcome(copy)) !== 'survived') throw new Error('the tests fail without any mutation')
    const counts = { killed: 0, stillborn: 0, survived: 0 }
    for (const { file, before } of stale) say(`survivors.json: ${file} has no line ${before}`)
    let problems = stale.length
    for (const [index, mutation] of mutations.entries()) {
      if (index + 1 < Number(values.from)) continue
      const result = await outcomeOf(copy, mutation)
      counts[result] += 1
      const reason = reasonFor(mutation)
      const progress = `${index + 1}/${mutations.length} ${result}`
      if (result === 'survived' && reason === undefined) {
        problems += 1
        say(`${progress} WITHOUT A REASON\n${describe(mutation)}`)
      } else if (result === 'survived') {
        say(`${progress}: ${reason}\n${describe(mutation)}`)
      } else if (reason !== undefined) {
        problems += 1
        say(`${progress}, although survivors.json says it does not\n${describe(mutation)}`)
      } else if (process.stdout.isTTY || index % 20 === 0) {
        say(progress)
      }
    }
    const { killed, stillborn, survived } = counts
    say(`${killed} killed, ${survived} survived, ${stillborn} did not compile`)
    if (problems > 0) process.exitCode = 1
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** What forge needs of this project, with the dependencies shared. */
function createCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'ussd-relay-mutation-'))
  mkdirSync(join(copy, 'scripts/contracts'), { recursive: true })
  for (const part of [
    'contracts',
    'foundry.toml',
    'remappings.txt',
    'scripts/solc',
    'scripts/contracts/solc.mjs',
  ]) {
    cpSync(join(projectRoot, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

async function outcomeOf(copy: string, mutation: Mutation): Promise<Outcome> {
  const path = sourcePath(copy, mutation.file)
  const original = readFileSync(path, 'utf8')
  writeFileSync(path, mutate(original, mutation))
  try {
    return await outcome(copy)
  } finally {
    writeFileSync(path, original)
  }
}

/** The quick tests first: few mutations get past them to the invariants. */
async function outcome(copy: string): Promise<Outcome> {
  const stages = ['unit/**', '{attacks,fuzz,walks}/*', 'invariant/*']
  for (const stage of stages) {
    const result = await forgeTest(copy, `contracts/test/${stage}`)
    if (result !== 'survived') return result
  }
  return 'survived'
}

async function forgeTest(cwd: string, path: string): Promise<Outcome> {
  const child = spawn(foundryBinary('forge'), ['test', '--fail-fast', '--match-path', path], {
    cwd,
    // Tests that need not be compiled again for each change, and a look into as many corners as is quick.
    env: { ...process.env, FOUNDRY_DYNAMIC_TEST_LINKING: 'true', FOUNDRY_FUZZ_RUNS: '64' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A loop without an end is noticed too.
    timeout: 300_000,
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return 'survived'
  return errors.includes('Compiler run failed') ? 'stillborn' : 'killed'
}

function reasonFor({ file, before, after }: Mutation): string | undefined {
  return survivors.find(
    (survivor) =>
      survivor.file === file &&
      survivor.before === before.trim() &&
      survivor.after === after.trim(),
  )?.reason
}

function sourcePath(root: string, file: string): string {
  return join(root, 'contracts/src', file)
}

function describe({ file, line, before, after }: Mutation): string {
  return `  ${file}:${line}\n    - ${before.trim()}\n    + ${after.trim()}`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
