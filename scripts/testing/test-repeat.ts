import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { runCommand } from '../run-command.ts'
import { readFlags } from '../stack/command.ts'
import { say } from '../stack/report.ts'

const helpText = `Runs tests again and again, each time with another seed, and says which runs were red.

  npx node scripts/testing/test-repeat.ts [--times N] [--busy] [FILE...] [-- FLAGS of vitest]

  --times  how often (20)
  --busy   keeps every core busy with something else meanwhile
  FILE     of vitest's tests; without any: the whole of npm test. Of what runs in workerd one file
           takes in others: test/workerd/objects.test.ts -- -t relay/ledger-object`

const flags = readFlags(helpText, { times: '20', busy: false })

process.exitCode = await repeat(Number(flags.times))

async function repeat(times: number): Promise<number> {
  const { rest } = flags
  const command = rest.length > 0 ? ['vitest', 'run', ...rest] : ['npm', 'test', '--silent']
  // Each does nothing, as fast as it can, and ends with this process.
  const idle =
    'process.stdin.resume().on("end", () => process.exit()); setInterval(() => { for (let i = 0; i < 1e8; i++); })'
  const load = Array.from({ length: flags.busy ? availableParallelism() : 0 }, () =>
    spawn(process.execPath, ['--eval', idle], { stdio: ['pipe', 'ignore', 'ignore'] }),
  )
  const red: string[] = []
  for (let time = 1; time <= times; time += 1) {
    // A seed of its own, so that a red run can be had again.
    const seed = `${Math.floor(Math.random() * 2 ** 31)}`
    const { code, output, seconds } = await runCommand(command, { SEED: seed })
    const run = `run ${time} of ${times}, SEED=${seed}, ${seconds.toFixed(0)} s`
    say(`${code === 0 ? 'green' : 'RED  '}  ${run}`)
    if (code === 0) continue
    process.stdout.write(output)
    red.push(run)
  }
  for (const child of load) child.kill('SIGKILL')
  for (const line of ['', ...red, `${times - red.length} green, ${red.length} red`]) say(line)
  return red.length > 0 ? 1 : 0
}
