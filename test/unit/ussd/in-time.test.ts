import { expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { english } from '../../../src/ussd/messages/en.ts'
import { openModelledRelay } from '../../support/modelled-relay.ts'

test('a caller is answered within 8 s even if the ledger does not answer', async () => {
  const slept: number[] = []
  const clock = {
    ...systemClock,
    // Whatever is waited for longer than this is over at once.
    async sleep(ms: number, signal?: AbortSignal) {
      slept.push(ms)
      if (ms < 5_000) await systemClock.sleep(ms, signal)
    },
  }
  const product = menus.strict
  const options = { callers: 1, poolLoans: 1, capLoans: 1, clock, product }
  const { balance } = openModelledRelay({ ...options, silent: 'readFirstValue' })
  expect(await balance(0)).toBe(`END ${english.unavailable}`)
  expect(Math.max(...slept)).toBeLessThan(8_000)
})
