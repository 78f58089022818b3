import { describeFault, type LogEvent } from '../../runtime/log.ts'
import type { SignedRequest } from '../forwarder/requests.ts'
import type { FollowedBlock } from '../ledger/meta.ts'
import type { Slot } from '../ledger/payments/nonces.ts'
import type { Transition } from '../ledger/payments/payment-states.ts'
import type { Ledger } from '../ledger/steps.ts'
import type { BlockId } from '../ledger/values.ts'
import { broadcast, type Sending } from '../outcome/broadcast.ts'
import { logTransitions } from '../outcome/log-transitions.ts'
import { buildBatch, nodeTimeoutMs, type Relayer, signFor } from '../relayer.ts'

/** Names the failure of each action, and of each step of the ledger that is one by itself. */
const failureEvents = {
  followHead: 'follow.failed',
  recordHead: 'follow.failed',
  recordMined: 'settle.failed',
  recordDisplaced: 'settle.failed',
  confirm: 'confirm.failed',
  reopen: 'confirm.failed',
  settle: 'expire.failed',
  assure: 'assure.failed',
  expire: 'expire.failed',
  endUnsent: 'expire.failed',
  abandon: 'abandon.failed',
  resend: 'rebroadcast.failed',
  carry: 'fill.failed',
}

type RecordingMethod = Exclude<
  keyof typeof failureEvents,
  'followHead' | 'confirm' | 'resend' | 'carry'
>

/** Takes one step of the ledger. A line about it is logged unless another round took it first. */
type Recording = {
  [Method in RecordingMethod]: {
    kind: 'record'
    method: Method
    args: Parameters<Ledger[Method]>
    line?: LogEvent | undefined
  }
}[RecordingMethod]

/** Describes one action of a round; if it fails, the others are still done. */
export type Action =
  | Recording
  /** Reopens what lost blocks settled, and records the head. */
  | {
      kind: 'followHead'
      followedBlocks: readonly FollowedBlock[]
      reportedNonce: number | undefined
      /** Gives the time of the block that makes outcomes final (Unix, in seconds). */
      finalSeconds: number | undefined
      lost: BlockId[]
      reorganized: BlockId | undefined
    }
  /** Makes outcomes of a block final; `lacksProof` if they should have one. */
  | { kind: 'confirm'; sessions: readonly string[]; block: BlockId; lacksProof: boolean }
  /**
   * Sends a recorded transaction again; `outbid`: the same requests at this price if needed;
   * `replacements`: it is stuck, and may not be outbid after so many of them.
   */
  | ({
      kind: 'resend'
      outbid?: { isStuck: boolean; gasPriceWei: bigint }
      replacements?: number
    } & Sending)
  /** Carries queued payments on a free nonce, in this order; without any it closes a gap. */
  | {
      kind: 'carry'
      nonce: number
      chainNonce: number
      sessions: readonly string[]
      requests: readonly SignedRequest[]
      gasPriceWei: bigint
    }

type ActionOf<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>

export const record = <Method extends RecordingMethod>(
  method: Method,
  ...args: Parameters<Ledger[Method]>
) => ({ kind: 'record', method, args }) as unknown as Recording

/** Tells whether an action sends a transaction; the ledger then has the node's verdict. */
export const isSend = ({ kind }: Action): boolean => kind === 'resend' || kind === 'carry'

type ActionOutcome =
  /** Changes nothing that the next stage uses. */
  | { kind: 'same' }
  /** Makes the work that the plan was made for outdated. */
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
    if (refused !== undefined && action.kind === 'carry') continue
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
    const event = failureEvents[action.kind === 'record' ? action.method : action.kind]
    relayer.log({ level: 'warn', event, message: describeFault(error) })
    return { kind: 'changed' }
  }
}

function runAction(relayer: Relayer, action: Action): Promise<ActionOutcome> {
  switch (action.kind) {
    case 'record':
      return takeStep(relayer, action)
    case 'followHead':
      return followHead(relayer, action)
    case 'confirm':
      return confirm(relayer, action)
    case 'resend':
      return resend(relayer, action)
    case 'carry':
      return fillNonce(relayer, action)
  }
}

