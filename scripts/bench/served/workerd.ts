import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type WorkerdOptions as StartOptions, startWorkerd } from '../../dev/workerd.ts'
import { children } from '../../stack/process-id.ts'
import { bundleWorker, readConfiguration } from '../../stack/worker.ts'

/** A Worker in a workerd of its own, which listens itself: nothing stands between it and the load. */
export type Workerd = {
  url: string
  pid: number
  /** Where its isolate can be inspected, if it was started so. */
  inspectorUrl: string | undefined
  stop: () => Promise<void>
}

export type WorkerdOptions = {
  /** Made by {@link bundleProduct} or {@link bundleBaseline}. */
  bundle: string
  variables: Record<string, string>
  onLine?: (line: string) => void
  /** `counting`: what Cloudflare bills is counted. `inspected`: profiles can be taken. */
  how?: 'plain' | 'counting' | 'inspected'
}

/** Bundles the Worker as a deployment would. Gives the folder. */
export async function bundleProduct(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-worker-'))
  await bundleWorker(folder)
  return folder
}

/** Bundles one of `scripts/bench/baselines`. Gives the folder. */
export async function bundleBaseline(name: 'empty' | 'pass-on'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), `bench-${name}-`))
  const main = fileURLToPath(new URL(`../baselines/${name}-worker.ts`, import.meta.url))
  const compatibilityDate = await productDate()
  const config = join(folder, 'wrangler.json')
  writeFileSync(config, JSON.stringify({ name, main, compatibility_date: compatibilityDate }))
  await bundleWorker(join(folder, 'bundle'), undefined, config)
  return join(folder, 'bundle')
}

/** Serves the product on a free port, with its objects' rows in a folder that is removed afterwards. */
export async function serveProduct(options: WorkerdOptions): Promise<Workerd> {
  const { worker } = await readConfiguration(options.variables)
  return await serve({ ...worker }, join(options.bundle, 'worker.js'), options)
}

/** Serves a baseline in the same way. */
export async function serveBaseline(name: string, options: WorkerdOptions): Promise<Workerd> {
  const compatibilityDate = await productDate()
  const worker = { name, compatibilityDate, bindings: options.variables }
  return await serve(worker, join(options.bundle, `${name}-worker.js`), options)
}

/** Baselines run as of the same day as the product. */
async function productDate(): Promise<string> {
  const { worker } = await readConfiguration({})
  return z.object({ compatibilityDate: z.string() }).parse(worker).compatibilityDate
}

async function serve(
  worker: Record<string, unknown>,
  script: string,
  { bundle, onLine = () => {}, how = 'plain' }: WorkerdOptions,
): Promise<Workerd> {
  const objects = mkdtempSync(join(tmpdir(), 'bench-objects-'))
  const known = new Set(children().map(({ pid }) => pid))
  const main = { type: 'ESModule' as const, path: script, contents: readFileSync(script, 'utf8') }
  const counting = {
    type: 'ESModule' as const,
    path: join(bundle, 'counting.mjs'),
    contents: readFileSync(new URL('counting.mjs', import.meta.url), 'utf8'),
  }
  const miniflare = startWorkerd({
    objects,
    isInspected: how === 'inspected',
    onLine,
    workers: [
      { ...worker, modulesRoot: bundle, modules: how === 'counting' ? [counting, main] : [main] },
    ] as StartOptions['workers'],
  })
  const { origin } = await miniflare.ready
  const own = children().find(({ pid }) => !known.has(pid))
  if (own === undefined) throw new Error('workerd was started and is not there')
  return {
    url: origin,
    pid: own.pid,
    inspectorUrl: how === 'inspected' ? (await miniflare.getInspectorURL()).href : undefined,
    async stop() {
      await miniflare.dispose()
      rmSync(objects, { recursive: true, force: true })
    },
  }
}
