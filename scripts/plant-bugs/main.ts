import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCampaign } from '../dev/simulator/runs/campaign.ts'
import { bugs, changedBy, jobs, plant, root } from './changes.ts'

const help = `Makes the mistakes of bugs.md, one at a time, and has the simulator look for each.

  npx node scripts/plant-bugs/main.ts [--seeds N] [--seed S] [--bug K] [--sample M] [--stories]

  --seeds    histories until a mistake counts as not found (2000)
  --seed     the first of them (1)
  --bug      one mistake alone, by its number
  --sample   one that this number draws
  --stories  tells the history that found it, shortened`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    bug: { type: 'string' },
    sample: { type: 'string' },
    stories: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (line: string) => process.stdout.write(`${line}\n`)

if (values.help) print(help)
else process.exitCode = await main()

async function main(): Promise<number> {
  const sampled = values.sample && `${1 + (Number(values.sample) % bugs.length)}`
  const wanted = values.bug ?? sampled
  print('Seeds are tried in their order by each process until one breaks a promise.\n')
  print('  # | seed | rule         | bug')
  let survivors = 0
  for (const [index, bug] of bugs.entries()) {
    if (wanted !== undefined && Number(wanted) !== index + 1) continue
    const environment = changedBy(plant(bug))
    const seeds = { from: Number(values.seed), count: Number(values.seeds) }
    const { broken } = await runCampaign({ ...seeds, jobs, environment, stopsAtFirst: true })
    const [found] = broken
    if (found === undefined) survivors += 1
    const rule = found?.violation.rule ?? 'survives'
    const cells = [`${index + 1}`.padStart(3), `${found?.seed ?? 'none'}`.padStart(4)]
    print([...cells, rule.padEnd(12), bug.name].join(' | '))
    if (values.stories && found !== undefined) tell(found.seed, environment)
  }
  print(`\n${survivors} of the planted bugs survived ${values.seeds} seeds`)
  return survivors === 0 ? 0 : 1
}

function tell(seed: number, environment: Record<string, string>): void {
  const args = [join(root, 'scripts/simulate.ts'), '--seed', `${seed}`, '--seeds', '1']
  const env = { ...process.env, ...environment }
  spawnSync(process.execPath, args, { env, stdio: 'inherit' })
}
