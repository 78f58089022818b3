import { spawn } from 'node:child_process'
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
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { foundryBinary, projectRoot } from './forge.ts'
import { type Mutation, mutate, mutationsOf } from './mutations.ts'

// `npm run test:contracts:mutation [-- --file MicroLoan.sol] [-- --list]` changes contracts/src in a copy, one
// mistake at a time, and runs the tests on each. One that no test notices has to stand in
// contracts/test/mutation/survivors.json with the reason why it may. `--survivors` tries those alone, `--rule
// backdoor` one kind of mistake, `--from N --to N` a part.

type Survivor = { file: string; before: string; after: string; reason: string }

type Outcome = 'killed' | 'stillborn' | 'survived'

const survivorsFile = join(projectRoot, 'contracts/test/mutation/survivors.json')
const survivors: Survivor[] = JSON.parse(readFileSync(survivorsFile, 'utf8'))
const sources = sourceFiles()
/** A look into as many corners as is quick. */
const quickLook = { FOUNDRY_FUZZ_RUNS: '64', FOUNDRY_INVARIANT_RUNS: '16' }
/**
 * The quick tests first: few mutations get past them, and those are asked of optimized code too. A filter
 * would compile all tests at each run to know which it takes, so a stage has a folder instead.
 */
const stages = [
  { folder: 'unit', environment: { FOUNDRY_PROFILE: 'unoptimized' } },
  { folder: '', environment: { FOUNDRY_PROFILE: 'unoptimized' } },
  { folder: 'unit', environment: { FOUNDRY_PROFILE: 'default' } },
].map(({ folder, environment }, index) => ({
  FOUNDRY_TEST: `contracts/test/${folder}`,
  FOUNDRY_OUT: `out/${index}`,
  FOUNDRY_CACHE_PATH: `cache/${index}`,
  ...quickLook,
  ...environment,
}))
/** A mutation that loops without an end is noticed too. */
const timeLimitMs = 300_000

const { values } = parseArgs({
  options: {
    file: { type: 'string' },
    rule: { type: 'string' },
    from: { type: 'string', default: '1' },
    to: { type: 'string', default: `${Number.MAX_SAFE_INTEGER}` },
    list: { type: 'boolean' },
    survivors: { type: 'boolean' },
  },
})
const all = sources.flatMap((file) => mutationsOf(file))
const mutations = all
  .filter(({ file }) => values.file === undefined || file.endsWith(`/${values.file}`))
  .filter(({ rule }) => values.rule === undefined || values.rule === rule)
  .filter((mutation) => !values.survivors || reasonFor(mutation) !== undefined)
  .slice(Number(values.from) - 1, Number(values.to))
const stale = survivors.filter((survivor) => !all.some((mutation) => isOf(survivor, mutation)))

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
  // What is compiled with the contracts and tests nothing of them takes time at each mutation.
  for (const folder of ['script', 'proofs', 'test/script', 'test/proofs']) {
    rmSync(join(copy, 'contracts', folder), { recursive: true })
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

async function outcomeOf(copy: string, mutation: Mutation): Promise<Outcome> {
  const path = join(copy, mutation.file)
  const original = readFileSync(path)
  writeFileSync(path, mutate(original, mutation))
  try {
    return await outcome(copy)
  } finally {
    writeFileSync(path, original)
  }
}

async function outcome(copy: string): Promise<Outcome> {
  for (const stage of stages) {
    const result = await forgeTest(copy, stage)
    if (result !== 'survived') return result
  }
  return 'survived'
}

async function forgeTest(
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const child = spawn(foundryBinary('forge'), ['test', '--fail-fast'], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: timeLimitMs,
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

function reasonFor(mutation: Mutation): string | undefined {
  return survivors.find((survivor) => isOf(survivor, mutation))?.reason
}

function isOf({ file, before, after }: Survivor, mutation: Mutation): boolean {
  return file === mutation.file && before === mutation.before && after === mutation.after
}

/** Everything that has code: interfaces have no mutations. */
function sourceFiles(): string[] {
  return globSync('contracts/src/*.sol', { cwd: projectRoot }).sort()
}

function describe({ file, line, rule, before, after }: Mutation): string {
  return `  ${file}:${line} (${rule})\n    - ${before}\n    + ${after}`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
