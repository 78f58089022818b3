import { type Clock, systemClock } from '../../src/runtime/clock.ts'

/** Gives this machine's time, with what a test adds; a sleep takes a part of its time. */
export function createHandClock(part = 1): Clock & { forward(ms: number): void } {
  let passed = 0
  return {
    ...systemClock,
    now: () => systemClock.now() + passed,
    sleep: (ms, signal) => systemClock.sleep(ms * part, signal),
    forward(ms) {
      passed += ms
    },
  }
}

/** A clock that stands still until the test has time pass; `timers` has when each sleeper wakes. */
export function createStandingClock() {
  let now = 1_000_000
  const timers = new Map<() => void, number>()
  const clock: Clock = {
    ...systemClock,
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const wake = () => {
          timers.delete(wake)
          resolve()
        }
        timers.set(wake, now + ms)
        signal?.addEventListener('abort', wake)
      }),
  }
  /** Goes from sleeper to sleeper, so that each may sleep again within this time. */
  async function pass(ms: number): Promise<void> {
    const end = now + ms
    for (;;) {
      await new Promise(setImmediate)
      const [first] = [...timers].toSorted(([, one], [, other]) => one - other)
      if (first === undefined || first[1] > end) break
      now = first[1]
      first[0]()
    }
    now = end
  }
  return { clock, timers, pass }
}
