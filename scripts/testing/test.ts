import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from '../checks/main.ts'
import { projectRoot } from '../contracts/forge.ts'
import { memoryFolder } from '../dev/memory-folder.ts'
import { runCommand, runStep } from '../run-command.ts'
import { openDepth } from './test-depth.ts'

/** Built apart: forge locks nothing, and tests that deploy build at the same time. */
const apart = { FOUNDRY_OUT: 'out/tests', FOUNDRY_CACHE_PATH: 'cache/tests' }

/** Hundreds of processes load the same packages: what Node has compiled of them is kept for the next. */
process.env.NODE_COMPILE_CACHE ??= join(projectRoot, 'node_modules/.cache/compiled')

const { isFull, seed } = openDepth(process.env)
const began = performance.now()
// The compiler takes a core for a minute, and most of the other tests wait most of the time.
const failed = (await Promise.all([runChecksAndContracts(), runVitest()])).flat()
const minutes = ((performance.now() - began) / 60_000).toFixed(1)
const verdict = failed.length === 0 ? 'all passed' : `FAILED: ${failed.join(', ')}`
process.stdout.write(`\nAfter ${minutes} minutes, with seed ${seed}: ${verdict}\n`)
if (failed.length > 0) process.exitCode = 1

/** Names what fails; each says how it went when it is through, since its lines would stand between those of tests. */
async function runChecksAndContracts(): Promise<string[]> {
  const run = async (name: string, ...command: string[]) => {
    const { isOk } = await runStep({ name, command, environment: apart })
    return isOk ? [] : [name]
  }
  // The contracts' tests compile everything, and the checks find it done.
  const fuzz = ['--fuzz-seed', `0x${seed.toString(16)}`]
  const contracts = await run('contracts', 'forge', 'test', ...fuzz)
  // Coverage runs the contracts' tests once more, compiled in another way.
  const checks = await runChecks(isFull ? [] : ['coverage'], apart)
  if (isFull) return [...contracts, ...checks]
  const planting = ['scripts/plant-bugs/main.ts', '--sample', `${seed}`]
  return [...contracts, ...checks, ...(await run('a planted bug', process.execPath, ...planting))]
}

async function runVitest(): Promise<string[]> {
  const folder = mkdtempSync(join(memoryFolder(), 'ussd-relay-test-'))
  try {
    const show = (text: string) => process.stdout.write(text)
    // What tests leave in the temporary folder, those that were killed above all, goes with it.
    const own = { IS_WHOLE_RUN: '1', TMPDIR: folder }
    const { code } = await runCommand(['vitest', 'run'], own, show)
    return code === 0 ? [] : ['vitest']
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