async function takeStep(
  { ledger, log }: Relayer,
  { method, args, line }: Recording,
): Promise<ActionOutcome> {
  const step = ledger[method] as (...args: unknown[]) => Promise<Transition[] | undefined>
  const moved = await step(...args)
  if (line !== undefined && moved !== undefined) log(line)
  logTransitions(log, moved ?? [])
  return { kind: 'changed' }
}

/** Reopens lost blocks and records the head last: the next round finds what failed here. */
async function followHead(
  { ledger, log }: Relayer,
  { followedBlocks, reportedNonce, finalSeconds, lost, reorganized }: ActionOf<'followHead'>,
): Promise<ActionOutcome> {
  if (reorganized !== undefined) {
    log({
      level: 'warn',
      event: 'chain.reorganized',
      message: 'Reorganization: sending our transactions again',
      block: reorganized.number,
      head: followedBlocks[0]?.number,
    })
  }
  for (const { hash } of lost) logTransitions(log, await ledger.reopen(hash))
  await ledger.recordHead(followedBlocks, reportedNonce, finalSeconds)
  return lost.length === 0 ? { kind: 'same' } : { kind: 'changed' }
}

/** Makes outcomes final, each by itself where the ledger fails for all of them. */
async function confirm(relayer: Relayer, action: ActionOf<'confirm'>): Promise<ActionOutcome> {
  try {
    return await confirmTogether(relayer, action)
  } catch (error) {
    if (action.sessions.length === 1) throw error
    for (const session of action.sessions)
      await runAndLog(relayer, { ...action, sessions: [session] })
    return { kind: 'changed' }
  }
}

/** Makes outcomes final, and tells operators if no proof supports them. */
async function confirmTogether(
  { ledger, log }: Relayer,
  { sessions, block, lacksProof }: ActionOf<'confirm'>,
): Promise<ActionOutcome> {
  const confirmed = await ledger.confirm(sessions, block.hash)
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

export const sentBefore = { isFirst: false, isUnsent: false }

/** Sends a recorded transaction again, and replaces only a stuck or underpriced one. */
async function resend(relayer: Relayer, action: ActionOf<'resend'>): Promise<ActionOutcome> {
  const { nonce, replacements } = action
  const verdict = await broadcast(relayer, action, nodeTimeoutMs)
  // Its payments are queued again for another nonce.
  if (verdict === 'withheld' || verdict === 'displaced') return { kind: 'changed' }
  // After any other verdict the same is sent again later.
  if (verdict !== 'taken' && verdict !== 'price_too_low') return { kind: 'same' }
  if (action.outbid && (verdict === 'price_too_low' || action.outbid.isStuck)) {
    await outbid(relayer, action, action.outbid.gasPriceWei)
  }
  if (replacements !== undefined) {
    relayer.log({
      level: 'error',
      event: 'nonce.stuck',
      message: 'A nonce waits for its block and may not be outbid any further',
      nonce,
      replacements,
    })
  }
  return { kind: 'same' }
}

/** Signs the same content again at the price of a replacement, records and sends it. */
async function outbid(
  relayer: Relayer,
  { nonce, transaction: before }: Sending,
  gasPriceWei: bigint,
): Promise<void> {
  const { ledger, log, signer } = relayer
  const slot = { nonce, pending: before }
  const transaction = signFor(relayer, slot, gasPriceWei, signer.readContent(before))
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
async function fillNonce(relayer: Relayer, action: ActionOf<'carry'>): Promise<ActionOutcome> {
  const { ledger } = relayer
  const { nonce, chainNonce, sessions, requests, gasPriceWei } = action
  const slot = await ledger.findSlot({ nonce, chainNonce, sessions })
  if (slot === undefined) return { kind: 'refused', nonce }
  const transaction = signFor(relayer, slot, gasPriceWei, buildBatch(relayer, requests))
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
  { nonce, chainNonce }: ActionOf<'carry'>,
  { pending }: Slot,
): Promise<ActionOutcome> {
  if (pending === undefined) return { kind: 'refused', nonce }
  const replacedHash = pending.hash
  const filling = { nonce, chainNonce, sessions: [], replacedHash, transaction: pending }
  if ((await relayer.ledger.fill(filling)).kind === 'recorded') {
    const sending = { nonce, transaction: pending, ...sentBefore }
    await broadcast(relayer, sending, nodeTimeoutMs)
  }
  return { kind: 'refused', nonce }
}
