import {
  accessSync,
  constants,
  globSync,
  mkdirSync,
  mkdtempDisposableSync,
  rmSync,
  statSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runChecks } from '../checks/main.ts'
import { buildContracts } from '../contracts/forge.ts'
import { type DebianPackage, missingWords, programs, provide } from '../debian.ts'
import { memoryFolder } from '../dev/memory-folder.ts'
import { runCommand, runStep } from '../run-command.ts'
import { createCommand, runAsProgram } from '../stack/command.ts'
import { root } from '../stack/folder.ts'
import { watchStarter } from '../stack/processes.ts'
import { Misused } from '../stack/report.ts'
import { startSweeper } from './sweep.ts'
import { openDepth } from './test-depth.ts'
import { type Counts, countForge, countStep, countVitest, writeVerdict } from './verdict.ts'

/** Separates forge's folders, because deploying tests build at the same time without locks. */
const apart = { FOUNDRY_OUT: 'out/tests', FOUNDRY_CACHE_PATH: 'cache/tests' }

/** Keeps what Node compiled of packages, since hundreds of processes load the same. */
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/compiled')

const { isFull, seed } = openDepth(process.env)

const usage = `Runs everything: format, lint, types, import rules, contracts, and all tests. It takes no options.

  npm test
  SEED=N npm test                        the run that printed this seed

A part of it:

  npx vitest run --project unit          or 'chain*', 'deno*', 'workerd*'
  npx vitest run test/unit/bootstrap.test.ts
                                         one file
  npm run check                          format, lint, types, layers, generated files
  npx forge test                         the contracts

The full suite, of which this runs a sample: npm run test:full`

export const testCommand = createCommand({
  usage,
  options: {},
  async run(_, given) {
    if (given.length > 0) throw new Misused('npm test takes nothing: it runs everything.')
    for (const name of Object.keys(programs) as DebianPackage[]) {
      // Outside CI, vitest.config.ts reports it, and leaves out the tests that need it.
      if (provide(name) || process.env.CI !== 'true') continue
      return { lines: [missingWords(name)], isBad: true }
    }
    const began = performance.now()
    watchStarter(() => process.exit(1))
    using folder = mkdtempDisposableSync(join(memoryFolder(), 'ussd-relay-test-'))
    const sweeper = startSweeper(folder.path)
    process.env.SOLC_KEPT = openCompilerCache(folder.path)
    const telling = [
      setTimeout(tellWaiting, tellFirstMs, began),
      setInterval(tellWaiting, tellEveryMs, began),
    ]
    const run: Run = { environment: sweeper.environment, counts: [] }
    // The compiler uses one core for a minute, while most other tests mostly wait.
    const failed = (await Promise.all([runChecksAndContracts(run), runVitest(run)])).flat()
    telling.forEach(clearInterval)
    await sweeper.end()
    const minutes = ((performance.now() - began) / 60_000).toFixed(1)
    const verdict = failed.length === 0 ? 'all passed' : `FAILED: ${failed.join(', ')}`
    const line = `\nAfter ${minutes} minutes, with seed ${seed}: ${verdict}`
    return { lines: [line, writeVerdict(run.counts)], isBad: failed.length > 0 }
  },
})
runAsProgram(import.meta, testCommand)

/** Holds what the steps of a run share: the environment of its processes, and what they counted. */
type Run = { environment: { TMPDIR: string }; counts: Counts[] }

const tellFirstMs = 8_000
const tellEveryMs = 60_000
const waitingFor = new Set<string>()

/** Says what the run waits for, since a compiler or a slow test prints nothing for a while. */
function tellWaiting(began: number): void {
  const seconds = ((performance.now() - began) / 1_000).toFixed()
  process.stdout.write(`${seconds} s: waiting for ${[...waitingFor].join(', ')}\n`)
}

async function waitFor<Value>(name: string, work: Promise<Value>): Promise<Value> {
  waitingFor.add(name)
  return await work.finally(() => waitingFor.delete(name))
}

/** Opens what solc made in the last two weeks for all clones; `other` if it is not writable. */
function openCompilerCache(other: string): string {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ussd-relay/solc')
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
  } catch {
    return other
  }
  const oldest = Date.now() - 14 * 86_400_000
  for (const file of globSync(join(folder, '*'))) {
    // Another run may have deleted it.
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0 }
    if (mtimeMs < oldest) rmSync(file, { force: true })
  }
  return folder
}

/** Returns the names of failed steps; each prints its output at its end, apart from the tests'. */
async function runChecksAndContracts(given: Run): Promise<string[]> {
  const { counts } = given
  const environment = { ...apart, ...given.environment }
  const run = async (name: string, count: typeof countForge, ...command: string[]) => {
    const { isOk, output } = await waitFor(name, runStep({ name, command, environment }))
    counts.push(count(output, isOk))
    return isOk ? [] : [name]
  }
  // The contracts' tests report what does not compile.
  await waitFor('the compiler of the contracts', buildContracts()).catch(() => {})
  // They compile everything else, so the checks do not compile again.
  const fuzz = ['--fuzz-seed', `0x${seed.toString(16)}`]
  const contracts = await run('contracts', countForge, 'forge', 'test', ...fuzz)
  // Coverage runs the contracts' tests again, compiled in another way.
  const without = isFull ? [] : ['coverage']
  const checks = await waitFor('the checks', runChecks(without, environment))
  counts.push(...checks.map(({ isOk }) => countStep(isOk)))
  const failedChecks = checks.filter(({ isOk }) => !isOk).map(({ name }) => name)
  if (isFull) return [...contracts, ...failedChecks]
  const planting = ['scripts/plant-bugs/main.ts', '--sample', `${seed}`]
  const countPlanted = (_: string, isOk: boolean) => countStep(isOk)
  const planted = await run('a planted bug', countPlanted, process.execPath, ...planting)
  return [...contracts, ...failedChecks, ...planted]
}

async function runVitest({ environment, counts }: Run): Promise<string[]> {
  const show = (text: string) => process.stdout.write(text)
  const file = join(environment.TMPDIR, 'counts.json')
  const own = { ...environment, IS_WHOLE_RUN: '1', TEST_COUNTS_FILE: file }
  const { code } = await waitFor('vitest', runCommand(['vitest', 'run'], own, show))
  counts.push(countVitest(file, code === 0))
  return code === 0 ? [] : ['vitest']
}
