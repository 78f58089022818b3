import { type Clock, systemClock } from '../../src/runtime/clock.ts'

/** The time of this machine, with what a test lets pass; who sleeps does so for a part of the time. */
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
