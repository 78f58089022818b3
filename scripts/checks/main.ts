import { runStep } from '../run-command.ts'
import { createCommand } from '../stack/command.ts'

const usage = `Looks whether all is in order: format, lint, types, layers, generated files, gas, coverage, and the size of the house.

  npm run check
  npm run typecheck    the types alone`

/** The checks that run before the tests, the quick ones first. */
const steps: Readonly<Record<string, readonly string[]>> = {
  biome: ['biome', 'check', '--error-on-warnings', '.'],
  types: ['tsc', '--noEmit', '--singleThreaded'],
  'types of Node': ['tsc', '--noEmit', '--singleThreaded', '-p', 'tsconfig.node.json'],
  'types of Deno': ['deno', 'check', '--quiet', 'src/deno.ts', 'src/deno-development.ts'],
  'forge fmt': ['forge', 'fmt', '--check'],
  generate: [process.execPath, 'scripts/generate/main.ts', '--check'],
  house: [process.execPath, 'scripts/checks/house.ts'],
  gas: [process.execPath, 'scripts/contracts/gas.ts', '--check'],
  coverage: [process.execPath, 'scripts/contracts/coverage.ts'],
}

/** Runs every step that is not left out, and returns how each went. */
export async function runChecks(
  without: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ name: string; isOk: boolean }[]> {
  const ran: { name: string; isOk: boolean }[] = []
  for (const [name, command] of Object.entries(steps)) {
    if (without.includes(name)) continue
    ran.push(await runStep({ name, command, environment }))
  }
  return ran
}

createCommand(import.meta, {
  usage,
  options: { types: false },
  async run({ types }) {
    const others = Object.keys(steps).filter((name) => !name.startsWith('types'))
    const ran = await runChecks(types ? others : [])
    const failed = ran.filter(({ isOk }) => !isOk).map(({ name }) => name)
    if (failed.length === 0) return undefined
    return { lines: [`Not in order: ${failed.join(', ')}`], isBad: true }
  },
})
