import { parseArgs, stripVTControlCharacters } from 'node:util'
import { runCommand } from '../run-command.ts'
import { describeDepth, openDepth } from './test-depth.ts'

const helpText = `Runs everything that repeats one thing with other numbers, and says what came of each part.

  npm run test:full -- [--only NAME,NAME] [--list]

  --only  these parts alone
  --list  names the parts and ends

SEED=N begins all of them with that seed.`

type Part = {
  name: string
  command: readonly string[]
  environment?: Readonly<Record<string, string>>
  /** The line of its output that has the figures; the last one by default. */
  figures?: RegExp
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const depth = openDepth({ ...process.env, TEST_FULL: '1' })
const seed = `${depth.seed}`
const npm = (script: string, ...args: string[]) => ['npm', 'run', '--silent', script, '--', ...args]
const forgeFigures = /^Ran \d+ test suites.*$/m

/** What `npm test` takes a sample of, or leaves out; the longest last. */
const parts: readonly Part[] = [
  {
    name: 'tests',
    command: ['npm', 'test', '--silent'],
    environment: { TEST_FULL: '1', SEED: seed },
  },
  {
    name: 'contracts',
    command: npm('test:contracts', '--fuzz-seed', `0x${depth.seed.toString(16)}`),
    environment: { FOUNDRY_PROFILE: 'ci' },
    figures: forgeFigures,
  },
  { name: 'prove', command: npm('prove') },
  { name: 'planted-bugs', command: npm('plant-bugs') },
  { name: 'mutations', command: npm('mutate:ledger') },
  {
    name: 'fuzz-node',
    command: npm('fuzz:node'),
    environment: { SEED: seed },
    figures: /^seed \d+, 100 % of .*$/m,
  },
  { name: 'bench', command: npm('bench', '--check') },
  {
    name: 'soak',
    command: npm('soak', '--sessions', '10000', '--seed', seed),
    figures: /^payments a second .*$/m,
  },
  {
    name: 'soak-deno',
    command: npm('soak:deno', '--seed', seed),
    figures: /^payments a second .*$/m,
  },
  {
    name: 'simulate',
    command: npm('simulate', '--seeds', '100000', '--seed', `${1 + (depth.seed % 1_000_000)}`),
  },
  { name: 'mutation', command: npm('test:contracts:mutation') },
]

if (values.help) print(helpText)
else if (values.list) for (const { name, command } of parts) print(`${name}: ${command.join(' ')}`)
else await runAll(chosen(values.only?.split(',')))

function chosen(names: readonly string[] | undefined): readonly Part[] {
  const unknown = names?.filter((name) => !parts.some((part) => part.name === name)) ?? []
  if (unknown.length > 0) {
    process.stderr.write(`There is no part ${unknown.join(', ')}: --list names them\n`)
    process.exit(1)
  }
  return parts.filter(({ name }) => names?.includes(name) ?? true)
}

async function runAll(wanted: readonly Part[]): Promise<void> {
  print(describeDepth(depth))
  const rows: string[] = []
  let failed = 0
  for (const part of wanted) {
    print(`\n> ${part.name}: ${part.command.join(' ')}\n`)
    const { code, output, seconds } = await runCommand(part.command, part.environment, (text) =>
      process.stdout.write(text),
    )
    if (code !== 0) failed += 1
    const row = [
      (code === 0 ? 'ok' : 'FAILED').padEnd(6),
      part.name.padEnd(12),
      `${seconds.toFixed(0)} s`.padStart(7),
      figuresOf(part, output),
    ].join('  ')
    print(`\n${row}`)
    rows.push(row)
  }
  print(`\n${rows.join('\n')}\n\n${wanted.length - failed} passed, ${failed} failed`)
  if (failed > 0) process.exitCode = 1
}

function figuresOf({ figures }: Part, output: string): string {
  const text = stripVTControlCharacters(output).trimEnd()
  return figures?.exec(text)?.[0] ?? text.split('\n').at(-1) ?? ''
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
