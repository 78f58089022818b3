import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, NoOpLog } from 'miniflare'
import { children, type ProcessId } from '../stack/processes.ts'

type Options = Parameters<typeof convertV4MiniflareOptions>[0]

type WorkerdOptions = {
  workers: Options['workers']
  /** The folder of the objects' rows; undefined for one that goes with them. */
  objects?: string
  port?: number
  isInspected?: boolean
  onLine?: (line: string) => void
  /** Gets each process of it as soon as it is there. */
  onSpawned?: (child: ProcessId) => void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Starts Workers in a workerd of their own; signals stay here, and no request is logged. */
export async function startWorkerd({
  workers,
  objects,
  port = 0,
  isInspected = false,
  onLine = () => {},
  onSpawned = () => {},
}: WorkerdOptions) {
  const rows = objects ?? mkdtempSync(join(tmpdir(), 'objects-'))
  const listening = signals.map((signal) => [signal, process.listeners(signal)] as const)
  const known = new Set(children().map(({ pid }) => pid))
  const options = {
    host: '127.0.0.1',
    port,
    ...(isInspected ? { inspectorPort: 0 } : {}),
    log: new NoOpLog(),
    logRequests: false,
    cf: false,
    telemetry: { enabled: false },
    resourcePersistencePath: rows,
    handleStructuredLogs: ({ message }: { message: string }) => onLine(message),
    handleUncaughtError: (error: Error) => onLine(`uncaught: ${error.stack ?? error}`),
    workers,
  }
  const miniflare = new Miniflare(convertV4MiniflareOptions(options as Options))
  for (const [signal, before] of listening) {
    for (const listener of process.listeners(signal)) {
      if (!before.includes(listener)) process.off(signal, listener)
    }
  }
  const spawned: ProcessId[] = []
  const look = () => {
    for (const child of children().filter(({ pid }) => !known.has(pid))) {
      known.add(child.pid)
      spawned.push(child)
      onSpawned(child)
    }
  }
  // It outlives a killed parent and keeps its port.
  const looking = setInterval(look, 10)
  const { origin: url } = await miniflare.ready.finally(() => clearInterval(looking))
  look()
  return {
    url,
    processes: spawned,
    getWorker: (name?: string) => miniflare.getWorker(name),
    /** The address of the isolates' inspector, if it was started with one. */
    inspectorUrl: isInspected ? (await miniflare.getInspectorURL()).href : undefined,
    async stop() {
      await miniflare.dispose()
      if (objects === undefined) rmSync(rows, { recursive: true, force: true })
    },
  }
}

/** Opens the inspector of the product's isolate, which takes one client at a time. */
export async function openInspector(inspectorUrl: string) {
  const socket = new WebSocket(new URL('/core:user:ussd-relay', inspectorUrl))
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error('the inspector does not answer'))
  })
  const closed = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()))
  const waiting: ((result: unknown) => void)[] = []
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(`${data}`)
    waiting[id]?.(result)
  }
  return {
    closed,
    send(method: string, params: object = {}): Promise<unknown> {
      return new Promise((resolve) => {
        socket.send(JSON.stringify({ id: waiting.push(resolve) - 1, method, params }))
      })
    },
    async close() {
      socket.close()
      await closed
    },
  }
}
