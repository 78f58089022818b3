import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildWorker, servedWorker, type WorkerBuild } from '../../stack/served/worker-build.ts'
import { startWorkerd } from '../workerd.ts'
import { ledgerFiles, openRows } from './ledger-rows.ts'
import { assertNothingUncaught, type LogLine, parseLogLine } from './log-line.ts'

export type Delivery = { phone: string; sessionId: string; text: string }

export type Reply = { status: number; text: string }

/** Makes the body with which a gateway delivers. */
export const bodyOf = ({ phone, sessionId, text }: Delivery): URLSearchParams =>
  new URLSearchParams({ phoneNumber: phone, sessionId, text })

/** Delivers as a gateway does that reaches the relay at this address. */
export async function postDelivery(url: string, delivery: Delivery, signal?: AbortSignal) {
  // Miniflare would compress each screen.
  const headers = { 'accept-encoding': 'identity' }
  const init = { method: 'POST', headers, body: bodyOf(delivery), signal: signal ?? null }
  const response = await fetch(`${url}/ussd`, init)
  return { status: response.status, text: await response.text() }
}

export type RelayWorkers = Awaited<ReturnType<typeof startRelayWorkers>>

/** Starts one or more bundled Workers in workerd, all with one ledger. */
export async function startRelayWorkers({
  variables,
  workers = 1,
  isDevelopment = false,
  port,
}: {
  variables: Record<string, string>
  workers?: number
  /** Serves the pages of development too. */
  isDevelopment?: boolean
  port?: number
}) {
  const objects = mkdtempSync(join(tmpdir(), 'relay-objects-'))
  const log: LogLine[] = []
  const note = (printed: string) => log.push(parseLogLine(printed))
  const build = await buildWorker({ entry: isDevelopment ? 'worker-development' : 'worker' })
  let running = await start()

  return {
    get url() {
      return running.url
    },
    async deliver(delivery: Delivery, worker = 0): Promise<Reply> {
      const response = await running.fetch(worker, bodyOf(delivery))
      return { status: response.status, text: await response.text() }
    },
    /** Runs the scheduled handler, as Cloudflare does every minute. */
    wake: () => running.wake(),
    /** Kills workerd and starts it again, with or without its rows, and with other variables. */
    async restart(rows: 'kept' | 'lost', changes: Record<string, string> = {}) {
      await running.stop()
      if (rows === 'lost') rmSync(objects, { recursive: true, force: true })
      running = await start(changes)
    },
    /** Damages the ledger's rows in their files; the result restores them with another start. */
    async tear() {
      await running.stop()
      const whole = ledgerFiles(objects).map((file) => [file, readFileSync(file)] as const)
      for (const [file, bytes] of whole) writeFileSync(file, Buffer.alloc(bytes.length, 0xff))
      running = await start()
      return async () => {
        await running.stop()
        for (const [file, bytes] of whole) writeFileSync(file, bytes)
        running = await start()
      }
    },
    /** Reads the first unsettled rows of the ledger directly from its file. */
    openRows: async () => openRows(objects),
    log,
    async stop() {
      await running.stop()
      rmSync(objects, { recursive: true, force: true })
      assertNothingUncaught(log.map(({ message }) => message))
    },
  }

  async function start(changes: Record<string, string> = {}) {
    const changed = { ...variables, ...changes }
    const { url, getWorker, stop } = await startWorkerd({
      objects,
      onLine: note,
      ...(port && { port }),
      workers: Array.from({ length: workers }, (_, index) => configured(build, index, changed)),
    })
    const fetchers = await Promise.all(
      Array.from({ length: workers }, (_, index) => getWorker(nameOf(index))),
    )
    return {
      url,
      stop,
      fetch(worker: number, body: URLSearchParams) {
        const fetcher = fetchers[worker]
        if (fetcher === undefined) throw new Error(`there is no Worker ${worker}`)
        return fetcher.fetch('http://relay.test/ussd', { method: 'POST', body })
      },
      wake: async () => {
        await fetchers[0]?.scheduled({ cron: '* * * * *' })
      },
    }
  }
}

const nameOf = (index: number): string => `relay-${index}`

/** The first Worker has the ledger's object, the others use it. */
function configured(build: WorkerBuild, index: number, variables: Record<string, string>) {
  const objects = Object.entries(build.worker.durableObjects)
  const used = objects.map(
    ([name, object]) => [name, { ...object, scriptName: nameOf(0) }] as const,
  )
  const durableObjects = Object.fromEntries(used)
  return { ...servedWorker(build, variables), name: nameOf(index), durableObjects }
}
