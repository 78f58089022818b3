import { describe, expect } from 'vitest'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import type { Order } from '../../src/relay/ledger/values.ts'
import { getProgress } from '../../src/relay/progress.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'
import {
  accept,
  alice,
  bob,
  executionIn,
  fillNonce,
  id,
  judge,
  mineAt,
  offer,
  offerOf,
  orderOf,
  question,
  transactionOf,
} from './payments.ts'

const final = 100

/** Tests which payments are final before their blocks are, on any store. */
export function assuredSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)

  const paying = (session: string, wei: bigint, more: Partial<Order> = {}, payer = alice) => ({
    order: {
      ...orderOf(session, payer),
      lasting: { ...orderOf(session, payer).request, signature: '0x1a57' as const },
      ...{ spendsWei: wei, kind: 'withdrawal' as const, ...more },
    },
  })

  /** Has alice's payment of this amount executed in a block; or failed there. */
  async function pay(
    ledger: WholeLedger,
    session: string,
    wei: bigint,
    { block = final + 2, ...more }: Partial<Order> & { block?: number; failed?: true } = {},
  ) {
    const { failed, ...order } = more
    const nonce = await accept(ledger, session, alice, paying(session, wei, order))
    const outcome = failed ? 'failed' : 'executed'
    await mineAt(ledger, session, nonce ?? -1, executionIn(block, { outcome }))
    return nonce
  }

  const assure = (ledger: WholeLedger, session: string, wei: bigint, block = final) =>
    ledger.assure(session, id(`block ${final + 2}`), { block, wei })

  const wordOf = async (ledger: WholeLedger, session: string) => {
    const payment = await ledger.findPayment(session)
    return payment && getProgress(payment)
  }

  /** Offers alice's payment, which may be final at once; 15 wei are backed in all. */
  const atOnce = (wei: bigint, settledWei = 1_000n, more: Partial<Order> = {}) => ({
    ...paying('', wei, more),
    backing: { settled: { block: final, wei: settledWei }, limitWei: 15n },
  })
  const offerAtOnce = (session: string, payer = alice, offer = atOnce(10n)) => {
    const own = orderOf(session, payer).request
    const lasting = offer.order.lasting && { ...own, signature: '0x1a57' as const }
    return { ...offer, order: { ...offer.order, request: own, lasting } }
  }
  const backedWei = async (ledger: WholeLedger) => (await ledger.readVitals()).backedWei

  describe(`a payment that is final at once, on ${name}`, () => {
    test('is backed until a block assures it, and so are others while that reaches', async ({
      ledger,
    }) => {
      const nonce = await accept(ledger, 's', alice, offerAtOnce('s'))
      expect([await wordOf(ledger, 's'), await backedWei(ledger)]).toEqual(['done', 10n])
      await accept(ledger, 'more', bob, offerAtOnce('more', bob))
      await accept(ledger, 'small', bob, offerAtOnce('small', bob, atOnce(5n)))
      expect([await wordOf(ledger, 'more'), await wordOf(ledger, 'small')]).toEqual([
        'arriving',
        'done',
      ])
      expect(await backedWei(ledger)).toBe(15n)
      await mineAt(ledger, 's', nonce ?? -1, executionIn(final + 2))
      expect(await backedWei(ledger)).toBe(15n)
      expect(await assure(ledger, 's', 10n)).toEqual([])
      expect(await assure(ledger, 's', 10n)).toBeUndefined()
      expect(await backedWei(ledger)).toBe(5n)
      await ledger.reopen(id(`block ${final + 2}`))
      expect([await wordOf(ledger, 's'), await backedWei(ledger)]).toEqual(['done', 5n])
      // The request that holds for a day is in its place already.
      expect((await ledger.findPayment('s'))?.order.request.signature).toBe('0x1a57')
    })

    test('of two in one step is the one that what is backed reaches for', async ({ ledger }) => {
      const offers = [alice, bob].map((payer, index) =>
        offerOf(`s${index}`, payer, offerAtOnce(`s${index}`, payer)),
      )
      await offer(ledger, ...offers)
      const words = await Promise.all([wordOf(ledger, 's0'), wordOf(ledger, 's1')])
      expect([words, await backedWei(ledger)]).toEqual([['done', 'arriving'], 10n])
    })

    test('of an account counts what it pays in the same step', async ({ ledger }) => {
      const offers = ['s', 't'].map((session) =>
        offerOf(session, alice, offerAtOnce(session, alice, atOnce(5n, 9n))),
      )
      await offer(ledger, ...offers)
      expect(await wordOf(ledger, 's')).toBe('done')
      expect(await ledger.findPayment('t')).toBeUndefined()
    })

    test.for([
      ['the account has less for good', atOnce(10n, 9n)],
      ['it is of a kind that others can make fail', atOnce(10n, 99n, { kind: 'repayment' })],
      ['no request of a day is signed', atOnce(10n, 99n, { lasting: undefined })],
      ['its balance was not read', { ...atOnce(10n), backing: undefined }],
    ] as const)('is not final where %s', async ([, offer], { ledger }) => {
      await accept(ledger, 's', alice, offerAtOnce('s', alice, offer as ReturnType<typeof atOnce>))
      expect([await wordOf(ledger, 's'), await backedWei(ledger)]).toEqual(['arriving', 0n])
    })

    test('is not final while rows may be lost', async ({ ledger }) => {
      await ledger.recordHead(undefined, 50)
      const offer = { ...offerAtOnce('s'), chainNonce: 50, poolNonce: 50 }
      await accept(ledger, 's', alice, offer)
      expect([await wordOf(ledger, 's'), await backedWei(ledger)]).toEqual(['arriving', 0n])
    })

    test('keeps others from its money as one does that a block assures', async ({ ledger }) => {
      await accept(ledger, 's', alice, offerAtOnce('s', alice, atOnce(10n, 12n)))
      expect(await judge(ledger, 'next', alice, paying('next', 3n))).toMatchObject({
        kind: 'unsettled',
      })
    })

    test('frees what backs it once it is final by depth', async ({ ledger }) => {
      const nonce = await accept(ledger, 's', alice, offerAtOnce('s'))
      await mineAt(ledger, 's', nonce ?? -1, executionIn(final + 2))
      await ledger.confirm(['s'], id(`block ${final + 2}`))
      expect(await backedWei(ledger)).toBe(0n)
    })

    test('that fails is the incident that it is, and what backed it is lost', async ({
      ledger,
    }) => {
      const nonce = await accept(ledger, 's', alice, offerAtOnce('s'))
      await mineAt(ledger, 's', nonce ?? -1, executionIn(final + 2, { outcome: 'failed' }))
      await ledger.confirm(['s'], id(`block ${final + 2}`))
      const { unkept } = await ledger.readVitals()
      expect(unkept).toMatchObject({ count: 1, sumWei: 10n, intentId: id('s') })
      expect([await wordOf(ledger, 's'), await backedWei(ledger)]).toEqual(['done', 10n])
      // In another block it is the same one again.
      await ledger.reopen(id(`block ${final + 2}`))
      await mineAt(ledger, 's', nonce ?? -1, executionIn(final + 3, { outcome: 'failed' }))
      await ledger.confirm(['s'], id(`block ${final + 3}`))
      expect((await ledger.readVitals()).unkept).toEqual(unkept)
      await accept(ledger, 'next', bob, offerAtOnce('next', bob))
      expect(await wordOf(ledger, 'next')).toBe('arriving')
    })

    test('is told to phones as it is accepted', async ({ ledger }) => {
      const sms = [{ party: 'receiver', sealed: 'b' }] as const
      await accept(ledger, 's', alice, offerAtOnce('s', alice, atOnce(10n, 99n, { sms })))
      const { taken } = await ledger.takeSms(9)
      expect(taken.map(({ party, state }) => [party, state])).toEqual([['receiver', 'confirmed']])
    })
  })

  describe(`a payment that cannot fail any more, on ${name}`, () => {
    test('is done, and stays so whatever becomes of its block', async ({ ledger }) => {
      const nonce = await pay(ledger, 's', 10n)
      expect(await wordOf(ledger, 's')).toBe('arriving')
      expect(await assure(ledger, 's', 9n)).toBeUndefined()
      expect(await wordOf(ledger, 's')).toBe('arriving')
      expect(await assure(ledger, 's', 10n)).toEqual([])
      expect(await assure(ledger, 's', 10n)).toBeUndefined()
      expect(await wordOf(ledger, 's')).toBe('done')
      await ledger.reopen(id(`block ${final + 2}`))
      expect(await ledger.findPayment('s')).toMatchObject({ state: 'signed', nonce })
      expect(await wordOf(ledger, 's')).toBe('done')
      expect((await ledger.readVitals()).assuredSince).toEqual(expect.any(Number))
      // Whoever sent it may tell what became of either request.
      await mineAt(ledger, 's', nonce ?? -1, executionIn(final + 3))
      await ledger.confirm(['s'], id(`block ${final + 3}`))
      expect((await ledger.readVitals()).assuredSince).toBeUndefined()
      expect((await ledger.tracePayment(id('s')))?.assuredAt).toEqual(expect.any(Number))
    })

    test.for([
      ['is still open', {}],
      ['another block above the final one holds', { block: final + 1 }],
      ['has failed there, and may succeed in another block', { block: final + 1, failed: true }],
    ] as const)('counts what %s against the same balance', async ([, how], { ledger }) => {
      if ('block' in how) await pay(ledger, 'other', 5n, how)
      else await accept(ledger, 'other', alice, paying('other', 5n))
      await pay(ledger, 's', 10n)
      expect(await assure(ledger, 's', 14n)).toBeUndefined()
      expect(await assure(ledger, 's', 15n)).toEqual([])
    })

    test('counts nothing that the final block holds or that others pay', async ({ ledger }) => {
      await pay(ledger, 'settled', 5n, { block: final })
      await ledger.confirm(['settled'], id(`block ${final}`))
      await accept(ledger, 'incoming', bob, paying('incoming', 5n, {}, bob))
      await pay(ledger, 's', 10n)
      expect(await assure(ledger, 's', 10n)).toEqual([])
    })

    test('counts what only a node says to be in an older block, until that is final', async ({
      ledger,
    }) => {
      await pay(ledger, 'believed', 10n, { block: final - 5 })
      await pay(ledger, 's', 10n)
      expect(await assure(ledger, 's', 10n)).toBeUndefined()
    })

    test('waits for an hour after an outcome that nothing proves', async ({ ledger, pass }) => {
      const report = { node: undefined, round: undefined } as const
      await ledger.recordObservations({ ...report, facts: { unproved: { block: 9 } } })
      await pay(ledger, 's', 10n)
      expect(await assure(ledger, 's', 10n)).toBeUndefined()
      pass(60 * 60 * 1000)
      expect(await assure(ledger, 's', 10n)).toEqual([])
    })

    test('is not final while its account repays all that it owes', async ({ ledger }) => {
      const whole = { kind: 'repayment', spendsWei: 0n } as const
      await accept(ledger, 'all', alice, paying('all', 0n, whole))
      await pay(ledger, 's', 10n)
      expect(await assure(ledger, 's', 1_000n)).toBeUndefined()
    })

    test.for([
      ['a cash-out to a wallet', { kind: 'cashOut' }],
      ['a loan', { kind: 'loan', spendsWei: 0n }],
      ['a repayment', { kind: 'repayment' }],
    ] as const)('is never %s', async ([, order], { ledger }) => {
      await pay(ledger, 's', 10n, order)
      expect(await assure(ledger, 's', 1_000n)).toBeUndefined()
    })

    test('is not final if it failed, or waits too briefly for another block', async ({
      ledger,
      pass,
    }) => {
      await pay(ledger, 'failed', 1n, { failed: true })
      expect(await assure(ledger, 'failed', 1_000n)).toBeUndefined()
      pass(1)
      const { now } = await ledger.readWork()
      const deadline = Math.floor(now / 1_000) + 12 * 60 * 60 - 10
      const lasting = { ...orderOf('brief').request, deadline }
      await pay(ledger, 'brief', 1n, { lasting })
      expect(await assure(ledger, 'brief', 1_000n)).toBeUndefined()
    })

    test('is not final by another block, or by a balance that its own block shows', async ({
      ledger,
    }) => {
      await pay(ledger, 's', 10n)
      const settled = { block: final, wei: 10n }
      expect(await ledger.assure('s', id('block 7'), settled)).toBeUndefined()
      expect(await assure(ledger, 's', 10n, final + 2)).toBeUndefined()
    })

    test('is not final while rows may be lost, and for two days after they were set back', async ({
      ledger,
      pass,
    }) => {
      await pay(ledger, 's', 10n)
      await ledger.recordAction({ id: 'set', action: 'set-back', detail: {} })
      expect(await assure(ledger, 's', 10n)).toBeUndefined()
      pass(2 * 24 * 60 * 60 * 1000 + 1)
      expect(await assure(ledger, 's', 10n)).toEqual([])
      await ledger.confirm(['s'], id(`block ${final + 2}`))
      await pay(ledger, 't', 10n)
      // The chain has a transaction of the key that the ledger does not know.
      await ledger.recordHead(undefined, 50)
      expect(await assure(ledger, 't', 1_000n)).toBeUndefined()
    })

    test('is not endangered by the next one, which waits for money that is settled', async ({
      ledger,
    }) => {
      await pay(ledger, 's', 10n)
      await assure(ledger, 's', 12n)
      const next = (wei: bigint, more: Partial<Order> = {}) =>
        judge(ledger, 'next', alice, paying('next', wei, more))
      expect(await next(3n)).toMatchObject({ kind: 'unsettled' })
      const whole = { kind: 'repayment', spendsWei: 0n } as const
      expect(await next(0n, whole)).toMatchObject({ kind: 'unsettled' })
      const order = { kind: 'transfer', spendsWei: 3n } as const
      const limits = { openPayments: 9, transfersADay: undefined, sentADayWei: undefined }
      const known = await ledger.findKnownRefusal(alice, limits, order)
      expect(known).toEqual({ kind: 'unsettled' })
      // Borrowing takes nothing, and others are free.
      await accept(ledger, 'loan', alice, paying('loan', 0n, { kind: 'loan' }))
      await accept(ledger, 'other', bob, paying('other', 1_000n, {}, bob))
      await accept(ledger, 'covered', alice, paying('covered', 2n))
      expect(await next(1n)).toMatchObject({ kind: 'unsettled' })
      // The block that held it is lost: now as before.
      await ledger.reopen(id(`block ${final + 2}`))
      expect(await next(1n)).toMatchObject({ kind: 'unsettled' })
    })

    test('is not endangered by what comes while rows may be lost: nothing says what they took', async ({
      ledger,
      pass,
    }) => {
      await pay(ledger, 's', 10n)
      await assure(ledger, 's', 99n)
      await ledger.recordAction({ id: 'set', action: 'set-back', detail: {} })
      const next = paying('next', 3n)
      expect(await judge(ledger, 'next', alice, next)).toMatchObject({ kind: 'unsettled' })
      await accept(ledger, 'loan', alice, paying('loan', 0n, { kind: 'loan' }))
      pass(2 * 24 * 60 * 60 * 1000 + 1)
      expect(await judge(ledger, 'next', alice, next)).toMatchObject({ kind: 'accepted' })
    })

    test('frees its account once its block is final', async ({ ledger }) => {
      await pay(ledger, 's', 10n)
      await assure(ledger, 's', 10n)
      const next = paying('next', 3n)
      expect(await judge(ledger, 'next', alice, next)).toMatchObject({ kind: 'unsettled' })
      await ledger.confirm(['s'], id(`block ${final + 2}`))
      expect(await judge(ledger, 'next', alice, next)).toMatchObject({ kind: 'accepted' })
    })

    test('of two relies on the newest balance alone', async ({ ledger }) => {
      await pay(ledger, 's', 10n)
      await assure(ledger, 's', 10n)
      await ledger.recordHead(undefined, 1)
      await ledger.confirm(['s'], id(`block ${final + 2}`))
      const nonce = await accept(ledger, 't', alice, paying('t', 4n))
      await mineAt(ledger, 't', nonce ?? -1, executionIn(final + 12))
      const settled = { block: final + 2, wei: 6n }
      expect(await ledger.assure('t', id(`block ${final + 12}`), settled)).toEqual([])
      expect(await judge(ledger, 'much', alice, paying('much', 3n))).toMatchObject({
        kind: 'unsettled',
      })
      expect(await judge(ledger, 'next', alice, paying('next', 2n))).toMatchObject({
        kind: 'accepted',
      })
    })

    test('is told to phones at once, and never again', async ({ ledger }) => {
      const sms = [
        { party: 'sender', sealed: 'a' },
        { party: 'receiver', sealed: 'b' },
      ] as const
      await pay(ledger, 's', 10n, { sms })
      expect((await ledger.takeSms(9)).taken).toEqual([])
      await assure(ledger, 's', 10n)
      await ledger.reopen(id(`block ${final + 2}`))
      const { taken } = await ledger.takeSms(9)
      expect(taken.map(({ party, state }) => [party, state])).toEqual([
        ['receiver', 'confirmed'],
        ['sender', 'confirmed'],
      ])
      expect((await ledger.takeSms(9)).taken).toEqual([])
    })

    test('is carried again however often in vain, and is the incident that it is if it fails', async ({
      ledger,
      rules,
      pass,
    }) => {
      const own = orderOf('s').request
      const request = { ...own, deadline: 2_000_000_000 }
      const lasting = { ...own, deadline: 3_000_000_000, signature: '0x1a57' } as const
      const first = await pay(ledger, 's', 10n, { request, lasting })
      await assure(ledger, 's', 10n)
      await ledger.reopen(id(`block ${final + 2}`))
      pass(1)
      let nonce = first ?? -1
      for (let attempt = 0; attempt <= rules.maxAttempts; attempt++) {
        await ledger.recordDisplaced(nonce)
        expect(await ledger.readWork()).toMatchObject({ waiting: [{ session: 's' }], stuck: [] })
        nonce += 1
        const filling = { nonce, chainNonce: nonce, sessions: ['s'] }
        await fillNonce(ledger, filling, transactionOf(`attempt ${nonce}`))
      }
      // It is carried by the request that holds for a day.
      expect((await ledger.findPayment('s'))?.order.request).toEqual(lasting)
      await ledger.expire('s', 2_000_000_001)
      expect((await ledger.readVitals()).unkept).toBeUndefined()
      await ledger.expire('s', 3_000_000_001)
      const { unkept } = await ledger.readVitals()
      expect(unkept).toMatchObject({ count: 1, sumWei: 10n, intentId: id('s') })
      expect(await wordOf(ledger, 's')).toBe('done')
      // Its caller, who has the cash, is not told that nothing was moved.
      expect(await ledger.lookup(question('s'))).toMatchObject({ kind: 'answered' })
    })
  })
}
