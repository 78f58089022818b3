/** Something that will happen, unless it is cancelled. */
export type Scheduled = { cancel(): void }

/** Virtual time: nothing happens but by its events, one after the other. */
export type Scheduler = {
  /** Unix time in ms. */
  now(): number
  /**
   * At equal times the one that was scheduled first comes first. A `quiet` event resolves no promise,
   * so nobody has to be waited for after it.
   */
  at(time: number, run: () => void, quiet?: 'quiet'): Scheduled
  /** Runs events until none is left up to this time. */
  runUntil(time: number): Promise<void>
}

type Entry = { time: number; order: number; run: (() => void) | undefined; isQuiet: boolean }

/** More events than any history needs: a history that comes here goes round in circles. */
const maxEvents = 2_000_000

export function createScheduler(start: number): Scheduler {
  const heap: Entry[] = []
  let now = start
  let order = 0
  let happened = 0

  function isBefore(a: Entry, b: Entry): boolean {
    return a.time < b.time || (a.time === b.time && a.order < b.order)
  }

  function push(entry: Entry): void {
    let index = heap.length
    heap.push(entry)
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = heap[parent]
      if (above === undefined || !isBefore(entry, above)) break
      heap[index] = above
      index = parent
    }
    heap[index] = entry
  }

  function pop(): Entry | undefined {
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || first === last) return first
    let index = 0
    for (;;) {
      const left = 2 * index + 1
      const a = heap[left]
      if (a === undefined) break
      const b = heap[left + 1]
      const smaller = b !== undefined && isBefore(b, a) ? left + 1 : left
      const child = smaller === left ? a : (b as Entry)
      if (!isBefore(child, last)) break
      heap[index] = child
      index = smaller
    }
    heap[index] = last
    return first
  }

  return {
    now: () => now,
    at(time, run, quiet) {
      const isQuiet = quiet === 'quiet'
      const entry: Entry = { time: Math.max(time, now), order: order++, run, isQuiet }
      push(entry)
      return {
        cancel() {
          entry.run = undefined
        },
      }
    },
    async runUntil(time) {
      for (;;) {
        const next = heap[0]
        if (next === undefined || next.time > time) break
        pop()
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
export function drained(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
