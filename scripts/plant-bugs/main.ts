import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import type { Broken } from '../dev/simulator/runs/campaign.ts'
import type { Finding } from '../dev/simulator/runs/simulate.ts'
import { type Bug, bugs } from './bugs.ts'
import { patched } from './patch.ts'
import { plant } from './plant.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    bug: { type: 'string' },
    // One of them, drawn by this number, and only whether it is found: to shorten its history takes longer.
    sample: { type: 'string' },
    stories: { type: 'boolean', default: false },
  },
})

const sampled = values.sample && `${1 + (Number(values.sample) % bugs.length)}`
const wanted = values.bug ?? sampled

const print = (line: string) => process.stdout.write(`${line}\n`)

print('Seeds are tried in their order by each process until one breaks a promise.\n')
print('  # | seed | steps | rule         | bug')
let survivors = 0
for (const [index, bug] of bugs.entries()) {
  if (wanted !== undefined && Number(wanted) !== index + 1) continue
  const found = await look(bug)
  if (found === undefined) survivors += 1
  const { broken, finding } = found ?? {}
  const cells = [
    `${index + 1}`.padStart(3),
    `${broken?.seed ?? 'none'}`.padStart(4),
    `${finding?.length ?? '-'}`.padStart(5),
    (finding ?? broken)?.violation.rule.padEnd(12) ?? 'survives',
    bug.name,
  ]
  print(cells.join(' | '))
  if (values.stories && finding !== undefined) print(`${finding.story.join('\n')}\n`)
}
print(`\n${survivors} of the planted bugs survived ${values.seeds} seeds`)
process.exitCode = survivors === 0 ? 0 : 1

/** Makes the mistake in a copy of the relay, looks for it there, and has it told unless it is a sample. */
function look(bug: Bug): Promise<{ broken: Broken; finding?: Finding } | undefined> {
  const seeds = { from: Number(values.seed), count: Number(values.seeds) }
  const change = async (home: string) => {
    for (const patch of bug.patches) {
      const path = join(home, patch.file)
      await writeFile(path, patched(await readFile(path, 'utf8'), patch))
    }
  }
  return plant(change, seeds, async (home, broken) => {
    if (sampled !== undefined) return { broken }
    const script = join(home, 'scripts/plant-bugs/explain-process.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [script, `${broken.seed}`], {
      maxBuffer: 64 * 1024 * 1024,
    })
    const finding = JSON.parse(stdout) as Finding | null
    if (finding === null) throw new Error(`seed ${broken.seed} is not the same history twice`)
    return { broken, finding }
  })
}
