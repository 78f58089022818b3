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
  /** In a slice. */
  requests: number
  /** Slices in a round, in each of which every answerer has its turn. */
  slices: number
  rounds: number
  headers: Record<string, string>
  body: (name: Name) => string
  expects: string
  /** Which of them the first is compared with. */
  against: readonly Name[]
  /** Whether its CPU is held against theirs. A crowd's is not: many callers on two cores are noise. */
  holdsCpu: boolean
}

type Slice = { replyMs: readonly number[]; ms: number; cpuMs: number }
type Round = { perSecond: number; replyMs: readonly number[]; cpuMs: number }

/** Puts slices that follow each other together: what they say of one answer, and all of their replies. */
function inRounds(slices: readonly Slice[], size: number): Round[] {
  const rounds = Array.from({ length: slices.length / size }, (_, round) =>
    slices.slice(round * size, (round + 1) * size),
  )
  return rounds.map((round) => {
    const replyMs = round.flatMap((slice) => slice.replyMs)
    const sum = (of: (slice: Slice) => number) => round.reduce((all, slice) => all + of(slice), 0)
    return {
      replyMs,
      perSecond: (replyMs.length * 1000) / sum(({ ms }) => ms),
      cpuMs: sum(({ cpuMs }) => cpuMs) / replyMs.length,
    }
  })
}

/**
 * Asks every answerer in turn, and tells answers a second, percentiles, CPU, and ratios to the first.
 * What is held is CPU: what slows a virtual machine adds to that of all of them, while an answer of a
 * millisecond waits on processes that wake each other, by half longer in one minute than in the next.
 */
export async function askInTurn<Name extends string>(
  { load, figures }: { load: Load; figures: Figures },
  answerers: Record<Name, Answerer>,
  asking: Asking<Name>,
): Promise<void> {
  const { callers, requests, slices, rounds, headers, body, expects, key } = asking
  const names = Object.keys(answerers) as Name[]
  const ask = async (name: Name, count = requests) => {
    const { url, pid } = answerers[name]
    const bodies = Array.from({ length: count }, () => body(name))
    const job = { url, headers, bodies, pace: { callers }, expects }
    const { result, cpuMs } = await cpuDuring({ own: pid }, () => load.run(job))
    return { replyMs: result.replyMs, ms: result.endedAt - result.startedAt, cpuMs: cpuMs.own }
  }
  for (const name of names) await ask(name, requests * slices)
  // Whoever has no turn rests, so all turns are counted in one: in each, a tick of the clock that counts
  // would be a part of what is counted.
  const pids = Object.fromEntries(names.map((name) => [name, answerers[name].pid]))
  const { result: slicesOf, cpuMs: cpuMsOf } = await cpuDuring(pids as Record<Name, number>, () =>
    takeTurns(names, rounds * slices, (name) => ask(name)),
  )
  const taken = Object.fromEntries(
    names.map((name) => [name, inRounds(slicesOf[name], slices)]),
  ) as Record<Name, Round[]>
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
  const tellCpu = asking.holdsCpu ? figures.hold : figures.add
  for (const name of asking.against) {
    const title = `${at}: ${answerers[first].title} against ${answerers[name].title}`
    figures.add(
      `${key}.${callers}.ratio.${name}`,
      title,
      'ratio of p50',
      ratioOf(
        taken[first].map(({ replyMs }) => median(replyMs)),
        taken[name].map(({ replyMs }) => median(replyMs)),
      ),
    )
    const ratio = cpuMsOf[first] / cpuMsOf[name]
    tellCpu(`${key}.${callers}.cpuRatio.${name}`, title, 'ratio of CPU', [ratio])
  }
}
