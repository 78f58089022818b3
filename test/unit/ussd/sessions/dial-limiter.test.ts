import { expect, test } from 'vitest'
import { createDialLimiter } from '../../../../src/ussd/dial-limiter.ts'

test('who dials too often is stopped for a minute, however many others dial', () => {
  let now = 1_000_000
  const mayDial = createDialLimiter(2, () => now)
  const dial = (account: string, input: string) => mayDial({ account, session: 's', input })
  const others = Array.from({ length: 9_998 }, (_, index) => `other ${index}`)
  for (let round = 0; round < 4; round++) {
    for (const input of ['1', '2', '2']) expect(dial('often', input)).toBe(true)
    for (const other of others) dial(`${other} of ${round}`, '1')
    expect([dial('often', '2'), dial('often', '3')]).toEqual([true, false])
    now += 60_000
  }
})
