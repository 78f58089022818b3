import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { bundleWorker, quietTools } from '../stack/worker.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What wrangler.toml says, as far as it differs from one Worker of a test to another. */
type Bound = {
  bindings: Record<string, string>
  durableObjects: Record<string, { className: string; useSQLite: boolean }>
}

type WorkerOptions = ReturnType<typeof unstable_getMiniflareWorkerOptions>['workerOptions']

/** The Worker as a deployment would upload it, with what wrangler.toml says, in Miniflare's words. */
export type WorkerBuild = Awaited<ReturnType<typeof openWorkerBuild>>

/** Builds into a new folder and returns it. */
export async function buildWorker(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-build-'))
  await bundleWorker(folder)
  Object.assign(process.env, quietTools)
  const { unstable_readConfig, unstable_getMiniflareWorkerOptions } = await import('wrangler')
  const config = unstable_readConfig({ config: join(root, 'wrangler.toml') })
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
  writeFileSync(join(folder, 'options.json'), JSON.stringify(workerOptions))
  return folder
}

/** The build that `WORKER_BUILD` names, which all tests of a run share; or one of its own. */
export async function openWorkerBuild() {
  const shared = process.env.WORKER_BUILD
  const folder = shared ?? (await buildWorker())
  const path = join(folder, 'worker.js')
  const options = JSON.parse(readFileSync(join(folder, 'options.json'), 'utf8'))
  const { bindings, durableObjects } = options as Bound
  return {
    options: {
      ...(options as WorkerOptions),
      bindings,
      durableObjects,
      rootPath: root,
      modulesRoot: folder,
      modules: [{ type: 'ESModule' as const, path, contents: readFileSync(path, 'utf8') }],
    },
    /** Removes what was built for this caller alone. */
    clean: () => {
      if (shared === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
