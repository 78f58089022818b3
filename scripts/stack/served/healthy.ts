import { until } from '../../dev/wait.ts'
import { describe, StackError } from '../report.ts'
import type { RunningWorker } from './worker.ts'

export type HealthTimes = {
  /** A machine may be busy; what is wrong for good is told by then, in ms. */
  withinMs: number
  /** An answer that takes longer is asked for again, in ms. */
  answerMs: number
}

const usual: HealthTimes = { withinMs: 60_000, answerMs: 5_000 }

/**
 * Waits until a Worker says that it can serve: one that is slow to answer is asked again.
 *
 * @throws {StackError} it has ended, or has not said so in time
 */
export async function waitUntilHealthy(
  { url, isRunning }: Pick<RunningWorker, 'url' | 'isRunning'>,
  { withinMs, answerMs }: HealthTimes = usual,
): Promise<void> {
  let fault: string | undefined
  const isHealthy = async () => {
    fault = await healthFault(url, answerMs)
    if (fault !== undefined && !isRunning()) throw unhealthy()
    return fault === undefined
  }
  const unhealthy = () => new StackError(`The Worker is not healthy ${fault}`)
  await until(isHealthy, { everyMs: 200, withinMs, late: unhealthy })
}

async function healthFault(url: string, answerMs: number): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answerMs) })
    const text = await response.text()
    return response.ok ? undefined : `(${response.status}): ${text.slice(0, 500)}`
  } catch (error) {
    return `(no answer): ${describe(error)}`
  }
}
