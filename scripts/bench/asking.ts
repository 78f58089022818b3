import { measureCpu } from './cpu.ts'
import type { Figures } from './figures.ts'
import type { Load } from './load.ts'
import { median, takeTurns } from './statistics.ts'

/** Something that answers a request and keeps nothing of it. */
export type Answerer = { url: string; pid: number; title: string }

/** What is asked of both in turn, by one caller. */
export type Asking = {
  title: string
  /** Requests of a turn. */
  requests: number
  headers: Record<string, string>
  body: () => string
  expects: string
  /** Whether its CPU is held against the baseline's. */
  holdsCpu?: boolean
}

const turns = 21

/**
 * Asks the baseline and the own one in turn, and tells how long the median answer takes, CPU, and their ratios.
 * What is held is CPU: what slows a virtual machine adds to that of both, while an answer of a millisecond waits
 * on processes that wake each other, by half longer in one minute than in the next.
 */
export async function compareAnswers(
  { load, figures }: { load: Load; figures: Figures },
  answerers: { own: Answerer; baseline: Answerer },
  { title, requests, headers, body, expects, holdsCpu = true }: Asking,
): Promise<void> {
  const names = ['own', 'baseline'] as const
  const ask = async (name: 'own' | 'baseline', count = requests) => {
    const bodies = Array.from({ length: count }, body)
    const { url } = answerers[name]
    return (await load.run({ url, headers, bodies, pace: { callers: 1 }, expects })).replyMs
  }
  for (const name of names) await ask(name, requests * 3)
  // Whoever has no turn rests, so all turns are counted in one: in each, a tick of the clock that counts
  // would be a part of what is counted.
  const pids = { own: answerers.own.pid, baseline: answerers.baseline.pid }
  const { result: taken, cpuMs } = await measureCpu(pids, () =>
    takeTurns(names, turns, (name) => ask(name)),
  )
  const at = `${title}, 1 caller`
  for (const name of names) {
    const who = `${at}: ${answerers[name].title}`
    figures.add(`p50, ${who}`, 'ms', ...taken[name].map(median))
    figures.add(`CPU of ${who}`, 'ms/answer', cpuMs[name] / (requests * turns))
  }
  const pair = `${at}: ${answerers.own.title} against ${answerers.baseline.title}`
  const tellCpu = holdsCpu ? figures.hold : figures.add
  tellCpu(`CPU of ${pair}`, 'ratio', cpuMs.own / cpuMs.baseline)
}
