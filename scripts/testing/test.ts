import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from '../checks/main.ts'
import { projectRoot } from '../contracts/forge.ts'
import { memoryFolder } from '../dev/memory-folder.ts'
import { runCommand } from '../run-command.ts'
import { readJson } from '../stack/files.ts'
import {
  countCommand,
  countForge,
  countVitest,
  exitCode,
  type Outcome,
  sum,
  writeSummary,
} from './test-counts.ts'
import { openDepth } from './test-depth.ts'

/** Built apart: forge locks nothing, and tests that deploy build at the same time. */
const apart = { FOUNDRY_OUT: 'out/tests', FOUNDRY_CACHE_PATH: 'cache/tests' }

/** Hundreds of processes load the same packages: what Node has compiled of them is kept for the next. */
process.env.NODE_COMPILE_CACHE ??= join(projectRoot, 'node_modules/.cache/compiled')

const { isFull, seed } = openDepth(process.env)
const began = performance.now()
// The compiler takes a core for a minute, and most of the other tests wait most of the time.
const total = sum((await Promise.all([runChecksAndContracts(), runVitest()])).flat())
for (const failure of total.failures) process.stdout.write(`\n${failure}\n`)
const minutes = ((performance.now() - began) / 60_000).toFixed(1)
process.stdout.write(`\nAfter ${minutes} minutes, with seed ${seed}:\n${writeSummary(total)}\n`)
process.exitCode = exitCode(total, process.env)

async function runChecksAndContracts(): Promise<Outcome[]> {
  // The contracts' tests compile everything, and the checks find it done.
  const contracts = await runForge()
  // Coverage runs the contracts' tests once more, compiled in another way.
  const without = isFull ? [] : ['coverage']
  const steps = await runChecks({ environment: apart, without })
  const checks = steps.map((step) => countCommand(`npm run check: ${step.name}`, step))
  return [contracts, ...checks, ...(isFull ? [] : [await plantBug()])]
}

/** Says how it went when it is through: its lines would stand between those of other tests. */
async function runForge(): Promise<Outcome> {
  const command = ['forge', 'test', '--fuzz-seed', `0x${seed.toString(16)}`]
  const ran = await runCommand(command, apart)
  const outcome = countForge(ran)
  if (outcome.failed > 0) process.stdout.write(ran.output)
  tell(outcome, `forge test: ${writeSummary(outcome)}`, ran.seconds)
  return outcome
}

async function plantBug(): Promise<Outcome> {
  const command = [process.execPath, 'scripts/plant-bugs/main.ts', '--sample', `${seed}`]
  const ran = await runCommand(command)
  const outcome = countCommand('a planted bug is found', ran)
  tell(outcome, 'a planted bug is found', ran.seconds)
  return outcome
}

async function runVitest(): Promise<Outcome> {
  const folder = mkdtempSync(join(memoryFolder(), 'ussd-relay-test-'))
  const file = join(folder, 'report.json')
  try {
    const show = (text: string) => process.stdout.write(text)
    // What tests leave in the temporary folder, those that were killed above all, goes with it.
    const own = { TEST_REPORT: file, TMPDIR: folder }
    const ran = await runCommand(['vitest', 'run'], own, show)
    return countVitest(readJson(file), ran)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function tell({ failed }: Outcome, what: string, seconds: number): void {
  process.stdout.write(`${failed > 0 ? 'FAILED' : 'ok    '} ${what} (${seconds.toFixed(1)} s)\n`)
}
