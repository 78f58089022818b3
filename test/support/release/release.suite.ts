import type { Address } from 'viem'
import { test as base, describe, expect } from 'vitest'
import type { ExportEntry, ExportHead } from '../../../src/relay/ledger/backup/export-format.ts'
import type { Ledger } from '../../../src/relay/ledger/port.ts'
import { accept, executionIn } from '../../ports/payments.ts'
import { exportAll, restoreAll } from '../../ports/restore.suite.ts'

/** Holds a decided delivery and its screen. */
export type Dialled = { phone: string; sessionId: string; text: string; screen: string }

/** What a release has told of what it stored, and how it was configured, with keys of tests. */
export type Told = {
  /** The time of its store (Unix time in ms). */
  at: number
  variables: Record<string, string>
  dialled: Dialled[]
  /** What accounts remember; empty where the stored data has it. */
  memory: [account: Address, row: string][]
  /** The lines of an export: its head, then its entries. */
  exported: [ExportHead, ...ExportEntry[]]
}

/** A ledger with what a release stored, at the time of that, and an empty one beside it. */
export type Opened = { ledger: Ledger; empty: Ledger; told: Told }

/** What the code of today makes of a ledger that a release has left, on any store. */
export function releaseSuite(store: string, open: () => Promise<Opened>): void {
  const test = base
    .extend('opened', open)
    .extend('ledger', ({ opened }) => opened.ledger)
    .extend('told', ({ opened }) => opened.told)
  describe(`what a release has left on ${store}`, () => {
    test('is exported as that release exported it', async ({ ledger, told }) => {
      const { head, pages } = await exportAll(ledger, told.exported[0])
      expect([head, ...pages.flat()]).toEqual(told.exported)
    })

    test('answers each session as that release did', async ({ ledger, told }) => {
      const sessions = told.exported.flatMap((line) => ('session' in line ? line.session : []))
      expect(sessions).toHaveLength(told.dialled.length)
      for (const { session, account, input, screen } of sessions as SessionRow[]) {
        const answer = await ledger.lookup({ session, input, account: account as Address })
        expect(answer).toMatchObject({ kind: 'answered', screen })
      }
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
      await ledger.confirm(session, execution.block.hash)
      expect(await ledger.findPayment(session)).toMatchObject({ state: 'confirmed' })
      expect((await ledger.readWork()).carried).toEqual([])
      expect(await accept(ledger, 'the next one', order.request.from)).toBe(nextNonce)
    })

    test('is restored from its export', async ({ opened: { empty, told } }) => {
      const [head, ...entries] = told.exported
      const restored = await restoreAll(empty, { head, pages: [entries] }, false, head)
      expect(restored).toEqual({ added: entries.length, kept: 0 })
      const { pages } = await exportAll(empty, head)
      const open = (lines: ExportEntry[]) => lines.flatMap(({ payment }) => payment ?? [])
      expect(open(pages.flat())).toEqual(open(entries))
    })
  })
}

type SessionRow = NonNullable<ExportEntry['session']>
