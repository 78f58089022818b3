import { describeFault, type Log, type LogEvent } from '../../runtime/log.ts'
import type { Slot } from '../ledger/payments/nonces.ts'
import type { Transition } from '../ledger/payments/payment-states.ts'
import type { BlockId } from '../ledger/values.ts'
import { broadcast } from '../outcome/broadcast.ts'
import { logTransitions } from '../outcome/log-transitions.ts'
import { settle } from '../outcome/settle.ts'
import { buildBatch, type Relayer, signFor } from '../relayer.ts'
import type { Action } from './plan.ts'

const nodeTimeoutMs = 5_000

/** Tells what executing a plan changed. */
export type ActionOutcome =
  /** Changes nothing that the next stage uses. */
  | { kind: 'same' }
  /** Makes the ledger snapshot of the plan outdated. */
  | { kind: 'changed' }
  /** Means that the nonce is taken, so the actions after it need a new plan. */
  | { kind: 'refused'; nonce: number }

/** Executes a plan in order; each action is idempotent, and one that fails is logged. */
export async function execute(
  relayer: Relayer,
  actions: readonly Action[],
): Promise<ActionOutcome> {
  let lastChange: ActionOutcome = { kind: 'same' }
  let refused: ActionOutcome | undefined
  for (const action of actions) {
    // After a refused nonce nothing else gets one: a later payment would overtake an earlier one.
    if (refused !== undefined && (action.kind === 'carry' || action.kind === 'noOp')) continue
    const outcome = await runAndLog(relayer, action)
    if (outcome.kind === 'refused') refused = outcome
    if (outcome.kind !== 'same') lastChange = outcome
  }
  return refused ?? lastChange
}

async function runAndLog(relayer: Relayer, action: Action): Promise<ActionOutcome> {
  try {
    return await runAction(relayer, action)
  } catch (error) {
    relayer.log({ level: 'warn', event: failureEvents[action.kind], message: describeFault(error) })
    return { kind: 'changed' }
  }
}

const failureEvents: Readonly<Record<Action['kind'], string>> = {
  awaitChain: 'follow.failed',
  followHead: 'follow.failed',
  displace: 'settle.failed',
  settle: 'settle.failed',
  confirm: 'confirm.failed',
  reopen: 'confirm.failed',
  expire: 'expire.failed',
  settleElsewhere: 'expire.failed',
  endUnsent: 'expire.failed',
  abandon: 'abandon.failed',
  rebroadcast: 'rebroadcast.failed',
  outbid: 'rebroadcast.failed',
  reportStuck: 'rebroadcast.failed',
  carry: 'fill.failed',
  noOp: 'fill.failed',
}

async function runAction(relayer: Relayer, action: Action): Promise<ActionOutcome> {
  const { ledger, log } = relayer
  switch (action.kind) {
    case 'awaitChain':
      await ledger.recordHead(undefined)
      return { kind: 'same' }
    case 'followHead':
      return followHead(relayer, action)
    case 'displace':
      logRetired(log, describeDisplaced(action), await ledger.recordDisplaced(action.nonce))
      return { kind: 'changed' }
    case 'settle':
      await settle(relayer, action.report)
      return { kind: 'changed' }
    case 'settleElsewhere':
      logTransitions(log, await ledger.settle(action.session, action.signature, action.execution))
      return { kind: 'changed' }
    case 'confirm':
      return confirm(relayer, action)
    case 'reopen':
      await reopen(relayer, action.block)
      return { kind: 'changed' }
    case 'expire':
      logTransitions(log, await ledger.expire(action.session, action.seconds))
      return { kind: 'changed' }
    case 'endUnsent':
      logTransitions(log, await ledger.endUnsent(action.session, action.reason))
      return { kind: 'changed' }
    case 'abandon':
      logRetired(log, describeAbandoned(action), await ledger.abandon(action.nonce))
      return { kind: 'changed' }
    case 'rebroadcast':
    case 'outbid':
    case 'reportStuck':
      return resend(relayer, action)
    case 'carry':
    case 'noOp':
      return fillNonce(relayer, action)
  }
}

type ActionOf<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>

/** Reopens lost blocks and records the head last: the next round finds what failed here. */
async function followHead(
  relayer: Relayer,
  { followedBlocks, reportedNonce, finalSeconds, lost, reorganized }: ActionOf<'followHead'>,
): Promise<ActionOutcome> {
  if (reorganized !== undefined) {
    relayer.log({
      level: 'warn',
      event: 'chain.reorganized',
      message: 'Reorganization: sending our transactions again',
      block: reorganized.number,
      head: followedBlocks[0]?.number,
    })
  }
  for (const block of lost) await reopen(relayer, block)
  await relayer.ledger.recordHead(followedBlocks, reportedNonce, finalSeconds)
  return lost.length === 0 ? { kind: 'same' } : { kind: 'changed' }
}

/** Makes an outcome final, and tells operators if no proof supports it. */
async function confirm(
  { ledger, log }: Relayer,
  { session, block, lacksProof }: ActionOf<'confirm'>,
): Promise<ActionOutcome> {
  const confirmed = await ledger.confirm(session, block.hash)
  logTransitions(log, confirmed)
  if (!lacksProof || confirmed.length === 0) return { kind: 'changed' }
  log({
    level: 'warn',
    event: 'payment.unproved',
    message: 'A final outcome has no proof: the nodes are believed',
    block: block.number,
  })
  const facts = { unproved: { block: block.number } }
  await ledger.recordObservations({ facts, node: undefined, round: undefined })
  return { kind: 'changed' }
}

