import { describe, expect } from 'vitest'
import type { ExportEntry, ExportHead } from '../../src/relay/ledger/backup/export-format.ts'
import type { Identity, Ledger, StepKey } from '../../src/relay/ledger/port.ts'
import { schemaVersion } from '../../src/relay/ledger/rows.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'
import {
  accept as acceptOrder,
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
  question,
  refusingOf,
  settle,
  transactionOf,
} from './payments.ts'

export const identity: Identity = {
  chainId: 31,
  fingerprints: { RELAYER_MNEMONIC: '0x99', SECRET: 'a' },
}

const share = { poolWei: 3n, capWei: 4n }

const lent = { kind: 'loan', spendsWei: 7n, reserves: share } as const

const showing = (session: string, value: string) => ({ ...question(session), name: 'terms', value })

/** Accepts a payment on its nonce, or one that waits because the pool is full. */
async function accept(ledger: Ledger, session: string, { account = alice, waits = false } = {}) {
  await acceptOrder(ledger, session, account, { order: lent, poolNonce: waits ? 1_000 : 0 })
}

type Exported = { head: ExportHead; pages: ExportEntry[][] }

/** Exports all pages, with the head of the first. */
export async function exportAll(ledger: Ledger, own = identity): Promise<Exported> {
  const pages: ExportEntry[][] = []
  let head: ExportHead | undefined
  for (let place = { part: 0, from: 0 }; ; ) {
    const page = await ledger.exportPage(own, place)
    if (page.kind !== 'page') throw new Error(`not exported: ${page.kind}`)
    head ??= page.head
    if (page.entries.length > 0) pages.push(page.entries)
    if (page.next === undefined) return { head, pages }
    place = page.next
  }
}

export async function restoreAll(ledger: Ledger, exported: Exported, adds = false, own = identity) {
  const { head, pages } = exported
  const begun = await ledger.beginRestore({ id: 'restore', head, identity: own, adds })
  if (begun.kind !== 'begun') return begun
  const sum = { added: 0, kept: 0 }
  for (const page of pages) {
    const answer = await ledger.restore(head.exportedAt, page)
    if (answer.kind !== 'restored') return answer
    sum.added += answer.added
    sum.kept += answer.kept
  }
  await ledger.endRestore(head.exportedAt)
  return sum
}

/** Plays one payment of each kind: in flight, mined, final, waiting, and refused. */
async function playHistory(ledger: Ledger): Promise<void> {
  await ledger.identify(identity)
  for (const session of ['done', 'mined', 'sent', 'signed']) {
    await accept(ledger, session, { account: session === 'sent' ? bob : alice })
  }
  await settle(ledger, 'done', 0, 5)
  await mineAt(ledger, 'mined', 1, executionIn(6, { hash: transactionOf('mined').hash }))
  await ledger.recordSend(id('tx sent'), 'taken')
  await accept(ledger, 'waits', { account: bob, waits: true })
  await ledger.refuse(refusingOf('refused'))
  await ledger.recordAction({ id: 'audit 1', action: 'outbid', detail: { nonce: '1' } })
  await ledger.recordHead([{ number: 7, hash: id('block 7'), count: 2 }])
  await ledger.saveFirstValue(showing('asked', '1'))
  await ledger.renumber({ id: 'r', numbering: 'n', accounts: [[carol, alice]] })
}

/** Reads the state that a relay uses, without times and attempts. */
async function readState(ledger: Ledger) {
  const { nonces, queued, carried, mined, head, nextNonce } = await ledger.readWork()
  const lookUp = async (asked: StepKey) => {
    const view = await ledger.lookup(asked)
    if (view.kind === 'answered') return { ...view, ageMs: 0 }
    return view.kind === 'undecided' ? { ...view, now: 0 } : view
  }
  const decided = ['done', 'mined', 'sent', 'signed', 'waits', 'refused'].map(async (session) => {
    const account = ['sent', 'waits'].includes(session) ? bob : alice
    return lookUp(question(session, account))
  })
  const { counts } = await ledger.readVitals()
  return {
    ...{ nonces, carried, mined, head, nextNonce, counts },
    queued: queued.map((payment) => ({ ...payment, attempts: 0 })),
    decided: await Promise.all(decided),
    blocks: await ledger.listBlocks(0),
    done: await ledger.findPayment('done'),
    last: await ledger.listPayments(alice, 9),
    shown: await ledger.readFirstValue(question('asked'), 'terms'),
    kept: await ledger.findFormerAccount(carol),
    audit: (await ledger.listAudit(9)).filter(({ action }) => action !== 'restore'),
    load: await lookUp(question('new', bob)),
  }
}

