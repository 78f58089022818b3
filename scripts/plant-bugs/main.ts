import { runCampaign } from '../dev/simulator/runs/campaign.ts'
import { readFlags } from '../stack/command.ts'
import { say } from '../stack/report.ts'
import { bugs, changedBy, jobs, plant } from './changes.ts'

const help = `Makes the mistakes of bugs.md, one at a time, and has the simulator look for each.

  npx node scripts/plant-bugs/main.ts [--seeds N] [--seed S] [--bug K] [--sample M]

  --seeds    histories until a mistake counts as not found (2000)
  --seed     the first of them (1)
  --bug      one mistake alone, by its number
  --sample   one that this number draws`

const flags = readFlags(help, {
  seeds: '2000',
  seed: '1',
  bug: undefined,
  sample: undefined,
})

process.exitCode = await main()

async function main(): Promise<number> {
  const sampled = flags.sample && `${1 + (Number(flags.sample) % bugs.length)}`
  const wanted = flags.bug ?? sampled
  say('Seeds are tried in their order by each process until one breaks a promise.\n')
  say('  # | seed | rule         | bug')
  let survivors = 0
  for (const [index, bug] of bugs.entries()) {
    if (wanted !== undefined && Number(wanted) !== index + 1) continue
    const environment = changedBy(plant(bug))
    const seeds = { from: Number(flags.seed), count: Number(flags.seeds) }
    const { broken } = await runCampaign({ ...seeds, jobs, environment, stopsAtFirst: true })
    const [found] = broken
    if (found === undefined) survivors += 1
    const rule = found?.violation.rule ?? 'survives'
    const cells = [`${index + 1}`.padStart(3), `${found?.seed ?? 'none'}`.padStart(4)]
    say([...cells, rule.padEnd(12), bug.name].join(' | '))
  }
  say(`\n${survivors} of the planted bugs survived ${flags.seeds} seeds`)
  return survivors === 0 ? 0 : 1
}
