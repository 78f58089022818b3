import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { memoryFolder } from '../../dev/memory-folder.ts'
import { startWorkerd, type WorkerdOptions } from '../../dev/workerd.ts'
import { children } from '../../stack/processes.ts'
import { buildWorker, servedWorker, type WorkerBuild } from '../../stack/served/worker-build.ts'

/** Runs a Worker in a workerd of its own, which listens itself, with nothing before it. */
export type Workerd = Awaited<ReturnType<typeof serve>>

type ProductOptions = {
  variables: Record<string, string>
  onLine?: (line: string) => void
  /** `counting`: what Cloudflare bills is counted. `inspected`: profiles can be taken. */
  how?: 'plain' | 'counting' | 'inspected'
}

/** Serves the product on a free port, with its rows in a folder that is removed afterwards. */
export async function serveProduct(
  build: WorkerBuild,
  { variables, onLine = () => {}, how = 'plain' }: ProductOptions,
): Promise<Workerd> {
  const worker = servedWorker(build, variables)
  const counting = {
    type: 'ESModule' as const,
    path: join(worker.modulesRoot, 'counting.mjs'),
    contents: readFileSync(new URL('counting.mjs', import.meta.url), 'utf8'),
  }
  const modules = how === 'counting' ? [counting, ...worker.modules] : worker.modules
  return await serve([{ ...worker, modules }], how === 'inspected', onLine)
}

/** Serves `scripts/bench/baselines/pass-on.mjs`, of the same day as the product. */
export async function servePassOn(bindings: Record<string, string>): Promise<Workerd> {
  const { compatibilityDate } = (await buildWorker()).worker
  const path = fileURLToPath(new URL('../baselines/pass-on.mjs', import.meta.url))
  const modules = [{ type: 'ESModule' as const, path, contents: readFileSync(path, 'utf8') }]
  const modulesRoot = dirname(path)
  return await serve([{ name: 'pass-on', compatibilityDate, modulesRoot, modules, bindings }])
}

async function serve(
  workers: WorkerdOptions['workers'],
  isInspected = false,
  onLine: (line: string) => void = () => {},
) {
  const objects = mkdtempSync(join(memoryFolder(), 'bench-objects-'))
  const known = new Set(children().map(({ pid }) => pid))
  const miniflare = startWorkerd({ objects, isInspected, onLine, workers })
  const { origin } = await miniflare.ready
  const own = children().find(({ pid }) => !known.has(pid))
  if (own === undefined) throw new Error('workerd was started and is not there')
  return {
    url: origin,
    pid: own.pid,
    /** The address of the isolate's inspector, if it was started with one. */
    inspectorUrl: isInspected ? (await miniflare.getInspectorURL()).href : undefined,
    async stop() {
      await miniflare.dispose()
      rmSync(objects, { recursive: true, force: true })
    },
  }
}
