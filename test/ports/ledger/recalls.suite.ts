import type { Address } from 'viem'
import { describe, expect } from 'vitest'
import { encodeCall } from '../../../src/loan/calls.ts'
import type { WholeLedger } from '../../../src/operator/kept/steps.ts'
import { nameRecall, type Order } from '../../../src/relay/ledger/values.ts'
import { type LedgerHarness, testOn } from '../on-ledger.ts'
import {
  accept,
  alice,
  bob,
  carol,
  executionIn,
  id,
  judge,
  mineAt,
  offer,
  offerOf,
  orderOf,
  unlimited,
} from '../payments.ts'

const read = 100
const dave = '0x4444444444444444444444444444444444444444'
const erin = '0x5555555555555555555555555555555555555555'
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Tests what is held back of a payment that its sender calls a mistake, on any store. */
export function recallsSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)

  const paying = (session: string, from: Address, to: Address, wei: bigint): Partial<Order> => {
    const data = encodeCall({ kind: 'transfer', to, amountWei: wei })
    return { request: { ...orderOf(session, from).request, data }, spendsWei: wei }
  }

  /** Has a payment to bob executed in a block. */
  async function pay(
    ledger: WholeLedger,
    session: string,
    wei: bigint,
    { from = alice, to = bob, block = read + 2, ...more }: Partial<Order> & PayOptions = {},
  ) {
    const order = { ...paying(session, from, to, wei), ...more }
    const nonce = await accept(ledger, session, from, { order })
    const executed = order.request ?? orderOf(session).request
    await mineAt(ledger, session, nonce ?? -1, executionIn(block, { executed }))
  }
  type PayOptions = { from?: Address; to?: Address; block?: number }

  const holding = (wei: bigint, block = read, owedWei = 0n, ...spent: string[]) => ({
    ...{ block, wei, owedWei, spent: spent.map(id) },
  })

  const ask = (
    ledger: WholeLedger,
    session = 's',
    wei = 0n,
    sender: Address = alice,
    more: {
      sealed?: string
      sealedForSender?: string
      holdings?: ReturnType<typeof holding> | undefined
    } = {},
  ) =>
    ledger.recall({
      ...{ intentId: id(session), sender, holdings: holding(wei), ...more },
      ...{ withinMs: 30 * minuteMs, everyMs: 7 * dayMs },
    })

  /** Offers bob's payment where bob had so much at a block. */
  const spend = (ledger: WholeLedger, session: string, wei: bigint, hadWei = 0n, block = read) =>
    judge(ledger, session, bob, {
      order: paying(session, bob, carol, wei),
      holdings: holding(hadWei, block),
    })

  /** Offers bob's payment that gives back what is held of `s`. */
  const giveBack = (ledger: WholeLedger, session: string, wei: bigint, to = alice, of = 's') =>
    judge(ledger, session, bob, {
      ...{ order: paying(session, bob, to, wei), holdings: holding(0n), returns: id(of) },
    })

  /** Has bob pay whom he likes; returns what has it executed in a block, or fail there. */
  async function sendBack(ledger: WholeLedger, session: string, wei: bigint, to: Address) {
    const order = paying(session, bob, to, wei)
    const nonce = await accept(ledger, session, bob, { order, holdings: holding(100n) })
    const executed = order.request ?? orderOf(session).request
    return (block: number, outcome: 'executed' | 'failed' = 'executed') =>
      mineAt(ledger, session, nonce ?? -1, executionIn(block, { outcome, executed }))
  }

  describe(`a payment that its sender calls a mistake, on ${name}`, () => {
    test('is held back in its receiver’s account for a day, once', async ({ ledger, pass }) => {
      await pay(ledger, 's', 10n)
      const held = await ask(ledger)
      expect(held).toMatchObject({ kind: 'held', wei: 10n })
      pass(minuteMs)
      expect(await ask(ledger)).toEqual(held)
      expect(await ledger.listRecalled(bob)).toMatchObject([{ sender: alice, wei: 10n }])
      const detail = { account: alice, receiver: bob }
      expect((await ledger.listAudit({ limit: 9 })).entries).toMatchObject([
        { action: 'recall', detail },
      ])
      pass(dayMs)
      expect(await ledger.listRecalled(bob)).toEqual([])
      expect(await spend(ledger, 'own', 10n)).toMatchObject({ kind: 'accepted' })
    })

    test('tells support how it stands: whether its sender can ask, and what is held until when', async ({
      ledger,
      pass,
    }) => {
      const times = { withinMs: 30 * minuteMs, everyMs: 7 * dayMs }
      const stands = async (session: string, given = times) =>
        (await ledger.tracePayment(id(session), given))?.recall
      await pay(ledger, 's', 10n)
      const open = await stands('s')
      expect(open).toEqual({ kind: 'open', until: expect.any(Number) })
      expect(await stands('s', { ...times, withinMs: 0 })).toMatchObject({ kind: 'off' })
      pass(1)
      await pay(ledger, 'bill', 10n, { to: dave, kind: 'purchase' })
      expect(await stands('bill')).toBeUndefined()
      await pay(ledger, 'again', 1n)
      expect(await stands('again')).toMatchObject({ kind: 'known' })
      await pay(ledger, 'last', 1n, { to: carol })
      expect(await stands('s')).toEqual(open)
      const held = await ask(ledger)
      expect(await stands('s', { ...times, withinMs: 0 })).toEqual(held)
      expect(await stands('last')).toMatchObject({ kind: 'too_often' })
      pass(dayMs)
      expect(await stands('s')).toEqual({ ...open, kind: 'ended' })
    })

    test('tells support who held it, what came back, and how the hold ended', async ({
      ledger,
      pass,
    }) => {
      const times = { withinMs: 30 * minuteMs, everyMs: 7 * dayMs }
      const list = async (session: string) =>
        (await ledger.tracePayment(id(session), times))?.holdSteps
      await pay(ledger, 's', 10n)
      expect(await list('s')).toEqual([])
      await ask(ledger)
      pass(1)
      await giveBack(ledger, 'part', 4n)
      const begun = [
        { step: 'held', by: alice, wei: 10n, intentId: null },
        { step: 'given_back', by: bob, wei: 4n, intentId: id('part') },
      ]
      expect(await list('s')).toMatchObject(begun)
      await pay(ledger, 't', 10n, { from: carol })
      await ask(ledger, 't', 0n, carol)
      await pay(ledger, 'u', 10n, { from: dave })
      await ask(ledger, 'u', 0n, dave)
      pass(1)
      await ledger.endRecall(bob, id('t'), `keep:${id('t')}`)
      await ledger.endRecall(bob, id('u'), 'amina/ended')
      pass(1)
      // Who keeps it and pays the sender later has given nothing back.
      expect(await spend(ledger, 'other', 5n, 1_000n)).toMatchObject({ kind: 'accepted' })
      const ended = [{ step: 'held' }, { step: 'kept', by: bob, wei: null }]
      expect(await list('t')).toMatchObject(ended)
      expect(await list('u')).toMatchObject([{ step: 'held' }, { step: 'ended', by: 'amina' }])
      pass(dayMs)
      expect(await list('s')).toMatchObject([...begun, { step: 'over', by: null }])
      expect(await list('t')).toMatchObject(ended)
    })

    test('is held back as far as it is unspent', async ({ ledger }) => {
      await pay(ledger, 's', 10n)
      await pay(ledger, 'spent', 7n, { from: bob, to: carol })
      expect(await ask(ledger)).toMatchObject({ kind: 'held', wei: 3n })
      await pay(ledger, 't', 10n, { from: carol, to: alice })
      await accept(ledger, 'open', alice, { order: paying('open', alice, bob, 10n) })
      expect(await ask(ledger, 't', 0n, carol)).toEqual({ kind: 'spent' })
    })

    test('is judged by what a block has taken already of what is open', async ({ ledger }) => {
      await pay(ledger, 's', 50n)
      await accept(ledger, 'open', bob, { order: paying('open', bob, carol, 80n) })
      // Bob had 150 of which a block has taken 80, as no round has seen yet.
      const holdings = holding(70n, read + 2, 0n, 'open')
      expect(await ask(ledger, 's', 0n, alice, { holdings })).toMatchObject({ wei: 50n })
      const spending = (session: string, wei: bigint) =>
        judge(ledger, session, bob, { order: paying(session, bob, carol, wei), holdings })
      expect(await spending('more', 21n)).toMatchObject({ kind: 'recalled', wei: 50n })
      expect(await spending('free', 20n)).toMatchObject({ kind: 'accepted' })
      expect(await spending('one', 1n)).toMatchObject({ kind: 'recalled' })
    })

    test('is not held back where that is held for another', async ({ ledger }) => {
      await pay(ledger, 't', 10n, { from: carol, block: read })
      await pay(ledger, 's', 10n)
      await pay(ledger, 'spent', 12n, { from: bob, to: dave })
      expect(await ask(ledger, 's', 10n)).toMatchObject({ kind: 'held', wei: 8n })
      expect(await ask(ledger, 't', 10n, carol)).toEqual({ kind: 'spent' })
    })

    test.for([
      ['withdrawal', { kind: 'withdrawal' }],
      ['bill', { kind: 'purchase' }],
      ['cash-out', { kind: 'cashOut' }],
    ] as const)('is none that is a %s', async ([, order], { ledger }) => {
      await pay(ledger, 's', 10n, order)
      expect(await ask(ledger)).toEqual({ kind: 'not_yours' })
    })

    test('is none of a stranger, of an account with a till, or that no block holds', async ({
      ledger,
    }) => {
      await accept(ledger, 's', alice, { order: paying('s', alice, bob, 10n) })
      expect(await ask(ledger)).toEqual({ kind: 'arriving' })
      expect(await ask(ledger, 's', 0n, bob)).toEqual({ kind: 'not_yours' })
      expect(await ask(ledger, 'nothing')).toEqual({ kind: 'not_yours' })
      const to = { account: bob, name: 'Duka', kind: 'agent' } as const
      await ledger.setTill({ id: 'a', till: '12344', to })
      await pay(ledger, 't', 10n)
      expect(await ask(ledger, 't')).toEqual({ kind: 'till' })
      // An agent has taken cash for what it sends.
      await pay(ledger, 'u', 10n, { from: bob, to: carol })
      expect(await ask(ledger, 'u', 0n, bob)).toEqual({ kind: 'till' })
      expect(await ledger.listRecalled(bob)).toEqual([])
    })

    test('is none that is final, late, or to somebody who was paid before', async ({
      ledger,
      pass,
    }) => {
      const { request } = orderOf('s')
      const lasting = { ...request, ...paying('s', alice, bob, 10n).request, signature: '0x1a57' }
      await pay(ledger, 's', 10n, { lasting } as Partial<Order>)
      await ledger.assure('s', id(`block ${read + 2}`), { block: read, wei: 10n })
      expect(await ask(ledger)).toEqual({ kind: 'final' })
      await pay(ledger, 'first', 10n, { from: carol })
      await pay(ledger, 'again', 10n, { from: carol })
      expect(await ask(ledger, 'again', 0n, carol)).toEqual({ kind: 'known' })
      pass(30 * minuteMs + 1)
      expect(await ask(ledger, 'first', 0n, carol)).toEqual({ kind: 'too_late' })
    })

    test('is judged with what is spent at the same time', async ({ ledger }) => {
      await pay(ledger, 's', 10n)
      await pay(ledger, 'salary', 20n, { from: carol, block: read })
      await ask(ledger, 's', 20n)
      expect(await spend(ledger, 'own', 21n, 20n)).toMatchObject({ kind: 'recalled', wei: 10n })
      const two = ['a', 'b'].map((session) =>
        offerOf(session, bob, {
          order: paying(session, bob, carol, 15n),
          holdings: holding(20n),
        }),
      )
      const { verdicts } = await offer(ledger, ...two)
      expect(verdicts.map(({ kind }) => kind)).toEqual(['accepted', 'changed'])
      expect(await spend(ledger, 'b', 15n, 20n)).toMatchObject({ kind: 'recalled' })
      expect(await spend(ledger, 'c', 5n, 20n)).toMatchObject({ kind: 'accepted' })
      // Who offered before it was held has not read what the account has.
      const unread = { order: paying('d', bob, carol, 1n) }
      expect(await judge(ledger, 'd', bob, unread)).toMatchObject({ kind: 'changed' })
    })

    test('keeps no other money of its receiver, of whatever block', async ({ ledger }) => {
      await pay(ledger, 's', 10n)
      await pay(ledger, 'spent', 4n, { from: bob, to: carol, block: read + 3 })
      await ask(ledger)
      // A salary of 30 came in the newest block: 36 are there, of which 6 are held.
      expect(await spend(ledger, 'more', 31n, 36n, read + 4)).toMatchObject({ wei: 6n })
      expect(await spend(ledger, 'all', 30n, 36n, read + 4)).toMatchObject({ kind: 'accepted' })
      expect(await spend(ledger, 'one', 1n, 36n, read + 4)).toMatchObject({ kind: 'recalled' })
    })

    test('lets its receiver repay a whole debt out of other money, once', async ({ ledger }) => {
      await pay(ledger, 's', 10n)
      await ask(ledger)
      const repay = (session: string, owedWei: bigint) =>
        judge(ledger, session, bob, {
          order: { ...orderOf(session, bob), kind: 'repayment', spendsWei: 0n },
          holdings: holding(5n, read, owedWei),
        })
      expect(await repay('more', 6n)).toMatchObject({ kind: 'recalled' })
      expect(await repay('whole', 5n)).toMatchObject({ kind: 'accepted' })
      expect(await repay('again', 5n)).toMatchObject({ kind: 'accepted' })
      expect(await spend(ledger, 'own', 1n, 5n)).toMatchObject({ kind: 'accepted' })
    })

    test('goes back to its sender alone, as far as it is held, once', async ({ ledger }) => {
      await pay(ledger, 's', 10n)
      await ask(ledger)
      expect(await giveBack(ledger, 'more', 11n)).toMatchObject({ kind: 'not_held' })
      expect(await giveBack(ledger, 'else', 10n, carol)).toMatchObject({ kind: 'not_held' })
      expect(await giveBack(ledger, 'other', 10n, alice, 'more')).toMatchObject({
        kind: 'not_held',
      })
      const at = { order: paying('two', bob, alice, 10n), holdings: holding(0n), returns: id('s') }
      const { verdicts } = await offer(ledger, offerOf('one', bob, at), offerOf('two', bob, at))
      expect(verdicts.map(({ kind }) => kind)).toEqual(['accepted', 'not_held'])
      expect(await giveBack(ledger, 'two', 10n)).toMatchObject({ kind: 'not_held' })
      expect(await giveBack(ledger, 'one', 10n)).toMatchObject({ kind: 'answered' })
      expect(await ledger.listRecalled(bob)).toEqual([])
    })

    test('goes back by whatever payment to its sender, also beyond a day’s limits', async ({
      ledger,
    }) => {
      await pay(ledger, 's', 10n)
      await pay(ledger, 'spent', 2n, { from: bob, to: carol })
      await ask(ledger, 's', 2n)
      const limits = { ...unlimited, transfersADay: 1 }
      const send = (session: string, to: Address, wei: bigint, more: Partial<Order> = {}) =>
        judge(ledger, session, bob, {
          ...{ order: { ...paying(session, bob, to, wei), ...more } },
          ...{ holdings: holding(2n), limits },
        })
      const order = { kind: 'transfer', spendsWei: 4n } as const
      expect(await ledger.findKnownRefusal(bob, limits, order)).toBeUndefined()
      expect(await send('else', carol, 4n)).toMatchObject({ kind: 'too_many_today' })
      expect(await send('bill', alice, 4n, { kind: 'purchase' })).toMatchObject({
        kind: 'too_many_today',
      })
      expect(await send('part', alice, 4n)).toMatchObject({ kind: 'accepted' })
      expect(await ledger.listRecalled(bob)).toMatchObject([{ wei: 6n }])
      expect(await send('more', alice, 7n)).toMatchObject({ kind: 'too_many_today' })
      expect(await send('rest', alice, 6n)).toMatchObject({ kind: 'accepted' })
      expect(await ledger.listRecalled(bob)).toEqual([])
      expect(await ledger.findKnownRefusal(bob, limits, order)).toMatchObject({
        kind: 'too_many_today',
      })
    })

    test('is not held in doubt, or beyond eight in an account', async ({ ledger }) => {
      const payers = Array.from({ length: 9 }, (_, index) => `0x${`a${index}`.repeat(20)}` as const)
      for (const from of payers) await pay(ledger, from.slice(-9), 1n, { from })
      const unread = { holdings: undefined }
      expect(await ask(ledger, '0a0a0a0a0', 0n, payers[0], unread)).toEqual({ kind: 'unknown' })
      const answers = []
      for (const from of payers) answers.push((await ask(ledger, from.slice(-9), 0n, from)).kind)
      expect(answers).toEqual([...Array.from({ length: 8 }, () => 'held'), 'too_many'])
      // Whoever holds dust bars nobody.
      const last = payers[8]
      await pay(ledger, 'large', 9n, { from: carol })
      expect(await ask(ledger, 'large', 0n, carol)).toMatchObject({ kind: 'held', wei: 9n })
      const held = (await ledger.listRecalled(bob)).map(({ wei }) => wei)
      expect(held).toEqual([1n, 1n, 1n, 1n, 1n, 1n, 1n, 9n])
      expect(last && (await ask(ledger, last.slice(-9), 0n, last)).kind).toBe('too_many')
      await pay(ledger, 's', 10n, { to: dave })
      await judge(ledger, 'lost', carol, { chainNonce: 99 })
      expect(await ask(ledger)).toEqual({ kind: 'unknown' })
    })

    test('is told its sender as what it has become: not held, come back, or come back in vain', async ({
      ledger,
      pass,
    }) => {
      const take = async () => (await ledger.takeSms(9)).taken.map(({ session }) => session)
      for (const [session, from, block] of [
        ['lost', alice, read + 2],
        ['more', carol, read + 3],
        ['back', dave, read + 3],
        ['late', erin, read + 3],
      ] as const) {
        await pay(ledger, session, 10n, { from, block })
        await ask(ledger, session, 0n, from, { sealedForSender: 'sealed' })
      }
      // The block of the payment is lost, and another one has it fail.
      await ledger.reopen(id(`block ${read + 2}`))
      const executed = paying('lost', alice, bob, 10n).request ?? orderOf('lost').request
      await mineAt(ledger, 'lost', 0, executionIn(read + 4, { outcome: 'failed', executed }))
      // Who pays more than is held, out of other money, has given it back.
      await (await sendBack(ledger, 'twice', 20n, carol))(read + 5)
      expect((await ledger.listRecalled(bob)).map(({ sender }) => sender)).toEqual([dave, erin])
      const mineBack = await sendBack(ledger, 'for dave', 10n, dave)
      const mineLate = await sendBack(ledger, 'for erin', 10n, erin)
      pass(dayMs)
      expect(await take()).toEqual([])
      await mineBack(read + 6, 'failed')
      pass(10 * minuteMs)
      expect(await take()).toEqual([nameRecall(id('back'))])
      await mineLate(read + 7)
      pass(10 * minuteMs)
      expect(await ledger.takeSms(9)).toEqual({ taken: [], next: undefined })
      expect(await ledger.listHeldFor(carol, 9)).toEqual([])
    })

    test('stays to its end though its receiver’s data are erased, and its sender asks no sooner again when erased', async ({
      ledger,
      pass,
    }) => {
      const countHeld = async (account: Address) =>
        (await ledger.erase({ id: account, account, contract: carol, from: 0 })).kept
      await pay(ledger, 's', 10n)
      await ask(ledger, 's', 0n, alice, { sealedForSender: 'sealed' })
      expect(await countHeld(bob)).toMatchObject({ recalled: 1, holds: 0 })
      expect((await ledger.takeSms(9)).next).toBeDefined()
      expect(await countHeld(alice)).toMatchObject({ recalled: 0, holds: 0 })
      // Nobody is told at its end who is erased.
      expect((await ledger.takeSms(9)).next).toBeUndefined()
      expect(await ledger.listRecalled(bob)).toMatchObject([{ wei: 10n }])
      await pay(ledger, 't', 10n, { to: carol })
      expect(await ask(ledger, 't')).toEqual({ kind: 'too_often' })
      pass(dayMs)
      expect(await countHeld(bob)).toMatchObject({ recalled: 0 })
    })

    test('is held for nobody whose account is held, and in none that has a till since', async ({
      ledger,
    }) => {
      await pay(ledger, 's', 10n)
      await ledger.setHold(alice, true, 'hold')
      expect(await ask(ledger)).toEqual({ kind: 'not_yours' })
      await ledger.setHold(alice, false, 'release')
      expect(await ask(ledger)).toMatchObject({ kind: 'held' })
      const to = { account: bob, name: 'Duka', kind: 'agent' } as const
      await ledger.setTill({ id: 'a', till: '12344', to })
      expect(await ledger.listRecalled(bob)).toEqual([])
    })

    test('is asked for once, also where it was spent', async ({ ledger }) => {
      await pay(ledger, 's', 10n)
      await pay(ledger, 'spent', 10n, { from: bob, to: carol })
      expect(await ask(ledger)).toEqual({ kind: 'spent' })
      expect(await ask(ledger)).toEqual({ kind: 'too_often' })
    })

    test('is none that gives back what was paid before', async ({ ledger, pass }) => {
      await pay(ledger, 's', 10n)
      pass(1)
      await pay(ledger, 'back', 10n, { from: bob, to: alice })
      expect(await ask(ledger, 'back', 0n, bob)).toEqual({ kind: 'known' })
    })

    test('is its receiver’s again once that keeps it, or its block is lost', async ({ ledger }) => {
      await pay(ledger, 's', 10n)
      await ask(ledger)
      await ledger.reopen(id(`block ${read + 2}`))
      expect(await ledger.listRecalled(bob)).toEqual([])
      expect(await ask(ledger)).toEqual({ kind: 'arriving' })
      expect(await giveBack(ledger, 'back', 10n)).toMatchObject({ kind: 'not_held' })
      // What else is held meanwhile takes nothing of it.
      await pay(ledger, 't', 5n, { from: carol })
      await ask(ledger, 't', 0n, carol)
      const executed = paying('s', alice, bob, 10n).request ?? orderOf('s').request
      await mineAt(ledger, 's', 0, executionIn(read + 3, { executed }))
      expect(await ledger.listRecalled(bob)).toMatchObject([{ wei: 10n }, { wei: 5n }])
      await ledger.reopen(id(`block ${read + 3}`))
      expect(await ledger.endRecall(alice, id('s'), 'not hers')).toBe(false)
      expect(await ledger.endRecall(bob, id('s'), 'kept')).toBe(true)
      expect(await ledger.endRecall(bob, id('s'), 'kept')).toBe(false)
      await mineAt(ledger, 's', 0, executionIn(read + 4, { executed }))
      expect(await spend(ledger, 'own', 10n, 10n)).toMatchObject({ kind: 'accepted' })
      // It is held once: its sender cannot ask for it again.
      expect(await ask(ledger)).toEqual({ kind: 'too_often' })
    })
  })
}
