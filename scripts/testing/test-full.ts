import { runStep, type Step } from '../run-command.ts'
import { createCommand, type Found, flag, runAsProgram, text } from '../stack/command.ts'
import { StackError, say } from '../stack/report.ts'
import { describeDepth, openDepth } from './test-depth.ts'

const usage = `Runs everything that repeats one thing with other numbers, and says what came of each part.

  npm run test:full -- [--only NAME,NAME] [--list]

  --only  these parts alone
  --list  names the parts and ends

SEED=N begins all of them with that seed.`

const depth = openDepth({ ...process.env, TEST_FULL: '1' })
const seed = `${depth.seed}`
const node = (name: string, ...args: string[]) => [process.execPath, `scripts/${name}.ts`, ...args]
const whole = { TEST_FULL: '1', SEED: seed }
const soaked = ['--payments', '5000', '--seed', seed]
const perSecond = /^payments a second .*$/m

/** Lists the runs that `npm test` samples or leaves out; the longest are last. */
const parts: readonly Step[] = [
  { name: 'tests', command: ['npm', 'test', '--silent'], environment: whole },
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
    environment: { ...whole, FUZZ_REQUESTS: '100000' },
    figures: /^seed \d+, 100 % of .*$/m,
  },
  { name: 'bench', command: node('bench/main', '--check') },
  { name: 'soak', command: node('soak/main', ...soaked), figures: perSecond },
  { name: 'soak-deno', command: node('soak/main', '--deno', ...soaked), figures: perSecond },
  {
    name: 'simulate',
    command: node('simulate', '--seeds', '100000', '--seed', `${1 + (depth.seed % 1_000_000)}`),
  },
  { name: 'mutation', command: node('contracts/mutation/mutate') },
]

export const testFull = createCommand({
  usage,
  options: { only: text, list: flag },
  async run({ only, list }) {
    if (list) return { lines: parts.map(({ name, command }) => `${name}: ${command.join(' ')}`) }
    const chosen = only?.split(',') ?? parts.map(({ name }) => name)
    const unknown = chosen.filter((name) => !parts.some((part) => part.name === name))
    if (unknown.length === 0) return runAll(parts.filter(({ name }) => chosen.includes(name)))
    throw new StackError(`There is no part ${unknown.join(', ')}: --list names them`)
  },
})
runAsProgram(import.meta, testFull)

async function runAll(wanted: readonly Step[]): Promise<Found> {
  say(describeDepth(depth))
  const ran: Awaited<ReturnType<typeof runStep>>[] = []
  for (const step of wanted) {
    say(`\n> ${step.name}: ${step.command.join(' ')}\n`)
    ran.push(await runStep(step, (text) => process.stdout.write(text)))
  }
  const passed = ran.filter(({ isOk }) => isOk).length
  const failed = ran.length - passed
  const sum = `${passed} passed, ${failed} failed`
  return { lines: ['', ...ran.map(({ line }) => line), '', sum], isBad: failed > 0 }
}
