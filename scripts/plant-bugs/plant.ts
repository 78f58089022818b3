import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Broken, runCampaign } from '../dev/simulator/runs/campaign.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Everything that a run reads. */
const copiedPaths = [
  'src',
  'scripts/dev/random.ts',
  'scripts/dev/oracle',
  'scripts/dev/rootstock-pool',
  'scripts/dev/simulator',
  'scripts/dev/sqlite.ts',
  'scripts/plant-bugs',
  'package.json',
]

/** Which seeds are tried, until one breaks a promise. */
export type Seeds = { from: number; count: number }

/**
 * Makes a mistake in a copy of the relay, and looks for it there. `found` is asked for more while the
 * copy stands. Undefined where no seed breaks a promise.
 */
export async function plant<Found>(
  change: (home: string) => Promise<void>,
  { from, count }: Seeds,
  found: (home: string, broken: Broken) => Promise<Found>,
): Promise<Found | undefined> {
  const home = await mkdtemp(join(tmpdir(), 'planted-'))
  try {
    for (const path of copiedPaths) {
      await mkdir(join(home, path, '..'), { recursive: true })
      await cp(join(root, path), join(home, path), { recursive: true })
    }
    await symlink(join(root, 'node_modules'), join(home, 'node_modules'))
    await change(home)
    const { broken } = await runCampaign({
      ...{ from, count, stopsAtFirst: true },
      jobs: Math.min(2, availableParallelism()),
      home: pathToFileURL(join(home, 'scripts/dev/simulator/runs/')),
    })
    const [first] = broken
    return first === undefined ? undefined : await found(home, first)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
