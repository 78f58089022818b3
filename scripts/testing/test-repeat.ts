import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { runCommand } from '../run-command.ts'
import { describeFailures, type Failure } from './test-counts.ts'

const helpText = `Runs tests again and again, each time with another seed, and says which runs were red.

  npm run test:repeat -- [--times N] [--busy] [FILE...] [-- FLAGS of vitest]

  --times  how often (20)
  --busy   keeps every core busy with something else meanwhile
  FILE     of vitest's tests; without any: the whole of npm test. Of what runs in workerd one file
           takes in others: test/workerd/objects.test.ts -- -t relay/ledger-object`

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '20' },
    busy: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) process.stdout.write(`${helpText}\n`)
else process.exitCode = await repeat(Number(values.times))

async function repeat(times: number): Promise<number> {
  const load = values.busy ? Array.from({ length: availableParallelism() }, keepBusy) : []
  const red: Failure[] = []
  try {
    for (let time = 1; time <= times; time += 1) {
      // A seed of its own, so that a red run can be had again.
      const seed = `${Math.floor(Math.random() * 2 ** 31)}`
      const { code, output, seconds } = await runCommand(command(), { SEED: seed })
      const name = `run ${time} of ${times}, SEED=${seed}`
      process.stdout.write(`${code === 0 ? 'green' : 'RED  '}  ${name}, ${seconds.toFixed(0)} s\n`)
      if (code !== 0) {
        process.stdout.write(output)
        red.push({ name, words: lastWords(output) })
      }
    }
  } finally {
    for (const child of load) child.kill('SIGKILL')
  }
  if (red.length > 0) process.stdout.write(`\n${describeFailures(red)}\n`)
  process.stdout.write(`\n${times - red.length} green, ${red.length} red\n`)
  return red.length > 0 ? 1 : 0
}

function command(): readonly string[] {
  return files.length > 0 ? ['vitest', 'run', ...files] : ['npm', 'test', '--silent']
}

/** A process that does nothing, as fast as it can, and ends with this one. */
function keepBusy(): ChildProcess {
  const program =
    'process.stdin.resume().on("end", () => process.exit()); const turn = () => { for (let i = 0; i < 1e7; i++); setImmediate(turn) }; turn()'
  return spawn(process.execPath, ['--eval', program], { stdio: ['pipe', 'ignore', 'ignore'] })
}

function lastWords(output: string): string {
  const failures = output.split('\n').filter((line) => /FAIL|Error:|×/.test(line))
  return failures.join('\n')
}
