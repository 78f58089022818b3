import { getUrgentRoundMs } from '../../chain/chains.ts'
import type { SignedRequest } from '../forwarder/requests.ts'
import { isSilentOnPayments } from '../refusal.ts'
import { findIntakeRefusal, propose, record } from './acceptance.ts'
import { exportKept, importKept } from './backup/kept.ts'
import { eraseAccount, readPersonPage } from './backup/person.ts'
import { findDecision, saveSession } from './decisions.ts'
import type { Draft, StepContext } from './draft.ts'
import { readMeta, saveMeta } from './meta.ts'
import { recordMissing } from './missing.ts'
import { listOpenPayments, readAccountTotals } from './payments/account-totals.ts'
import { countEvent, sampleCounts } from './payments/counts.ts'
import { getRequest, readExecutedOrder } from './payments/executed.ts'
import {
  countUsage,
  deleteNonce,
  findCarrier,
  isCarriedBy,
  listOpenNonces,
  listSignedHashes,
  listTransactions,
  markForResend,
  mayHaveLeft,
  readSlot,
  recordTransaction,
  requeueFrom,
  retireNonce,
  saveNonce,
  withholdTransaction,
} from './payments/nonces.ts'
import {
  applyEvent,
  archivePayments,
  beginPayment,
  endUnsentPayment,
  getPaymentRow,
  listPhasePayments,
  noBlock,
  noNonce,
  toExecutionColumns,
  toOpenColumns,
  toOutcomeColumns,
  toPayment,
} from './payments/payment-states.ts'
import { findNextNonce, readRelayerTotals } from './payments/relayer-totals.ts'
import { listDueReminders, recordReminderFate, takeReminder } from './payments/reminders.ts'
import { recentSettlementMs } from './payments/reserves.ts'
import { pruneSms, recordSmsFate, takeSms } from './payments/sms.ts'
import {
  type FirstSend,
  type Ledger,
  maxOpenPayments,
  type NonceFill,
  type SessionRefusal,
  workLists,
} from './port.ts'
import { listPastAlerts, recordAlerts, takeNotices } from './records/alerts.ts'
import {
  forgetGasPrice,
  readAccountState,
  readFollowedBlocks,
  readObservations,
  recordObservations,
  saveAccountState,
  saveFollowedBlocks,
} from './records/chain.ts'
import { findDayLimit, recordEqualAge } from './records/earlier.ts'
import {
  pruneShown,
  readFirstValue,
  saveAnswerTime,
  saveFirstValue,
} from './records/first-values.ts'
import { addGatewayCounts } from './records/gateways.ts'
import {
  checkIdentity,
  describeDifferences,
  findFormerAccount,
  hasMoved,
  identify,
  renumber,
} from './records/identity.ts'
import { bookLoans, listLoans, readLoanBook } from './records/loans.ts'
import { recordObstacle } from './records/obstacles.ts'
import {
  findPayments,
  listAudit,
  pruneAudit,
  readPage,
  readTrace,
  recordAction,
  setIntake,
} from './records/operations.ts'
import {
  compareNonces,
  endPossibleLoss,
  isDoubtful,
  mayEndPossibleLoss,
  mayHavePaid,
  readPossibleLossAt,
  recordPossibleLoss,
} from './records/possible-loss.ts'
import { acceptRate, judgeRate } from './records/rates.ts'
import {
  pruneRefusals,
  readSessionTrace,
  readStanding,
  recordRefusal,
  setHold,
} from './records/standing.ts'
import {
  findTill,
  findWithdrawals,
  listAccountTills,
  listTakings,
  listTills,
  payOut,
  setTill,
} from './records/tills.ts'
import { readVitals, writeProbe } from './records/vitals.ts'
import { recordWalletChange } from './records/wallets.ts'
import { type Listing, mapNames, type Row, type TableName } from './rows.ts'
import { isOutcomeUnknown, phaseRules } from './transitions.ts'

/** Implements each method of the port as a step, which reads and writes rows synchronously. */
export type Steps = {
  [Method in keyof Ledger]: (
    step: StepContext,
    ...args: Parameters<Ledger[Method]>
  ) => Awaited<ReturnType<Ledger[Method]>>
}

