import { runStep } from '../run-command.ts'
import { chooseCommand, createCommand, runAsProgram } from '../stack/command.ts'
import { Misused } from '../stack/report.ts'

const usage = `Looks whether all is in order: format, lint, types, layers, generated files, gas, coverage, and the size of the house.

  npm run check             all of it
  npm run check -- types    the types alone
  npm run check -- house    the size and the layers alone
  npm run check -- gas      what the contracts cost: writes it, or compares it (--help)`

/** Takes a fifth of the CPU of `deno check`, which has another compiler. */
const tscOfDeno = 'tsc --noEmit --singleThreaded -p tsconfig.deno.json'

/** The checks that run before the tests, the quick ones first. */
const steps: Readonly<Record<string, readonly string[]>> = {
  biome: ['biome', 'check', '--error-on-warnings', '.'],
  types: ['tsc', '--noEmit', '--singleThreaded'],
  'types of Node': ['tsc', '--noEmit', '--singleThreaded', '-p', 'tsconfig.node.json'],
  'types of Deno': ['sh', '-c', `mkdir -p out && deno types > out/deno.d.ts && ${tscOfDeno}`],
  'forge fmt': ['forge', 'fmt', '--check'],
  generate: [process.execPath, 'scripts/generate/main.ts', '--check'],
  house: [process.execPath, 'scripts/checks/main.ts', 'house'],
  gas: [process.execPath, 'scripts/checks/main.ts', 'gas', '--check'],
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

const checkAll = createCommand({
  usage,
  options: {},
  async run(_, [part, ...more]) {
    if ((part ?? 'types') !== 'types' || more.length > 0) throw new Misused()
    const others = Object.keys(steps).filter((name) => !name.startsWith('types'))
    const ran = await runChecks(part === 'types' ? others : [])
    const failed = ran.filter(({ isOk }) => !isOk).map(({ name }) => name)
    if (failed.length === 0) return undefined
    return { lines: [`Not in order: ${failed.join(', ')}`], isBad: true }
  },
})

export const check = chooseCommand(
  {
    gas: async () => (await import('../contracts/gas.ts')).gas,
    house: async () => (await import('./house.ts')).house,
  },
  checkAll,
)
runAsProgram(import.meta, check)
