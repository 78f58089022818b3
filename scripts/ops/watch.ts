import { setTimeout as sleep } from 'node:timers/promises'
import { statusAnswer } from '../../src/operator/answers.ts'
import { StackError } from '../stack/report.ts'
import type { OperatorClient } from './operator-client.ts'
import { statusLines } from './show.ts'

export type WatchOptions = {
  everyMs: number
  /** How a look is shown: on a screen of its own, below the one before, or as a line of JSON. */
  form: 'screen' | 'lines' | 'json'
  write: (text: string) => void
  signal: AbortSignal
}

/** Clears a terminal and begins at its top (ECMA-48). */
const newScreen = '\x1b[H\x1b[2J'

/** Shows the status again and again. Where it is not told, that is shown, and it is asked for again. */
export async function watchStatus(
  operator: OperatorClient,
  { everyMs, form, write, signal }: WatchOptions,
): Promise<void> {
  while (!signal.aborted) {
    write(await look(operator, form))
    // The end of the watch ends the pause as well.
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
  }
}

async function look(operator: OperatorClient, form: WatchOptions['form']): Promise<string> {
  try {
    const status = await operator.read('/operator/status', statusAnswer)
    if (form === 'json') return `${JSON.stringify(status)}\n`
    const at = `${operator.origin} at ${status.now}`
    return framed([at, ...statusLines(status)], form)
  } catch (error) {
    if (!(error instanceof StackError)) throw error
    const { message } = error
    return form === 'json' ? `${JSON.stringify({ error: message })}\n` : framed([message], form)
  }
}

const framed = (lines: readonly string[], form: 'screen' | 'lines'): string =>
  `${form === 'screen' ? newScreen : ''}${lines.join('\n')}\n${form === 'lines' ? '\n' : ''}`
