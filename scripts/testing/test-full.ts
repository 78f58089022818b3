import { stripVTControlCharacters } from 'node:util'
import { runCommand } from '../run-command.ts'
import { readFlags } from '../stack/command.ts'
import { say } from '../stack/report.ts'
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

const flags = readFlags(helpText, { only: undefined, list: false })

const depth = openDepth({ ...process.env, TEST_FULL: '1' })
const seed = `${depth.seed}`
const node = (script: string, ...args: string[]) => [
  process.execPath,
  `scripts/${script}.ts`,
  ...args,
]
const perSecond = /^payments a second .*$/m

/** What `npm test` takes a sample of, or leaves out; the longest last. */
const parts: readonly Part[] = [
  {
    name: 'tests',
    command: ['npm', 'test', '--silent'],
    environment: { TEST_FULL: '1', SEED: seed },
  },
  {
    name: 'contracts',
    command: ['forge', 'test', '--fuzz-seed', `0x${depth.seed.toString(16)}`],
    environment: { FOUNDRY_PROFILE: 'ci' },
    figures: /^Ran \d+ test suites.*$/m,
  },
  { name: 'prove', command: node('contracts/prove') },
  { name: 'planted-bugs', command: node('plant-bugs/main') },
  { name: 'mutations', command: node('plant-bugs/mutate') },
  {
    name: 'fuzz-node',
    command: ['vitest', 'run', '--project', 'chain', 'test/chain/node/fuzz.test.ts'],
    environment: { TEST_FULL: '1', FUZZ_REQUESTS: '100000', SEED: seed },
    figures: /^seed \d+, 100 % of .*$/m,
  },
  { name: 'bench', command: node('bench/main', '--check') },
  {
    name: 'soak',
    command: node('soak/main', '--sessions', '10000', '--seed', seed),
    figures: perSecond,
  },
  {
    name: 'soak-deno',
    command: node('soak/main', '--deno', '--payments', '5000', '--seed', seed),
    figures: perSecond,
  },
  {
    name: 'simulate',
    command: node('simulate', '--seeds', '100000', '--seed', `${1 + (depth.seed % 1_000_000)}`),
  },
  { name: 'mutation', command: node('contracts/mutation/mutate') },
]

if (flags.list) for (const { name, command } of parts) say(`${name}: ${command.join(' ')}`)
else await runAll(chosen(flags.only?.split(',')))

function chosen(names: readonly string[] | undefined): readonly Part[] {
  const unknown = names?.filter((name) => !parts.some((part) => part.name === name)) ?? []
  if (unknown.length > 0) {
    process.stderr.write(`There is no part ${unknown.join(', ')}: --list names them\n`)
    process.exit(1)
  }
  return parts.filter(({ name }) => names?.includes(name) ?? true)
}

async function runAll(wanted: readonly Part[]): Promise<void> {
  say(describeDepth(depth))
  const rows: string[] = []
  let failed = 0
  for (const part of wanted) {
    say(`\n> ${part.name}: ${part.command.join(' ')}\n`)
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
    say(`\n${row}`)
    rows.push(row)
  }
  say(`\n${rows.join('\n')}\n\n${wanted.length - failed} passed, ${failed} failed`)
  if (failed > 0) process.exitCode = 1
}

function figuresOf({ figures }: Part, output: string): string {
  const text = stripVTControlCharacters(output).trimEnd()
  return figures?.exec(text)?.[0] ?? text.split('\n').at(-1) ?? ''
}
