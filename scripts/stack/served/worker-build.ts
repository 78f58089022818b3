import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { runCommand } from '../../run-command.ts'
import { digestFiles, readIfThere, readJson } from '../files.ts'
import { root } from '../folder.ts'
import { StackError } from '../report.ts'

/** Cloudflare's tools stay off the network and say nothing of themselves. */
export const quietTools = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_LOG: 'error',
  WRANGLER_WRITE_LOGS: 'false',
  // With the banner comes a look at the registry for a newer wrangler.
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

/** Lists everything that a build depends on; for packages npm's record of what is installed. */
const sources = [
  'src/**/*',
  'scripts/stack/served/*',
  'scripts/stack/phone/page/*',
  'wrangler.toml',
  'tsconfig.json',
  'node_modules/.package-lock.json',
]

export const metafile = 'meta.json'

const builds = join(root, 'node_modules', '.cache', 'ussd-relay')

/** Builds the Worker as it is uploaded, with wrangler.toml in Miniflare's words. */
export type WorkerBuild = NonNullable<ReturnType<typeof readBuild>>

type Settings = Awaited<ReturnType<typeof readSettings>>

/** Names what is served: as it is deployed, or with the pages of development. */
export type WorkerEntry = keyof typeof entries

const entries = {
  worker: 'src/worker.ts',
  'worker-development': 'scripts/stack/served/worker-development.ts',
}

type BuildOptions = { entry?: WorkerEntry; signal?: AbortSignal }

/** Builds the Worker, or finds these sources' build. @throws {StackError} it does not build */
export async function buildWorker({ entry = 'worker', signal }: BuildOptions = {}) {
  const folder = join(builds, `${entry}.${digestFiles(sources).slice(0, 16)}`)
  return readBuild(entry, folder) ?? (await makeBuild(entry, folder, signal))
}

/** Returns Miniflare's options for a build with these variables, without `.dev.vars`. */
export function servedWorker(
  { name, folder, script, worker }: WorkerBuild,
  variables: Record<string, string>,
) {
  return {
    ...worker,
    name,
    rootPath: root,
    modulesRoot: folder,
    modules: [
      { type: 'ESModule' as const, path: join(folder, 'worker.js'), contents: script },
      ...listWasm(folder).map((path) => ({ type: 'CompiledWasm' as const, path })),
    ],
    bindings: { ...worker.bindings, ...variables } as Record<string, string>,
  }
}

/** Lists the WebAssembly of a build. */
export const listWasm = (folder: string): string[] =>
  globSync('*.wasm', { cwd: folder }).map((name) => join(folder, name))

function readBuild(entry: WorkerEntry, folder: string) {
  const script = readIfThere(join(folder, `${entry}.js`))?.toString('utf8')
  const settings = readJson(join(folder, 'settings.json')) as Settings | undefined
  return script === undefined || !settings ? undefined : { ...settings, folder, script }
}

/** Builds beside the folder and moves it there, since another process may use the same. */
async function makeBuild(entry: WorkerEntry, folder: string, signal?: AbortSignal) {
  mkdirSync(builds, { recursive: true })
  const temporary = mkdtempSync(join(builds, 'building-'))
  try {
    const [read] = await Promise.all([readSettings(), bundleWorker(entry, temporary, signal)])
    writeFileSync(join(temporary, 'settings.json'), JSON.stringify(read))
    const build = readBuild(entry, temporary)
    if (build === undefined) throw new Error('wrangler built something that is not a Worker')
    for (const old of globSync(`${entry}.*`, { cwd: builds })) {
      if (old !== basename(folder)) rmSync(join(builds, old), { recursive: true, force: true })
    }
    try {
      renameSync(temporary, folder)
    } catch (error) {
      if (!existsSync(folder)) throw error
    }
    return { ...build, folder }
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

async function bundleWorker(entry: WorkerEntry, folder: string, signal?: AbortSignal) {
  const wrangler = join(root, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const made = ['--outdir', folder, '--metafile', join(folder, metafile)]
  const environment = { ...quietTools, ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }) }
  const command = [process.execPath, wrangler, 'deploy', entries[entry], '--dry-run', ...made]
  const { code, output } = await runCommand(command, environment, undefined, signal)
  if (code !== 0) throw new StackError(`The Worker does not build:\n${output.trim()}`)
}

async function readSettings() {
  // wrangler reads these when it is loaded, and it is large.
  Object.assign(process.env, quietTools)
  const { unstable_readConfig, unstable_getMiniflareWorkerOptions } = await import('wrangler')
  const config = unstable_readConfig({ config: join(root, 'wrangler.toml') })
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
  type Objects = Record<string, { className: string; useSQLite: boolean }>
  const durableObjects = workerOptions.durableObjects as Objects
  const compatibilityDate = `${config.compatibility_date}`
  const worker = { ...workerOptions, compatibilityDate, durableObjects, bindings: config.vars }
  return { name: `${config.name}`, cron: `${config.triggers.crons?.[0]}`, worker }
}
