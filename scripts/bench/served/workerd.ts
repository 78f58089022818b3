import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { memoryFolder } from '../../dev/memory-folder.ts'
import { startWorkerd } from '../../dev/workerd.ts'
import { buildWorker, servedWorker, type WorkerBuild } from '../../stack/served/worker-build.ts'

export type ProductOptions = {
  variables: Record<string, string>
  onLine?: (line: string) => void
  /** `counting`: what Cloudflare bills is counted. `inspected`: profiles can be taken. */
  how?: 'plain' | 'counting' | 'inspected'
  /** The folder of the objects' rows; undefined for one that goes with them. */
  objects?: string
}

/** Serves the product on a free port, with its rows in a folder that is removed afterwards. */
export async function serveProduct(
  build: WorkerBuild,
  { variables, onLine = () => {}, how = 'plain', objects }: ProductOptions,
) {
  const worker = servedWorker(build, variables)
  const counting = {
    type: 'ESModule' as const,
    path: join(worker.modulesRoot, 'counting.mjs'),
    contents: readFileSync(new URL('counting.mjs', import.meta.url), 'utf8'),
  }
  const modules = how === 'counting' ? [counting, ...worker.modules] : worker.modules
  return await serve([{ ...worker, modules }], how === 'inspected', onLine, objects)
}

/** Serves `scripts/bench/baselines/pass-on.mjs`, of the same day as the product. */
export async function servePassOn(bindings: Record<string, string>) {
  const { compatibilityDate } = (await buildWorker()).worker
  const path = fileURLToPath(new URL('../baselines/pass-on.mjs', import.meta.url))
  const modules = [{ type: 'ESModule' as const, path, contents: readFileSync(path, 'utf8') }]
  const modulesRoot = dirname(path)
  return await serve([{ name: 'pass-on', compatibilityDate, modulesRoot, modules, bindings }])
}

/** Serves `scripts/bench/baselines/hono-alone.ts`, of the same day as the product. */
export async function serveHono({ worker: { compatibilityDate } }: WorkerBuild) {
  const entry = fileURLToPath(new URL('../baselines/hono-alone.ts', import.meta.url))
  const options = { lib: { entry, formats: ['es' as const] }, write: false }
  const built = await build({ configFile: false, logLevel: 'silent', build: options })
  const [bundle] = [built].flat()
  if (bundle === undefined || !('output' in bundle)) throw new Error('Hono was not bundled')
  const modules = [{ type: 'ESModule' as const, path: entry, contents: bundle.output[0].code }]
  return await serve([{ name: 'hono', compatibilityDate, modulesRoot: dirname(entry), modules }])
}

/** Makes a folder for objects' rows, in memory. */
export const makeFolder = (): string => mkdtempSync(join(memoryFolder(), 'bench-objects-'))

/** Keeps what objects write in memory: a disk's commits vary. */
async function serve(
  workers: Parameters<typeof startWorkerd>[0]['workers'],
  isInspected = false,
  onLine: (line: string) => void = () => {},
  given?: string,
) {
  const objects = given ?? makeFolder()
  const served = await startWorkerd({ objects, isInspected, onLine, workers })
  return {
    ...served,
    pid: served.processes[0]?.pid ?? 0,
    async stop() {
      await served.stop()
      if (given === undefined) rmSync(objects, { recursive: true, force: true })
    },
  }
}
