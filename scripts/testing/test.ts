import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from '../checks/main.ts'
import { projectRoot } from '../contracts/forge.ts'
import { memoryFolder } from '../dev/memory-folder.ts'
import { type Ran, runCommand } from '../run-command.ts'
import { openDepth } from './test-depth.ts'

type Named = Ran & { name: string }

/** Built apart: forge locks nothing, and tests that deploy build at the same time. */
const apart = { FOUNDRY_OUT: 'out/tests', FOUNDRY_CACHE_PATH: 'cache/tests' }

/** Hundreds of processes load the same packages: what Node has compiled of them is kept for the next. */
process.env.NODE_COMPILE_CACHE ??= join(projectRoot, 'node_modules/.cache/compiled')

const { isFull, seed } = openDepth(process.env)
const began = performance.now()
// The compiler takes a core for a minute, and most of the other tests wait most of the time.
const ran = (await Promise.all([runChecksAndContracts(), runVitest()])).flat()
const failed = ran.filter(({ code }) => code !== 0).map(({ name }) => name)
const minutes = ((performance.now() - began) / 60_000).toFixed(1)
const verdict = failed.length === 0 ? 'all passed' : `FAILED: ${failed.join(', ')}`
process.stdout.write(`\nAfter ${minutes} minutes, with seed ${seed}: ${verdict}\n`)
if (failed.length > 0) process.exitCode = 1

async function runChecksAndContracts(): Promise<Named[]> {
  // The contracts' tests compile everything, and the checks find it done.
  const contracts = await run('contracts', [
    'forge',
    'test',
    '--fuzz-seed',
    `0x${seed.toString(16)}`,
  ])
  // Coverage runs the contracts' tests once more, compiled in another way.
  const checks = await runChecks({ environment: apart, without: isFull ? [] : ['coverage'] })
  if (isFull) return [contracts, ...checks]
  const planting = [process.execPath, 'scripts/plant-bugs/main.ts', '--sample', `${seed}`]
  return [contracts, ...checks, await run('a planted bug', planting)]
}

/** Says how it went when it is through: its lines would stand between those of other tests. */
async function run(name: string, command: readonly string[]): Promise<Named> {
  const ran = await runCommand(command, apart)
  if (ran.code !== 0) process.stdout.write(ran.output)
  const last = ran.output.trimEnd().split('\n').at(-1)
  const how = ran.code === 0 ? 'ok    ' : 'FAILED'
  process.stdout.write(`${how} ${name} (${ran.seconds.toFixed(1)} s): ${last}\n`)
  return { ...ran, name }
}

async function runVitest(): Promise<Named> {
  const folder = mkdtempSync(join(memoryFolder(), 'ussd-relay-test-'))
  try {
    const show = (text: string) => process.stdout.write(text)
    // What tests leave in the temporary folder, those that were killed above all, goes with it.
    const own = { IS_WHOLE_RUN: '1', TMPDIR: folder }
    return { ...(await runCommand(['vitest', 'run'], own, show)), name: 'vitest' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