/** Tells what a method does with rows. One that `opens` writes, and may leave work for a round. */
export const methodKinds: Readonly<Record<keyof Ledger, 'reads' | 'writes' | 'opens'>> = {
  ...mapNames('reads', 'lookup', 'readWork', 'listSigned', 'listBlocks', 'findPayment'),
  ...mapNames('reads', 'listPayments', 'listAudit', 'readPage', 'tracePayment', 'exportKept'),
  ...mapNames('reads', 'readFirstValue', 'findFormerAccount', 'propose', 'findSlot'),
  ...mapNames('reads', 'findKnownRefusal', 'readStanding', 'traceSession', 'listPastAlerts'),
  ...mapNames('reads', 'readLoanBook', 'listLoans', 'listTills', 'findTill', 'listTakings'),
  ...mapNames('reads', 'readPerson', 'listDueReminders', 'findPayments', 'findWithdrawals'),
  ...mapNames('opens', 'record', 'adopt', 'recordWalletChange'),
  ...mapNames('writes', 'identify', 'refuse', 'fill', 'replace', 'recordSend'),
  ...mapNames('writes', 'beginSend', 'endUnsent'),
  ...mapNames('writes', 'recordMined', 'recordDisplaced', 'abandon', 'settle'),
  ...mapNames('writes', 'confirm', 'expire', 'reopen', 'recordHead', 'recordAccountState'),
  ...mapNames('writes', 'recordObservations', 'readVitals', 'prune', 'renumber', 'setIntake'),
  ...mapNames('writes', 'setHold', 'setTill', 'erase', 'bookLoans', 'recordAction', 'recordAlerts'),
  ...mapNames('writes', 'takeNotices', 'deleteNotice', 'takeSms', 'recordSmsFate', 'takeReminder'),
  ...mapNames('writes', 'recordReminderFate', 'importKept', 'saveFirstValue'),
  ...mapNames('writes', 'recordEqualAge', 'judgeRate', 'acceptRate', 'payOut'),
}

export type LedgerMethod = keyof Ledger

/** Returns after how many ms a round must follow a call; undefined if it needs none. */
export function getDueDelayMs(
  method: LedgerMethod,
  args: readonly unknown[],
  roundMs: number,
): number | undefined {
  if (methodKinds[method] === 'opens') return roundMs
  // A round soon checks whether the obstacle of a refused payment is still there.
  const [refusing] = args as [SessionRefusal | undefined]
  if (method === 'refuse' && refusing?.obstacle !== undefined) return getUrgentRoundMs(roundMs)
  const isUntaken = method === 'recordSend' && args[1] !== 'taken'
  // A round carries the payments of bytes that were taken back.
  const isWithheld = method === 'beginSend' && (args[0] as FirstSend).mayLeave === false
  return isUntaken || isWithheld ? getUrgentRoundMs(roundMs) : undefined
}

export const ledgerMethods = Object.keys(methodKinds) as readonly LedgerMethod[]

/** Limits the rows of one answer. */
const workLimit = 1000
/** Limits the waiting payments of one answer, to about what a block takes. */
const queueLimit = 200
/** Limits the rows of a table that are deleted at a time. */
const pruneLimit = 200

/** Returns an account's requests that were executed a moment ago, the oldest first. */
function listRecentlyExecuted(rows: Draft, account: string, limit: number): SignedRequest[] {
  return rows
    .list({
      table: 'payments',
      list: 'account',
      group: account,
      limit: maxOpenPayments,
      newest: true,
    })
    .filter(({ outcome, phase, since }) => {
      const isRecent =
        phase === 'mined' || (phase === 'settled' && rows.now - since < recentSettlementMs)
      return outcome === 'executed' && isRecent
    })
    .slice(0, limit)
    .map(getRequest)
    .reverse()
}

const listOlderThan = <Name extends TableName>(
  rows: Draft,
  olderThanMs: number,
  listing: Pick<Listing<Name>, 'table' | 'list' | 'group'>,
): Row<Name>[] => rows.list<Name>({ ...listing, olderThanMs, limit: pruneLimit })

/** Tells whether a nonce is free, in the pool's reach, and all these payments wait. */
function mayFill(step: StepContext, { nonce, chainNonce, sessions }: NonceFill): boolean {
  const { rows, rules, relayer } = step
  if (nonce < chainNonce || nonce >= chainNonce + rules.maxInFlight) return false
  const row = rows.row('nonces', relayer, nonce)
  if (row?.state === 'recorded' || row?.state === 'mined') return false
  if (row?.state === 'foreign' && rows.now - row.changed_at < rules.displacedMs) return false
  // Without its bytes, what the pool has of this nonce is not known.
  if (row?.bytes.some(([hash]) => rows.named('transactions', hash) === undefined)) return false
  return sessions.every((session) => getPaymentRow(rows, session)?.phase === 'waiting')
}

