import { describe, expect, test } from 'vitest'
import type { Identity } from '../../src/relay/ledger/port.ts'
import type { LedgerHarness } from './ledger.suite.ts'

const identity = (secret: string, forwarder = 'one'): Identity => ({
  chainId: 31,
  fingerprints: { ACCOUNT_KEY_SECRET: secret, FORWARDER_ADDRESS: forwarder },
})

/** What every ledger tells those who run the service. */
export function vitalsSuite(name: string, create: () => Promise<LedgerHarness>): void {
  describe(`the vitals of the ledger on ${name}`, () => {
    test('have nothing to tell of a new ledger, and write whose it is not', async () => {
      const { ledger } = await create()
      const vitals = await ledger.vitals({ identity: identity('a'), probes: true })
      expect(vitals).toMatchObject({
        ...{ identity: { kind: 'same' }, obstacle: undefined },
        ...{ nextNonce: 0, carried: 0, waiting: 0 },
      })
      expect(vitals.sight).toEqual({})
      expect(vitals.oldest.carried).toBeUndefined()
      expect(await ledger.identify(identity('b'))).toEqual({ kind: 'same' })
    })

    test('tell of other secrets than the ledger was begun with, and leave it as it was', async () => {
      const { ledger } = await create()
      await ledger.identify(identity('a'))
      const other = (await ledger.vitals({ identity: identity('b', 'two') })).identity
      expect(other).toEqual({ kind: 'different', names: ['ACCOUNT_KEY_SECRET'] })
      expect((await ledger.vitals({ identity: identity('a', 'two') })).identity).toEqual({
        kind: 'same',
      })
      expect((await ledger.vitals()).identity).toBeUndefined()
    })

    test('have each fact with the time at which a round saw it last', async () => {
      const { ledger, pass } = await create()
      const { now: began } = await ledger.vitals()
      const [head, funds] = [{ number: 7, timestampSeconds: 70 }, { wei: '1000' }]
      await ledger.saw({ facts: { head, funds }, node: 'answered', round: 'done' })
      pass(60_000)
      const later = { number: 9, timestampSeconds: 90 }
      await ledger.saw({ facts: { head: later }, node: 'answered', round: 'done' })
      const { sight, now } = await ledger.vitals()
      expect(sight.head).toMatchObject(later)
      expect(sight.funds).toMatchObject(funds)
      expect((sight.head?.at ?? 0) - (sight.funds?.at ?? 0)).toBeGreaterThanOrEqual(60_000)
      expect(sight.funds?.at).toBeGreaterThanOrEqual(began)
      expect(sight.roundAt).toBeLessThanOrEqual(now)
    })

    test('have nothing that was seen of other contracts or of another key', async () => {
      const { ledger } = await create()
      await ledger.identify(identity('a'))
      const contracts = { state: 'missing' } as const
      const facts = { head: { number: 7, timestampSeconds: 70 }, funds: { wei: '1' }, contracts }
      await ledger.saw({ facts, node: 'answered', round: 'done' })
      const seen = async (forwarder: string) =>
        Object.keys((await ledger.vitals({ identity: identity('a', forwarder) })).sight).sort()
      expect(await seen('one')).toEqual(['contracts', 'funds', 'head', 'roundAt'])
      expect(await seen('two')).toEqual(['head', 'roundAt'])
      await ledger.identify(identity('a', 'two'))
      expect(await seen('two')).toEqual(['head', 'roundAt'])
    })

    test('tell since when the node is silent and rounds fail, until they are not', async () => {
      const { ledger, pass } = await create()
      await ledger.saw({ facts: {}, node: 'silent', round: 'failed' })
      const first = (await ledger.vitals()).sight
      pass(60_000)
      await ledger.saw({ facts: {}, node: 'silent', round: 'failed' })
      const { sight } = await ledger.vitals()
      expect(sight.silentSince).toBe(first.silentSince)
      expect(sight.failingSince).toBe(first.failingSince)
      expect(sight.roundAt).toBeGreaterThan(first.roundAt ?? 0)
      await ledger.saw({ facts: {}, node: undefined, round: 'done' })
      expect((await ledger.vitals()).sight).toMatchObject({ silentSince: first.silentSince })
      await ledger.saw({ facts: {}, node: 'answered', round: 'done' })
      const mended = (await ledger.vitals()).sight
      expect([mended.silentSince, mended.failingSince]).toEqual([undefined, undefined])
    })
  })
}
