import { measureCpu } from './cpu.ts'
import type { Figures } from './figures.ts'
import type { Load } from './load.ts'
import { divideRounds, median, quantile, takeTurns } from './statistics.ts'

/** Something that answers a request and keeps nothing of it. */
export type Answerer = { url: string; pid: number; title: string }

/** What is asked of every answerer in turn. */
export type Asking = {
  title: string
  callers: number
  /** Requests in a slice. In each slice of a round every answerer has its turn. */
  requests: number
  slices: number
  rounds: number
  headers: Record<string, string>
  body: () => string
  expects: string
  /** Whether its CPU is held against the baseline's. A crowd's is not: on two cores it is noise. */
  holdsCpu: boolean
}

type Slice = { replyMs: readonly number[]; ms: number }

/**
 * Asks every answerer in turn, the baseline first, and tells answers a second, percentiles, CPU, and the
 * second one's ratios to the first. What is held is CPU: what slows a virtual machine adds to that of all
 * of them, while an answer of a millisecond waits on processes that wake each other, by half longer in one
 * minute than in the next.
 */
export async function compareAnswers(
  { load, figures }: { load: Load; figures: Figures },
  { baseline, own, ...others }: { baseline: Answerer; own: Answerer; node?: Answerer },
  { title, callers, requests, slices, rounds, headers, body, expects, holdsCpu }: Asking,
): Promise<void> {
  const answerers: Record<string, Answerer> = { own, ...others, baseline }
  const names = Object.keys(answerers)
  const ask = async (name: string, count = requests): Promise<Slice> => {
    const bodies = Array.from({ length: count }, body)
    const job = { url: answerers[name]?.url ?? '', headers, bodies, pace: { callers }, expects }
    const { replyMs, startedAt, endedAt } = await load.run(job)
    return { replyMs, ms: endedAt - startedAt }
  }
  for (const name of names) await ask(name, requests * slices)
  // Whoever has no turn rests, so all turns are counted in one: in each, a tick of the clock that counts
  // would be a part of what is counted.
  const pids = Object.fromEntries(names.map((name) => [name, answerers[name]?.pid ?? 0]))
  const { result: taken, cpuMs } = await measureCpu(pids, () =>
    takeTurns(names, rounds * slices, (name) => ask(name)),
  )
  const at = `${title}, ${callers} caller${callers === 1 ? '' : 's'}`
  const middles: Record<string, number[]> = {}
  for (const name of names) {
    const all = joinSlices(taken[name] ?? [], slices)
    const p50 = all.map(({ replyMs }) => median(replyMs))
    middles[name] = p50
    const who = `${at}: ${answerers[name]?.title}`
    const perSecond = all.map(({ replyMs, ms }) => (replyMs.length * 1000) / ms)
    figures.add(who, 'answers/s', ...perSecond)
    figures.add(`p50, ${who}`, 'ms', ...p50)
    figures.add(`p99, ${who}`, 'ms', ...all.map(({ replyMs }) => quantile(replyMs, 0.99)))
    const answers = requests * slices * rounds
    figures.add(`CPU of ${who}`, 'ms/answer', (cpuMs[name] ?? 0) / answers)
  }
  const pair = `${at}: ${own.title} against ${baseline.title}`
  figures.add(`p50, ${pair}`, 'ratio', ...divideRounds(middles.own ?? [], middles.baseline ?? []))
  const tellCpu = holdsCpu ? figures.hold : figures.add
  tellCpu(`CPU of ${pair}`, 'ratio', (cpuMs.own ?? 0) / (cpuMs.baseline ?? 0))
}

/** Puts the slices of each round together. */
function joinSlices(slices: readonly Slice[], size: number): Slice[] {
  return Array.from({ length: slices.length / size }, (_, round) => {
    const own = slices.slice(round * size, (round + 1) * size)
    const ms = own.reduce((sum, slice) => sum + slice.ms, 0)
    return { replyMs: own.flatMap(({ replyMs }) => replyMs), ms }
  })
}