export const steps: Steps = {
  identify,

  findFormerAccount,

  renumber,

  lookup(step, question) {
    const { rows } = step
    const decided = findDecision(rows, question)
    if (decided !== undefined) return decided
    const account = readAccountTotals(rows, question.account)
    const open = listOpenPayments(rows, account)
      .map(({ request }) => request)
      .slice(0, maxOpenPayments)
    const executed = listRecentlyExecuted(rows, question.account, maxOpenPayments - open.length)
    const isAgent = listAccountTills(rows, question.account).length > 0
    return {
      kind: 'undecided',
      open,
      executed,
      version: account.seen,
      usage: countUsage(step, account),
      observations: readObservations(step),
      now: rows.now,
      ...(isAgent && { isAgent }),
      ...(isDoubtful(rows) && { isDoubtful: true }),
    }
  },

  saveFirstValue: ({ rows }, showing) => saveFirstValue(rows, showing, findDecision(rows, showing)),

  readFirstValue: ({ rows }, stepKey, name) => readFirstValue(rows, stepKey, name),

  findKnownRefusal: ({ rows }, account, limits, payment) =>
    findIntakeRefusal(rows, account) ?? findDayLimit(rows, account, limits, payment),

  recordEqualAge({ rows }, stepKey, call) {
    // A decided session is asked nothing any more.
    if (findDecision(rows, stepKey) !== undefined) return undefined
    saveAnswerTime(rows, stepKey)
    return recordEqualAge(rows, stepKey, call)
  },

  refuse(step, refusing) {
    const { rows } = step
    const decided = findDecision(rows, refusing)
    if (decided !== undefined) return decided
    if (refusing.traces !== undefined) compareNonces(step, refusing.traces)
    countEvent(rows, 'refused', refusing.reason ?? refusing.obstacle ?? 'own')
    recordRefusal(rows, refusing)
    if (refusing.reason === 'unlisted') saveMeta(rows, 'unlisted', rows.now)
    recordObservations(step, refusing.observations)
    const refused = recordObstacle(rows, refusing.obstacle)
    const isUnsure = mayHavePaid(step, refusing)
    if (isUnsure && !isSilentOnPayments(refusing.reason)) return { ...refused, kind: 'unsure' }
    saveSession(rows, refusing, isUnsure ? 'ended' : 'refused', refusing.screen)
    return refused
  },

  propose,

  record,

  adopt(step, adoption) {
    const { rows } = step
    const { session, order, screen, execution } = adoption
    const decided = findDecision(rows, adoption)
    if (decided !== undefined) return decided
    const executed = readExecutedOrder(order, execution.executed)
    beginPayment(step, 'adopted', session, executed, toExecutionColumns(execution))
    saveSession(rows, adoption, 'accepted', screen)
    return { kind: 'adopted' }
  },

  readVitals(step, { identity, probes = false, counted } = {}) {
    if (probes) {
      writeProbe(step.rows)
      sampleCounts(step.rows)
    }
    addGatewayCounts(step.rows, counted)
    return readVitals(
      step,
      identity && checkIdentity(step, identity),
      identity && hasMoved(step, identity),
    )
  },

  recordObservations,

  setIntake: ({ rows }, kind, id, nextAccountKey) => setIntake(rows, kind, { id, nextAccountKey }),

  setHold: ({ rows }, account, isHeld, id) => setHold(rows, account, isHeld, id),

  setTill: ({ rows }, change) => setTill(rows, change),

  listTills: ({ rows }) => listTills(rows),

  findTill: ({ rows }, number) => findTill(rows, number),

  listTakings: ({ rows }, account, limit) => listTakings(rows, account, limit),

  findWithdrawals: ({ rows }, account, code) => findWithdrawals(rows, account, code),

  payOut: ({ rows }, account, intentId, session) => payOut(rows, account, intentId, session),

  readStanding: ({ rows }, account, contract) => readStanding(rows, account, contract),

  readPerson: readPersonPage,

  erase: eraseAccount,

  exportKept,

  importKept,

  traceSession: ({ rows }, session) => readSessionTrace(rows, session),

  readLoanBook: ({ rows }, contract) => readLoanBook(rows, contract),

  bookLoans: ({ rows }, booking) => bookLoans(rows, booking),

  listLoans: ({ rows }, query) => listLoans(rows, query),

  listPastAlerts: ({ rows }) => listPastAlerts(rows),

  recordAction: ({ rows }, entry) => recordAction(rows, entry),

  recordAlerts: ({ rows, rules: { alertEndMs } }, found, { mustNotify }) =>
    recordAlerts(rows, found, { mustNotify, alertEndMs }),

  takeNotices: ({ rows }, limit) => takeNotices(rows, limit),

  deleteNotice: ({ rows }, id) => rows.drop('notices', id),

  judgeRate: ({ rows }, offered) => judgeRate(rows, offered),

  acceptRate: ({ rows }, id, micros) => acceptRate(rows, id, micros),

  recordWalletChange: ({ rows }, change) => recordWalletChange(rows, change),

  takeSms: ({ rows }, limit) => takeSms(rows, limit),

  recordSmsFate: ({ rows }, name, fate) => recordSmsFate(rows, name, fate),

  listDueReminders: ({ rows }, limit) => listDueReminders(rows, limit),

  takeReminder: ({ rows }, debt) => takeReminder(rows, debt),

  recordReminderFate: ({ rows }, reminder, fate) => recordReminderFate(rows, reminder, fate),

  listAudit: ({ rows }, limit) => listAudit(rows, limit),

  findPayments: ({ rows }, clue, limit) => findPayments(rows, clue, limit),

  readPage: ({ rows }, query) => readPage(rows, query),

  tracePayment: readTrace,

  readWork(step, identity) {
    const { rows, rules } = step
    const relayer = readRelayerTotals(rows, step.relayer)
    const { head, followedBlocks } = readFollowedBlocks(step)
    const possibleLossAt = readPossibleLossAt(rows)
    // A payment may be settled by its own request before any round has seen a head.
    const from = head === undefined ? 0 : head.number - rules.watchBlocks + 1
    const watched = rows.list({ table: 'blocks', list: 'number', from, limit: 1 })
    return {
      now: rows.now,
      head,
      followedBlocks,
      ...readAccountState(step),
      behindSince: readMeta(rows, 'behind_since'),
      nextNonce: findNextNonce(relayer),
      nonces: listOpenNonces(step),
      ...workLists((phase) => {
        const limit = phaseRules[phase].needsNonce ? queueLimit : workLimit
        return listPhasePayments(rows, phase, limit).map(toPayment)
      }),
      watching: watched.length > 0 || mayEndPossibleLoss(rows),
      possibleLossAt,
      ...(identity && { differences: describeDifferences(step, identity) }),
    }
  },

  listSigned: (step) => listSignedHashes(step),

  listBlocks({ rows }, above) {
    const highest = { limit: workLimit, newest: true }
    return rows
      .list({ table: 'blocks', list: 'number', from: above + 1, ...highest })
      .map(({ number, hash }) => ({ number, hash }))
  },

  findPayment({ rows }, session) {
    const row = rows.row('payments', session)
    return row && toPayment(row)
  },

  listPayments: ({ rows }, account, limit) =>
    rows
      .list({ table: 'payments', list: 'account', group: account, limit, newest: true })
      .map(toPayment),

  findSlot: (step, filling) => (mayFill(step, filling) ? readSlot(step, filling.nonce) : undefined),

  fill(step, { replacedHash, transaction, ...filling }) {
    const { rows, relayer } = step
    const { nonce, sessions } = filling
    const row = rows.row('nonces', relayer, nonce)
    // It was recorded before, and the answer was lost.
    const isKnown = row?.bytes.some(([hash]) => hash === transaction.hash)
    if (row?.state === 'recorded' && isKnown) return { kind: 'recorded' }
    const isReplaced = readSlot(step, nonce).pending?.hash !== replacedHash
    if (isReplaced || !mayFill(step, filling)) return { kind: 'changed' }
    for (const session of sessions) {
      const carrier = { relayer, nonce, hash: transaction.hash }
      applyEvent(step, getPaymentRow(rows, session), 'attached', carrier)
    }
    recordTransaction(step, nonce, sessions, transaction)
    return { kind: 'recorded' }
  },

  replace(step, { nonce, replacedHash, transaction }) {
    const row = step.rows.row('nonces', step.relayer, nonce)
    const [highest] = listTransactions(row)
    if (highest?.hash === transaction.hash) return { kind: 'recorded' }
    if (row?.state !== 'recorded' || highest?.hash !== replacedHash) return { kind: 'changed' }
    recordTransaction(step, nonce, row.sessions, transaction)
    return { kind: 'recorded' }
  },

  beginSend(step, { nonce, hash, mayLeave }) {
    const { rows, relayer } = step
    const row = rows.row('nonces', relayer, nonce)
    const transaction = rows.row('transactions', hash)
    // The round of another process took the bytes back, or the nonce has others now.
    if (row?.state !== 'recorded' || transaction === undefined)
      return { kind: 'withheld', moved: [] }
    if (!mayLeave && !mayHaveLeft(rows, row, transaction)) {
      return { kind: 'withheld', moved: withholdTransaction(step, row, hash) }
    }
    const sent_at = transaction.sent_at ?? rows.now
    rows.put('transactions', { ...transaction, sent_at })
    return { kind: 'begun' }
  },

  recordSend(step, hash, verdict) {
    const { rows } = step
    const transaction = rows.row('transactions', hash)
    if (transaction === undefined) return
    const failures = verdict === 'taken' ? 0 : transaction.failures + 1
    // No node has it, and its nonce may yet turn out to be another's: that shows at its first send.
    const isUnsent = verdict === 'nonce_occupied' && transaction.sent_at === null
    const sent_at = isUnsent ? null : rows.now
    rows.put('transactions', { ...transaction, sent_at, failures })
    if (verdict === 'price_too_low') forgetGasPrice(step, BigInt(transaction.gas_price))
  },

  recordMined(step, { nonce, sessions, hash, block, executions, isFinal }) {
    const { rows } = step
    const row = rows.row('nonces', step.relayer, nonce)
    if (row?.state !== 'recorded' || `${row.sessions}` !== `${sessions}`) return []
    // A late report may describe a transaction whose rows were lost since.
    if (row.bytes.every(([known]) => known !== hash)) return []
    const blockColumns = { hash, block_number: block.number, block_hash: block.hash }
    saveNonce(rows, {
      ...row,
      ...blockColumns,
      state: 'mined',
      phase: 'done',
      changed_at: rows.now,
    })
    // A block up to the last head may have left the chain and still be shown by a replica that
    // lags. Rounds compare only blocks above that head, so it makes no outcome final here.
    const isNew = isFinal === true && block.number > (readFollowedBlocks(step).head?.number ?? -1)
    return row.sessions.flatMap((session) => {
      const [payment, execution] = [getPaymentRow(rows, session), executions[session]]
      // After lost rows the session may have been accepted again, so this is about another request.
      const isSameRequest = payment?.request.signature === execution?.signature
      if (payment === undefined || execution === undefined || !isSameRequest) {
        return requeueFrom(step, row, session)
      }
      const moved = applyEvent(step, payment, 'included', toOutcomeColumns(payment, execution))
      const confirmed = isNew
        ? applyEvent(step, getPaymentRow(rows, session), execution.outcome)
        : []
      return [...moved, ...confirmed]
    })
  },

  recordDisplaced(step, nonce) {
    const moved = retireNonce(step, nonce, 'foreign')
    if (moved !== undefined) recordPossibleLoss(step)
    return moved
  },

  abandon: (step, nonce) => retireNonce(step, nonce, 'abandoned'),

  settle(step, session, signature, execution) {
    const payment = getPaymentRow(step.rows, session)
    // After lost rows the session may have been accepted again, so this is about another request.
    if (payment?.request.signature !== signature) return []
    return applyEvent(step, payment, 'settled', toOutcomeColumns(payment, execution))
  },

  confirm(step, session, blockHash) {
    const payment = getPaymentRow(step.rows, session)
    if (payment?.block_hash !== blockHash || payment.outcome === null) return []
    return applyEvent(step, payment, payment.outcome)
  },

  expire(step, session, seconds) {
    const payment = getPaymentRow(step.rows, session)
    if (payment === undefined || !isOutcomeUnknown(payment.state)) return []
    // After lost rows the session may have been accepted again, with a later deadline.
    if (payment.request.deadline >= seconds) return []
    if (payment.accepted_at >= (readPossibleLossAt(step.rows) ?? Number.POSITIVE_INFINITY))
      return []
    const carrier = findCarrier(step.rows, payment)
    if (carrier !== undefined) {
      const sessions = carrier.sessions.filter((other) => other !== session)
      saveNonce(step.rows, { ...carrier, sessions, changed_at: step.rows.now })
    }
    return applyEvent(step, payment, 'overdue', noNonce)
  },

  endUnsent: (step, session, reason) =>
    endUnsentPayment(step, getPaymentRow(step.rows, session), reason),

  reopen(step, blockHash) {
    const { rows } = step
    const block = rows.row('blocks', blockHash)
    // The highest nonce first, because each lowers the highest used nonce by one.
    for (const [relayer, nonce] of (block?.nonces ?? []).toSorted((a, b) => b[1] - a[1])) {
      const row = rows.row('nonces', relayer, nonce)
      if (row?.state !== 'mined' || row.block_hash !== blockHash) continue
      const changed_at = rows.now
      saveNonce(rows, { ...row, state: 'recorded', ...noBlock, phase: null, changed_at })
      markForResend(rows, row)
    }
    const moved = [...new Set(block?.sessions)].flatMap((session) => {
      const payment = getPaymentRow(rows, session)
      if (payment?.block_hash !== blockHash) return []
      // No transaction of ours carried an adopted payment, so it is queued for one.
      return findCarrier(rows, payment)?.state === 'recorded'
        ? applyEvent(step, payment, 'reorganized', toOpenColumns(payment))
        : applyEvent(step, payment, 'orphaned', { ...toOpenColumns(payment), ...noNonce })
    })
    rows.drop('blocks', blockHash)
    return moved
  },

  recordHead(step, followedBlocks, reportedNonce, finalSeconds) {
    const { rows } = step
    if (finalSeconds !== undefined) endPossibleLoss(rows, finalSeconds)
    if (reportedNonce !== undefined)
      compareNonces(step, { chain: reportedNonce, pool: reportedNonce })
    if (followedBlocks !== undefined) {
      saveFollowedBlocks(step, followedBlocks)
      // In the same step: blocks that were followed anew say nothing of transactions below them.
      if (reportedNonce !== undefined) saveAccountState(step, { reportedNonce }, undefined)
      rows.drop('meta', 'behind_since')
    } else if (rows.row('meta', 'behind_since') === undefined) {
      saveMeta(rows, 'behind_since', rows.now)
    }
  },

  recordAccountState(step, head, accountState, reading) {
    const { chainNonce, reportedNonce, ...others } = accountState
    if (reportedNonce !== undefined)
      compareNonces(step, { chain: reportedNonce, pool: reportedNonce })
    const isCurrentHead = readFollowedBlocks(step).head?.hash === head
    saveAccountState(step, isCurrentHead ? accountState : others, reading)
  },

  prune({ rows, rules: { retentionMs, historyMs } }) {
    const settled = { table: 'payments', list: 'phase', group: 'settled' } as const
    const payments = listOlderThan(rows, retentionMs, settled)
    const done = { table: 'nonces', list: 'phase', group: 'done' } as const
    const nonces = listOlderThan(rows, retentionMs, done)
    const sessions = listOlderThan(rows, retentionMs, { table: 'sessions', list: 'age' })
    const history = listOlderThan(rows, historyMs, { table: 'history', list: 'age' })
    pruneSms(rows, retentionMs, pruneLimit)
    for (const [account, group] of Map.groupBy(payments, (payment) => payment.account)) {
      archivePayments(rows, account, group)
    }
    for (const row of nonces) {
      const isNeeded = row.sessions.some((session) =>
        isCarriedBy(getPaymentRow(rows, session), row),
      )
      if (!isNeeded) deleteNonce(rows, row)
    }
    for (const { session } of sessions) {
      if (getPaymentRow(rows, session) === undefined) rows.drop('sessions', session)
    }
    for (const { intent_id, accepted_at } of history) rows.drop('history', intent_id, accepted_at)
    pruneShown(rows, retentionMs, pruneLimit)
    pruneAudit(rows, pruneLimit)
    pruneRefusals(rows, retentionMs, pruneLimit)
  },
}

export function runStep(
  step: StepContext,
  method: LedgerMethod,
  args: readonly unknown[],
): unknown {
  const run = steps[method] as (step: StepContext, ...args: readonly unknown[]) => unknown
  const answer = run(step, ...args)
  recordMissing(step.rows)
  return answer
}

/** Creates a port whose methods call `call` with their name and arguments. */
export function createLedgerPort<Port = Ledger>(
  call: (method: LedgerMethod, args: unknown[]) => unknown,
): Port {
  const methods = ledgerMethods.map((method) => [
    method,
    (...args: unknown[]) => call(method, args),
  ])
  return Object.fromEntries(methods) as Port
}
