import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { type Broken, runCampaign } from '../../test/simulator/campaign.ts'
import type { Finding } from '../../test/simulator/simulate.ts'
import { type Bug, bugs } from './bugs.ts'

/** Everything that a run reads. */
const COPIED = [
  'src',
  'test/simulator',
  'scripts/dev/sqlite.ts',
  'scripts/plant-bugs',
  'package.json',
]

const root = fileURLToPath(new URL('../../', import.meta.url))

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    bug: { type: 'string' },
    // One of them, drawn by this number.
    sample: { type: 'string' },
    stories: { type: 'boolean', default: false },
  },
})

const print = (line: string) => process.stdout.write(`${line}\n`)

print('Seeds are tried in their order by each process until one breaks a promise.\n')
print('  # | seed | steps | rule         | bug')
let survivors = 0
const sampled = values.sample && `${1 + (Number(values.sample) % bugs.length)}`
const wanted = values.bug ?? sampled
for (const [index, bug] of bugs.entries()) {
  if (wanted !== undefined && Number(wanted) !== index + 1) continue
  const found = await plant(bug)
  if (found === undefined) survivors += 1
  const seed = found === undefined ? 'none' : `${found.finding.seed}`
  const cells = [
    `${index + 1}`.padStart(3),
    seed.padStart(4),
    `${found?.finding.length ?? '-'}`.padStart(5),
    (found?.finding.violation.rule ?? 'survives').padEnd(12),
    bug.name,
  ]
  print(cells.join(' | '))
  if (values.stories && found !== undefined) print(`${found.finding.story.join('\n')}\n`)
}
print(`\n${survivors} of the planted bugs survived ${values.seeds} seeds`)
process.exitCode = survivors === 0 ? 0 : 1

/** Makes the mistake in a copy of the relay, and looks for it there. */
async function plant(bug: Bug): Promise<{ broken: Broken; finding: Finding } | undefined> {
  const home = await mkdtemp(join(tmpdir(), 'planted-'))
  try {
    for (const path of COPIED) {
      await mkdir(join(home, path, '..'), { recursive: true })
      await cp(join(root, path), join(home, path), { recursive: true })
    }
    await symlink(join(root, 'node_modules'), join(home, 'node_modules'))
    for (const patch of bug.patches) await apply(home, patch)
    const { broken } = await runCampaign({
      from: Number(values.seed),
      count: Number(values.seeds),
      jobs: Math.min(2, availableParallelism()),
      stopsAtFirst: true,
      home: pathToFileURL(join(home, 'test/simulator/')),
    })
    const [first] = broken
    if (first === undefined) return undefined
    const script = join(home, 'scripts/plant-bugs/explain-process.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [script, `${first.seed}`], {
      maxBuffer: 64 * 1024 * 1024,
    })
    const finding = JSON.parse(stdout) as Finding | null
    if (finding === null) throw new Error(`seed ${first.seed} is not the same history twice`)
    return { broken: first, finding }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function apply(home: string, { file, find, replace }: Bug['patches'][number]): Promise<void> {
  const path = join(home, file)
  const text = await readFile(path, 'utf8')
  const times = text.split(find).length - 1
  if (times !== 1) throw new Error(`${file} has ${times} times, not once: ${find}`)
  await writeFile(
    path,
    text.replace(find, () => replace),
  )
}
