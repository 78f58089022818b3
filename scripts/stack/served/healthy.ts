import { until } from '../../dev/wait.ts'
import { describe, StackError } from '../report.ts'
import type { RunningWorker } from './worker.ts'

/** An answer that takes longer is asked for again. */
const answerMs = 5_000

/** A machine may be busy; what is wrong for good is told by then. */
const withinMs = 60_000

/** Waits until a Worker says that it can serve. @throws {StackError} it has ended, or has not said so in time */
export async function waitUntilHealthy({ url, isRunning }: RunningWorker): Promise<void> {
  let fault: string | undefined
  const isHealthy = async () => {
    fault = await healthFault(url)
    if (fault !== undefined && !isRunning()) throw unhealthy()
    return fault === undefined
  }
  const unhealthy = () => new StackError(`The Worker is not healthy ${fault}`)
  await until(isHealthy, { everyMs: 200, withinMs, late: unhealthy })
}

async function healthFault(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answerMs) })
    const text = await response.text()
    return response.ok ? undefined : `(${response.status}): ${text.slice(0, 500)}`
  } catch (error) {
    return `(no answer): ${describe(error)}`
  }
}
