import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Execution, Ledger, LedgerRules } from '../../src/relay/ledger/port.ts'
import {
  accept,
  acceptance,
  alice,
  bob,
  carol,
  claiming,
  executionIn,
  id,
  mineAt,
  orderOf,
  question,
  screenOf,
  transactionOf,
} from './payments.ts'

/** A ledger of its own, what it was made with, and a hand on its clock. */
export type LedgerHarness = { ledger: Ledger; rules: LedgerRules; pass: (ms: number) => void }

/** Takes every nonce that the pool has room for. */
async function fill(ledger: Ledger, { maxInFlight }: LedgerRules): Promise<void> {
  for (let index = 0; index < maxInFlight; index++) await accept(ledger, `filler ${index}`, bob)
}

/** What every ledger promises, whatever it is kept in. */
export function ledgerSuite(name: string, create: () => Promise<LedgerHarness>): void {
  describe(`the ledger on ${name}: sessions`, () => {
    test('knows nothing of a new session', async () => {
      const { ledger } = await create()
      expect(await ledger.lookup(question('s'))).toEqual({
        kind: 'undecided',
        open: [],
        executed: [],
        seen: 0,
        busy: false,
        load: { ofAccount: 0, carried: 0, waiting: 0 },
        ...{ sight: {}, now: expect.any(Number) },
      })
    })

    test('answers a recorded question with the same bytes and any other with the end', async () => {
      const { ledger } = await create()
      await accept(ledger, 's')
      expect(await ledger.lookup(question('s'))).toEqual({
        kind: 'answered',
        screen: screenOf('s'),
      })
      expect(await ledger.lookup(question('s', alice, 'other'))).toEqual({ kind: 'ended' })
      expect(await ledger.claim(claiming('s', 'later'))).toEqual({
        kind: 'answered',
        screen: screenOf('s'),
      })
      expect(await ledger.claim(claiming('s', 'later', { input: 'other' }))).toEqual({
        kind: 'ended',
      })
    })

    test('gives the same token its own claim back, and nobody else', async () => {
      const { ledger } = await create()
      const first = await ledger.claim(claiming('s', 'mine'))
      expect(first).toMatchObject({ kind: 'claimed', slot: { nonce: 0 } })
      expect(await ledger.claim(claiming('s', 'mine'))).toEqual(first)
      expect(await ledger.claim(claiming('s', 'other'))).toEqual({ kind: 'pending' })
      expect(await ledger.lookup(question('s'))).toEqual({ kind: 'pending' })
    })

    test('lets one of many claims of one session through', async () => {
      const { ledger } = await create()
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, index) => ledger.claim(claiming('s', `token ${index}`))),
      )
      expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1)
      expect(claims.filter(({ kind }) => kind === 'pending')).toHaveLength(19)
    })

    test('hands an ended lease to the next, and drops what the slow holder brings', async () => {
      const { ledger, rules, pass } = await create()
      await ledger.claim(claiming('s', 'slow'))
      pass(rules.leaseMs)
      expect(await ledger.claim(claiming('s', 'next'))).toMatchObject({
        kind: 'claimed',
        slot: { nonce: 0 },
      })
      expect(await ledger.record(acceptance('s', 'slow', 0))).toEqual({ kind: 'fenced' })
      expect(await ledger.record(acceptance('s', 'next', 0))).toEqual({ kind: 'recorded' })
    })

    test('takes no record after its lease, though no other has claimed since', async () => {
      const { ledger, rules, pass } = await create()
      await ledger.claim(claiming('s', 'slow'))
      pass(rules.leaseMs)
      expect(await ledger.record(acceptance('s', 'slow', 0))).toEqual({ kind: 'fenced' })
      expect(await ledger.record(acceptance('s', 'slow', undefined))).toEqual({ kind: 'fenced' })
      expect((await ledger.work()).carried).toEqual([])
    })

    test('judges a claim again that comes again after its lease', async () => {
      const { ledger, rules, pass } = await create()
      const slow = claiming('s', 'slow', { seen: 0 })
      await ledger.claim(slow)
      pass(rules.leaseMs)
      await accept(ledger, 'between')
      expect(await ledger.claim(slow)).toEqual({ kind: 'changed' })
      const again = await ledger.claim({ ...slow, seen: 1 })
      expect(again).toMatchObject({ kind: 'claimed', slot: { nonce: 1 } })
      expect(await ledger.record(acceptance('s', 'slow', 0))).toEqual({ kind: 'fenced' })
      const recorded = await ledger.record({ ...acceptance('s', 'slow', 1), seen: 1 })
      expect(recorded).toEqual({ kind: 'recorded' })
    })

    test('gives a claim that waits its turn no nonce back that it had before its lease ended', async () => {
      const { ledger, rules, pass } = await create()
      const last = rules.maxInFlight - 1
      for (let index = 0; index < last; index++) await accept(ledger, `filler ${index}`, bob)
      const slow = claiming('s', 'slow')
      expect(await ledger.claim(slow)).toMatchObject({ slot: { nonce: last } })
      expect(await accept(ledger, 'between')).toBeUndefined()
      pass(rules.leaseMs)
      const waits = { kind: 'claimed', slot: undefined }
      expect(await ledger.claim(slow)).toEqual(waits)
      expect(await ledger.claim(slow)).toEqual(waits)
    })

    test('records nothing on a view that the account has outgrown', async () => {
      const { ledger } = await create()
      await ledger.claim(claiming('s', 'mine', { seen: 0 }))
      await ledger.adopt({
        ...{ ...question('lost'), steps: 3, screen: screenOf('lost') },
        ...{ order: orderOf('lost'), execution: executionIn(9) },
      })
      const late = await ledger.record({ ...acceptance('s', 'mine', 0), seen: 0 })
      expect(late).toEqual({ kind: 'fenced' })
      expect((await ledger.work()).carried).toEqual([])
    })

    test('takes a record of its holder once, however often it arrives', async () => {
      const { ledger } = await create()
      await ledger.claim(claiming('s', 'mine'))
      expect(await ledger.record(acceptance('s', 'mine', 0))).toEqual({ kind: 'recorded' })
      expect(await ledger.record(acceptance('s', 'mine', 0))).toEqual({ kind: 'recorded' })
      expect(await ledger.record(acceptance('s', 'other', 0))).toEqual({ kind: 'fenced' })
      expect((await ledger.work()).carried).toHaveLength(1)
    })

    test('records nothing for a nonce that its token does not hold', async () => {
      const { ledger } = await create()
      await ledger.claim(claiming('a', 'token a'))
      await ledger.claim(claiming('b', 'token b'))
      expect(await ledger.record(acceptance('b', 'token b', 0))).toEqual({ kind: 'fenced' })
      expect((await ledger.work()).carried).toHaveLength(0)
    })

    test('keeps a refused session refused', async () => {
      const { ledger } = await create()
      const refusing = { ...question('s'), steps: 3, screen: screenOf('No'), token: 't' }
      expect(await ledger.refuse(refusing)).toEqual({ kind: 'refused' })
      expect(await ledger.claim(claiming('s', 't'))).toEqual({
        kind: 'answered',
        screen: screenOf('No'),
      })
      expect(await ledger.lookup(question('s', alice, 'other'))).toEqual({ kind: 'closed' })
    })

    test('does not refuse what another Worker has claimed or recorded', async () => {
      const { ledger } = await create()
      await ledger.claim(claiming('s', 'mine'))
      const refusing = { ...question('s'), steps: 3, screen: screenOf('No'), token: 'other' }
      expect(await ledger.refuse(refusing)).toEqual({ kind: 'pending' })
      await ledger.record(acceptance('s', 'mine', 0))
      expect(await ledger.refuse(refusing)).toEqual({ kind: 'answered', screen: screenOf('s') })
    })

    test("takes back a holder's own claim and drops its bytes", async () => {
      const { ledger } = await create()
      await ledger.claim(claiming('s', 'mine'))
      const refusing = { ...question('s'), steps: 3, screen: screenOf('No'), token: 'mine' }
      expect(await ledger.refuse(refusing)).toEqual({ kind: 'refused' })
      expect(await ledger.record(acceptance('s', 'mine', 0))).toEqual({ kind: 'fenced' })
      expect(await accept(ledger, 'next')).toBe(0)
    })

    test('refuses another secret or chain, by its name', async () => {
      const { ledger } = await create()
      const identity = { chainId: 31, fingerprints: { KEY: 'a', ID: 'b' } }
      expect(await ledger.identify(identity)).toEqual({ kind: 'same' })
      expect(await ledger.identify(identity)).toEqual({ kind: 'same' })
      expect(
        await ledger.identify({ chainId: 30, fingerprints: { KEY: 'x', ID: 'b' } }),
      ).toMatchObject({ kind: 'different', names: expect.arrayContaining(['chain', 'KEY']) })
    })
  })

  describe(`the ledger on ${name}: identity`, () => {
    const begun = { chainId: 31, fingerprints: { FORWARDER_ADDRESS: 'old', KEY: 'k' } }
    const moved = { chainId: 31, fingerprints: { FORWARDER_ADDRESS: 'new', KEY: 'k' } }

    test('moves to another forwarder only while nothing is open', async () => {
      const { ledger } = await create()
      await ledger.identify(begun)
      await accept(ledger, 's')
      expect(await ledger.identify(moved)).toEqual({
        kind: 'different',
        names: ['FORWARDER_ADDRESS'],
      })
      await mineAt(ledger, 's', 0, executionIn(9))
      expect(await ledger.identify(moved)).toMatchObject({ kind: 'different' })
      await ledger.confirm('s', id('block 9'))
      expect(await ledger.identify(moved)).toEqual({ kind: 'same' })
      expect(await ledger.identify(begun)).toEqual({ kind: 'same' })
    })

    test('stays as it was where a part of it is refused: no key comes with a mistyped secret', async () => {
      const { ledger } = await create()
      await ledger.identify(begun)
      const mistyped = { chainId: 31, fingerprints: { ...moved.fingerprints, KEY: 'typo' } }
      expect(await ledger.identify(mistyped)).toEqual({ kind: 'different', names: ['KEY'] })
      await accept(ledger, 's')
      // What it was begun with goes on with what is open since.
      expect(await ledger.identify(begun)).toEqual({ kind: 'same' })
    })

    test('goes on with another account secret only where a drain names it and nothing is open', async () => {
      const { ledger } = await create()
      const under = (ACCOUNT_KEY_SECRET: string, KEY = 'k') => ({
        chainId: 31,
        fingerprints: { ACCOUNT_KEY_SECRET, KEY },
      })
      const refused = { kind: 'different', names: ['ACCOUNT_KEY_SECRET'] }
      await ledger.identify(under('old'))
      for (const intake of ['draining', 'paused', 'open'] as const) {
        await ledger.setIntake(intake, intake, intake === 'draining' ? undefined : 'new')
        expect(await ledger.identify(under('new'))).toEqual(refused)
      }
      await accept(ledger, 's')
      const drained = await ledger.setIntake('draining', 'named', 'new')
      expect(await ledger.setIntake('draining', 'again')).toEqual(drained)
      expect(await ledger.identify(under('new'))).toEqual(refused)
      await mineAt(ledger, 's', 0, executionIn(9))
      await ledger.confirm('s', id('block 9'))
      await ledger.setIntake('paused', 'not any more')
      expect(await ledger.identify(under('new'))).toEqual(refused)
      await ledger.setIntake('draining', 'named again', 'new')
      expect(await ledger.identify(under('typo'))).toEqual(refused)
      expect(await ledger.identify(under('new', 'typo'))).toMatchObject({ names: ['KEY'] })
      expect(await ledger.identify(under('new'))).toEqual({ kind: 'same' })
      await ledger.setIntake('open', 'done')
      expect(await ledger.identify(under('old'))).toEqual(refused)
      expect(await ledger.identify(under('new'))).toEqual({ kind: 'same' })
    })

    test('is what a payment goes by: by another forwarder none is claimed, and none waits', async () => {
      const { ledger } = await create()
      await ledger.identify(begun)
      const before = await ledger.claim(claiming('s', 't', { identity: begun }))
      expect(before).toMatchObject({ kind: 'claimed' })
      await ledger.release([0], 1)
      await ledger.refuse({ ...question('s'), steps: 3, token: 't', screen: screenOf('s') })
      expect(await ledger.claim(claiming('r', 't', { identity: moved }))).toEqual({
        kind: 'paused',
      })
      await ledger.claim(claiming('r', 't', { identity: begun }))
      const queued = acceptance('r', 't', undefined)
      expect(await ledger.record({ ...queued, identity: moved })).toEqual({ kind: 'fenced' })
      expect((await ledger.work(moved)).differences).toEqual(['FORWARDER_ADDRESS'])
      expect(await ledger.record({ ...queued, identity: begun })).toEqual({ kind: 'recorded' })
      expect((await ledger.work(begun)).differences).toEqual([])
    })
  })

  describe(`the ledger on ${name}: nonces`, () => {
    test('counts from the chain on, without a gap or a double', async () => {
      const { ledger } = await create()
      const claims = await Promise.all(
        ['a', 'b', 'c'].map((session) =>
          ledger.claim(claiming(session, `token ${session}`, { chainNonce: 7 })),
        ),
      )
      const nonces = claims.map((claim) => claim.kind === 'claimed' && claim.slot?.nonce)
      expect(nonces.sort()).toEqual([7, 8, 9])
    })

    test('follows a chain that another program has moved on', async () => {
      const { ledger } = await create()
      await accept(ledger, 'a')
      expect(await ledger.claim(claiming('b', 'b', { chainNonce: 5 }))).toMatchObject({
        slot: { nonce: 5 },
      })
    })

    test('begins above what the pool holds and it does not know', async () => {
      const { ledger, rules } = await create()
      const counts = { chainNonce: 3, poolNonce: 5 }
      expect(await ledger.claim(claiming('a', 'a', counts))).toMatchObject({ slot: { nonce: 5 } })
      expect(await ledger.claim(claiming('b', 'b', counts))).toMatchObject({ slot: { nonce: 6 } })
      const full = { chainNonce: 3, poolNonce: 3 + rules.maxInFlight }
      expect(await ledger.claim(claiming('c', 'c', full))).toMatchObject({ slot: undefined })
    })

    test('gives a nonce that was never recorded to the next claim', async () => {
      const { ledger, rules, pass } = await create()
      await ledger.claim(claiming('dead', 'dead'))
      expect(await accept(ledger, 'b', bob)).toBe(1)
      pass(rules.leaseMs)
      expect(await accept(ledger, 'c')).toBe(0)
      expect(await accept(ledger, 'd')).toBe(2)
    })

    test('hands out no nonce that was never recorded and that the chain has passed', async () => {
      const { ledger, rules, pass } = await create()
      await ledger.claim(claiming('dead', 'dead'))
      pass(rules.leaseMs)
      expect(await ledger.claim(claiming('b', 'b', { chainNonce: 3 }))).toMatchObject({
        slot: { nonce: 3 },
      })
    })

    test('queues what the pool would refuse, and lets nothing overtake it', async () => {
      const { ledger, rules } = await create()
      await fill(ledger, rules)
      expect(await accept(ledger, 'e')).toBeUndefined()
      expect(await ledger.lookup(question('e'))).toEqual({
        kind: 'answered',
        screen: screenOf('e'),
      })
      const claim = await ledger.claim(claiming('f', 'f', { chainNonce: rules.maxInFlight }))
      expect(claim).toEqual({ kind: 'claimed', slot: undefined })
      expect((await ledger.work()).queued.map(({ session }) => session)).toEqual(['e'])
    })

    test('has room for what blocks have taken since the count was read', async () => {
      const { ledger, rules } = await create()
      await fill(ledger, rules)
      await mineAt(ledger, 'filler 0', 0, executionIn(5))
      expect(await accept(ledger, 'next')).toBe(rules.maxInFlight)
      expect(await accept(ledger, 'one more')).toBeUndefined()
    })

    test('has no room beyond what blocks have taken, whatever the pool holds of others', async () => {
      const { ledger, rules } = await create()
      await fill(ledger, rules)
      const [last, next] = [rules.maxInFlight - 1, rules.maxInFlight]
      const [session, token] = [`filler ${last}`, 'lease']
      await ledger.displaced(last)
      await mineAt(ledger, 'filler 0', 0, executionIn(5))
      await ledger.lease({ nonce: next, token, chainNonce: 1, sessions: [session] })
      await ledger.attach({ nonce: next, token, transaction: transactionOf('again') })
      expect(await accept(ledger, 'next')).toBeUndefined()
    })

    test('has room for as many as may be open, leases among them', async () => {
      const { ledger } = await create()
      const room = { ofAccount: 9, open: 2, waiting: 9 }
      await accept(ledger, 'a', bob)
      const claims = await Promise.all(
        ['b', 'c', 'd'].map((session) => ledger.claim(claiming(session, session, { room }))),
      )
      const full = { kind: 'full', load: { ofAccount: 1, carried: 2, waiting: 0 } }
      expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1)
      expect(claims.filter(({ kind }) => kind === 'full')).toEqual([full, full])
      expect(await ledger.lookup(question('e'))).toMatchObject({ load: full.load })
    })

    test('has room for as many of an account as it may have, and for others', async () => {
      const { ledger } = await create()
      const room = { ofAccount: 2, open: 99, waiting: 99 }
      await accept(ledger, 'a')
      const claims = await Promise.all(
        ['b', 'c'].map((session) => ledger.claim(claiming(session, session, { room }))),
      )
      expect(claims.map(({ kind }) => kind).sort()).toEqual(['claimed', 'full'])
      const others = { ...question('d', bob), room }
      expect(await ledger.claim(claiming('d', 'd', others))).toMatchObject({ kind: 'claimed' })
    })

    test('queues no more than may wait, whatever was claimed before', async () => {
      const { ledger, rules } = await create()
      await fill(ledger, rules)
      const room = { ofAccount: 9, open: 1_000, waiting: 1 }
      await ledger.claim(claiming('a', 'a', { room }))
      await ledger.claim(claiming('b', 'b', { room }))
      const record = (session: string) =>
        ledger.record({ ...acceptance(session, session, undefined), room })
      expect(await record('a')).toEqual({ kind: 'recorded' })
      const load = { ofAccount: 1, carried: rules.maxInFlight, waiting: 1 }
      expect(await record('b')).toEqual({ kind: 'full', load })
      expect(await ledger.claim(claiming('c', 'c', { room }))).toEqual({
        kind: 'full',
        load: { ...load, ofAccount: 2 },
      })
      // Its claim is the holder's until it is refused.
      const refusing = { ...question('b'), steps: 3, screen: screenOf('No'), token: 'b' }
      expect(await ledger.refuse(refusing)).toEqual({ kind: 'refused' })
      expect((await ledger.work()).queued.map(({ session }) => session)).toEqual(['a'])
    })

    test('notes what payments are refused for, once a minute', async () => {
      const { ledger, pass } = await create()
      let made = 0
      const refuse = (obstacle?: 'crowded' | 'relayer_poor') => {
        const session = `s${made++}`
        const refusing = { ...question(session), steps: 3, screen: screenOf('No'), token: session }
        return ledger.refuse({ ...refusing, obstacle })
      }
      expect(await refuse()).toEqual({ kind: 'refused' })
      expect((await ledger.vitals()).obstacle).toBeUndefined()
      expect(await refuse('crowded')).toEqual({ kind: 'refused', isNews: true })
      expect(await refuse('crowded')).toEqual({ kind: 'refused' })
      expect(await refuse('relayer_poor')).toEqual({ kind: 'refused', isNews: true })
      expect((await ledger.vitals()).obstacle).toMatchObject({ kind: 'relayer_poor' })
      pass(60_000)
      expect(await refuse('relayer_poor')).toEqual({ kind: 'refused', isNews: true })
    })

    test('carries a queued payment on a leased nonce, once', async () => {
      const { ledger, rules } = await create()
      await fill(ledger, rules)
      await accept(ledger, 'e')
      const nonce = rules.maxInFlight
      const lease = { nonce, chainNonce: 1, sessions: ['e'] }
      expect(await ledger.lease({ ...lease, token: 't' })).toMatchObject({ kind: 'leased' })
      expect(await ledger.lease({ ...lease, token: 'u' })).toEqual({ kind: 'taken' })
      const attachment = { nonce, transaction: transactionOf('e') }
      expect(await ledger.attach({ ...attachment, token: 'u' })).toEqual({ kind: 'fenced' })
      expect(await ledger.attach({ ...attachment, token: 't' })).toEqual({ kind: 'recorded' })
      expect(await ledger.attach({ ...attachment, token: 't' })).toEqual({ kind: 'recorded' })
      const others = { ...attachment, transaction: transactionOf('other') }
      expect(await ledger.attach({ ...others, token: 't' })).toEqual({ kind: 'fenced' })
      expect(await ledger.payment('e')).toMatchObject({ state: 'signed', nonce })
    })

    test('leaves a payment to its deadline that was carried in vain too often', async () => {
      const { ledger, rules } = await create()
      await accept(ledger, 'a')
      for (let attempt = 0; attempt < rules.maxAttempts; attempt++) {
        await ledger.displaced(attempt)
        const token = `attempt ${attempt}`
        const lease = { nonce: attempt + 1, token, chainNonce: attempt + 1, sessions: ['a'] }
        if ((await ledger.lease(lease)).kind === 'taken') continue
        await ledger.attach({ nonce: attempt + 1, token, transaction: transactionOf(token) })
      }
      expect(await ledger.payment('a')).toMatchObject({
        state: 'queued',
        attempts: rules.maxAttempts,
      })
      expect(await ledger.work()).toMatchObject({ queued: [], stuck: [{ session: 'a' }] })
      // It keeps nobody else from a nonce.
      expect(
        await ledger.claim(claiming('b', 'b', { chainNonce: rules.maxAttempts })),
      ).toMatchObject({ kind: 'claimed', slot: { nonce: rules.maxAttempts } })
    })

    test('lets nobody wait behind a payment that is past its deadline', async () => {
      const { ledger, rules } = await create()
      await fill(ledger, rules)
      const token = 'late'
      await ledger.claim(claiming('late', token))
      const late = acceptance('late', token, undefined)
      const request = { ...late.order.request, deadline: 1 }
      await ledger.record({ ...late, order: { ...late.order, request } })
      expect(await ledger.claim(claiming('next', 'n', { chainNonce: 1 }))).toMatchObject({
        slot: { nonce: rules.maxInFlight },
      })
    })

    test('leases no nonce that carries something or lies outside the pool', async () => {
      const { ledger, rules } = await create()
      await accept(ledger, 'a')
      const lease = { token: 't', sessions: [] }
      expect(await ledger.lease({ ...lease, nonce: 0, chainNonce: 0 })).toEqual({ kind: 'taken' })
      expect(await ledger.lease({ ...lease, nonce: 1, chainNonce: 2 })).toEqual({ kind: 'taken' })
      expect(await ledger.lease({ ...lease, nonce: rules.maxInFlight, chainNonce: 0 })).toEqual({
        kind: 'taken',
      })
    })

    test('leaves a displaced nonce alone for as long as a pool may hold what displaced it', async () => {
      const { ledger, rules, pass } = await create()
      await accept(ledger, 'a')
      await ledger.displaced(0)
      const lease = { nonce: 0, token: 't', chainNonce: 0, sessions: ['a'] }
      pass(rules.displacedMs - 1)
      expect(await ledger.lease(lease)).toEqual({ kind: 'taken' })
      pass(1)
      // What was recorded for it never was in a pool: there is nothing to outbid.
      expect(await ledger.lease(lease)).toEqual({
        kind: 'leased',
        slot: { nonce: 0, priorGasPriceWei: undefined },
      })
    })

    test('begins a nonce anew that was displaced, with nothing to outbid', async () => {
      const { ledger, rules, pass } = await create()
      const leasing = { nonce: 0, token: 'round', chainNonce: 0, sessions: [] }
      await ledger.lease(leasing)
      const attaching = { nonce: 0, token: 'round', transaction: transactionOf('a') }
      await ledger.attach(attaching)
      await ledger.sent(attaching.transaction.hash, 'taken')
      await ledger.displaced(0)
      pass(rules.displacedMs + 1)
      const slot = { nonce: 0, priorGasPriceWei: undefined }
      expect(await ledger.lease(leasing)).toEqual({ kind: 'leased', slot })
      await ledger.attach(attaching)
      expect((await ledger.work()).nonces[0]?.transactions[0]?.sentAt).toBeUndefined()
    })

    test("keeps a payment's place among its account's when it gets another nonce", async () => {
      const { ledger, pass } = await create()
      const nonce = await accept(ledger, 'z')
      pass(1_000)
      await accept(ledger, 'a')
      await ledger.abandon(nonce ?? 0)
      const view = await ledger.lookup(question('look'))
      const open = view.kind === 'undecided' ? view.open.map(({ intentId }) => intentId) : []
      expect(open).toEqual([id('z'), id('a')])
    })

    test('keeps no lease that ended and that the chain has passed, though the claim waits', async () => {
      const { ledger, rules, pass } = await create()
      await ledger.claim(claiming('first', 'a'))
      await ledger.claim(claiming('waits', 'b'))
      await ledger.record(acceptance('waits', 'b', undefined))
      pass(rules.leaseMs + 1)
      expect((await ledger.work()).nonces).toHaveLength(2)
      const counts = { chainNonce: 2, poolNonce: 2 }
      expect(await ledger.claim(claiming('next', 'c', counts))).toMatchObject({ slot: undefined })
      expect((await ledger.work()).nonces).toEqual([])
    })

    test('gives back the highest leases, and none below a recorded nonce', async () => {
      const { ledger, rules, pass } = await create()
      await ledger.claim(claiming('low', 'low'))
      await accept(ledger, 'middle')
      await ledger.claim(claiming('high', 'high'))
      pass(rules.leaseMs)
      await ledger.release([0, 2], 0)
      const { nonces, nextNonce } = await ledger.work()
      expect(nonces.map(({ nonce }) => nonce)).toEqual([0, 1])
      expect(nextNonce).toBe(2)
      await ledger.release([0], 1)
      expect((await ledger.work()).nonces.map(({ nonce }) => nonce)).toEqual([1])
    })

    test('gives back a lease below one that was given up: nothing stays open for it', async () => {
      const { ledger, rules, pass } = await create()
      await ledger.claim(claiming('low', 'low'))
      await accept(ledger, 'middle')
      await ledger.displaced(1)
      await ledger.expire('middle')
      pass(rules.leaseMs)
      await ledger.release([0], 0)
      expect((await ledger.work()).nonces).toEqual([])
      expect(await accept(ledger, 'next')).toBe(2)
    })

    test('gives an account no nonce below those of its open payments: it was judged after them', async () => {
      const { ledger, rules, pass } = await create()
      await ledger.claim(claiming('low', 'low', question('low', bob)))
      await accept(ledger, 'first')
      pass(rules.leaseMs)
      expect(await ledger.claim(claiming('second', 'b'))).toMatchObject({ slot: { nonce: 2 } })
      expect(await ledger.claim(claiming('other', 'c', question('other', bob)))).toMatchObject({
        slot: { nonce: 0 },
      })
    })

    test('takes no lease from its holder before it ends', async () => {
      const { ledger } = await create()
      await ledger.claim(claiming('a', 'mine'))
      await ledger.release([0], 0)
      expect(await ledger.record(acceptance('a', 'mine', 0))).toEqual({ kind: 'recorded' })
    })

    test('outbids the dearest bytes, whatever number of digits their price has', async () => {
      const { ledger } = await create()
      await accept(ledger, 'a')
      const replace = (over: string, name: string, priceWei: bigint) =>
        ledger.replace({
          nonce: 0,
          over: transactionOf(over).hash,
          transaction: transactionOf(name, priceWei),
        })
      expect(await replace('a', 'a2', 990n)).toEqual({ kind: 'recorded' })
      expect(await replace('a2', 'a3', 1_400n)).toEqual({ kind: 'recorded' })
      expect(await replace('a2', 'a4', 2_000n)).toEqual({ kind: 'fenced' })
      expect(await replace('a3', 'a4', 2_000n)).toEqual({ kind: 'recorded' })
    })

    test('takes a replacement over the bytes that it names only', async () => {
      const { ledger } = await create()
      await accept(ledger, 'a')
      const dearer = { nonce: 0, transaction: transactionOf('a2', 140n) }
      expect(await ledger.replace({ ...dearer, over: id('other') })).toEqual({ kind: 'fenced' })
      expect(await ledger.replace({ ...dearer, over: transactionOf('a').hash })).toEqual({
        kind: 'recorded',
      })
      const third = { ...dearer, transaction: transactionOf('a3', 1400n) }
      expect(await ledger.replace({ ...third, over: transactionOf('a').hash })).toEqual({
        kind: 'fenced',
      })
      const [open] = (await ledger.work()).nonces
      expect(open?.transactions.map(({ gasPriceWei }) => gasPriceWei)).toEqual([140n, 100n])
    })
  })

  describe(`the ledger on ${name}: a payment's life`, () => {
    test('leads from signed to confirmed, each step once', async () => {
      const { ledger } = await create()
      await accept(ledger, 's')
      const { hash } = transactionOf('s')
      const step = { intentId: id('s'), kind: 'transfer', reason: '' }
      expect(await ledger.sent(hash, 'unknown')).toEqual([])
      expect(await ledger.sent(hash, 'taken')).toMatchObject([
        { ...step, from: 'signed', to: 'broadcast', hash },
      ])
      expect(await ledger.sent(hash, 'taken')).toEqual([])
      expect(await mineAt(ledger, 's', 0, executionIn(9))).toMatchObject([
        { ...step, from: 'broadcast', to: 'mined' },
      ])
      expect(await mineAt(ledger, 's', 0, executionIn(9))).toEqual([])
      expect(await mineAt(ledger, 's', 0, executionIn(10))).toEqual([])
      expect(await ledger.blocks(0)).toEqual([{ number: 9, hash: id('block 9') }])
      expect(await ledger.confirm('s', id('another block'))).toEqual([])
      expect(await ledger.confirm('s', id('block 9'))).toMatchObject([
        { ...step, from: 'mined', to: 'confirmed', hash: id('mined') },
      ])
      expect(await ledger.confirm('s', id('block 9'))).toEqual([])
      expect(await ledger.payment('s')).toMatchObject({
        state: 'confirmed',
        execution: { outcome: 'executed' },
        order: { spendsWei: 10n ** 30n },
      })
    })

    test('ends reverted, with its reason, when the call failed', async () => {
      const { ledger } = await create()
      await accept(ledger, 's')
      await mineAt(ledger, 's', 0, executionIn(9, { outcome: 'failed', reason: 'No' }))
      expect(await ledger.confirm('s', id('block 9'))).toMatchObject([
        { to: 'reverted', reason: 'No' },
      ])
    })

    test('settles out of order', async () => {
      const { ledger } = await create()
      await accept(ledger, 'a')
      await accept(ledger, 'b')
      await mineAt(ledger, 'b', 1, executionIn(9))
      await ledger.confirm('b', id('block 9'))
      await mineAt(ledger, 'a', 0, executionIn(8))
      await ledger.confirm('a', id('block 8'))
      const { nonces, carried, mined } = await ledger.work()
      expect({ nonces, carried, mined }).toEqual({ nonces: [], carried: [], mined: [] })
    })

    test('goes back to the queue when its transaction did nothing for it', async () => {
      const { ledger } = await create()
      await accept(ledger, 's')
      const block = { number: 9, hash: id('block 9') }
      const { hash } = transactionOf('s')
      const report = { nonce: 0, sessions: ['s'], hash, block, executions: {} }
      expect(await ledger.mined(report)).toMatchObject([{ to: 'queued' }])
      expect(await ledger.payment('s')).toMatchObject({ attempts: 1, nonce: undefined })
    })

    test('goes back when a reorganization removes its block, also from confirmed', async () => {
      const { ledger } = await create()
      await accept(ledger, 's')
      await mineAt(ledger, 's', 0, executionIn(9))
      await ledger.confirm('s', id('block 9'))
      expect(await ledger.blocks(8)).toEqual([{ number: 9, hash: id('block 9') }])
      expect(await ledger.blocks(9)).toEqual([])
      expect(await ledger.reopen(id('block 9'))).toMatchObject([
        { from: 'confirmed', to: 'broadcast' },
      ])
      expect(await ledger.reopen(id('block 9'))).toEqual([])
      expect((await ledger.work()).nonces).toMatchObject([{ nonce: 0, state: 'recorded' }])
      expect(await mineAt(ledger, 's', 0, executionIn(10, { outcome: 'failed' }))).toMatchObject([
        { to: 'mined' },
      ])
    })

    test('finds another nonce when its own was used or is out of reach', async () => {
      const { ledger } = await create()
      await accept(ledger, 'a')
      await accept(ledger, 'b')
      expect(await ledger.displaced(0)).toMatchObject([{ to: 'queued' }])
      expect(await ledger.displaced(0)).toEqual([])
      expect(await ledger.abandon(1)).toMatchObject([{ to: 'queued' }])
      const { queued, nextNonce } = await ledger.work()
      expect(queued).toHaveLength(2)
      expect(nextNonce).toBe(1)
      // Bytes were recorded for nonce 1: the payment that gets it has to outbid them.
      expect(
        await ledger.lease({ nonce: 1, token: 't', chainNonce: 1, sessions: ['a'] }),
      ).toMatchObject({ slot: { priorGasPriceWei: 100n } })
    })

    test("is not settled by what another payment's transaction did on its nonce", async () => {
      const { ledger } = await create()
      await accept(ledger, 'a')
      await ledger.abandon(0)
      const leased = { nonce: 0, token: 't', chainNonce: 0, sessions: ['a'] }
      await ledger.claim(claiming('b', 'b', { ...question('b', bob) }))
      await ledger.record(acceptance('b', 'b', undefined, bob))
      await ledger.lease({ ...leased, sessions: ['b'] })
      await ledger.attach({ nonce: 0, token: 't', transaction: transactionOf('b', 140n) })
      // The Worker that waits for the first payment's transaction still looks at nonce 0.
      expect(await mineAt(ledger, 'a', 0, executionIn(9))).toEqual([])
      expect(await ledger.payment('b')).toMatchObject({ state: 'signed' })
      expect(await mineAt(ledger, 'b', 0, executionIn(9))).toMatchObject([{ to: 'mined' }])
    })

    test.for([
      ['reverted', (ledger: Ledger) => ledger.confirm('s', id('block 9'))],
      ['expired', (ledger: Ledger) => ledger.expire('s')],
    ] as const)('is told to have failed once it is %s, and not before', async ([state, end]) => {
      const { ledger } = await create()
      await accept(ledger, 's')
      if (state === 'reverted') {
        await mineAt(ledger, 's', 0, executionIn(9, { outcome: 'failed' }))
      }
      const answered = { kind: 'answered', screen: screenOf('s') }
      expect(await ledger.lookup(question('s'))).toEqual(answered)
      expect(await end(ledger)).toMatchObject([{ to: state }])
      const failed = { kind: 'failed', screen: screenOf('s') }
      expect(await ledger.lookup(question('s'))).toEqual(failed)
      expect(await ledger.claim(claiming('s', 'again'))).toEqual(failed)
      expect(await ledger.lookup(question('s', alice, 'another'))).toEqual({ kind: 'ended' })
      await ledger.reopen(id('block 9'))
      const after = state === 'reverted' ? answered : failed
      expect(await ledger.lookup(question('s'))).toEqual(after)
    })

    test('is told to have failed at once where a ledger without its rows finds it so', async () => {
      const { ledger } = await create()
      const execution = executionIn(9, { outcome: 'failed' })
      const adoption = { ...question('s'), steps: 3, order: orderOf('s'), screen: screenOf('s') }
      await ledger.adopt({ ...adoption, execution })
      expect(await ledger.lookup(question('s'))).toMatchObject({ kind: 'failed' })
      // On another branch it may yet succeed.
      await ledger.reopen(id('block 9'))
      expect(await ledger.lookup(question('s'))).toMatchObject({ kind: 'answered' })
    })

    test('is found by the hash that was shown, with the one that was mined', async () => {
      const { ledger } = await create()
      await accept(ledger, 's')
      const [shown, over] = [transactionOf('s').hash, transactionOf('over', 140n)]
      await ledger.replace({ nonce: 0, over: shown, transaction: over })
      const foundBy = async (hash: Hex) => (await ledger.page({ hash, limit: 9 })).payments
      expect(await foundBy(shown)).toMatchObject([{ state: 'signed' }])
      await mineAt(ledger, 's', 0, executionIn(9, { hash: over.hash }))
      for (const hash of [shown, over.hash]) {
        expect(await foundBy(hash)).toMatchObject([{ hash: over.hash }])
      }
      expect(await foundBy(id('unknown'))).toEqual([])
    })

    test('counts how often in a row no node took its bytes', async () => {
      const { ledger } = await create()
      await accept(ledger, 's')
      const { hash } = transactionOf('s')
      const failures = async () => {
        const [open] = (await ledger.work()).nonces
        return open?.transactions.map((transaction) => transaction.failures)
      }
      expect(await failures()).toEqual([0])
      await ledger.sent(hash, 'unknown')
      await ledger.sent(hash, 'unknown')
      expect(await failures()).toEqual([2])
      await ledger.sent(hash, 'taken')
      expect(await failures()).toEqual([0])
      // Whether a pool still has what a reorganization took back is not known.
      await mineAt(ledger, 's', 0, executionIn(9))
      await ledger.reopen(id('block 9'))
      expect(await failures()).toEqual([1])
    })

    test('is not queued again while its nonce carries it', async () => {
      const { ledger } = await create()
      await accept(ledger, 's')
      expect(await ledger.requeue('s')).toEqual([])
      expect(await ledger.requeue('unknown')).toEqual([])
      expect(await ledger.payment('s')).toMatchObject({ state: 'signed', attempts: 0 })
    })

    test('expires once, and its nonce is no payment of its any more', async () => {
      const { ledger } = await create()
      await accept(ledger, 's')
      expect(await ledger.expire('s')).toMatchObject([{ from: 'signed', to: 'expired' }])
      expect(await ledger.expire('s')).toEqual([])
      expect((await ledger.work()).nonces).toMatchObject([{ nonce: 0, sessions: [] }])
      const dearer = {
        nonce: 0,
        over: transactionOf('s').hash,
        transaction: transactionOf('x', 140n),
      }
      expect(await ledger.replace(dearer)).toEqual({ kind: 'recorded' })
    })

    test('is adopted from the chain by a ledger that lost it', async () => {
      const { ledger } = await create()
      const adoption = {
        ...question('s'),
        steps: 3,
        screen: screenOf('s'),
        order: orderOf('s'),
        execution: executionIn(9),
      }
      expect(await ledger.adopt(adoption)).toEqual({ kind: 'adopted' })
      expect(await ledger.adopt(adoption)).toEqual({ kind: 'answered', screen: screenOf('s') })
      expect(await ledger.confirm('s', id('block 9'))).toMatchObject([{ to: 'confirmed' }])
      expect(await ledger.reopen(id('block 9'))).toMatchObject([{ to: 'queued' }])
      expect(await ledger.settle('s', executionIn(10))).toMatchObject([{ to: 'mined' }])
    })
  })

  describe(`the ledger on ${name}: a transaction of several payments`, () => {
    /** Three accounts' payments that wait, and one transaction on nonce 0 that carries them. */
    async function openBatch() {
      const harness = await create()
      const { ledger } = harness
      const sessions = ['a', 'b', 'c']
      for (const [index, session] of sessions.entries()) {
        const account = [alice, bob, carol][index]
        await accept(ledger, session, account, {}, { poolNonce: 1_000 })
      }
      await ledger.lease({ nonce: 0, token: 'round', chainNonce: 0, sessions })
      const carrying = { nonce: 0, token: 'round', transaction: transactionOf('batch') }
      expect(await ledger.attach(carrying)).toEqual({ kind: 'recorded' })
      const { hash } = transactionOf('batch')
      const states = async () =>
        Promise.all(
          sessions.map(async (session) => {
            const payment = await ledger.payment(session)
            return `${payment?.state} ${payment?.nonce ?? 'nowhere'}`
          }),
        )
      const { block } = executionIn(9)
      const mine = (executions: Record<string, Execution>) =>
        ledger.mined({ nonce: 0, sessions, hash, block, executions })
      return { ...harness, sessions, hash, states, mine }
    }

    test('is one nonce that carries each of them', async () => {
      const { ledger, sessions, hash, states } = await openBatch()
      expect(await states()).toEqual(['signed 0', 'signed 0', 'signed 0'])
      expect((await ledger.work()).nonces).toMatchObject([{ nonce: 0, sessions }])
      expect(await ledger.vitals()).toMatchObject({ carried: 3, waiting: 0 })
      expect(await ledger.sent(hash, 'taken')).toMatchObject(
        sessions.map(() => ({ to: 'broadcast' })),
      )
      const { payments } = await ledger.page({ hash, limit: 9 })
      expect(payments.map(({ intentId }) => intentId).sort()).toEqual(sessions.map(id))
    })

    test('tells of each what the block did for it, and has the others wait again', async () => {
      const { ledger, states, mine } = await openBatch()
      const failed = executionIn(9, { outcome: 'failed', reason: 'Insufficient balance' })
      await mine({ a: executionIn(9), b: failed })
      expect(await states()).toEqual(['mined 0', 'mined 0', 'queued nowhere'])
      await ledger.confirm('a', executionIn(9).block.hash)
      await ledger.confirm('b', executionIn(9).block.hash)
      expect(await states()).toEqual(['confirmed 0', 'reverted 0', 'queued nowhere'])
      expect(await mine({ c: executionIn(9) })).toEqual([])
    })

    test('goes out again as a whole after a reorganization, and without whom another carries', async () => {
      const { ledger, hash, states, mine } = await openBatch()
      await mine({ a: executionIn(9), b: executionIn(9) })
      await ledger.lease({ nonce: 1, token: 'next', chainNonce: 1, sessions: ['c'] })
      await ledger.attach({ nonce: 1, token: 'next', transaction: transactionOf('c') })
      await ledger.reopen(executionIn(9).block.hash)
      expect(await states()).toEqual(['broadcast 0', 'broadcast 0', 'signed 1'])
      // The other branch executes all three there: the third is settled by its own nonce alone.
      await mine({ a: executionIn(8), b: executionIn(8) })
      expect(await states()).toEqual(['mined 0', 'mined 0', 'signed 1'])
      expect((await ledger.page({ hash, limit: 9 })).payments).toHaveLength(3)
    })

    test.for(['displaced', 'abandon'] as const)(
      'has all of them wait again where its nonce is given up (%s)',
      async (method) => {
        const { ledger, states, sessions } = await openBatch()
        expect(await ledger[method](0)).toHaveLength(sessions.length)
        expect(await states()).toEqual(['queued nowhere', 'queued nowhere', 'queued nowhere'])
      },
    )

    test('goes on for the others when one has ended', async () => {
      const { ledger, hash, states, mine } = await openBatch()
      expect(await ledger.expire('b')).toMatchObject([{ to: 'expired' }])
      // What was read before that settles nothing: it is read once more.
      const executions = { a: executionIn(9), c: executionIn(9) }
      expect(await mine(executions)).toEqual([])
      const { block } = executionIn(9)
      await ledger.mined({ nonce: 0, sessions: ['a', 'c'], hash, block, executions })
      expect(await states()).toEqual(['mined 0', 'expired nowhere', 'mined 0'])
    })

    test('is not made where one of them does not wait any more', async () => {
      const { ledger, sessions } = await openBatch()
      const lease = { nonce: 1, token: 'next', chainNonce: 0 }
      await accept(ledger, 'd', alice, {}, { poolNonce: 1_000 })
      await accept(ledger, 'e', bob, {}, { poolNonce: 1_000 })
      expect(await ledger.lease({ ...lease, sessions: ['d', 'a'] })).toEqual({ kind: 'taken' })
      expect(await ledger.lease({ ...lease, sessions: ['d', 'e'] })).toMatchObject({
        kind: 'leased',
      })
      await ledger.expire('e')
      const transaction = transactionOf('d and e')
      expect(await ledger.attach({ nonce: 1, token: 'next', transaction })).toEqual({
        kind: 'fenced',
      })
      expect((await ledger.work()).nonces).toMatchObject([{ sessions }, { state: 'leased' }])
      expect(await ledger.payment('d')).toMatchObject({ state: 'queued' })
    })
  })

  describe(`the ledger on ${name}: accounts`, () => {
    test("shows an account's open payments to the next claim, and to no other account", async () => {
      const { ledger } = await create()
      await accept(ledger, 'a')
      expect(await ledger.lookup(question('b'))).toEqual({
        kind: 'undecided',
        open: [orderOf('a').request],
        executed: [],
        seen: 1,
        busy: false,
        load: { ofAccount: 1, carried: 1, waiting: 0 },
        ...{ sight: {}, now: expect.any(Number) },
      })
      expect(await ledger.lookup(question('c', bob))).toMatchObject({ open: [], seen: 0 })
      await mineAt(ledger, 'a', 0, executionIn(9))
      expect(await ledger.lookup(question('b'))).toMatchObject({ open: [], seen: 1 })
    })

    test('tells what a block has executed lately: a node that is behind does not know it', async () => {
      const { ledger, pass } = await create()
      const executed = async () => {
        const view = await ledger.lookup(question('next'))
        return view.kind === 'undecided' ? view.executed.map(({ intentId }) => intentId) : []
      }
      const first = await accept(ledger, 'first')
      const second = await accept(ledger, 'second')
      expect(await executed()).toEqual([])
      await mineAt(ledger, 'first', first ?? -1, executionIn(9))
      await mineAt(ledger, 'second', second ?? -1, executionIn(9, { outcome: 'failed' }))
      expect(await executed()).toEqual([id('first')])
      await ledger.confirm('first', id('block 9'))
      expect(await executed()).toEqual([id('first')])
      pass(10 * 60 * 1000)
      expect(await executed()).toEqual([])
    })

    test('reserves what is shared until a view that shows it, and counts nothing twice', async () => {
      const { ledger } = await create()
      const one = { poolWei: 10n, capWei: 10n }
      const claim = (session: string, poolWei: bigint, block: number) => {
        const reserves = { ...one, of: { poolWei, capWei: 1_000n, block } }
        return ledger.claim(claiming(session, session, { ...question(session, bob), reserves }))
      }
      expect(await claim('a', 19n, 5)).toMatchObject({ slot: { nonce: 0 } })
      const order = { ...orderOf('a', bob), reserves: one }
      await ledger.record({ ...acceptance('a', 'a', 0, bob), order })
      // As long as no block holds it, by whatever view.
      expect(await claim('b', 19n, 8)).toEqual({ kind: 'none_left' })
      await mineAt(ledger, 'a', 0, executionIn(9))
      await ledger.confirm('a', id('block 9'))
      // Of block 8 it is reserved, and in block 9 the pool is the less.
      expect(await claim('b', 19n, 8)).toEqual({ kind: 'none_left' })
      expect(await claim('b', 9n, 9)).toEqual({ kind: 'none_left' })
      await ledger.reopen(id('block 9'))
      expect(await claim('b', 19n, 9)).toEqual({ kind: 'none_left' })
      await mineAt(ledger, 'a', 0, executionIn(10))
      expect(await claim('b', 10n, 10)).toMatchObject({ kind: 'claimed' })
    })

    test('reserves of the limit of withdrawals apart from what is lent', async () => {
      const { ledger } = await create()
      const none = { poolWei: 0n, capWei: 0n }
      const claim = (session: string, outWei: bigint, block: number) => {
        const reserves = { ...none, outWei: 10n, of: { ...none, outWei, block } }
        return ledger.claim(claiming(session, session, { ...question(session, bob), reserves }))
      }
      const borrow = (session: string, wei: bigint) => {
        const loan = { poolWei: wei, capWei: wei }
        const reserves = { ...loan, of: { ...loan, block: 8 } }
        return ledger.claim(claiming(session, session, { ...question(session, bob), reserves }))
      }
      expect(await claim('a', 19n, 5)).toMatchObject({ kind: 'claimed' })
      // By a claim that has recorded nothing yet.
      expect(await claim('b', 19n, 8)).toEqual({ kind: 'none_left' })
      const order = { ...orderOf('a', bob), reserves: { ...none, outWei: 10n } }
      await ledger.record({ ...acceptance('a', 'a', 0, bob), order })
      expect(await claim('b', 19n, 8)).toEqual({ kind: 'none_left' })
      expect(await borrow('c', 1n)).toMatchObject({ kind: 'claimed' })
      await mineAt(ledger, 'a', 0, executionIn(9))
      expect(await claim('b', 19n, 8)).toEqual({ kind: 'none_left' })
      expect(await claim('b', 10n, 9)).toMatchObject({ kind: 'claimed' })
    })

    test('lets no claim through that was checked against an older view', async () => {
      const { ledger } = await create()
      const stale = { seen: 0 }
      await accept(ledger, 'a')
      expect(await ledger.claim(claiming('b', 'b', stale))).toEqual({ kind: 'changed' })
      expect(
        await ledger.claim(claiming('c', 'c', { ...question('c', bob), ...stale })),
      ).toMatchObject({ kind: 'claimed' })
    })

    test('says when another session of the account is between claim and record', async () => {
      const { ledger, rules, pass } = await create()
      await ledger.claim(claiming('a', 'a'))
      expect(await ledger.lookup(question('b'))).toMatchObject({ busy: true })
      expect(await ledger.lookup(question('c', bob))).toMatchObject({ busy: false })
      pass(rules.leaseMs)
      expect(await ledger.lookup(question('b'))).toMatchObject({ busy: false })
      expect(await ledger.lookup(question('a'))).toMatchObject({ busy: false })
      await accept(ledger, 'a')
      expect(await ledger.lookup(question('b'))).toMatchObject({ busy: false })
    })

    test('lets one session of an account through between claim and record', async () => {
      const { ledger, rules, pass } = await create()
      await ledger.claim(claiming('a', 'a', { seen: 0 }))
      expect(await ledger.claim(claiming('b', 'b', { seen: 0 }))).toEqual({ kind: 'changed' })
      pass(rules.leaseMs)
      expect(await ledger.claim(claiming('b', 'b', { seen: 0 }))).toMatchObject({ kind: 'claimed' })
      await ledger.record(acceptance('b', 'b', 0))
      expect(await ledger.claim(claiming('c', 'c', { seen: 1 }))).toMatchObject({ kind: 'claimed' })
    })

    test('lists the last payments of an account, the newest first', async () => {
      const { ledger, pass } = await create()
      for (const session of ['a', 'b', 'c']) {
        await accept(ledger, session)
        pass(1)
      }
      await accept(ledger, 'd', bob)
      const listed = await ledger.payments(alice, 2)
      expect(listed.map(({ session }) => session)).toEqual(['c', 'b'])
    })
  })

  describe(`the ledger on ${name}: time`, () => {
    test('forgets settled payments and their sessions after the retention time', async () => {
      const { ledger, rules, pass } = await create()
      await accept(ledger, 'a')
      await mineAt(ledger, 'a', 0, executionIn(9))
      await ledger.confirm('a', id('block 9'))
      pass(rules.retentionMs - 1)
      await ledger.prune()
      expect(await ledger.lookup(question('a'))).toMatchObject({ kind: 'answered' })
      pass(2)
      await ledger.prune()
      expect(await ledger.lookup(question('a'))).toMatchObject({ kind: 'undecided', seen: 0 })
      expect((await ledger.work()).nextNonce).toBe(1)
    })

    test('never forgets an open payment', async () => {
      const { ledger, rules, pass } = await create()
      await accept(ledger, 'a')
      pass(rules.retentionMs * 2)
      await ledger.prune()
      expect(await ledger.lookup(question('a'))).toMatchObject({ kind: 'answered' })
      expect((await ledger.work()).carried).toHaveLength(1)
    })

    test('watches what was settled before any head was seen, until it is deep', async () => {
      const { ledger } = await create()
      const isWatching = async () => (await ledger.work()).watching
      await accept(ledger, 's')
      expect(await isWatching()).toBe(false)
      await mineAt(ledger, 's', 0, executionIn(9))
      await ledger.confirm('s', id('block 9'))
      expect(await isWatching()).toBe(true)
      await ledger.sawHead([{ number: 10, hash: id('block 10'), count: 0 }])
      expect(await isWatching()).toBe(true)
      await ledger.sawHead([{ number: 10_000, hash: id('block 10000'), count: 0 }])
      expect(await isWatching()).toBe(false)
    })

    test('ends no payment that is final, and watches its block for as long as the rules say', async () => {
      const { ledger, rules } = await create()
      const nonce = await accept(ledger, 's')
      await mineAt(ledger, 's', nonce ?? 0, executionIn(100))
      await ledger.confirm('s', id('block 100'))
      expect(await ledger.expire('s')).toEqual([])
      const isWatched = async (number: number) => {
        await ledger.sawHead([{ number, hash: id(`block ${number}`), count: 1 }])
        return (await ledger.work()).watching
      }
      expect(await isWatched(100 + rules.watchBlocks - 1)).toBe(true)
      expect(await isWatched(100 + rules.watchBlocks)).toBe(false)
    })

    test('remembers the head and since when it is missing', async () => {
      const { ledger, pass } = await create()
      await ledger.sawHead([{ number: 9, hash: id('block 9'), count: 0 }])
      const { now } = await ledger.work()
      await ledger.sawHead(undefined)
      pass(500)
      await ledger.sawHead(undefined)
      expect(await ledger.work()).toMatchObject({
        head: { number: 9, hash: id('block 9') },
        behindSince: now,
      })
      await ledger.sawHead([{ number: 10, hash: id('block 10'), count: 0 }])
      expect((await ledger.work()).behindSince).toBeUndefined()
    })
  })
}
