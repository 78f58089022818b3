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
