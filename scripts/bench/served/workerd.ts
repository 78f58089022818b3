import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { memoryFolder } from '../../dev/memory-folder.ts'
import { type WorkerdOptions as StartOptions, startWorkerd } from '../../dev/workerd.ts'
import { children } from '../../stack/process-id.ts'
import {
  buildWorker,
  bundleWorker,
  servedWorker,
  type WorkerBuild,
} from '../../stack/served/worker-build.ts'

/** A Worker in a workerd of its own, which listens itself: nothing stands between it and the load. */
export type Workerd = {
  url: string
  pid: number
  /** Where its isolate can be inspected, if it was started so. */
  inspectorUrl: string | undefined
  stop: () => Promise<void>
}

export type WorkerdOptions = {
  variables: Record<string, string>
  onLine?: (line: string) => void
  /** `counting`: what Cloudflare bills is counted. `inspected`: profiles can be taken. */
  how?: 'plain' | 'counting' | 'inspected'
}

/** A bundled Worker of `scripts/bench/baselines`, which can be served any number of times. */
export type Baseline = Served & { name: string; compatibilityDate: string }

/** Bundles one of `scripts/bench/baselines`, as of the same day as the product. */
export async function bundleBaseline(name: 'empty' | 'pass-on'): Promise<Baseline> {
  const folder = mkdtempSync(join(tmpdir(), `bench-${name}-`))
  try {
    const main = fileURLToPath(new URL(`../baselines/${name}-worker.ts`, import.meta.url))
    const { compatibilityDate } = (await buildWorker()).worker
    const config = join(folder, 'wrangler.json')
    writeFileSync(config, JSON.stringify({ name, main, compatibility_date: compatibilityDate }))
    const modulesRoot = join(folder, 'bundle')
    await bundleWorker(modulesRoot, undefined, config)
    const path = join(modulesRoot, `${name}-worker.js`)
    const contents = readFileSync(path, 'utf8')
    const modules = [{ type: 'ESModule' as const, path, contents }]
    return { name, compatibilityDate, modulesRoot, modules }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Serves the product on a free port, with its objects' rows in a folder that is removed afterwards. */
export async function serveProduct({
  build,
  ...options
}: WorkerdOptions & { build: WorkerBuild }): Promise<Workerd> {
  return await serve(servedWorker(build, options.variables), options)
}

/** Serves a baseline in the same way. */
export async function serveBaseline({
  baseline,
  ...options
}: WorkerdOptions & { baseline: Baseline }): Promise<Workerd> {
  return await serve({ ...baseline, bindings: options.variables }, options)
}

type Served = Record<string, unknown> & {
  modulesRoot: string
  modules: { type: 'ESModule'; path: string; contents: string }[]
}

async function serve(
  worker: Served,
  { onLine = () => {}, how = 'plain' }: WorkerdOptions,
): Promise<Workerd> {
  const objects = mkdtempSync(join(memoryFolder(), 'bench-objects-'))
  const known = new Set(children().map(({ pid }) => pid))
  const counting = {
    type: 'ESModule' as const,
    path: join(worker.modulesRoot, 'counting.mjs'),
    contents: readFileSync(new URL('counting.mjs', import.meta.url), 'utf8'),
  }
  const miniflare = startWorkerd({
    objects,
    isInspected: how === 'inspected',
    onLine,
    workers: [
      how === 'counting' ? { ...worker, modules: [counting, ...worker.modules] } : worker,
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
