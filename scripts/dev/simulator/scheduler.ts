type Entry = { time: number; run: (() => void) | undefined; isQuiet: boolean }

/** More events than any history needs; a run that has more never ends. */
const maxEvents = 2_000_000

export type Scheduler = ReturnType<typeof createScheduler>

/** Creates virtual time (Unix, in ms), in which one event happens after the other. */
export function createScheduler(start: number) {
  /** Sorted so that the last entry is the next event. */
  const entries: Entry[] = []
  let now = start
  let happened = 0
  return {
    now: () => now,
    /** Schedules an event, returns its canceller; nobody waits for promises after `quiet` ones. */
    at(time: number, run: () => void, quiet?: 'quiet'): () => void {
      const entry: Entry = { time: Math.max(time, now), run, isQuiet: quiet === 'quiet' }
      entries.splice(entries.findLastIndex((other) => other.time > entry.time) + 1, 0, entry)
      return () => {
        entry.run = undefined
      }
    },
    async runUntil(time: number): Promise<void> {
      for (let next = entries.at(-1); next && next.time <= time; next = entries.at(-1)) {
        entries.pop()
        if (next.run === undefined) continue
        now = next.time
        if (++happened > maxEvents) throw new Error('the history does not come to an end')
        next.run()
        // Node empties its queue of promises before this: what they have made ready runs first.
        if (!next.isQuiet) await new Promise((resolve) => setImmediate(resolve))
      }
      now = Math.max(now, time)
    },
  }
}
