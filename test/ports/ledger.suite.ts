import type { Hex } from 'viem'
import { describe, expect } from 'vitest'
import { encodeCall } from '../../src/loan/calls.ts'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import type { OpenSlot, PaymentOffer } from '../../src/relay/ledger/acceptance.ts'
import type { RequestExecution } from '../../src/relay/ledger/carrying.ts'
import type { LedgerRules } from '../../src/relay/ledger/draft.ts'
import type { Traces } from '../../src/relay/ledger/records/possible-loss.ts'
import {
  hashPlaceholder,
  maxReadAgeMs,
  type SignedTransaction,
} from '../../src/relay/ledger/values.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'
import {
  accept,
  adoptionOf,
  agreed,
  alice,
  bob,
  carol,
  executionIn,
  fillNonce,
  id,
  judge,
  mineAt,
  offer,
  offerOf,
  orderOf,
  question,
  queue,
  refusingOf,
  screenOf,
  settle,
  signature,
  signByName,
  transactionOf,
} from './payments.ts'

/** Takes every nonce that the pool has room for. */
async function fill(ledger: WholeLedger, { maxInFlight }: LedgerRules): Promise<void> {
  for (let index = 0; index < maxInFlight; index++) await accept(ledger, `filler ${index}`, bob)
}

const answered = (session: string) => ({
  kind: 'answered',
  screen: screenOf(session),
  ageMs: expect.any(Number) as number,
})
const same = { kind: 'same' }
const failedInNine = executionIn(9, { outcome: 'failed', reason: 'Insufficient balance' })

const queuedOn = async (ledger: WholeLedger) =>
  (await ledger.readWork()).waiting.map(({ session }) => session)

const kindsOf = async (ledger: WholeLedger, ...offers: PaymentOffer[]) =>
  (await offer(ledger, ...offers)).verdicts.map(({ kind }) => kind)

const blockIn = (number: number) => ({ number, hash: id(`block ${number}`), count: 0 })

/** Tells the ledger of a final block so late that nothing can execute that it may have lost. */
const endDoubt = (ledger: WholeLedger) => ledger.recordHead([blockIn(1)], undefined, 10_000_000_000)

const sends = (amountWei: bigint, to = bob) => encodeCall({ kind: 'transfer', to, amountWei })