async function reopen({ ledger, log }: Relayer, block: BlockId): Promise<void> {
  logTransitions(log, await ledger.reopen(block.hash))
}

const describeDisplaced = ({ nonce }: ActionOf<'displace'>) =>
  ({
    level: 'warn',
    event: 'nonce.foreign',
    message: 'The chain passed a nonce of ours with a transaction that is not ours',
    nonce,
  }) as const

const describeAbandoned = ({ nonce, chainNonce }: ActionOf<'abandon'>) =>
  ({
    level: 'warn',
    event: 'nonce.ahead',
    message: 'A nonce too far ahead of the chain was given up',
    nonce,
    chain: chainNonce,
  }) as const

/** Logs that a nonce was retired; undefined if the round of another process did it first. */
function logRetired(log: Log, reason: LogEvent, retired: Transition[] | undefined): void {
  if (retired === undefined) return
  log(reason)
  logTransitions(log, retired)
}

const sentBefore = { isFirst: false, isUnsent: false }

/** Sends a recorded transaction again, and replaces only a stuck or underpriced one. */
async function resend(
  relayer: Relayer,
  action: ActionOf<'rebroadcast' | 'outbid' | 'reportStuck'>,
): Promise<ActionOutcome> {
  const { nonce, transaction } = action
  const { isFirst, isUnsent } = action.kind === 'rebroadcast' ? action : sentBefore
  const sending = { nonce, transaction, isFirst, isUnsent }
  const effect = await broadcast(relayer, sending, nodeTimeoutMs)
  if (effect === 'withheld') return { kind: 'changed' }
  // The payment is queued again for another nonce.
  if (effect === 'is_foreign') return { kind: 'changed' }
  if (effect !== 'is_held' && effect !== 'is_cheap') return { kind: 'same' }
  if (action.kind === 'outbid' && (effect === 'is_cheap' || action.isStuck)) {
    await outbid(relayer, action)
  }
  if (action.kind === 'reportStuck') {
    relayer.log({
      level: 'error',
      event: 'nonce.stuck',
      message: 'A nonce waits for its block and may not be outbid any further',
      nonce,
      replacements: action.replacements,
    })
  }
  return { kind: 'same' }
}

/** Signs the same content again at the price of a replacement, records and sends it. */
async function outbid(
  relayer: Relayer,
  { nonce, transaction: before, gasPriceWei }: ActionOf<'outbid'>,
): Promise<void> {
  const { ledger, log, signer } = relayer
  const slot = { nonce, pending: before }
  const transaction = await signFor(relayer, slot, gasPriceWei, signer.readContent(before))
  if (transaction === undefined) return
  const replacedHash = before.hash
  const recorded = await ledger.replace({ nonce, replacedHash, transaction })
  if (recorded.kind === 'changed') return
  log({
    level: 'warn',
    event: 'nonce.replaced',
    message: 'A nonce that waited too long was outbid',
    nonce,
    hash: transaction.hash,
    over: replacedHash,
  })
  await broadcast(relayer, { nonce, transaction, ...sentBefore }, nodeTimeoutMs)
}

/** Signs for a free nonce, records the transaction, then sends it. */
async function fillNonce(
  relayer: Relayer,
  action: ActionOf<'carry' | 'noOp'>,
): Promise<ActionOutcome> {
  const { ledger } = relayer
  const { nonce, chainNonce, gasPriceWei } = action
  const { sessions, requests } = action.kind === 'carry' ? action : { sessions: [], requests: [] }
  const slot = await ledger.findSlot({ nonce, chainNonce, sessions })
  if (slot === undefined) return { kind: 'refused', nonce }
  const transaction = await signFor(relayer, slot, gasPriceWei, buildBatch(relayer, requests))
  if (transaction === undefined) return resendOlder(relayer, action, slot)
  const replacedHash = slot.pending?.hash
  const filled = await ledger.fill({ nonce, chainNonce, sessions, replacedHash, transaction })
  if (filled.kind === 'changed') return { kind: 'same' }
  const isFirst = slot.pending === undefined
  await broadcast(relayer, { nonce, transaction, isFirst, isUnsent: true }, nodeTimeoutMs)
  return { kind: 'same' }
}

/**
 * Sends the nonce's older transaction again if it may not be outbid. Its requests execute at most
 * once, so this is safe. The planned payments get the next nonce.
 */
async function resendOlder(
  relayer: Relayer,
  { nonce, chainNonce }: ActionOf<'carry' | 'noOp'>,
  { pending }: Slot,
): Promise<ActionOutcome> {
  if (pending === undefined) return { kind: 'refused', nonce }
  const replacedHash = pending.hash
  const filling = { nonce, chainNonce, sessions: [], replacedHash, transaction: pending }
  if ((await relayer.ledger.fill(filling)).kind === 'recorded') {
    const sending = { nonce, transaction: pending, isFirst: false, isUnsent: false }
    await broadcast(relayer, sending, nodeTimeoutMs)
  }
  return { kind: 'refused', nonce }
}
