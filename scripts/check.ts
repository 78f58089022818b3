import { npmScript, runCommand } from './run-command.ts'

/** What has to be in order before a test is worth running: scripts of package.json, quick ones first. */
const steps = [
  ...['format', 'lint', 'imports', 'typecheck', 'check:contracts', 'abi:check', 'openrpc:check'],
  ...[
    'ledger:check',
    'architecture:check',
    'menu:check',
    'house',
    'gas:check',
    'coverage:contracts',
  ],
]

/** Steps whose words are worth reading though nothing is wrong. */
const told: ReadonlySet<string> = new Set(['house'])

export type Step = { name: string; passed: boolean; output: string }

/** Runs every step but those that are left out, and shows what the failing ones say. */
export async function runChecks({
  environment = {},
  without = [],
}: {
  environment?: Readonly<Record<string, string>>
  without?: readonly string[]
} = {}): Promise<Step[]> {
  const results: Step[] = []
  for (const name of steps.filter((step) => !without.includes(step))) {
    const { code, output, seconds } = await runCommand(npmScript(name), environment)
    const passed = code === 0
    if (!passed || told.has(name)) process.stdout.write(`${output.trim()}\n`)
    process.stdout.write(`${passed ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)\n`)
    results.push({ name, passed, output })
  }
  return results
}

if (import.meta.main) {
  const failed = (await runChecks()).filter(({ passed }) => !passed)
  if (failed.length > 0) {
    process.stdout.write(`Not in order: ${failed.map(({ name }) => name).join(', ')}\n`)
    process.exitCode = 1
  }
}
