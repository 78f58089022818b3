import { convertV4MiniflareOptions, Miniflare, NoOpLog } from 'miniflare'

type Options = Parameters<typeof convertV4MiniflareOptions>[0]

export type WorkerdOptions = {
  workers: Options['workers']
  objects: string
  port?: number
  isInspected?: boolean
  onLine: (line: string) => void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Starts Workers in a workerd of their own; signals stay here, and no request is logged. */
export function startWorkerd({
  workers,
  objects,
  port = 0,
  isInspected = false,
  onLine,
}: WorkerdOptions): Miniflare {
  const listening = signals.map((signal) => [signal, process.listeners(signal)] as const)
  const options = {
    host: '127.0.0.1',
    port,
    ...(isInspected ? { inspectorPort: 0 } : {}),
    log: new NoOpLog(),
    logRequests: false,
    cf: false,
    telemetry: { enabled: false },
    resourcePersistencePath: objects,
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
  return miniflare
}
