import { type Ran, runCommand } from '../run-command.ts'
import { createCommand } from '../stack/command.ts'

const usage = `Looks whether all is in order: format, lint, types, layers, generated files, gas, coverage, and the size of the house.

  npm run check`

/** What has to be in order before a test is worth running, quick ones first. */
const steps: Readonly<Record<string, readonly string[]>> = {
  biome: ['biome', 'check', '--error-on-warnings', '.'],
  typecheck: [process.execPath, '--run', 'typecheck'],
  'forge fmt': ['forge', 'fmt', '--check'],
  generate: [process.execPath, 'scripts/generate/main.ts', '--check'],
  house: [process.execPath, 'scripts/checks/house.ts'],
  gas: [process.execPath, 'scripts/contracts/gas.ts', '--check'],
  coverage: [process.execPath, 'scripts/contracts/coverage.ts'],
}

/** Runs every step but those that are left out, and shows what the failing ones say. */
export async function runChecks({
  environment = {},
  without = [],
}: {
  environment?: Readonly<Record<string, string>>
  without?: readonly string[]
} = {}): Promise<(Ran & { name: string })[]> {
  const results: (Ran & { name: string })[] = []
  for (const [name, command] of Object.entries(steps)) {
    if (without.includes(name)) continue
    const ran = await runCommand(command, environment)
    const { code, output, seconds } = ran
    // The size of the house is worth reading though nothing is wrong.
    if (code !== 0 || name === 'house') process.stdout.write(`${output.trim()}\n`)
    process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)\n`)
    results.push({ ...ran, name })
  }
  return results
}

const command = createCommand({
  usage,
  options: {},
  async run() {
    const failed = (await runChecks()).filter(({ code }) => code !== 0)
    if (failed.length === 0) return undefined
    return { lines: [`Not in order: ${failed.map(({ name }) => name).join(', ')}`], isBad: true }
  },
})

if (import.meta.main) process.exitCode = await command()
