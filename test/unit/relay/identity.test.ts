import { expect, test } from 'vitest'
import { createIdentityCheck } from '../../../src/relay/identity.ts'
import { createRequestCounters } from '../../../src/ussd/gateways/request-counters.ts'
import { createMemoryLedger } from '../../ports/ledger-memory.ts'
import { createHandClock } from '../../support/hand-clock.ts'

test('gateway counts go to the ledger once a minute, with the check of its identity', async () => {
  const clock = createHandClock()
  const { ledger } = createMemoryLedger({ now: clock.now })
  const counters = createRequestCounters(['hubtel'])
  const identity = async () => ({ chainId: 31, fingerprints: {} })
  const check = createIdentityCheck(ledger, clock, identity, counters.take)
  const deliver = async (times: number) => {
    for (let time = 0; time < times; time++) {
      counters.add('hubtel', 'delivery')
      expect(await check()).toEqual({ kind: 'same' })
    }
    return (await ledger.readVitals()).counts['gateway.hubtel/delivery']
  }
  expect(await deliver(3)).toBe(1)
  clock.forward(60_000)
  expect(await deliver(2)).toBe(4)
})
