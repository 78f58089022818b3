import { createCommand, runAsProgram, text, textOr } from '../stack/command.ts'
import { say } from '../stack/report.ts'
import { type Bug, bugs, failsTests, findBroken, jobs, type Play, plant } from './changes.ts'

const usage = `Makes the mistakes of bugs.md, one at a time, and looks for each: by the play that bugs.md names, or by the
simulator, in the history that found it last and then in others.

  npx node scripts/plant-bugs/main.ts [--seeds N] [--seed S] [--bug K] [--sample M]

  --seeds    histories until a mistake counts as not found (2000)
  --seed     the first of them (1)
  --bug      one mistake alone, by its number
  --sample   one that this number draws`

const plantBugs = createCommand({
  usage,
  options: { seeds: textOr('2000'), seed: textOr('1'), bug: text, sample: text },
  async run({ seeds, seed: from, bug: number, sample }) {
    const sampled = sample && `${1 + (Number(sample) % bugs.length)}`
    const wanted = number ?? sampled
    say('  # | seed | rule         | bug')
    let survivors = 0
    for (const [index, bug] of bugs.entries()) {
      if (wanted !== undefined && Number(wanted) !== index + 1) continue
      const histories = { from: Number(from), count: Number(seeds) }
      const found = await (bug.play ? findByPlay(bug, bug.play) : findIn(bug, histories))
      if (found === undefined) survivors += 1
      const { seed = 'none', rule = 'survives' } = found ?? {}
      const cells = [`${index + 1}`.padStart(3), `${seed}`.padStart(4)]
      say([...cells, rule.padEnd(12), bug.name].join(' | '))
    }
    const sum = `${survivors} of the planted bugs survived their plays and ${seeds} seeds`
    return { lines: ['', sum], isBad: survivors > 0 }
  },
})
runAsProgram(import.meta, plantBugs)

/** Runs the history that found it last, and where that does so no more, these. */
async function findIn(bug: Bug, seeds: { from: number; count: number }) {
  const last = bug.seed === undefined ? [] : [{ from: bug.seed, count: 1, jobs: 1 }]
  for (const histories of [...last, { ...seeds, jobs }]) {
    const found = await findBroken(plant(bug), histories)
    if (found !== undefined) return { seed: found.seed, rule: found.violation.rule }
  }
  return undefined
}

async function findByPlay(bug: Bug, { file, test }: Play) {
  const isFound = await failsTests([file], plant(bug), test)
  return isFound ? { seed: 'play', rule: 'by name' } : undefined
}
