import { type Clock, systemClock } from '../../src/runtime/clock.ts'

/** The time of this machine, with what a test lets pass. */
export function createHandClock(): Clock & { forward(ms: number): void } {
  let passed = 0
  return {
    ...systemClock,
    now: () => systemClock.now() + passed,
    forward(ms) {
      passed += ms
    },
  }
}
