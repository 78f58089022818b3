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
import { buildContracts, projectRoot } from '../contracts/forge.ts'
import { type DebianPackage, missingWords, programs, provide } from '../debian.ts'
import { memoryFolder } from '../dev/memory-folder.ts'
import { runCommand, runStep } from '../run-command.ts'
import { createCommand } from '../stack/command.ts'
import { Misused } from '../stack/report.ts'
import { openDepth } from './test-depth.ts'

/** Separates forge's folders, because deploying tests build at the same time without locks. */
const apart = { FOUNDRY_OUT: 'out/tests', FOUNDRY_CACHE_PATH: 'cache/tests' }

/** Keeps what Node compiled of packages, since hundreds of processes load the same. */
process.env.NODE_COMPILE_CACHE ??= join(projectRoot, 'node_modules/.cache/compiled')

const { isFull, seed } = openDepth(process.env)

const usage = `Runs everything: format, lint, types, import rules, contracts, and all tests. It takes no options.

  npm test
  SEED=N npm test                        the run that printed this seed

A part of it:

  npx vitest run --project unit          or chain, deno, workerd, workerd-paying, workerd-crash-points
  npx vitest run test/unit/bootstrap.test.ts
                                         one file
  npm run check                          format, lint, types, layers, generated files
  npx forge test                         the contracts

The full suite, of which this runs a sample: npm run test:full`

createCommand(import.meta, {
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
    using folder = mkdtempDisposableSync(join(memoryFolder(), 'ussd-relay-test-'))
    process.env.SOLC_KEPT = openCompilerCache(folder.path)
    // The compiler uses one core for a minute, while most other tests mostly wait.
    const failed = (await Promise.all([runChecksAndContracts(), runVitest(folder.path)])).flat()
    const minutes = ((performance.now() - began) / 60_000).toFixed(1)
    const verdict = failed.length === 0 ? 'all passed' : `FAILED: ${failed.join(', ')}`
    const line = `\nAfter ${minutes} minutes, with seed ${seed}: ${verdict}`
    return { lines: [line], isBad: failed.length > 0 }
  },
})

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
async function runChecksAndContracts(): Promise<string[]> {
  const run = async (name: string, ...command: string[]) => {
    const { isOk } = await runStep({ name, command, environment: apart })
    return isOk ? [] : [name]
  }
  // The contracts' tests report what does not compile.
  await buildContracts().catch(() => {})
  // They compile everything else, so the checks do not compile again.
  const fuzz = ['--fuzz-seed', `0x${seed.toString(16)}`]
  const contracts = await run('contracts', 'forge', 'test', ...fuzz)
  // Coverage runs the contracts' tests again, compiled in another way.
  const checks = await runChecks(isFull ? [] : ['coverage'], apart)
  if (isFull) return [...contracts, ...checks]
  const planting = ['scripts/plant-bugs/main.ts', '--sample', `${seed}`]
  return [...contracts, ...checks, ...(await run('a planted bug', process.execPath, ...planting))]
}

async function runVitest(folder: string): Promise<string[]> {
  const show = (text: string) => process.stdout.write(text)
  // The folder is deleted with everything that killed tests left in it.
  const { code } = await runCommand(['vitest', 'run'], { IS_WHOLE_RUN: '1', TMPDIR: folder }, show)
  return code === 0 ? [] : ['vitest']
}
