import { cpuDuring } from './cpu.ts'
import type { Figures } from './figures.ts'
import type { Load } from './load.ts'
import { median, quantile, ratioOf } from './statistics.ts'
import { takeTurns } from './turns.ts'

/** Something that answers a request and keeps nothing of it. */
export type Answerer = { url: string; pid: number; title: string }

/** What is asked of every answerer in turn. */
export type Asking<Name extends string> = {
  /** In keys of figures. */
  key: string
  title: string
  callers: number
  requests: number
  rounds: number
  headers: Record<string, string>
  body: (name: Name) => string
  expects: string
  /** Which of them the first is held against. */
  held: readonly Name[]
}

/** Asks every answerer in turn, and tells answers a second, percentiles, CPU, and ratios to the first. */
export async function askInTurn<Name extends string>(
  { load, figures }: { load: Load; figures: Figures },
  answerers: Record<Name, Answerer>,
  asking: Asking<Name>,
): Promise<void> {
  const { callers, requests, rounds, headers, body, expects, key } = asking
  const names = Object.keys(answerers) as Name[]
  const ask = async (name: Name, count = requests) => {
    const { url, pid } = answerers[name]
    const bodies = Array.from({ length: count }, () => body(name))
    const job = { url, headers, bodies, pace: { callers }, expects }
    const { result, cpuMs } = await cpuDuring({ own: pid }, () => load.run(job))
    const seconds = (result.endedAt - result.startedAt) / 1000
    return { perSecond: count / seconds, replyMs: result.replyMs, cpuMs: cpuMs.own / count }
  }
  for (const name of names) await ask(name, Math.ceil(requests / 2))
  const taken = await takeTurns(names, rounds, (name) => ask(name))
  const at = `${asking.title}, ${callers} caller${callers === 1 ? '' : 's'}`
  for (const name of names) {
    const { title } = answerers[name]
    const rows = [
      ['perSecond', 'answers/s', taken[name].map(({ perSecond }) => perSecond)],
      ['p50', 'ms, p50', taken[name].map(({ replyMs }) => median(replyMs))],
      ['p99', 'ms, p99', taken[name].map(({ replyMs }) => quantile(replyMs, 0.99))],
      ['cpu', 'ms of CPU an answer', taken[name].map(({ cpuMs }) => cpuMs)],
    ] as const
    for (const [what, unit, values] of rows) {
      figures.add(`${key}.${callers}.${what}.${name}`, `${at}: ${title}`, unit, values)
    }
  }
  const [first] = names
  if (first === undefined) return
  for (const name of asking.held) {
    figures.hold(
      `${key}.${callers}.ratio.${name}`,
      `${at}: ${answerers[first].title} against ${answerers[name].title}`,
      'ratio of p50',
      ratioOf(
        taken[first].map(({ replyMs }) => median(replyMs)),
        taken[name].map(({ replyMs }) => median(replyMs)),
      ),
    )
  }
}
