import { inLanes } from '../dev/lanes.ts'
import { sleep } from '../dev/wait.ts'

export type Load = {
  url: string
  headers: Record<string, string>
  bodies: readonly string[]
  /** Limits concurrent requests, or sets the requests begun a second. */
  pace: { callers: number } | { perSecond: number }
  expects: string
}

/** Sends them. @throws {Error} an answer was not a good one, so nothing that was measured counts */
export async function runLoad({ url, headers, bodies, pace, expects }: Load) {
  const replyMs: number[] = []
  const ask = async (body: string) => {
    const from = performance.now()
    const response = await fetch(url, { method: 'POST', headers, body })
    const text = await response.text()
    replyMs.push(performance.now() - from)
    if (!text.includes(expects)) throw new Error(`a bad answer: ${response.status} ${text}`)
  }
  const startedAt = now()
  // So many callers, each of whom asks again once answered; or all of them, each at its time.
  const lanes = 'callers' in pace ? pace.callers : bodies.length
  await inLanes(lanes, bodies.entries(), async ([index, body]) => {
    if ('perSecond' in pace) await sleep((index * 1000) / pace.perSecond)
    await ask(body)
  })
  return { startedAt, endedAt: now(), replyMs }
}

/** The Unix time in ms, with fractions. */
export const now = (): number => performance.timeOrigin + performance.now()