/** Tests what every ledger promises, in any store. */
export function ledgerSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)
  describe(`the ledger on ${name}: sessions`, () => {
    test('repeats the answer to the recorded question, and ends for others', async ({ ledger }) => {
      await accept(ledger, 's')
      expect(await ledger.lookup(question('s'))).toEqual(answered('s'))
      const ended = { kind: 'ended' }
      expect(await ledger.lookup(question('s', alice, 'other'))).toEqual(ended)
      const again = ['input', 'other', 'third'].map((input) => offerOf('s', alice, { input }))
      expect((await offer(ledger, ...again)).verdicts).toEqual([answered('s'), ended, ended])
      expect((await ledger.readWork()).carried).toHaveLength(1)
    })

    test('accepts one offer of a session, and gives the others its answer', async ({ ledger }) => {
      const offers = Array.from({ length: 8 }, () => offerOf('s'))
      const late = { ...offerOf('s'), version: 7 }
      const [first, second, ...others] = await kindsOf(ledger, late, ...offers)
      expect([first, second, ...new Set(others)]).toEqual(['changed', 'accepted', 'changed'])
      const alone = await Promise.all(offers.map((one) => kindsOf(ledger, one)))
      const kinds = [...alone.flat(), ...(await kindsOf(ledger, ...offers))]
      expect(kinds.filter((kind) => kind === 'accepted')).toHaveLength(0)
      expect(kinds.filter((kind) => kind === 'answered')).toHaveLength(16)
      expect((await ledger.readWork()).carried).toHaveLength(1)
    })

    test("shows a payment's transaction hash, or that it waits", async ({ ledger, rules }) => {
      const end = (text: string) => ({ kind: 'end', lines: [`Tx: ${text}`] }) as const
      const screens = { carried: end(`${hashPlaceholder}...`), queued: end('queued') }
      await offer(ledger, offerOf('s', alice, { screens }))
      const shown = end(`${transactionOf('s').hash.slice(0, 12)}...`)
      expect(await ledger.lookup(question('s'))).toMatchObject({ kind: 'answered', screen: shown })
      await fill(ledger, rules)
      await offer(ledger, offerOf('q', alice, { screens }))
      expect(await ledger.lookup(question('q'))).toMatchObject({ screen: screens.queued })
    })

    test('signs for those that begin, and for nobody else', async ({ ledger, pass }) => {
      const signed: string[][] = []
      const openSlot: OpenSlot = (slot) => (offers) => {
        signed.push(offers.map(({ session }) => session))
        return signByName(slot)?.(offers) as SignedTransaction
      }
      const ask = (...offers: PaymentOffer[]) => ledger.acceptOffers(offers, openSlot)
      await ledger.refuse(refusingOf('closed'))
      expect(await ask(offerOf('closed'))).toEqual([answered('No')])
      expect(signed).toEqual([])
      const answers = await ask(offerOf('a'), offerOf('closed'), offerOf('b', bob))
      const requests = new Map(['a', 'b'].map((name) => [name, offerOf(name).order.request]))
      requests.set('b', offerOf('b', bob).order.request)
      const sending = { nonce: 0, transaction: transactionOf('a,b'), requests, isFirst: true }
      const accepted = { kind: 'accepted', isCarried: true }
      expect(answers).toMatchObject([{ ...accepted, sending }, answered('No'), accepted])
      expect(answers[2]).not.toHaveProperty('sending')
      // A store may run its step again on what it has loaded, with the same result.
      expect(new Set(signed.map((sessions) => `${sessions}`))).toEqual(new Set(['a,b']))
      pass(1)
      const carried = (await ledger.readWork()).nonces.map(({ sessions }) => sessions)
      expect(carried).toEqual([['a', 'b']])
    })

    test('begins nothing where signing fails, and queues where the slot may not be outbid', async ({
      ledger,
    }) => {
      const fail = () => {
        throw new Error('no signature')
      }
      await expect(ledger.acceptOffers([offerOf('a')], () => fail)).rejects.toThrow('no signature')
      expect(await ledger.readWork()).toMatchObject({ nonces: [], carried: [], waiting: [] })
      const [queued] = await queue(ledger, offerOf('a'))
      expect(queued).toMatchObject({ kind: 'accepted', isCarried: false })
      expect(await ledger.readWork()).toMatchObject({ nonces: [], waiting: [{ session: 'a' }] })
    })

    test('keeps a refused session refused', async ({ ledger }) => {
      // A ledger that has not seen the chain says nothing of what was sent.
      await ledger.recordHead(undefined, 0)
      expect(await ledger.refuse(refusingOf('s'))).toEqual({ kind: 'refused' })
      expect((await offer(ledger, offerOf('s'))).verdicts).toEqual([answered('No')])
      expect(await ledger.lookup(question('s', alice, 'other'))).toEqual({ kind: 'closed' })
    })

    test('refuses another secret or chain, by its name', async ({ ledger }) => {
      const identify = (chainId: number, KEY: string) =>
        ledger.identify({ chainId, fingerprints: { KEY, ID: 'b' } })
      expect([await identify(31, 'a'), await identify(31, 'a')]).toEqual([same, same])
      const names = expect.arrayContaining(['chain', 'KEY'])
      expect(await identify(30, 'x')).toMatchObject({ kind: 'different', names })
    })
  })

  describe(`the ledger on ${name}: identity`, () => {
    const begun = { chainId: 31, fingerprints: { FORWARDER_ADDRESS: 'old', KEY: 'k' } }
    const moved = { chainId: 31, fingerprints: { FORWARDER_ADDRESS: 'new', KEY: 'k' } }

    test('moves to another forwarder only while nothing is open', async ({ ledger }) => {
      await ledger.identify(begun)
      await accept(ledger, 's')
      const different = { kind: 'different', names: ['FORWARDER_ADDRESS'] }
      expect(await ledger.identify(moved)).toEqual(different)
      await mineAt(ledger, 's', 0, executionIn(9))
      expect(await ledger.identify(moved)).toEqual(different)
      await ledger.confirm(['s'], id('block 9'))
      expect(await ledger.identify(moved)).toEqual(same)
      expect(await ledger.identify(begun)).toEqual(same)
    })

    test('is of the currency where it was begun before a unit was named', async ({ ledger }) => {
      const counts = (UNIT: string) =>
        ledger.identify({ chainId: 31, fingerprints: { ...begun.fingerprints, UNIT } })
      await ledger.identify(begun)
      const [token, other] = [`0x${'5'.repeat(40)}`, `0x${'6'.repeat(40)}`]
      const different = { kind: 'different', names: ['UNIT'] }
      expect(await counts(token)).toEqual(different)
      expect([await counts('tRBTC'), await counts('tRBTC')]).toEqual([same, same])
      expect([await counts(token), await counts(other)]).toEqual([different, different])
    })

    test('stays as it was where a part of it is refused', async ({ ledger }) => {
      await ledger.identify(begun)
      const mistyped = { chainId: 31, fingerprints: { ...moved.fingerprints, KEY: 'typo' } }
      expect(await ledger.identify(mistyped)).toEqual({ kind: 'different', names: ['KEY'] })
      await accept(ledger, 's')
      // What it was begun with goes on with what is open since.
      expect(await ledger.identify(begun)).toEqual(same)
    })

    test('takes the account secret that a drain names once nothing is open', async ({ ledger }) => {
      const under = (ACCOUNT_KEY_SECRET: string, KEY = 'k') =>
        ledger.identify({ chainId: 31, fingerprints: { ACCOUNT_KEY_SECRET, KEY } })
      const refused = { kind: 'different', names: ['ACCOUNT_KEY_SECRET'] }
      await under('old')
      for (const intake of ['draining', 'paused', 'open'] as const) {
        await ledger.setIntake(intake, intake, intake === 'draining' ? undefined : 'new')
        expect(await under('new')).toEqual(refused)
      }
      await accept(ledger, 's')
      const drained = await ledger.setIntake('draining', 'named', 'new')
      expect(await ledger.setIntake('draining', 'again')).toEqual(drained)
      expect(await under('new')).toEqual(refused)
      await settle(ledger, 's', 0)
      await ledger.setIntake('paused', 'not any more')
      expect(await under('new')).toEqual(refused)
      await ledger.setIntake('draining', 'named again', 'new')
      expect(await under('typo')).toEqual(refused)
      expect(await under('new', 'typo')).toMatchObject({ names: ['KEY'] })
      expect(await under('new')).toEqual(same)
      await ledger.setIntake('open', 'done')
      expect(await under('old')).toEqual(refused)
      expect(await under('new')).toEqual(same)
    })

    test('lets no payment begin or wait by another forwarder', async ({ ledger, rules }) => {
      await ledger.identify(begun)
      await fill(ledger, rules)
      const queued = { kind: 'accepted', isCarried: false }
      expect(await judge(ledger, 's', alice, { identity: moved })).toMatchObject({ kind: 'paused' })
      expect((await ledger.readWork(moved)).differences).toEqual(['FORWARDER_ADDRESS'])
      expect(await judge(ledger, 's', alice, { identity: begun })).toMatchObject(queued)
      expect((await ledger.readWork(begun)).differences).toEqual([])
    })
  })

  describe(`the ledger on ${name}: nonces`, () => {
    test('counts from the chain on, without a gap or a double', async ({ ledger }) => {
      const acceptOne = (session: string) => accept(ledger, session, alice, { chainNonce: 7 })
      expect((await Promise.all(['a', 'b', 'c'].map(acceptOne))).sort()).toEqual([7, 8, 9])
    })

    test('begins above the chain, and above what the pool holds', async ({ ledger, rules }) => {
      const acceptAt = (session: string, chainNonce: number, poolNonce: number) =>
        accept(ledger, session, alice, { chainNonce, poolNonce })
      expect(await acceptAt('first', 0, 0)).toBe(0)
      expect(await acceptAt('moved on', 3, 0)).toBe(3)
      expect(await acceptAt('a', 3, 5)).toBe(5)
      expect(await acceptAt('b', 3, 5)).toBe(6)
      expect(await acceptAt('c', 3, 3 + rules.maxInFlight)).toBeUndefined()
    })

    test('queues what the pool would refuse, and keeps the order', async ({ ledger, rules }) => {
      await fill(ledger, rules)
      expect(await accept(ledger, 'e')).toBeUndefined()
      expect(await ledger.lookup(question('e'))).toEqual(answered('e'))
      const counts = { chainNonce: rules.maxInFlight, poolNonce: rules.maxInFlight }
      expect(await accept(ledger, 'f', alice, counts)).toBeUndefined()
      expect(await queuedOn(ledger)).toEqual(['e', 'f'])
    })

    test('has room for what blocks mined since the count was read', async ({ ledger, rules }) => {
      await fill(ledger, rules)
      await mineAt(ledger, 'filler 0', 0, executionIn(5))
      expect(await accept(ledger, 'next')).toBe(rules.maxInFlight)
      expect(await accept(ledger, 'one more')).toBeUndefined()
    })

    test('has no room beyond what blocks have mined', async ({ ledger, rules }) => {
      await fill(ledger, rules)
      const [last, next] = [rules.maxInFlight - 1, rules.maxInFlight]
      await ledger.recordDisplaced(last)
      await mineAt(ledger, 'filler 0', 0, executionIn(5))
      const filling = { nonce: next, chainNonce: 1, sessions: [`filler ${last}`] }
      expect(await fillNonce(ledger, filling, transactionOf('again'))).toBe('recorded')
      expect(await accept(ledger, 'next')).toBeUndefined()
    })

    test('sends a queued payment on a free nonce, once', async ({ ledger, rules }) => {
      await fill(ledger, rules)
      await accept(ledger, 'e')
      const nonce = rules.maxInFlight
      const filling = { nonce, chainNonce: 1, sessions: ['e'] }
      const fillWith = async (name: string, replacedHash?: Hex) =>
        (await ledger.fill({ ...filling, replacedHash, transaction: transactionOf(name) })).kind
      expect(await ledger.findSlot(filling)).toEqual({ nonce, pending: undefined })
      expect(await fillWith('e', id('other'))).toBe('changed')
      expect([await fillWith('e'), await fillWith('e')]).toEqual(['recorded', 'recorded'])
      expect(await ledger.findSlot(filling)).toBeUndefined()
      expect(await fillWith('other')).toBe('changed')
      expect(await ledger.findPayment('e')).toMatchObject({ state: 'signed', nonce })
    })

    test('stops retrying a payment after too many failures', async ({ ledger, rules }) => {
      await accept(ledger, 'a')
      const attempts = rules.maxAttempts
      for (let nonce = 1; nonce <= attempts; nonce++) {
        await ledger.recordDisplaced(nonce - 1)
        const filling = { nonce, chainNonce: nonce, sessions: ['a'] }
        await fillNonce(ledger, filling, transactionOf(`attempt ${nonce}`))
      }
      expect(await ledger.findPayment('a')).toMatchObject({ state: 'queued', attempts })
      expect(await ledger.readWork()).toMatchObject({ waiting: [], stuck: [{ session: 'a' }] })
      // It keeps nobody else from a nonce.
      expect(await accept(ledger, 'b', alice, { chainNonce: attempts })).toBe(attempts)
    })

    test('makes no payment wait behind one past its deadline', async ({ ledger, rules }) => {
      await fill(ledger, rules)
      const late = offerOf('late')
      const request = { ...late.order.request, deadline: 1 }
      await offer(ledger, { ...late, order: { ...late.order, request } })
      expect(await accept(ledger, 'next', alice, { chainNonce: 1 })).toBe(rules.maxInFlight)
    })

    test('fills no nonce that is in use or lies outside the pool', async ({ ledger, rules }) => {
      await accept(ledger, 'a')
      for (const [nonce, chainNonce] of [
        [0, 0],
        [1, 2],
        [rules.maxInFlight, 0],
      ] as const) {
        expect(await ledger.findSlot({ nonce, chainNonce, sessions: [] })).toBeUndefined()
      }
    })

    test('does not use a displaced nonce for a time', async ({ ledger, rules, pass }) => {
      await accept(ledger, 'a')
      await ledger.recordSend(transactionOf('a').hash, 'taken')
      await ledger.recordDisplaced(0)
      const filling = { nonce: 0, chainNonce: 0, sessions: ['a'] }
      pass(rules.displacedMs - 1)
      expect(await ledger.findSlot(filling)).toBeUndefined()
      pass(1)
      // What was recorded for it never was in a pool: there is nothing to outbid, and the nonce
      // begins anew.
      expect(await ledger.findSlot(filling)).toEqual({ nonce: 0, pending: undefined })
      expect(await fillNonce(ledger, filling, transactionOf('a'))).toBe('recorded')
      expect((await ledger.readWork()).nonces[0]?.transactions[0]?.sentAt).toBeUndefined()
    })

    test("keeps an account's order when a payment gets another nonce", async ({ ledger, pass }) => {
      const nonce = await accept(ledger, 'z')
      pass(1_000)
      await accept(ledger, 'a')
      await ledger.abandon(nonce ?? 0)
      const open = [orderOf('z').request, orderOf('a').request]
      expect(await ledger.lookup(question('look'))).toMatchObject({ open })
    })

    test('replaces only the highest price, of any digits, that is named', async ({ ledger }) => {
      await accept(ledger, 'a')
      const replace = async (over: string, name: string, priceWei: bigint) => {
        const [{ hash }, transaction] = [transactionOf(over), transactionOf(name, priceWei)]
        return (await ledger.replace({ nonce: 0, replacedHash: hash, transaction })).kind
      }
      expect(await replace('other', 'a2', 990n)).toBe('changed')
      expect(await replace('a', 'a2', 990n)).toBe('recorded')
      expect(await replace('a', 'a2', 990n)).toBe('recorded')
      expect(await replace('a', 'a3', 1_400n)).toBe('changed')
      expect(await replace('a2', 'a3', 1_400n)).toBe('recorded')
      expect(await replace('a2', 'a4', 2_000n)).toBe('changed')
      expect(await replace('a3', 'a4', 2_000n)).toBe('recorded')
      const [open] = (await ledger.readWork()).nonces
      const prices = open?.transactions.map(({ gasPriceWei }) => gasPriceWei)
      expect(prices).toEqual([2_000n, 1_400n, 990n, 100n])
    })
  })

  describe(`the ledger on ${name}: a payment's life`, () => {
    test('leads from signed to confirmed, each step once', async ({ ledger }) => {
      await accept(ledger, 's')
      const step = { intentId: id('s'), kind: 'transfer', reason: '', hash: id('mined') }
      await ledger.recordSend(transactionOf('s').hash, 'taken')
      expect((await ledger.findPayment('s'))?.state).toBe('signed')
      const toMined = [{ ...step, from: 'signed', to: 'mined' }]
      expect(await mineAt(ledger, 's', 0, executionIn(9))).toMatchObject(toMined)
      expect(await mineAt(ledger, 's', 0, executionIn(9))).toEqual([])
      expect(await mineAt(ledger, 's', 0, executionIn(10))).toEqual([])
      expect(await ledger.listBlocks(0)).toEqual([{ number: 9, hash: id('block 9') }])
      expect(await ledger.confirm(['s'], id('another block'))).toEqual([])
      const toConfirmed = [{ ...step, from: 'mined', to: 'confirmed' }]
      expect(await ledger.confirm(['s'], id('block 9'))).toMatchObject(toConfirmed)
      expect(await ledger.confirm(['s'], id('block 9'))).toEqual([])
      const [execution, order] = [{ outcome: 'executed' }, { spendsWei: 10n ** 30n }]
      expect(await ledger.findPayment('s')).toMatchObject({ state: 'confirmed', execution, order })
    })

    test('settles out of order', async ({ ledger }) => {
      for (const session of ['a', 'b']) await accept(ledger, session)
      await settle(ledger, 'b', 1)
      await settle(ledger, 'a', 0, 8)
      expect(await ledger.readWork()).toMatchObject({ nonces: [], carried: [], mined: [] })
    })

    test('is settled only by its own transaction, or else waits again', async ({ ledger }) => {
      await accept(ledger, 's')
      const report = { nonce: 0, sessions: ['s'], block: executionIn(9).block }
      const lost = { ...report, hash: id('lost'), executions: { s: executionIn(9) } }
      expect(await ledger.recordMined(lost)).toEqual([])
      expect(await ledger.findPayment('s')).toMatchObject({ state: 'signed' })
      const own = { ...report, hash: transactionOf('s').hash, executions: {} }
      expect(await ledger.recordMined(own)).toMatchObject([{ to: 'queued' }])
      expect(await ledger.findPayment('s')).toMatchObject({ attempts: 1, nonce: undefined })
    })

    test('is not settled by the outcome of another request of its session', async ({ ledger }) => {
      await accept(ledger, 's')
      const before = executionIn(9, { signature: '0xef01' })
      expect(await mineAt(ledger, 's', 0, before)).toMatchObject([{ to: 'queued' }])
      const payment = { execution: undefined, nonce: undefined }
      expect(await ledger.findPayment('s')).toMatchObject(payment)
    })

    test('is open again when a reorganization removes its block', async ({ ledger }) => {
      await accept(ledger, 's')
      await settle(ledger, 's', 0)
      expect(await ledger.listBlocks(8)).toEqual([{ number: 9, hash: id('block 9') }])
      expect(await ledger.listBlocks(9)).toEqual([])
      const reopened = [{ from: 'confirmed', to: 'signed' }]
      expect(await ledger.reopen(id('block 9'))).toMatchObject(reopened)
      expect(await ledger.reopen(id('block 9'))).toEqual([])
      expect((await ledger.readWork()).nonces).toMatchObject([{ nonce: 0, sessions: ['s'] }])
      const failed = executionIn(10, { outcome: 'failed' })
      expect(await mineAt(ledger, 's', 0, failed)).toMatchObject([{ to: 'mined' }])
    })

    test('gets another nonce when its own was used or is out of reach', async ({ ledger }) => {
      await accept(ledger, 'a')
      await accept(ledger, 'b')
      expect(await ledger.recordDisplaced(0)).toMatchObject([{ to: 'queued' }])
      expect(await ledger.recordDisplaced(0)).toBeUndefined()
      expect(await ledger.abandon(1)).toMatchObject([{ to: 'queued' }])
      const { waiting, nextNonce } = await ledger.readWork()
      expect(waiting).toHaveLength(2)
      expect(nextNonce).toBe(1)
      // Bytes were recorded for nonce 1: the payment that gets it has to outbid them.
      const filling = { nonce: 1, chainNonce: 1, sessions: ['a'] }
      expect(await ledger.findSlot(filling)).toEqual({ nonce: 1, pending: transactionOf('b') })
    })

    test('is taken back with its bytes before they leave, and not once they count as sent', async ({
      ledger,
    }) => {
      await accept(ledger, 'a')
      await accept(ledger, 'b', bob)
      const [a, b] = ['a', 'b'].map((name, nonce) => ({ nonce, hash: transactionOf(name).hash }))
      const begin = (first: typeof a, mayLeave: boolean) =>
        ledger.beginSend({ nonce: -1, hash: '0x', ...first, mayLeave })
      expect(await begin(a, true)).toEqual({ kind: 'begun' })
      expect(await begin(a, false)).toEqual({ kind: 'begun' })
      expect(await begin(b, false)).toMatchObject({ kind: 'withheld', moved: [{ to: 'queued' }] })
      // Who comes later sends nothing.
      expect(await begin(b, true)).toEqual({ kind: 'withheld', moved: [] })
      const { waiting, nextNonce, nonces } = await ledger.readWork()
      expect([nextNonce, nonces.map(({ nonce }) => nonce)]).toEqual([1, [0]])
      expect(waiting).toMatchObject([{ session: 'b', attempts: 0, nonce: undefined }])
      // The nonce has no bytes to outbid, and gets others at the same price.
      const filling = { nonce: 1, chainNonce: 0, sessions: ['b'] }
      expect(await ledger.findSlot(filling)).toEqual({ nonce: 1, pending: undefined })
      expect(await fillNonce(ledger, filling, transactionOf('b', 100n))).toBe('recorded')
    })

    test('is not taken back with bytes that replace others of the same payments', async ({
      ledger,
    }) => {
      await accept(ledger, 'a')
      const replacedHash = transactionOf('a').hash
      const transaction = transactionOf('higher', 140n)
      await ledger.replace({ nonce: 0, replacedHash, transaction })
      const first = { nonce: 0, hash: transaction.hash, mayLeave: false }
      expect(await ledger.beginSend(first)).toEqual({ kind: 'begun' })
      expect(await ledger.findPayment('a')).toMatchObject({ state: 'signed' })
    })

    test('ends without a deadline only if no bytes with it have left', async ({ ledger }) => {
      const end = (session: string) => ledger.endUnsent(session, 'Recipient not allowed')
      await accept(ledger, 'a')
      await accept(ledger, 'b', bob)
      expect(await end('a')).toEqual([])
      await ledger.recordDisplaced(0)
      expect(await end('a')).toEqual([])
      await ledger.beginSend({ nonce: 1, hash: transactionOf('b').hash, mayLeave: false })
      expect(await end('b')).toMatchObject([{ from: 'queued', to: 'expired' }])
      expect(await end('b')).toEqual([])
      const ended = { state: 'expired', reason: 'Recipient not allowed' }
      expect(await ledger.findPayment('b')).toMatchObject(ended)
      expect((await ledger.readWork()).waiting).toMatchObject([{ session: 'a' }])
    })

    test("is not settled by another payment's transaction on its nonce", async ({ ledger }) => {
      await accept(ledger, 'a')
      await ledger.abandon(0)
      await accept(ledger, 'b', bob)
      const filling = { nonce: 0, chainNonce: 0, sessions: ['b'] }
      expect(await fillNonce(ledger, filling, transactionOf('b', 140n))).toBe('recorded')
      // The Worker that waits for the first payment's transaction still looks at nonce 0.
      expect(await mineAt(ledger, 'a', 0, executionIn(9))).toEqual([])
      expect(await ledger.findPayment('b')).toMatchObject({ state: 'signed' })
      expect(await mineAt(ledger, 'b', 0, executionIn(9))).toMatchObject([{ to: 'mined' }])
    })

    test.for([
      ['reverted', (ledger: WholeLedger) => ledger.confirm(['s'], id('block 9'))],
      ['expired', (ledger: WholeLedger) => ledger.expire('s', 5_000_000_000)],
    ] as const)('is told to have failed once it is %s', async ([state, end], { ledger }) => {
      await accept(ledger, 's')
      const isMined = state === 'reverted'
      if (isMined) await mineAt(ledger, 's', 0, executionIn(9, { outcome: 'failed' }))
      expect(await ledger.lookup(question('s'))).toEqual(answered('s'))
      expect(await end(ledger)).toMatchObject([{ to: state }])
      const failed = { kind: 'failed', screen: screenOf('s') }
      expect(await ledger.lookup(question('s'))).toEqual(failed)
      expect((await offer(ledger, offerOf('s'))).verdicts).toEqual([failed])
      expect(await ledger.lookup(question('s', alice, 'another'))).toEqual({ kind: 'ended' })
      // Its nonce still carries it: the next block may hold it.
      const moved = isMined ? [{ from: 'reverted', to: 'signed' }] : []
      expect(await ledger.reopen(id('block 9'))).toMatchObject(moved)
      expect(await ledger.lookup(question('s'))).toEqual(isMined ? answered('s') : failed)
    })

    test('is reported as failed immediately by a ledger without its rows', async ({ ledger }) => {
      await ledger.adopt(adoptionOf('s', executionIn(9, { outcome: 'failed' })))
      expect(await ledger.lookup(question('s'))).toMatchObject({ kind: 'failed' })
      // On another branch it may yet succeed.
      await ledger.reopen(id('block 9'))
      expect(await ledger.lookup(question('s'))).toMatchObject({ kind: 'answered' })
    })

    test('is found by the hash that was shown, with the one that was mined', async ({ ledger }) => {
      await accept(ledger, 's')
      const [shown, over] = [transactionOf('s').hash, transactionOf('over', 140n)]
      await ledger.replace({ nonce: 0, replacedHash: shown, transaction: over })
      const foundBy = async (hash: Hex) => (await ledger.readPage({ hash, limit: 9 })).payments
      expect(await foundBy(shown)).toMatchObject([{ state: 'signed' }])
      await mineAt(ledger, 's', 0, executionIn(9, { hash: over.hash }))
      for (const hash of [shown, over.hash]) {
        expect(await foundBy(hash)).toMatchObject([{ hash: over.hash }])
      }
      expect(await foundBy(id('unknown'))).toEqual([])
    })

    test('counts consecutive refusals of its bytes by all nodes', async ({ ledger }) => {
      await accept(ledger, 's')
      const { hash } = transactionOf('s')
      const failures = async () => {
        const [open] = (await ledger.readWork()).nonces
        return open?.transactions.map((transaction) => transaction.failures)
      }
      expect(await failures()).toEqual([0])
      await ledger.recordSend(hash, 'unknown')
      await ledger.recordSend(hash, 'unknown')
      expect(await failures()).toEqual([2])
      await ledger.recordSend(hash, 'taken')
      expect(await failures()).toEqual([0])
      // Whether a pool still has what a reorganization took back is not known.
      await mineAt(ledger, 's', 0, executionIn(9))
      await ledger.reopen(id('block 9'))
      expect(await failures()).toEqual([1])
    })

    test('expires once, and then its nonce belongs to no payment', async ({ ledger }) => {
      await accept(ledger, 's')
      const expired = [{ from: 'signed', to: 'expired' }]
      expect(await ledger.expire('s', 5_000_000_000)).toMatchObject(expired)
      expect(await ledger.expire('s', 5_000_000_000)).toEqual([])
      expect((await ledger.readWork()).nonces).toMatchObject([{ nonce: 0, sessions: [] }])
      const [{ hash: replacedHash }, transaction] = [transactionOf('s'), transactionOf('x', 140n)]
      const replacement = { nonce: 0, replacedHash, transaction }
      expect(await ledger.replace(replacement)).toEqual({ kind: 'recorded' })
    })

    test('does not expire once a block has it, and keeps its nonce', async ({ ledger }) => {
      await mineAt(ledger, 's', (await accept(ledger, 's')) ?? 0, executionIn(9))
      expect(await ledger.expire('s', 5_000_000_000)).toEqual([])
      expect(await ledger.reopen(id('block 9'))).toMatchObject([{ to: 'signed' }])
    })

    test('is not ended or settled by facts about a payment with lost rows', async ({ ledger }) => {
      await accept(ledger, 's')
      expect(await ledger.expire('s', orderOf('s').request.deadline)).toEqual([])
      expect(await ledger.findPayment('s')).toMatchObject({ state: 'signed' })
      await accept(ledger, 'q', alice, { poolNonce: 1_000 })
      expect(await ledger.settle('q', '0xef01', executionIn(9))).toEqual([])
      expect(await ledger.findPayment('q')).toMatchObject({ state: 'queued' })
    })

    test('is adopted as what the chain executed, whatever its text asks for now', async ({
      ledger,
    }) => {
      const executed = { ...orderOf('s').request, data: sends(7n), signature: '0xef01' } as const
      const now = { ...orderOf('s').request, data: sends(9n) }
      const order = { request: now, spendsWei: 9n, attached: { till: { account: bob } } }
      await ledger.adopt(adoptionOf('s', executionIn(9, { executed }), order))
      const payment = { order: { request: executed, spendsWei: 7n }, state: 'mined' }
      expect(await ledger.listPayments(alice, 9)).toMatchObject([payment])
      expect((await ledger.readStanding(alice)).today.sentWei).toBe(7n)
    })

    test('is settled by the request that was executed, until that leaves the chain', async ({
      ledger,
    }) => {
      const own = { ...orderOf('s').request, data: sends(9n) }
      const executed = { ...own, data: sends(7n, carol), signature: '0xef01' } as const
      await accept(ledger, 's', alice, { order: { request: own, kind: 'purchase', spendsWei: 9n } })
      await mineAt(ledger, 's', 0, executionIn(9, { executed, hash: id('older') }))
      const paid = { data: executed.data, hash: id('older') }
      expect(await ledger.lookup(question('s'))).toEqual({ ...answered('s'), paid })
      const order = { request: executed, kind: 'transfer', spendsWei: 7n }
      expect(await ledger.findPayment('s')).toMatchObject({ state: 'mined', order })
      expect(await ledger.confirm(['s'], id('block 9'))).toMatchObject([{ to: 'confirmed' }])
      expect((await ledger.readStanding(alice)).today.sentWei).toBe(7n)
      await ledger.reopen(id('block 9'))
      expect(await ledger.lookup(question('s'))).toEqual(answered('s'))
      const again = { request: own, spendsWei: 9n }
      expect(await ledger.findPayment('s')).toMatchObject({ state: 'signed', order: again })
      expect((await ledger.readStanding(alice)).today.sentWei).toBe(9n)
    })

    test('keeps from its acceptance on what it is in local money, as long as its own request counts', async ({
      ledger,
      pass,
      rules,
    }) => {
      const own = { ...orderOf('s').request, data: sends(9n) }
      const executed = { ...own, data: sends(7n), signature: '0xef01' } as const
      const readAgreed = async () => [
        (await ledger.findPayment('s'))?.order.agreed ?? null,
        (await ledger.tracePayment(own.intentId))?.agreed,
      ]
      const nonce = await accept(ledger, 's', alice, { order: { request: own, agreed } })
      await queue(ledger, offerOf('queued', bob, { order: { agreed } }))
      expect(await readAgreed()).toEqual([agreed, agreed])
      expect((await ledger.readPage({ account: bob, limit: 1 })).payments).toMatchObject([
        { agreed },
      ])
      await mineAt(ledger, 's', nonce ?? -1, executionIn(9, { executed, hash: id('older') }))
      expect(await readAgreed()).toEqual([null, null])
      await ledger.reopen(id('block 9'))
      expect(await readAgreed()).toEqual([agreed, agreed])
      await mineAt(ledger, 's', nonce ?? -1, executionIn(10, { executed: own }))
      await ledger.confirm(['s'], id('block 10'))
      pass(rules.retentionMs + 1)
      await ledger.prune()
      const { payments } = await ledger.readPage({ archived: true, limit: 1 })
      expect(payments).toMatchObject([{ intentId: id('s'), agreed }])
    })

    test('is in no local money once its rows are lost, not even at the rate of then', async ({
      ledger,
    }) => {
      await ledger.adopt(adoptionOf('s', executionIn(9), { agreed }))
      expect((await ledger.findPayment('s'))?.order.agreed).toBeUndefined()
      expect((await ledger.tracePayment(id('s')))?.agreed).toBeNull()
    })

    test('is adopted from the chain by a ledger that lost it', async ({ ledger }) => {
      const adoption = adoptionOf('s', executionIn(9))
      expect(await ledger.adopt(adoption)).toEqual({ kind: 'adopted' })
      expect(await ledger.adopt(adoption)).toEqual(answered('s'))
      expect(await ledger.confirm(['s'], id('block 9'))).toMatchObject([{ to: 'confirmed' }])
      expect(await ledger.reopen(id('block 9'))).toMatchObject([{ to: 'queued' }])
      expect(await ledger.settle('s', signature, executionIn(10))).toMatchObject([{ to: 'mined' }])
    })
  })

  describe(`the ledger on ${name}: rows that may have been lost`, () => {
    const refusal = { ...refusingOf('refused'), reason: 'held' }
    const closed = { kind: 'refused' }
    const unsure = { kind: 'unsure' }
    const doubtful = { possibleLossAt: expect.any(Number), watching: false }

    test('are none where the ledger knows all that the chain and the pool hold', async ({
      ledger,
    }) => {
      // Before it has seen the chain, it cannot know.
      expect(await ledger.refuse(refusal)).toEqual(unsure)
      expect(await ledger.lookup(refusal)).toMatchObject({ kind: 'undecided' })
      await accept(ledger, 's')
      expect(await ledger.refuse({ ...refusal, traces: { chain: 1, pool: 1 } })).toEqual(closed)
      expect(await ledger.readWork()).not.toHaveProperty('possibleLossAt', expect.anything())
    })

    test('of a new ledger with a used key are told by whether the intent is spent', async ({
      ledger,
    }) => {
      const refuse = (session: string, traces: Partial<Traces>) =>
        ledger.refuse({
          ...{ ...refusingOf(session), reason: 'held' },
          traces: { chain: 7, pool: 7, ...traces },
        })
      expect(await refuse('one', {})).toEqual(unsure)
      expect(await refuse('one', { isSpent: true })).toEqual(unsure)
      expect(await ledger.lookup(question('one'))).toMatchObject({ isDoubtful: true })
      // A block that is not final may be replaced by one that spends the intent.
      expect(await refuse('one', { isSpent: false, block: 9 })).toEqual(unsure)
      expect(await refuse('one', { isSpent: false, block: 9, finalCount: 6 })).toEqual(unsure)
      expect(await refuse('one', { isSpent: false, block: 9, finalCount: 7 })).toEqual(closed)
      // A node that is behind shows less than the key has sent.
      await ledger.recordHead([blockIn(10)], 7)
      const unspent = { isSpent: false, finalCount: 7 }
      expect(await refuse('behind', { ...unspent, block: 9 })).toEqual(unsure)
      expect(await refuse('behind', { ...unspent, block: 10 })).toEqual(closed)
      // What waits in the pool may be of any session.
      expect(await refuse('two', { ...unspent, block: 10, pool: 8 })).toEqual(unsure)
      expect(await refuse('two', { ...unspent, block: 10 })).toEqual(unsure)
    })

    test('are not shown by what was read long ago, which decides nothing', async ({
      ledger,
      pass,
    }) => {
      await accept(ledger, 's')
      const refuse = (session: string, asOf: number) => {
        const traces = { chain: 1, pool: 1 }
        return ledger.refuse({ ...refusingOf(session), reason: 'held', traces, asOf })
      }
      const { now } = await ledger.readWork()
      pass(maxReadAgeMs)
      expect(await refuse('in time', now)).toEqual(closed)
      expect(await judge(ledger, 'offered', bob, { asOf: now })).toMatchObject({ kind: 'accepted' })
      pass(1)
      expect(await refuse('late', now)).toEqual(unsure)
      expect(await judge(ledger, 'late', carol, { asOf: now })).toEqual({ kind: 'changed' })
      expect(await ledger.lookup(question('late', carol))).toMatchObject({ kind: 'undecided' })
    })

    test.for([
      ['after too many dials', 'too_many_dials', { kind: 'ended' }],
      ['after a screen that is of no payment', undefined, { kind: 'closed', isUnsure: true }],
    ] as const)(
      'leave unsaid, %s, whether the session has paid',
      async ([, reason, unsaid], { ledger }) => {
        const refuse = (session: string) => ledger.refuse({ ...refusingOf(session), reason })
        const later = (session: string) => ledger.lookup({ ...refusingOf(session), input: 'later' })
        expect(await refuse('unseen')).toEqual(closed)
        expect(await later('unseen')).toEqual(unsaid)
        await ledger.recordHead(undefined, 0)
        expect(await refuse('seen')).toEqual(closed)
        expect(await later('seen')).toEqual({ kind: 'closed' })
        // The chain shows a nonce that the ledger does not know.
        await ledger.recordHead(undefined, 3)
        expect(await refuse('doubtful')).toEqual(closed)
        expect(await later('doubtful')).toEqual(unsaid)
      },
    )

    test('of a new ledger with a used key end when all that it signed has expired', async ({
      ledger,
    }) => {
      const { now } = await ledger.readWork()
      const lastSeconds = Math.floor(now / 1000) + 24 * 60 * 60
      await ledger.recordHead(undefined, 7)
      expect(await ledger.refuse(refusal)).toEqual(unsure)
      await ledger.recordHead([blockIn(9)], 7, lastSeconds)
      expect(await ledger.refuse(refusal)).toEqual(unsure)
      await ledger.recordHead([blockIn(9)], 7, lastSeconds + 60)
      expect(await ledger.refuse(refusal)).toEqual(closed)
    })

    test.for([
      ['a pool', (ledger: WholeLedger) => accept(ledger, 'other', bob, { poolNonce: 3 })],
      ['a block', (ledger: WholeLedger) => ledger.recordHead(undefined, 3)],
      [
        'a delivery',
        (ledger: WholeLedger) => ledger.refuse({ ...refusal, traces: { chain: 3, pool: 3 } }),
      ],
      ['a nonce that was ours', (ledger: WholeLedger) => ledger.recordDisplaced(0)],
    ] as const)('are told by an unknown transaction in %s', async ([, see], { ledger }) => {
      await accept(ledger, 's')
      await see(ledger)
      expect(await ledger.readWork()).toMatchObject(doubtful)
      expect((await ledger.readVitals()).possibleLossAt).toEqual(expect.any(Number))
      expect(await ledger.refuse({ ...refusal, traces: { chain: 3, pool: 3 } })).toEqual(unsure)
    })

    test('end no session and no payment before all that they signed has expired', async ({
      ledger,
      pass,
    }) => {
      const own = { request: { ...orderOf('s').request, deadline: 1 } }
      await accept(ledger, 's', alice, { order: own, poolNonce: 5 })
      const { possibleLossAt = 0 } = await ledger.readWork()
      const lastSeconds = possibleLossAt / 1000 + 24 * 60 * 60
      expect(await ledger.refuse(refusal)).toEqual(unsure)
      // Until then no round need ask for a block.
      pass(24 * 60 * 60 * 1000 + 1_000)
      expect(await ledger.readWork()).toMatchObject({ watching: true })
      expect(await ledger.expire('s', lastSeconds)).toEqual([])
      await ledger.recordHead([blockIn(9)], 5, lastSeconds)
      expect(await ledger.refuse(refusal)).toEqual(unsure)
      await ledger.recordHead([blockIn(9)], 5, lastSeconds + 1)
      expect(await ledger.refuse(refusal)).toEqual(closed)
      expect(await ledger.expire('s', lastSeconds)).toMatchObject([{ to: 'expired' }])
    })
  })

  describe(`the ledger on ${name}: a transaction of several payments`, () => {
    /** Queues payments of three accounts, and fills nonce 0 with all of them. */
    async function openBatch() {
      const harness = await create()
      const { ledger } = harness
      const sessions = ['a', 'b', 'c']
      for (const [index, session] of sessions.entries()) {
        await accept(ledger, session, [alice, bob, carol][index], { poolNonce: 1_000 })
      }
      const filling = { nonce: 0, chainNonce: 0, sessions }
      expect(await fillNonce(ledger, filling, transactionOf('batch'))).toBe('recorded')
      const { hash } = transactionOf('batch')
      const stateOf = async (session: string) => {
        const payment = await ledger.findPayment(session)
        return `${payment?.state} ${payment?.nonce ?? 'nowhere'}`
      }
      const states = () => Promise.all(sessions.map(stateOf))
      const { block } = executionIn(9)
      type Report = Partial<Parameters<WholeLedger['recordMined']>[0]>
      const mine = (executions: Record<string, RequestExecution>, more: Report = {}) =>
        ledger.recordMined({ nonce: 0, sessions, hash, block, executions, ...more })
      return { ...harness, sessions, hash, states, mine }
    }

    test('is one nonce with all of them', async () => {
      const { ledger, sessions, hash, states } = await openBatch()
      expect(await states()).toEqual(['signed 0', 'signed 0', 'signed 0'])
      expect((await ledger.readWork()).nonces).toMatchObject([{ nonce: 0, sessions }])
      expect(await ledger.readVitals()).toMatchObject({ carried: 3, waiting: 0 })
      const { payments } = await ledger.readPage({ hash, limit: 9 })
      expect(payments.map(({ intentId }) => intentId).sort()).toEqual(sessions.map(id))
    })

    test('settles each by its own result, and queues the others again', async () => {
      const { ledger, states, mine } = await openBatch()
      await mine({ a: executionIn(9), b: failedInNine })
      expect(await states()).toEqual(['mined 0', 'mined 0', 'queued nowhere'])
      for (const session of ['a', 'b']) await ledger.confirm([session], id('block 9'))
      expect(await states()).toEqual(['confirmed 0', 'reverted 0', 'queued nowhere'])
      expect(await mine({ c: executionIn(9) })).toEqual([])
    })

    test('is final immediately, with all results, if one block is enough', async () => {
      const { states, mine } = await openBatch()
      const moved = await mine({ a: executionIn(9), b: failedInNine }, { isFinal: true })
      const order = ['mined', 'confirmed', 'mined', 'reverted', 'queued']
      expect(moved.map(({ to }) => to)).toEqual(order)
      expect(await states()).toEqual(['confirmed 0', 'reverted 0', 'queued nowhere'])
    })

    test('is not final by a block at or below the last head, which no round compares again', async () => {
      const { ledger, states, mine } = await openBatch()
      await ledger.recordHead([{ number: 9, hash: id('another block 9'), count: 0 }])
      const executions = { a: executionIn(9), b: executionIn(9), c: executionIn(9) }
      await mine(executions, { isFinal: true })
      expect(await states()).toEqual(['mined 0', 'mined 0', 'mined 0'])
    })

    test('is sent again whole after a reorganization, without payments of other transactions', async () => {
      const { ledger, hash, states, mine } = await openBatch()
      await mine({ a: executionIn(9), b: executionIn(9) })
      const filling = { nonce: 1, chainNonce: 1, sessions: ['c'] }
      expect(await fillNonce(ledger, filling, transactionOf('c'))).toBe('recorded')
      await ledger.reopen(executionIn(9).block.hash)
      expect(await states()).toEqual(['signed 0', 'signed 0', 'signed 1'])
      // The other branch executes all three there: the third is settled by its own nonce alone.
      await mine({ a: executionIn(8), b: executionIn(8) })
      expect(await states()).toEqual(['mined 0', 'mined 0', 'signed 1'])
      expect((await ledger.readPage({ hash, limit: 9 })).payments).toHaveLength(3)
    })

    test.for(['recordDisplaced', 'abandon'] as const)(
      'waits again completely after %s',
      async (method) => {
        const { ledger, states, sessions } = await openBatch()
        expect(await ledger[method](0)).toHaveLength(sessions.length)
        expect(await states()).toEqual(['queued nowhere', 'queued nowhere', 'queued nowhere'])
      },
    )

    test('continues for the others when one has ended', async () => {
      const { ledger, states, mine } = await openBatch()
      await endDoubt(ledger)
      const carried = async () => (await ledger.readVitals()).carried
      expect(await carried()).toBe(3)
      expect(await ledger.expire('b', 5_000_000_000)).toMatchObject([{ to: 'expired' }])
      expect(await carried()).toBe(2)
      // What was read before that settles nothing: it is read once more.
      const executions = { a: executionIn(9), c: executionIn(9) }
      expect(await mine(executions)).toEqual([])
      await mine(executions, { sessions: ['a', 'c'] })
      expect(await states()).toEqual(['mined 0', 'expired nowhere', 'mined 0'])
    })

    test('is shared by payments that are offered together', async ({ ledger }) => {
      const offers = [offerOf('a'), offerOf('b', bob), offerOf('c', carol)]
      const { verdicts, nonce } = await offer(ledger, ...offers)
      expect(verdicts.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted'])
      expect(nonce).toBe(0)
      const { nonces } = await ledger.readWork()
      expect(nonces).toMatchObject([{ nonce: 0, sessions: ['a', 'b', 'c'], transactions: [{}] }])
    })

    test('is not made if one of them no longer waits', async () => {
      const { ledger, sessions } = await openBatch()
      const filling = { nonce: 1, chainNonce: 0, sessions: ['d', 'e'] }
      await accept(ledger, 'd', alice, { poolNonce: 1_000 })
      await accept(ledger, 'e', bob, { poolNonce: 1_000 })
      expect(await ledger.findSlot({ ...filling, sessions: ['d', 'a'] })).toBeUndefined()
      expect(await ledger.findSlot(filling)).toMatchObject({ nonce: 1 })
      await endDoubt(ledger)
      await ledger.expire('e', 5_000_000_000)
      const filled = { ...filling, replacedHash: undefined, transaction: transactionOf('d and e') }
      expect(await ledger.fill(filled)).toEqual({ kind: 'changed' })
      expect((await ledger.readWork()).nonces).toMatchObject([{ sessions }])
      expect(await ledger.findPayment('d')).toMatchObject({ state: 'queued' })
    })
  })

  describe(`the ledger on ${name}: accounts`, () => {
    test("shows an account's open payments to its own next offer alone", async ({ ledger }) => {
      await accept(ledger, 'a')
      const own = { kind: 'undecided', open: [orderOf('a').request], executed: [], version: 1 }
      const rest = { observations: {}, now: expect.any(Number) }
      expect(await ledger.lookup(question('b'))).toEqual({ ...own, ...rest })
      expect(await ledger.lookup(question('c', bob))).toMatchObject({ open: [], version: 0 })
      await mineAt(ledger, 'a', 0, executionIn(9))
      expect(await ledger.lookup(question('b'))).toMatchObject({ open: [], version: 1 })
    })

    test('shows what recent blocks have executed', async ({ ledger, pass }) => {
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
      await ledger.confirm(['first'], id('block 9'))
      expect(await executed()).toEqual([id('first')])
      pass(10 * 60 * 1000)
      expect(await executed()).toEqual([])
      // One that was mined at its deadline is shown for an hour, though it is not final.
      const late = await accept(ledger, 'late')
      pass(3 * 60 * 60 * 1000)
      await mineAt(ledger, 'late', late ?? -1, executionIn(19))
      expect(await executed()).toEqual([id('late')])
      pass(1)
      expect(await executed()).toEqual([])
    })

    test('reserves what is shared until a view shows it, and only once', async ({ ledger }) => {
      const reserves = { poolWei: 10n, capWei: 10n }
      const borrow = async (session: string, poolWei: bigint, block: number) => {
        const lendable = { poolWei, capWei: 1_000n, block }
        return (await judge(ledger, session, bob, { order: { reserves }, lendable })).kind
      }
      expect(await borrow('a', 19n, 5)).toBe('accepted')
      // As long as no block holds it, by whatever view.
      expect(await borrow('b', 19n, 8)).toBe('none_left')
      await settle(ledger, 'a', 0)
      // Of block 8 it is reserved, and in block 9 the pool is the less.
      expect(await borrow('b', 19n, 8)).toBe('none_left')
      expect(await borrow('b', 9n, 9)).toBe('none_left')
      await ledger.reopen(id('block 9'))
      expect(await ledger.lookup(question('next', bob))).toMatchObject({ open: [{}] })
      expect(await borrow('b', 19n, 9)).toBe('none_left')
      await mineAt(ledger, 'a', 0, executionIn(10))
      expect(await borrow('b', 10n, 10)).toBe('accepted')
    })

    test('reserves of the limit of withdrawals apart from what is lent', async ({ ledger }) => {
      const none = { poolWei: 0n, capWei: 0n }
      const order = { reserves: { ...none, outWei: 10n } }
      const withdraw = (session: string, outWei: bigint, block: number) =>
        offerOf(session, bob, { order, lendable: { ...none, outWei, block } })
      // The second one by what the first one takes, which begins beside it.
      const both = [withdraw('a', 19n, 5), withdraw('b', 19n, 8)]
      expect(await kindsOf(ledger, ...both)).toEqual(['accepted', 'none_left'])
      const loan = { poolWei: 1n, capWei: 1n }
      const borrowed = { order: { reserves: loan }, lendable: { ...loan, block: 8 } }
      expect(await judge(ledger, 'c', bob, borrowed)).toMatchObject({ kind: 'accepted' })
      await mineAt(ledger, 'a', 0, executionIn(9))
      expect(await kindsOf(ledger, withdraw('b', 19n, 8))).toEqual(['none_left'])
      expect(await kindsOf(ledger, withdraw('b', 10n, 9))).toEqual(['accepted'])
    })

    test('accepts no payment that was checked against an older view', async ({ ledger }) => {
      await accept(ledger, 'a')
      const parties = Object.entries({ b: alice, c: bob, d: bob })
      const offers = parties.map(([session, of]) => offerOf(session, of, { version: 0 }))
      expect(await kindsOf(ledger, ...offers)).toEqual(['changed', 'accepted', 'changed'])
    })
  })

  describe(`the ledger on ${name}: time`, () => {
    test('deletes settled payments after the retention time', async ({ ledger, rules, pass }) => {
      await accept(ledger, 'a')
      await settle(ledger, 'a', 0)
      pass(rules.retentionMs - 1)
      await ledger.prune()
      expect(await ledger.lookup(question('a'))).toMatchObject({ kind: 'answered' })
      pass(2)
      await ledger.prune()
      expect(await ledger.lookup(question('a'))).toMatchObject({ kind: 'undecided', version: 0 })
      expect((await ledger.readWork()).nextNonce).toBe(1)
      expect(await ledger.listSigned()).toEqual([])
    })

    test('lists what was signed for an open nonce, whatever came after it', async ({ ledger }) => {
      for (let nonce = 0; nonce <= 64; nonce++) {
        await accept(ledger, `at ${nonce}`, bob, { chainNonce: nonce, poolNonce: nonce })
      }
      expect((await ledger.listSigned()).map(({ nonce }) => nonce)).toContain(0)
    })

    test('never deletes an open payment', async ({ ledger, rules, pass }) => {
      await accept(ledger, 'a')
      pass(rules.retentionMs * 2)
      await ledger.prune()
      expect(await ledger.lookup(question('a'))).toMatchObject({ kind: 'answered' })
      expect((await ledger.readWork()).carried).toHaveLength(1)
    })

    test('watches early settled payments until they are deep', async ({ ledger }) => {
      const isWatching = async () => (await ledger.readWork()).watching
      await accept(ledger, 's')
      expect(await isWatching()).toBe(false)
      await settle(ledger, 's', 0)
      expect(await isWatching()).toBe(true)
      for (const number of [10, 10_000]) {
        await ledger.recordHead([{ number, hash: id(`block ${number}`), count: 0 }])
        expect(await isWatching()).toBe(number === 10)
      }
    })

    test('changes no final payment, and keeps its block', async ({ ledger, rules }) => {
      const nonce = await accept(ledger, 's')
      await mineAt(ledger, 's', nonce ?? 0, executionIn(100))
      await ledger.confirm(['s'], id('block 100'))
      expect(await ledger.expire('s', 5_000_000_000)).toEqual([])
      const isWatched = async (number: number) => {
        await ledger.recordHead([{ number, hash: id(`block ${number}`), count: 1 }])
        return (await ledger.readWork()).watching
      }
      expect(await isWatched(100 + rules.watchBlocks - 1)).toBe(true)
      expect(await isWatched(100 + rules.watchBlocks)).toBe(false)
    })

    test('stores the head, and the time since it is missing', async ({ ledger, pass }) => {
      const head = { number: 9, hash: id('block 9') }
      await ledger.recordHead([{ ...head, count: 0 }])
      const { now } = await ledger.readWork()
      await ledger.recordHead(undefined)
      pass(500)
      await ledger.recordHead(undefined)
      expect(await ledger.readWork()).toMatchObject({ head, behindSince: now })
      await ledger.recordHead([{ number: 10, hash: id('block 10'), count: 0 }])
      expect((await ledger.readWork()).behindSince).toBeUndefined()
    })
  })
}
