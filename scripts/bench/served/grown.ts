import { globSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToHex, type Hex } from 'viem'
import { ledgerParts } from '../../../src/compose/ledger.ts'
import { ledgerRules, type StepContext } from '../../../src/relay/ledger/draft.ts'
import * as clues from '../../../src/relay/ledger/payments/clues.ts'
import { listPhasePayments } from '../../../src/relay/ledger/payments/payment-states.ts'
import { readAccountTotals } from '../../../src/relay/ledger/payments/totals.ts'
import { reads, writes } from '../../../src/relay/ledger/port.ts'
import type { Row } from '../../../src/relay/ledger/rows.ts'
import { createSqlLedger } from '../../../src/relay/ledger/stores/sqlite.ts'
import { createRandom } from '../../dev/random.ts'
import { openSqlite } from '../../dev/sqlite.ts'

/** Counts the payments of each transaction. */
export const paymentsEach = 8

/** Ends a little before the oldest would be archived. */
const spanMs = ledgerRules.retentionMs - 2 * 60 * 60 * 1000
const settledMs = 60_000

/** Is a payment that the relay has made, and its transaction. */
type Sample = { payment: Row<'payments'>; transaction: Row<'transactions'> }

type Moment = { nonce: number; at: number }

/**
 * Adds settled payments of the last days to the rows of a relay that is stopped: copies of one that
 * it has made, of accounts drawn at random. They have the nonces below this one.
 */
export function addPayments(folder: string, nonces: number, accounts: readonly string[]): void {
  const random = createRandom(1)
  const draw = (length: number): Hex =>
    bytesToHex(Uint8Array.from({ length }, () => random.int(0, 255)))
  const steps = {
    sample: reads(({ rows }: StepContext): Sample => {
      const [payment] = listPhasePayments(rows, 'settled', 1)
      const transaction = payment && rows.row('transactions', payment.hash ?? '')
      if (payment === undefined || transaction === undefined)
        throw new Error('the relay has settled no payment')
      return { payment, transaction }
    }),
    add: writes(
      ({ rows }: StepContext, { payment, transaction }: Sample, { nonce, at }: Moment) => {
        const [hash, blockHash] = [draw(32), draw(32)]
        const [changedAt, block] = [at + settledMs, { block_hash: blockHash, block_number: 1 }]
        const copies = Array.from({ length: paymentsEach }, (): Row<'payments'> => {
          const [intentId, account] = [draw(22), random.pick(accounts) as Hex]
          const request = { ...payment.request, from: account, intentId, signature: draw(65) }
          const owned = { session: draw(32).slice(2), intent_id: intentId, account, request }
          const times = { accepted_at: at, since: changedAt }
          return { ...payment, ...owned, ...times, nonce, hash, ...block }
        })
        const sessions = copies.map(({ session }) => session)
        for (const copy of copies) {
          const totals = readAccountTotals(rows, copy.account)
          rows.put('payments', copy)
          rows.put('accounts', { ...totals, seen: totals.seen + 1 })
          clues.addReceipt(rows, copy.intent_id, copy.session)
          clues.addRecipientClue(rows, copy)
        }
        const { relayer, gas_price: price } = transaction
        const bytes: Row<'nonces'>['bytes'] = [[hash, price]]
        const carried = { relayer, nonce, sessions }
        const state = { state: 'mined', phase: 'done', changed_at: changedAt } as const
        rows.put('nonces', { ...carried, ...state, bytes, hash, ...block })
        clues.addTransaction(rows, { ...transaction, ...carried, hash, recorded_at: at })
      },
    ),
  }
  const [file] = globSync(join(folder, '**/ussd-relay-LedgerObject/*.sqlite')).filter(
    (path) => !path.endsWith('metadata.sqlite'),
  )
  const rules = { ...ledgerRules, maxInFlight: 4, watchBlocks: 12, accountStateMs: 0 }
  const parts = { steps, tables: ledgerParts.tables, rules, relayer: '' }
  const ledger = createSqlLedger(openSqlite(file), { ...parts, now: Date.now })
  const sample = ledger.sample()
  const begin = Date.now() - spanMs
  for (let nonce = 0; nonce < nonces; nonce += 1)
    ledger.add(sample, { nonce, at: Math.floor(begin + ((spanMs - 3_600_000) * nonce) / nonces) })
}
