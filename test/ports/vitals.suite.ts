import { describe, expect } from 'vitest'
import type { ObservationReport } from '../../src/relay/ledger/observations.ts'
import type { Identity } from '../../src/relay/ledger/records/identity.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'
import { accept, executionIn, mineAt, refusingOf } from './payments.ts'

const identity = (secret: string, forwarder = 'one'): Identity => ({
  chainId: 31,
  fingerprints: { ACCOUNT_KEY_SECRET: secret, FORWARDER_ADDRESS: forwarder },
})

const stuck = { name: 'stuck', says: 'A payment is in no block.' }
const budget = { name: 'budget', says: 'The calls are used.' }
const told = { mustNotify: true }

/** Tests what every ledger reports to operators, and its alerts. */
export function vitalsSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)
  describe(`the vitals of the ledger on ${name}`, () => {
    test('are empty for a new ledger, and store no owner', async ({ ledger }) => {
      const vitals = await ledger.readVitals({ identity: identity('a'), probes: true })
      const nothing = { obstacle: undefined, nextNonce: 0, carried: 0, waiting: 0 }
      expect(vitals).toMatchObject({ identity: { kind: 'same' }, ...nothing })
      expect(vitals.observations).toEqual({})
      expect(vitals.oldest.carried).toBeUndefined()
      expect(await ledger.identify(identity('b'))).toEqual({ kind: 'same' })
    })

    test('report other secrets, and leave the ledger unchanged', async ({ ledger }) => {
      await ledger.identify(identity('a'))
      const told = async (secret: string) =>
        (await ledger.readVitals({ identity: identity(secret, 'two') })).identity
      expect(await told('b')).toEqual({ kind: 'different', names: ['ACCOUNT_KEY_SECRET'] })
      expect(await told('a')).toEqual({ kind: 'same' })
      expect((await ledger.readVitals()).identity).toBeUndefined()
    })

    test("add up the processes' gateway counts, with their hours", async ({ ledger, pass }) => {
      await ledger.identify(identity('a'), { 'hubtel/delivery': 2, 'hubtel/bad': 1 })
      const refused = await ledger.identify(identity('b'), { 'hubtel/delivery': 9 })
      expect(refused).toMatchObject({ kind: 'different' })
      const first = { 'hubtel/delivery': 3 }
      const { now, gatewayFaults: before } = await ledger.readVitals({ counted: first })
      pass(73 * 3_600_000)
      const counted = { 'africas-talking/wrong_secret': 1, 'hubtel/delivery': 1 }
      const { gateways, counts, ...later } = await ledger.readVitals({ counted })
      const ofHubtel = { 'gateway.hubtel/delivery': 6, 'gateway.hubtel/bad': 1 }
      expect(counts).toMatchObject({ ...ofHubtel, 'gateway.africas-talking/wrong_secret': 1 })
      // What is older than three days compares with nothing.
      expect(later.now - now).toBeGreaterThanOrEqual(73 * 3_600_000)
      expect(gateways).toEqual({ hubtel: { [Math.floor(later.now / 3_600_000)]: 1 } })
      expect(now - (before['hubtel/bad'] ?? 0)).toBeLessThan(1_000)
      expect(later.gatewayFaults).toEqual({ ...before, 'africas-talking/wrong_secret': later.now })
    })

    test('have each fact with the last time when a round saw it', async ({ ledger, pass }) => {
      const { now: began } = await ledger.readVitals()
      const [head, balanceWei] = [{ number: 7, timestampSeconds: 70 }, { value: 1000n }]
      await ledger.recordObservations({
        facts: { head, balanceWei },
        node: 'answered',
        round: 'done',
      })
      pass(60_000)
      const later = { number: 9, timestampSeconds: 90 }
      await ledger.recordObservations({ facts: { head: later }, node: 'answered', round: 'done' })
      const { observations, now } = await ledger.readVitals()
      expect(observations.head).toMatchObject(later)
      expect(observations.balanceWei).toMatchObject(balanceWei)
      const [headAt = 0, balanceAt = 0] = [observations.head?.at, observations.balanceWei?.at]
      expect(headAt - balanceAt).toBeGreaterThanOrEqual(60_000)
      expect(balanceAt).toBeGreaterThanOrEqual(began)
      expect(observations.roundAt).toBeLessThanOrEqual(now)
    })

    test('store since when a block is the head and the pool is paused', async ({
      ledger,
      pass,
    }) => {
      const head = { number: 7, timestampSeconds: 70 }
      const wei = { liquidityWei: '9', issuableWei: '9', principalWei: '1', owedWei: '0' }
      const pool = { ...wei, balancesWei: '5' }
      const saw = (contracts: object, number: number) => {
        const facts = { head: { ...head, number }, contracts } as ObservationReport['facts']
        return ledger.recordObservations({ facts, node: 'answered', round: 'done' })
      }
      await saw({ state: 'ready', pool }, 7)
      const { at = 0, since = 0 } = (await ledger.readVitals()).observations.head ?? {}
      pass(60_000)
      await saw({ state: 'loan_paused' }, 7)
      const { head: again, contracts } = (await ledger.readVitals()).observations
      expect(again).toMatchObject({ since })
      expect(again?.at).toBeGreaterThan(at)
      expect(contracts).toMatchObject({ state: 'loan_paused', pool })
      await saw({ state: 'ready' }, 8)
      expect((await ledger.readVitals()).observations.head?.since).toBeGreaterThan(since)
    })

    test('have what a refused payment has read of the chain', async ({ ledger }) => {
      const { now } = await ledger.readVitals()
      const seen = {
        facts: { gasPriceWei: { value: 7n } },
        node: 'answered',
        round: undefined,
      } as const
      await ledger.refuse({ ...refusingOf('s'), observations: { ...seen, now } })
      expect((await ledger.readVitals()).observations.gasPriceWei).toMatchObject({ value: 7n })
    })

    test('report why payments are refused, and when that ends', async ({ ledger, pass }) => {
      const refuse = (session: string) =>
        ledger.refuse({ ...refusingOf(session), obstacle: 'relayer_poor' })
      await refuse('first')
      pass(1_000)
      await refuse('second')
      const { now, obstacle: refused } = await ledger.readVitals()
      expect([refused?.kind, refused?.endedAt]).toEqual(['relayer_poor', undefined])
      expect(now - (refused?.at ?? 0)).toBeLessThan(1_000)
      await accept(ledger, 'taken')
      const { carried, obstacle } = await ledger.readVitals()
      expect([carried, obstacle?.endedAt]).toEqual([1, expect.any(Number)])
      await refuse('third')
      const after = await ledger.readVitals()
      expect([after.obstacle?.kind, after.obstacle?.endedAt]).toEqual(['relayer_poor', undefined])
    })

    test('report since when the first payment waits for a block', async ({ ledger, pass }) => {
      const waits = async () => {
        const { now, front } = await ledger.readVitals()
        return front && now - front.since
      }
      expect(await waits()).toBeUndefined()
      await accept(ledger, 'a')
      pass(9_000)
      expect(await waits()).toBeGreaterThanOrEqual(9_000)
      await mineAt(ledger, 'a', 0, executionIn(9))
      expect(await waits()).toBeUndefined()
      await ledger.reopen(executionIn(9).block.hash)
      expect(await waits()).toBeLessThan(9_000)
    })

    test('report since when a nonce is the first that waits', async ({ ledger, pass }) => {
      await accept(ledger, 'a')
      await accept(ledger, 'b')
      pass(9_000)
      await mineAt(ledger, 'a', 0, executionIn(9))
      const { now, front } = await ledger.readVitals()
      expect(front?.nonce).toBe(1)
      expect(now - (front?.since ?? 0)).toBeLessThan(9_000)
      pass(9_000)
      const later = await ledger.readVitals()
      expect(later.now - (later.front?.since ?? 0)).toBeGreaterThanOrEqual(9_000)
    })

    test('have no observation of other contracts or another key', async ({ ledger }) => {
      await ledger.identify(identity('a'))
      const contracts = { state: 'missing' } as const
      const counts = { chainNonce: { value: 3 }, reportedNonce: { value: 3 } }
      const ofNone = { head: { number: 7, timestampSeconds: 70 }, gasPriceWei: { value: 1n } }
      const facts = { ...ofNone, balanceWei: { value: 1n }, contracts, ...counts }
      await ledger.recordObservations({ facts, node: 'answered', round: 'done' })
      const seen = async (forwarder: string) => {
        const asked = { identity: identity('a', forwarder) }
        return Object.keys((await ledger.readVitals(asked)).observations).sort()
      }
      expect(await seen('one')).toEqual([...Object.keys(facts), 'roundAt'].sort())
      expect(await seen('two')).toEqual(['gasPriceWei', 'head', 'roundAt'])
      await ledger.identify(identity('a', 'two'))
      expect(await seen('two')).toEqual(['gasPriceWei', 'head', 'roundAt'])
    })

    test('report since when the node is silent and rounds fail', async ({ ledger, pass }) => {
      const saw = async (node?: 'silent' | 'answered', round: 'failed' | 'done' = 'done') => {
        await ledger.recordObservations({ facts: {}, node, round })
        return (await ledger.readVitals()).observations
      }
      const first = await saw('silent', 'failed')
      pass(60_000)
      const { silentSince, failingSince, roundAt } = await saw('silent', 'failed')
      expect([silentSince, failingSince]).toEqual([first.silentSince, first.failingSince])
      expect(roundAt).toBeGreaterThan(first.roundAt ?? 0)
      expect(await saw()).toMatchObject({ silentSince })
      const mended = await saw('answered')
      expect([mended.silentSince, mended.failingSince]).toEqual([undefined, undefined])
    })
  })

  describe(`alerts of the ledger on ${name}`, () => {
    test('are raised once, and cleared two minutes after they end', async ({ ledger, pass }) => {
      const first = await ledger.recordAlerts([stuck], told)
      expect(first).toMatchObject({ raised: [stuck], cleared: [] })
      pass(30_000)
      const other = { ...stuck, says: 'Two payments are.' }
      expect(await ledger.recordAlerts([other, budget], told)).toMatchObject({ raised: [budget] })
      expect((await ledger.readVitals()).alerts).toMatchObject([other, budget])
      pass(30_000)
      expect(await ledger.recordAlerts([budget], told)).toEqual({ raised: [], cleared: [] })
      pass(60_000)
      // It flutters: that is no end, and no beginning.
      expect(await ledger.recordAlerts([stuck, budget], told)).toEqual({ raised: [], cleared: [] })
      expect(await ledger.recordAlerts([budget], told)).toEqual({ raised: [], cleared: [] })
      pass(120_000)
      const { cleared, raised } = await ledger.recordAlerts([budget], told)
      expect(raised).toEqual([])
      // Since it was first not found, not since it is cleared.
      const [{ calmSince = 0, ...over } = {}] = cleared
      expect([over]).toEqual(first.raised)
      expect((await ledger.readVitals()).now - calmSince).toBeGreaterThanOrEqual(120_000)
      expect((await ledger.readVitals()).alerts).toMatchObject([budget])
      expect(await ledger.recordAlerts([budget], told)).toEqual({ raised: [], cleared: [] })
    })

    test('are stored until one process has sent them', async ({ ledger, pass }) => {
      expect((await ledger.readVitals()).nextNoticeAt).toBeUndefined()
      await ledger.recordAlerts([stuck], told)
      const [notice, ...others] = await ledger.takeNotices(5)
      expect([notice, others]).toMatchObject([{ ...stuck, kind: 'raised' }, []])
      // Another process asks meanwhile.
      expect(await ledger.takeNotices(5)).toEqual([])
      pass(30_000)
      expect(await ledger.takeNotices(5)).toEqual([notice])
      pass(30_000)
      expect(await ledger.takeNotices(5)).toEqual([])
      await ledger.recordAlerts([], told)
      pass(120_000)
      await ledger.recordAlerts([], told)
      const due = await ledger.takeNotices(5)
      expect(due.map(({ kind }) => kind).sort()).toEqual(['cleared', 'raised'])
      for (const { id } of due) await ledger.deleteNotice(id)
      pass(3_600_000)
      expect(await ledger.takeNotices(5)).toEqual([])
      expect((await ledger.readVitals()).nextNoticeAt).toBeUndefined()
    })

    test('are not stored for sending if no receiver is set', async ({ ledger }) => {
      await ledger.recordAlerts([stuck], { mustNotify: false })
      expect((await ledger.readVitals()).alerts).toMatchObject([stuck])
      expect(await ledger.takeNotices(5)).toEqual([])
    })
  })
}
