/** Virtual time: nothing happens but by its events, one after the other. */
export type Scheduler = {
  /** Unix time in ms. */
  now(): number
  /**
   * At equal times the one that was scheduled first comes first. A `quiet` event resolves no promise,
   * so nobody has to be waited for after it.
   *
   * @returns what cancels it
   */
  at(time: number, run: () => void, quiet?: 'quiet'): () => void
  /** Runs events until none is left up to this time. */
  runUntil(time: number): Promise<void>
}

type Entry = { time: number; run: (() => void) | undefined; isQuiet: boolean }

/** More events than any history needs: a history that comes here goes round in circles. */
const maxEvents = 2_000_000

export function createScheduler(start: number): Scheduler {
  /** The next one is the last. */
  const entries: Entry[] = []
  let now = start
  let happened = 0
  return {
    now: () => now,
    at(time, run, quiet) {
      const entry: Entry = { time: Math.max(time, now), run, isQuiet: quiet === 'quiet' }
      entries.splice(entries.findLastIndex((other) => other.time > entry.time) + 1, 0, entry)
      return () => {
        entry.run = undefined
      }
    },
    async runUntil(time) {
      for (let next = entries.at(-1); next && next.time <= time; next = entries.at(-1)) {
        entries.pop()
        if (next.run === undefined) continue
        now = next.time
        if (++happened > maxEvents) throw new Error('the history does not come to an end')
        next.run()
        if (!next.isQuiet) await drained()
      }
      now = Math.max(now, time)
    },
  }
}

/** Everything that promises have made ready has run: Node empties its queue of them before this. */
function drained(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
