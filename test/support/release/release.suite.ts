import type { Address, Hex } from 'viem'
import { test as base, describe, expect } from 'vitest'
import type { WholeLedger } from '../../../src/operator/kept/steps.ts'
import type { KeptRow } from '../../../src/operator/kept/tables.ts'
import type { Row } from '../../../src/relay/ledger/rows.ts'
import { accept, executionIn } from '../../ports/payments.ts'

/** Holds a decided delivery and its screen. */
export type Dialled = { phone: string; sessionId: string; text: string; screen: string }

/** Holds rows as a release wrote them. */
export type ToldEntry = {
  session?: Row<'sessions'>
  payment?: Row<'payments'>
  transactions?: Row<'transactions'>[]
  shown?: Row<'shown'>
  audit?: KeptRow<'audit'>
  hold?: Row<'holds'>
  till?: KeptRow<'tills'>
}

/** What a release has told of what it stored, and how it was configured, with keys of tests. */
export type Told = {
  /** The time of its store (Unix time in ms). */
  at: number
  variables: Record<string, string>
  dialled: Dialled[]
  /** What accounts remember; empty where the stored data has it. */
  memory: [account: Address, row: string][]
  /** Whose rows they are, and then the rows. */
  exported: [{ fingerprints: Record<string, string> }, ...ToldEntry[]]
}

/** A ledger with what a release stored, at the time of that. */
export type Opened = { ledger: WholeLedger; told: Told }

/** What the code of today makes of a ledger that a release has left, on any store. */
export function releaseSuite(store: string, open: () => Promise<Opened>): void {
  const test = base
    .extend('opened', open)
    .extend('ledger', ({ opened }) => opened.ledger)
    .extend('entries', ({ opened }) => opened.told.exported.slice(1) as ToldEntry[])
  describe(`what a release has left on ${store}`, () => {
    test('shows each payment as that release stored it', async ({ ledger, entries }) => {
      const payments = entries.flatMap(({ payment }) => payment ?? [])
      const transactions = entries.flatMap((entry) => entry.transactions ?? [])
      expect(payments.map(({ state }) => state).sort()).toEqual([
        ...['confirmed', 'confirmed', 'confirmed', 'signed'],
      ])
      for (const payment of payments) {
        const { hash, state, kind, account, attempts, outcome, reason, history } = payment
        const carrying = transactions.filter(({ sessions }) => sessions.includes(payment.session))
        expect(await ledger.tracePayment(payment.intent_id)).toMatchObject({
          ...{
            intentId: payment.intent_id,
            spendsWei: payment.spends,
            block: payment.block_number,
          },
          ...{ hash, state, kind, account, attempts, outcome, reason, history },
          ...{ acceptedAt: payment.accepted_at, relayer: payment.relayer, nonce: payment.nonce },
          transactions: carrying.map((one) => ({ hash: one.hash, sentAt: one.sent_at })),
        })
        expect((await ledger.findPayment(payment.session))?.order.request).toEqual(payment.request)
      }
    })

    test('answers each session as that release did', async ({ ledger, entries, opened }) => {
      const sessions = entries.flatMap(({ session }) => session ?? [])
      expect(sessions).toHaveLength(opened.told.dialled.length)
      for (const { session, account, input, screen } of sessions) {
        const answer = await ledger.lookup({ session, input, account: account as Address })
        expect(answer).toMatchObject({ kind: 'answered', screen })
      }
      for (const { session, step: input, name, value } of entries.flatMap(
        ({ shown = [] }) => shown,
      ))
        expect(await ledger.readFirstValue({ session, input, account: '0x' }, name)).toBe(value)
    })

    test('has what operators did', async ({ ledger, entries }) => {
      const audit = entries.flatMap((entry) => entry.audit ?? [])
      expect((await ledger.listAudit({ limit: 99 })).entries.sort(byId)).toEqual(audit.sort(byId))
      const tills = entries.flatMap(({ till = [] }) => till)
      expect(await ledger.listTills()).toMatchObject(
        tills.map(({ till, account, name, kind }) => ({ till, account, name, kind })),
      )
      const holds = entries.flatMap(({ hold = [] }) => hold)
      expect([tills.length, holds.length]).toEqual([1, 1])
      for (const { account, held_at: heldAt } of holds)
        expect(await ledger.readStanding(account as Hex)).toMatchObject({ heldAt })
    })

    test('continues the open payment, and settles it', async ({ ledger }) => {
      const { carried, nonces, nextNonce } = await ledger.readWork()
      const [open, carrier] = [carried[0], nonces[0]]
      if (open === undefined || carrier === undefined) throw new Error('nothing is open')
      const { session, order } = open
      const [own] = carrier.transactions
      const execution = executionIn(99, {
        hash: own?.hash ?? '0x',
        signature: order.request.signature,
        executed: order.request,
      })
      await ledger.recordMined({
        ...{ nonce: carrier.nonce, sessions: [session], hash: execution.hash },
        ...{ block: execution.block, executions: { [session]: execution } },
      })
      await ledger.confirm([session], execution.block.hash)
      expect(await ledger.findPayment(session)).toMatchObject({ state: 'confirmed' })
      expect((await ledger.readWork()).carried).toEqual([])
      expect(await accept(ledger, 'the next one', order.request.from)).toBe(nextNonce)
    })
  })
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
