import { expect, test } from 'vitest'
import { openSqlite } from '../../../../scripts/dev/sqlite.ts'
import { ledgerParts } from '../../../../src/compose/ledger.ts'
import { getDueDelayMs } from '../../../../src/relay/ledger/port.ts'
import { type RoundResult, scheduleLedger } from '../../../../src/relay/ledger/schedule.ts'
import { createSqlLedger } from '../../../../src/relay/ledger/stores/sqlite.ts'
import { usual } from '../../../ports/ledger-memory.ts'
import { fillNonce } from '../../../ports/payments.ts'

const roundMs = 20_000

/** Opens a scheduled ledger with one nonce's bytes, and the time of its alarm. */
async function openScheduled(result: RoundResult | Promise<RoundResult>) {
  const time = { now: 1_000, alarm: null as number | null }
  const ledger = createSqlLedger(openSqlite(), { ...ledgerParts, ...usual, now: () => time.now })
  const setAlarm = async (at: number | null) => {
    time.alarm = at
  }
  const alarm = { getAlarm: async () => time.alarm, setAlarm, deleteAlarm: () => setAlarm(null) }
  const runRound = async () => result
  const options = { ...usual, roundMs, runRound, log: () => {} }
  const scheduled = scheduleLedger(ledgerParts.steps, ledger, alarm, options, () => time.now)
  const transaction = { hash: '0x12', raw: '0x34', gasPriceWei: 1n } as const
  await fillNonce(scheduled.ledger, { nonce: 0, chainNonce: 0, sessions: [] }, transaction)
  return { scheduled, time, hash: transaction.hash }
}

test('a broadcast that no node took sets the alarm to within seconds, and a taken one does not', async () => {
  const { scheduled, time, hash } = await openScheduled('open')
  await scheduled.ledger.recordSend(hash, 'taken')
  expect(time.alarm).toBeNull()
  await scheduled.ledger.recordSend(hash, 'unknown')
  expect(time.alarm).toBe(time.now + 5_000)
})

test.for([
  ['soon', 5_000],
  ['open', roundMs],
] as const)('the next round depends on what is left: %s', async ([result, inMs]) => {
  const { scheduled, time } = await openScheduled(result)
  await scheduled.runDueRound()
  expect(time.alarm).toBe(time.now + inMs)
})

test('a round that waits for a node holds up no answer', async () => {
  const node = Promise.withResolvers<RoundResult>()
  const { scheduled } = await openScheduled(node.promise)
  const round = scheduled.runDueRound()
  // By then the round has asked the node.
  await new Promise(setImmediate)
  let isAnswered = false
  const answer = scheduled.ledger.readWork().then(() => {
    isAnswered = true
  })
  await new Promise(setImmediate)
  expect(isAnswered).toBe(true)
  node.resolve('open')
  await Promise.all([round, answer])
})

test('a round is due after new work, sooner after refused bytes or for a till, and after nothing else', () => {
  const dueIn = (ms: number, ...args: unknown[]) =>
    Object.keys(ledgerParts.steps)
      .filter((method) => getDueDelayMs(ledgerParts.steps, method, args, roundMs) === ms)
      .sort()
  const opening = ['acceptOffers', 'adopt', 'recall', 'recordWalletChange']
  expect(dueIn(roundMs, [], 'taken')).toEqual(opening)
  expect(dueIn(5_000, [], 'taken')).toEqual([])
  expect(dueIn(5_000, [], 'unknown')).toEqual(['recordSend'])
  const refused = Object.assign([], { obstacle: 'fees_too_high' })
  expect(dueIn(5_000, refused, 'taken')).toEqual(['refuse'])
  // One block may assure it.
  expect(dueIn(5_000, [{ order: { lasting: {} } }], 'taken')).toEqual(['acceptOffers'])
})
