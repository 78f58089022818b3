import type { Hex } from 'viem'
import type { SendVerdict } from '../../chain/refusals.ts'
import type { SignedRequest } from '../forwarder/requests.ts'
import type { StepContext } from './draft.ts'
import {
  listSignedHashes,
  listTransactions,
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
  getPaymentRow,
  isSignedFor,
  type Transition,
  toOutcomeColumns,
} from './payments/payment-states.ts'
import { reads, writes } from './port.ts'
import { forgetGasPrice, readFollowedBlocks } from './records/chain.ts'
import { recordPossibleLoss } from './records/possible-loss.ts'
import type { BlockId, IntentExecution, SignedTransaction } from './values.ts'

/** Tells whether a transaction was recorded, or the nonce or a payment has changed before. */
type Filled = { kind: 'recorded' } | { kind: 'changed' }

/** Names bytes that a process is about to send; `mayLeave` is false if they pay no wallet. */
type FirstSend = { nonce: number; hash: Hex; mayLeave: boolean }

/** Tells whether bytes are to be sent. `withheld`: they never left, and are gone. */
type SendBegun = { kind: 'begun' } | { kind: 'withheld'; moved: Transition[] }

/** Asks to fill a nonce with queued payments, in this order; without any it closes a gap. */
type NonceFill = { nonce: number; chainNonce: number; sessions: readonly string[] }

type Replacement = { nonce: number; replacedHash: Hex; transaction: SignedTransaction }

/** Adds the signature of the payment's request, as it was when the execution was read. */
export type RequestExecution = IntentExecution & Pick<SignedRequest, 'signature'>

export type MinedReport = {
  nonce: number
  /** Lists the payments that it carried when read. If it carries others now, nothing is written. */
  sessions: readonly string[]
  hash: Hex
  block: BlockId
  /** Maps sessions to executions. A payment without one is queued again. */
  executions: Readonly<Record<string, RequestExecution>>
  /** Makes outcomes final if the block is above the last head; a round does that for others. */
  isFinal?: boolean
}

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

export const carryingSteps = {
  /** Returns the hashes of all transactions signed for the nonces in use and for the last ones. */
  listSigned: reads(listSignedHashes),
  /** Returns the slot of a nonce if it may carry these queued payments; none close a gap. */
  findSlot: reads((step, filling: NonceFill) =>
    mayFill(step, filling) ? readSlot(step, filling.nonce) : undefined,
  ),
  /** Records the transaction for a nonce if that may still carry these payments. */
  fill: writes(
    (
      step,
      {
        replacedHash,
        transaction,
        ...filling
      }: NonceFill & {
        replacedHash: Hex | undefined
        transaction: SignedTransaction
      },
    ): Filled => {
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
  ),
  /** Records a transaction that replaces the named one of a nonce, with the same requests. */
  replace: writes((step, { nonce, replacedHash, transaction }: Replacement): Filled => {
    const row = step.rows.row('nonces', step.relayer, nonce)
    const [highest] = listTransactions(row)
    if (highest?.hash === transaction.hash) return { kind: 'recorded' }
    if (row?.state !== 'recorded' || highest?.hash !== replacedHash) return { kind: 'changed' }
    recordTransaction(step, nonce, row.sessions, transaction)
    return { kind: 'recorded' }
  }),
  /**
   * Decides in the last step before bytes leave. If they may not, and never left, they are deleted
   * and their payments are queued again. Else they count as sent.
   */
  beginSend: writes(
    (step, { nonce, hash, mayLeave }: FirstSend): SendBegun => {
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
    // A round carries the payments of bytes that were taken back.
    ({ mayLeave }) => mayLeave === false,
  ),
  /**
   * Records that a transaction was sent, and the node's verdict. If its price is too low, the known
   * gas price is forgotten.
   */
  recordSend: writes(
    (step, hash: Hex, verdict: SendVerdict): void => {
      const { rows } = step
      const transaction = rows.row('transactions', hash)
      if (transaction === undefined) return
      const failures = verdict === 'taken' ? 0 : transaction.failures + 1
      // No node has it, and its nonce may turn out to be another's: its first send shows that.
      const isUnsent = verdict === 'nonce_occupied' && transaction.sent_at === null
      const sent_at = isUnsent ? null : rows.now
      rows.put('transactions', { ...transaction, sent_at, failures })
      if (verdict === 'price_too_low') forgetGasPrice(step, BigInt(transaction.gas_price))
    },
    (_, verdict) => verdict !== 'taken',
  ),
  /** Records the block of a nonce and what it did for each of its payments. */
  recordMined: writes(
    (step, { nonce, sessions, hash, block, executions, isFinal }: MinedReport): Transition[] => {
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
        if (payment === undefined || execution === undefined) return requeueFrom(step, row, session)
        // After lost rows the session may be accepted again: this is about another request.
        if (!isSignedFor(payment, execution.signature)) return requeueFrom(step, row, session)
        const moved = applyEvent(step, payment, 'included', toOutcomeColumns(payment, execution))
        const confirmed = isNew
          ? applyEvent(step, getPaymentRow(rows, session), execution.outcome)
          : []
        return [...moved, ...confirmed]
      })
    },
  ),
  /**
   * Marks an open nonce as foreign, because an unknown transaction has it, and queues its payments
   * again. Returns undefined if the nonce is not open any more.
   */
  recordDisplaced: writes((step, nonce: number) => {
    const moved = retireNonce(step, nonce, 'foreign')
    if (moved !== undefined) recordPossibleLoss(step)
    return moved
  }),
  /** Gives up an open nonce too far ahead of the chain, and queues its payments again. */
  abandon: writes((step, nonce: number) => retireNonce(step, nonce, 'abandoned')),
}
