import { availableParallelism } from 'node:os'
import type { Counts } from './dev/count.ts'
import { excuses } from './dev/simulator/oracle/rules.ts'
import { runCampaign } from './dev/simulator/runs/campaign.ts'
import { tell } from './dev/simulator/runs/simulate.ts'
import { createCommand, type Found, flag, runAsProgram, textOr } from './stack/command.ts'
import { say } from './stack/report.ts'

const usage = `Simulates whole histories of the relay, each from one seed, and judges them.

  npm run simulate -- [--seeds N] [--seed S] [--tell]

  --seeds  how many (2000)
  --seed   the first (1); the same seed is the same history
  --tell   prints the transcript of --seed, whatever came of it`

export const simulate = createCommand({
  usage,
  options: { seeds: textOr('2000'), seed: textOr('1'), tell: flag },
  async run(flags) {
    const seed = Number(flags.seed)
    return flags.tell ? { lines: await tell(seed) } : runSeeds(seed, Number(flags.seeds))
  },
})
runAsProgram(import.meta, simulate)

async function runSeeds(from: number, count: number): Promise<Found> {
  const { broken, seen, excused, met, seconds } = await runCampaign({
    from,
    count,
    jobs: Math.min(2, availableParallelism(), count),
    found: ({ seed, violation: { rule, words } }) => say(`Seed ${seed} breaks ${rule}: ${words}`),
  })
  const listCounts = (counts: Counts) =>
    Object.entries(counts).map(([name, times]) => `${name} ${times}`)
  const needed = Object.entries(excuses).map(
    ([name, reason]) => `${`${excused[name] ?? 0}`.padStart(7)}  ${reason}`,
  )
  const each = ((seconds * 1000) / (seen.seeds ?? 0)).toFixed(1)
  const sum = `${seen.seeds} seeds in ${seconds.toFixed(1)} s (${each} ms each): ${broken.length} broken`
  const head = [
    `Seen: ${listCounts(seen).join(', ')}`,
    `Seeds with money that was final early, by what they had too: ${listCounts(met).sort().join(', ')}`,
    'Excuses, by how often each was needed:',
  ]
  return { lines: [...head, ...needed, sum], isBad: broken.length > 0 }
}
