import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { convertV4MiniflareOptions, Miniflare, NoOpLog } from 'miniflare'
import { bundleWorker, quietTools } from '../../../scripts/stack/worker.ts'

import { openRows } from './ledger-rows.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** One delivery of a gateway. */
export type Delivery = { phone: string; sessionId: string; text: string }

/** What the gateway sees. */
export type Reply = { status: number; text: string }

/** A line of the Worker's log. */
export type LogLine = { level: string; event: string; message: string; [field: string]: unknown }

/** The bundled Worker in workerd, as many of it as asked for, all with one ledger. */
export type RelayWorkers = {
  /** Where the first one listens. */
  url: string
  /** Delivers to the Worker with this index. */
  deliver(delivery: Delivery, worker?: number): Promise<Reply>
  /** Runs the scheduled handler, as Cloudflare does every minute. */
  wake(): Promise<void>
  /** Kills workerd and starts it again, with the rows that it had or without any. */
  restart(rows: 'kept' | 'lost'): Promise<void>
  /** Rows of the ledger that are not settled, read past everything under test. */
  openRows(): Promise<Record<string, unknown>[]>
  /** What the Workers logged so far. */
  log: readonly LogLine[]
  stop(): Promise<void>
}

/** Bundles the Worker as a deployment would; whoever starts several needs one bundle. */
export async function bundle(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-bundle-'))
  await bundleWorker(folder)
  return folder
}

/** Starts the Workers on free ports. */
export async function startRelayWorkers({
  bundleFolder,
  variables,
  workers = 1,
}: {
  bundleFolder: string
  variables: Record<string, string>
  workers?: number
}): Promise<RelayWorkers> {
  const objects = mkdtempSync(join(tmpdir(), 'relay-objects-'))
  const log: LogLine[] = []
  const configured = await configuration(bundleFolder, variables)
  let running = await start()

  return {
    get url() {
      return running.url
    },
    async deliver({ phone, sessionId, text }, worker = 0) {
      const body = new URLSearchParams({ phoneNumber: phone, sessionId, text })
      const response = await running.fetch(worker, body)
      return { status: response.status, text: await response.text() }
    },
    wake: () => running.wake(),
    async restart(rows) {
      await running.stop()
      if (rows === 'lost') rmSync(objects, { recursive: true, force: true })
      running = await start()
    },
    openRows: async () => openRows(objects),
    log,
    async stop() {
      await running.stop()
      rmSync(objects, { recursive: true, force: true })
    },
  }

  async function start() {
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        host: '127.0.0.1',
        port: 0,
        log: new NoOpLog(),
        logRequests: false,
        cf: false,
        telemetry: { enabled: false },
        resourcePersistencePath: objects,
        handleStructuredLogs: ({ message }) => note(message),
        handleUncaughtError: (error) => note(`${error.stack ?? error}`),
        workers: Array.from({ length: workers }, (_, index) => configured(index)),
      }),
    )
    const url = (await miniflare.ready).origin
    const fetchers = await Promise.all(
      Array.from({ length: workers }, (_, index) => miniflare.getWorker(nameOf(index))),
    )
    return {
      url,
      fetch(worker: number, body: URLSearchParams) {
        const fetcher = fetchers[worker]
        if (fetcher === undefined) throw new Error(`there is no Worker ${worker}`)
        return fetcher.fetch('http://relay.test/ussd', { method: 'POST', body })
      },
      wake: async () => {
        await fetchers[0]?.scheduled({ cron: '* * * * *' })
      },
      stop: () => miniflare.dispose(),
    }
  }

  function note(line: string): void {
    try {
      log.push(JSON.parse(line))
    } catch {
      log.push({ level: 'error', event: 'console', message: line })
    }
  }
}

const nameOf = (index: number): string => `relay-${index}`

/** wrangler.toml in Miniflare's words. The first Worker has the ledger's object, the others use it. */
async function configuration(bundleFolder: string, variables: Record<string, string>) {
  Object.assign(process.env, quietTools)
  const { unstable_readConfig, unstable_getMiniflareWorkerOptions } = await import('wrangler')
  const config = unstable_readConfig({ config: join(root, 'wrangler.toml') })
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
  const script = join(bundleFolder, 'worker.js')
  const contents = readFileSync(script, 'utf8')
  const durableObjects = config.durable_objects.bindings
  return (index: number) => ({
    ...workerOptions,
    name: nameOf(index),
    rootPath: root,
    bindings: { ...config.vars, ...variables },
    modulesRoot: bundleFolder,
    modules: [{ type: 'ESModule' as const, path: script, contents }],
    durableObjects: Object.fromEntries(
      durableObjects.map(({ name, class_name }: { name: string; class_name: string }) => [
        name,
        { className: class_name, useSQLite: true, scriptName: nameOf(0) },
      ]),
    ),
  })
}
