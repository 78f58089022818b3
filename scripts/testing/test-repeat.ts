import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { runCommand } from '../run-command.ts'

const helpText = `Runs tests again and again, each time with another seed, and says which runs were red.

  npx node scripts/testing/test-repeat.ts [--times N] [--busy] [FILE...] [-- FLAGS of vitest]

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
  const command = files.length > 0 ? ['vitest', 'run', ...files] : ['npm', 'test', '--silent']
  // Each does nothing, as fast as it can, and ends with this process.
  const idle =
    'process.stdin.resume().on("end", () => process.exit()); setInterval(() => { for (let i = 0; i < 1e8; i++); })'
  const load = Array.from({ length: values.busy ? availableParallelism() : 0 }, () =>
    spawn(process.execPath, ['--eval', idle], { stdio: ['pipe', 'ignore', 'ignore'] }),
  )
  const red: string[] = []
  for (let time = 1; time <= times; time += 1) {
    // A seed of its own, so that a red run can be had again.
    const seed = `${Math.floor(Math.random() * 2 ** 31)}`
    const { code, output, seconds } = await runCommand(command, { SEED: seed })
    const run = `run ${time} of ${times}, SEED=${seed}, ${seconds.toFixed(0)} s`
    process.stdout.write(`${code === 0 ? 'green' : 'RED  '}  ${run}\n`)
    if (code === 0) continue
    process.stdout.write(output)
    red.push(run)
  }
  for (const child of load) child.kill('SIGKILL')
  process.stdout.write(
    `\n${[...red, `${times - red.length} green, ${red.length} red`].join('\n')}\n`,
  )
  return red.length > 0 ? 1 : 0
}
