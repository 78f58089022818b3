import { runCampaign } from '../dev/simulator/runs/campaign.ts'
import { readFlags, text, textOr } from '../stack/command.ts'
import { say } from '../stack/report.ts'
import { type Bug, bugs, changedBy, jobs, plant } from './changes.ts'

const help = `Makes the mistakes of bugs.md, one at a time, and has the simulator look for each: in the history that found it
last (its seed in bugs.md), then in others.

  npx node scripts/plant-bugs/main.ts [--seeds N] [--seed S] [--bug K] [--sample M]

  --seeds    histories until a mistake counts as not found (2000)
  --seed     the first of them (1)
  --bug      one mistake alone, by its number
  --sample   one that this number draws`

const flags = readFlags(help, { seeds: textOr('2000'), seed: textOr('1'), bug: text, sample: text })

process.exitCode = await main()

async function main(): Promise<number> {
  const sampled = flags.sample && `${1 + (Number(flags.sample) % bugs.length)}`
  const wanted = flags.bug ?? sampled
  say('Seeds are tried, that of bugs.md first, until one breaks a promise.\n')
  say('  # | seed | rule         | bug')
  let survivors = 0
  for (const [index, bug] of bugs.entries()) {
    if (wanted !== undefined && Number(wanted) !== index + 1) continue
    const [found] = await findIn(bug, { from: Number(flags.seed), count: Number(flags.seeds) })
    if (found === undefined) survivors += 1
    const rule = found?.violation.rule ?? 'survives'
    const cells = [`${index + 1}`.padStart(3), `${found?.seed ?? 'none'}`.padStart(4)]
    say([...cells, rule.padEnd(12), bug.name].join(' | '))
  }
  say(`\n${survivors} of the planted bugs survived ${flags.seeds} seeds`)
  return survivors === 0 ? 0 : 1
}

/** Runs the history that found it last, and where that does so no more, these. */
async function findIn(bug: Bug, seeds: { from: number; count: number }) {
  const options = { environment: changedBy(plant(bug)), stopsAtFirst: true }
  const last = bug.seed === undefined ? [] : [{ from: bug.seed, count: 1, jobs: 1 }]
  for (const histories of [...last, { ...seeds, jobs }]) {
    const { broken } = await runCampaign({ ...options, ...histories })
    if (broken.length > 0) return broken
  }
  return []
}
