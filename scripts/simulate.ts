import { availableParallelism } from 'node:os'
import { excuses } from './dev/simulator/oracle/rules.ts'
import { runCampaign } from './dev/simulator/runs/campaign.ts'
import { tell } from './dev/simulator/runs/simulate.ts'
import { readFlags } from './stack/command.ts'
import { say } from './stack/report.ts'

const helpText = `Simulates whole histories of the relay, each from one seed, and judges them.

  npm run simulate -- [--seeds N] [--seed S] [--tell]

  --seeds  how many (2000)
  --seed   the first (1); the same seed is the same history
  --tell   prints the transcript of --seed, whatever came of it`

const flags = readFlags(helpText, { seeds: '2000', seed: '1', tell: false })

if (flags.tell) for (const line of await tell(Number(flags.seed))) say(line)
else process.exitCode = await main()

async function main(): Promise<number> {
  const { broken, seen, excused, seconds } = await runCampaign({
    from: Number(flags.seed),
    count: Number(flags.seeds),
    jobs: Math.min(2, availableParallelism(), Number(flags.seeds)),
    found: ({ seed, violation: { rule, words } }) => say(`Seed ${seed} breaks ${rule}: ${words}`),
  })
  const list = Object.entries(seen).map(([kind, times]) => `${kind} ${times}`)
  say(`Seen: ${list.join(', ')}`)
  say('Excuses, by how often each was needed:')
  for (const [name, reason] of Object.entries(excuses)) {
    say(`${`${excused[name] ?? 0}`.padStart(7)}  ${reason}`)
  }
  const each = ((seconds * 1000) / (seen.seeds ?? 0)).toFixed(1)
  say(`${seen.seeds} seeds in ${seconds.toFixed(1)} s (${each} ms each): ${broken.length} broken`)
  return broken.length === 0 ? 0 : 1
}
