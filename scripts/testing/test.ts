import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from '../check.ts'
import { projectRoot } from '../contracts/forge.ts'
import { memoryFolder } from '../dev/memory-folder.ts'
import { npmScript, runCommand } from '../run-command.ts'
import { readIfThere } from '../stack/files.ts'
import {
  describeFailures,
  exitCode,
  forgeOutcome,
  type Outcome,
  sum,
  summary,
  vitestOutcome,
} from './test-counts.ts'
import { openDepth } from './test-depth.ts'

/**
 * forge writes what it builds without a lock, and tests that deploy build at the same time: the
 * contracts' own tests are built beside that.
 */
const apart = { FOUNDRY_OUT: 'out/tests', FOUNDRY_CACHE_PATH: 'cache/tests' }

/** Hundreds of processes load the same packages: what Node has compiled of them is kept for the next. */
process.env.NODE_COMPILE_CACHE ??= join(projectRoot, 'node_modules/.cache/compiled')

const { isFull, seed } = openDepth(process.env)
const began = performance.now()
// The compiler takes a core for a minute, and most of the other tests wait most of the time.
const [order, tests] = await Promise.all([checksAndContracts(), vitest()])
const total = sum([...order, tests])
if (total.failures.length > 0) process.stdout.write(`\n${describeFailures(total.failures)}\n`)
const minutes = (performance.now() - began) / 60_000
process.stdout.write(
  `\nAfter ${minutes.toFixed(1)} minutes, with seed ${seed}:\n${summary(total)}\n`,
)
process.exitCode = exitCode(total, process.env)

async function checksAndContracts(): Promise<Outcome[]> {
  // The contracts' tests compile everything, and the checks find it done.
  return [await contracts(), await checks(), ...(isFull ? [] : [await plantedBug()])]
}

async function checks(): Promise<Outcome> {
  // Coverage runs the contracts' tests once more, compiled in another way.
  const without = isFull ? [] : ['coverage:contracts']
  const steps = await runChecks({ environment: apart, without })
  const failures = steps
    .filter((step) => !step.passed)
    .map(({ name, output }) => ({ name: `npm run ${name}`, words: output }))
  const failed = failures.length
  return { passed: steps.length - failed, failed, skipped: 0, failures }
}

/** Says how it went when it is through: its lines would stand between those of other tests. */
async function contracts(): Promise<Outcome> {
  const fuzzSeed = ['--fuzz-seed', `0x${seed.toString(16)}`]
  const command = npmScript('test:contracts', ...fuzzSeed)
  const { code, output, seconds } = await runCommand(command, apart)
  const outcome = forgeOutcome(output, code)
  if (outcome.failed > 0) process.stdout.write(output)
  const state = outcome.failed > 0 ? 'FAILED' : 'ok    '
  process.stdout.write(`${state} forge test: ${summary(outcome)} (${seconds.toFixed(1)} s)\n`)
  return outcome
}

/** One of those that `npm run plant-bugs` plants: the simulator has to find it. */
async function plantedBug(): Promise<Outcome> {
  const command = npmScript('plant-bugs', '--sample', `${seed}`)
  const { code, output, seconds } = await runCommand(command)
  const name = 'a planted bug is found'
  process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)\n`)
  if (code === 0) return { passed: 1, failed: 0, skipped: 0, failures: [] }
  return { passed: 0, failed: 1, skipped: 0, failures: [{ name, words: output }] }
}

async function vitest(): Promise<Outcome> {
  const folder = mkdtempSync(join(memoryFolder(), 'ussd-relay-test-'))
  const file = join(folder, 'report.json')
  try {
    const show = (text: string) => process.stdout.write(text)
    // What tests leave in the temporary folder, those that were killed above all, goes with it.
    const own = { TEST_REPORT: file, TMPDIR: folder }
    const { code, output } = await runCommand(['vitest', 'run'], own, show)
    return vitestOutcome(readIfThere(file)?.toString('utf8'), output, code)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