/** Tests what an export restores, on any store. */
export function restoreSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)
    .extend('to', create)
    .extend('exported', async ({ ledger }) => {
      await playHistory(ledger)
      return exportAll(ledger)
    })
  describe(`an export of the ledger on ${name}`, () => {
    test('keeps held accounts held', async ({ ledger, to }) => {
      await ledger.identify(identity)
      const { heldAt } = await ledger.setHold(alice, true, 'hold')
      await restoreAll(to.ledger, await exportAll(ledger))
      expect((await to.ledger.readStanding(alice)).heldAt).toBe(heldAt)
      expect((await judge(to.ledger, 'after')).kind).toBe('held')
    })

    test('restores tills and their receipts', async ({ ledger, to }) => {
      await ledger.identify(identity)
      const to12344 = { account: bob, name: 'Duka', kind: 'agent' } as const
      await ledger.setTill({ id: 'a', till: '12344', to: to12344 })
      const till = { account: bob, reference: 'A1', code: '004217' }
      await acceptOrder(ledger, 'paid', alice, { order: { kind: 'withdrawal', till } })
      await settle(ledger, 'paid', 0)
      expect((await ledger.payOut(bob, id('paid'), 'agent'))?.paidOut?.by).toBe('agent')
      await restoreAll(to.ledger, await exportAll(ledger))
      expect(await to.ledger.listTills()).toEqual(await ledger.listTills())
      expect(await to.ledger.listTakings(bob, 9)).toEqual(await ledger.listTakings(bob, 9))
      const found = await to.ledger.findWithdrawals(bob, '004217')
      expect(found).toEqual(await ledger.findWithdrawals(bob, '004217'))
      expect(found).toMatchObject([{ paidOut: { by: 'agent' } }])
    })

    test("gives an empty ledger the first one's state", async ({ ledger, to, exported }) => {
      const { nonces, ...before } = await readState(ledger)
      expect(before.queued).toHaveLength(1)
      // What had not left may have left after the export, so it counts as sent.
      const countAsSent = (transaction: (typeof nonces)[number]['transactions'][number]) => ({
        ...transaction,
        sentAt: transaction.sentAt ?? transaction.recordedAt,
      })
      const restored = {
        ...before,
        nonces: nonces.map(({ transactions, ...nonce }) => ({
          ...nonce,
          transactions: transactions.map(countAsSent),
        })),
      }
      expect(await restoreAll(to.ledger, exported)).toEqual({ added: 9, kept: 0 })
      expect(await readState(to.ledger)).toEqual(restored)
      // Once more it changes nothing.
      expect(await restoreAll(to.ledger, exported, true)).toEqual({ added: 0, kept: 9 })
      expect(await readState(to.ledger)).toEqual(restored)
    })

    test('has the reservations of what is open, and what waits is checked before it is sent', async ({
      exported,
      to,
    }) => {
      await restoreAll(to.ledger, exported)
      expect((await to.ledger.readWork()).queued).toMatchObject([{ session: 'waits', attempts: 1 }])
      // 'mined' is in block 6, and three are open.
      const kindWith = async (poolWei: bigint) => {
        const lendable = { poolWei, capWei: 100n, block: 5 }
        return (await judge(to.ledger, `of ${poolWei}`, bob, { order: lent, lendable })).kind
      }
      expect(await kindWith(14n)).toBe('none_left')
      expect(await kindWith(15n)).toBe('accepted')
    })

    test('has pages that never separate entries of one time', async ({ ledger, pass }) => {
      await ledger.identify(identity)
      for (let index = 0; index < 130; index++) {
        await ledger.refuse(refusingOf(`s${index}`))
        if (index % 60 === 59) pass(1)
      }
      const { pages } = await exportAll(ledger)
      const names = pages.map((page) => page.map(({ session }) => session?.session))
      expect(names.map((page) => page.length)).toEqual([60, 70])
      expect(new Set(names.flat()).size).toBe(130)
    })

    test('decides no session and shows no work until it is complete', async ({ exported, to }) => {
      const { ledger } = to
      const { head, pages } = exported
      await ledger.setIntake('draining', 'before')
      const restoring = { id: 'restore', head, identity, adds: false }
      expect(await ledger.beginRestore(restoring)).toEqual({ kind: 'begun' })
      for (const session of ['signed', 'unknown']) {
        expect(await ledger.lookup(question(session))).toEqual({ kind: 'pending' })
        expect((await judge(ledger, session)).kind).toBe('pending')
        expect(await ledger.refuse(refusingOf(session))).toEqual({ kind: 'pending' })
      }
      // What was shown may be in what is still to come.
      expect(await ledger.saveFirstValue(showing('asked', '2'))).toEqual({ kind: 'pending' })
      for (const page of pages) await ledger.restore(head.exportedAt, page)
      expect(await ledger.lookup(question('signed'))).toMatchObject({ kind: 'answered' })
      expect(await ledger.readWork()).toMatchObject({ nonces: [], carried: [], queued: [] })
      expect((await ledger.setIntake('paused', 'meanwhile')).kind).toBe('restoring')
      // It ended half-way, and begins again.
      expect(await ledger.beginRestore(restoring)).toEqual({ kind: 'begun' })
      await ledger.endRestore(head.exportedAt)
      expect((await ledger.readVitals()).intake.kind).toBe('paused')
      expect((await ledger.readWork()).carried).toHaveLength(2)
      expect(await ledger.restore(head.exportedAt, [])).toEqual({ kind: 'not_begun' })
      expect(await ledger.endRestore(head.exportedAt)).toEqual({ kind: 'not_begun' })
    })

    test('records nothing that was signed before it', async ({ exported, to: { ledger } }) => {
      const { head, pages } = exported
      const offered = offerOf('signed', alice, { order: lent })
      const { slot, accepted } = await ledger.propose([offered])
      expect(slot?.nonce).toBe(0)
      const restoring = { id: 'restore', head, identity, adds: true }
      expect(await ledger.beginRestore(restoring)).toEqual({ kind: 'begun' })
      const transaction = { ...transactionOf('late'), nonce: 0, accepted }
      expect(await ledger.record([offered], transaction)).toEqual({ kind: 'changed' })
      expect((await offer(ledger, offered)).verdicts).toEqual([{ kind: 'pending' }])
      const filling = { nonce: 1, chainNonce: 0, sessions: [] }
      expect(await fillNonce(ledger, filling, transactionOf('late'))).toBe('taken')
      for (const page of pages) await ledger.restore(head.exportedAt, page)
      await ledger.endRestore(head.exportedAt)
      expect(await ledger.findPayment('signed')).toMatchObject({ nonce: 3 })
    })

    test('gives no nonce two holders, and changes no decision', async ({ exported, to }) => {
      const { ledger, pass } = to
      pass(1_000)
      await ledger.identify(identity)
      await accept(ledger, 'newer')
      await ledger.refuse(refusingOf('signed'))
      const inUse = { kind: 'in_use', isOpen: true, isNewer: true }
      expect(await restoreAll(ledger, exported)).toEqual(inUse)
      expect(await restoreAll(ledger, exported, true)).toEqual({ added: 8, kept: 1 })
      const { screen } = refusingOf('signed')
      expect(await ledger.lookup(question('signed'))).toMatchObject({ screen })
      expect(await ledger.findPayment('signed')).toBeUndefined()
      const { nonces, carried } = await ledger.readWork()
      expect(nonces.find(({ nonce }) => nonce === 0)?.sessions).toEqual(['newer'])
      expect(carried.map(({ session }) => session).sort()).toEqual(['newer', 'sent'])
    })

    test('is refused if it is of another ledger, and changes nothing', async ({ ledger, to }) => {
      const exportFirst = (own: Identity) => ledger.exportPage(own, { part: 0, from: 0 })
      expect(await exportFirst(identity)).toEqual({ kind: 'unused_ledger' })
      await playHistory(ledger)
      const { head } = await exportAll(ledger)
      const begin = (more: Partial<ExportHead>, own = identity) =>
        to.ledger.beginRestore({ id: 'r', head: { ...head, ...more }, identity: own, adds: true })
      expect(await begin({ schema: '1' })).toEqual({ kind: 'other_schema', schema: schemaVersion })
      expect(await begin({ chainId: 30 })).toEqual({ kind: 'other_ledger', names: ['chain'] })
      const other = { chainId: 31, fingerprints: { ...identity.fingerprints, SECRET: 'b' } }
      expect(await begin({}, other)).toEqual({ kind: 'other_ledger', names: ['SECRET'] })
      expect(await exportFirst(other)).toEqual({ kind: 'other_ledger', names: ['SECRET'] })
      expect((await to.ledger.readVitals()).intake).toEqual({ kind: 'open' })
      await begin({})
      expect(await begin({ exportedAt: 1 })).toEqual({ kind: 'other_restore' })
      expect((await to.ledger.setIntake('open', 'way out')).kind).toBe('open')
    })
  })
}
