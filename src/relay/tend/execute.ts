import { faultOf } from '../../runtime/log.ts'
import type { BlockId, Slot } from '../ledger/port.ts'
import { broadcast } from '../outcome/broadcast.ts'
import { logTransitions } from '../outcome/log-transitions.ts'
import { settle } from '../outcome/settle.ts'
import { carry, type Relayer, signFor } from '../relayer.ts'
import type { Action } from './plan.ts'

const nodeTimeoutMs = 5_000

/** What the actions of a plan came to. */
export type ActionOutcome =
  /** Nothing that the next stage goes by is another than it was. */
  | { kind: 'same' }
  /** The ledger's work is another than the plan was made by. */
  | { kind: 'changed' }
  /** This nonce is not to be had for what was planned: what was planned after it needs another plan. */
  | { kind: 'refused'; nonce: number }

/**
 * Does what was planned, in its order. The failure of one action is logged and keeps no other from
 * being done. Each may be done twice and at any time: a change is the ledger's compare-and-set.
 */
export async function execute(
  relayer: Relayer,
  actions: readonly Action[],
): Promise<ActionOutcome> {
  let sum: ActionOutcome = { kind: 'same' }
  let refused: ActionOutcome | undefined
  for (const action of actions) {
    // Payments keep their order: none gets a nonce before one that has lost its own.
    if (refused !== undefined && (action.kind === 'carry' || action.kind === 'noOp')) continue
    const outcome = await attempt(relayer, action)
    if (outcome.kind === 'refused') refused = outcome
    if (outcome.kind !== 'same') sum = outcome
  }
  return refused ?? sum
}

async function attempt(relayer: Relayer, action: Action): Promise<ActionOutcome> {
  try {
    return await act(relayer, action)
  } catch (error) {
    relayer.log({ level: 'warn', event: failureOf(action), message: faultOf(error) })
    return { kind: 'changed' }
  }
}

/** What an operator's log calls the failure of an action. */
function failureOf({ kind }: Action): string {
  switch (kind) {
    case 'awaitChain':
    case 'followHead':
      return 'follow.failed'
    case 'displace':
    case 'settle':
      return 'settle.failed'
    case 'requeue':
      return 'repair.failed'
    case 'confirm':
    case 'takeBack':
      return 'confirm.failed'
    case 'expire':
    case 'settleElsewhere':
      return 'expire.failed'
    case 'abandon':
      return 'abandon.failed'
    case 'rebroadcast':
    case 'outbid':
    case 'reportStuck':
      return 'rebroadcast.failed'
    case 'carry':
    case 'noOp':
    case 'release':
      return 'fill.failed'
  }
}

async function act(relayer: Relayer, action: Action): Promise<ActionOutcome> {
  const { ledger, log } = relayer
  switch (action.kind) {
    case 'awaitChain':
      await ledger.sawHead(undefined)
      return { kind: 'same' }
    case 'followHead':
      return followHead(relayer, action)
    case 'displace':
      log(displaceLine(action))
      logTransitions(log, await ledger.displaced(action.nonce))
      return { kind: 'changed' }
    case 'requeue':
      return requeue(relayer, action)
    case 'settle':
      await settle(relayer, action.report)
      return { kind: 'changed' }
    case 'settleElsewhere':
      logTransitions(log, await ledger.settle(action.session, action.execution))
      return { kind: 'changed' }
    case 'confirm':
      logTransitions(log, await ledger.confirm(action.session, action.block))
      return { kind: 'changed' }
    case 'takeBack':
      await takeBack(relayer, action.block)
      return { kind: 'changed' }
    case 'expire':
      logTransitions(log, await ledger.expire(action.session))
      return { kind: 'changed' }
    case 'abandon':
      return abandon(relayer, action)
    case 'rebroadcast':
    case 'outbid':
    case 'reportStuck':
      return offer(relayer, action)
    case 'carry':
    case 'noOp':
      return fill(relayer, action)
    case 'release':
      await ledger.release(action.count)
      return { kind: 'same' }
  }
}

type ActionOf<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>

/** The head is noted last: where a block could not be taken back, the next round finds it again. */
async function followHead(
  relayer: Relayer,
  { trail, toldCount, lost, reorganized }: ActionOf<'followHead'>,
): Promise<ActionOutcome> {
  if (reorganized !== undefined) {
    relayer.log({
      level: 'warn',
      event: 'chain.reorganized',
      message: 'The chain lost a block that it held; what it held of ours goes out again',
      block: reorganized.number,
      head: trail[0]?.number,
    })
  }
  for (const block of lost) await takeBack(relayer, block)
  await relayer.ledger.sawHead(trail, toldCount)
  return lost.length === 0 ? { kind: 'same' } : { kind: 'changed' }
}

async function takeBack({ ledger, log }: Relayer, block: BlockId): Promise<void> {
  logTransitions(log, await ledger.reopen(block.hash))
}

function displaceLine({ nonce, reason }: ActionOf<'displace'>) {
  switch (reason) {
    case 'bytes_lost':
      return incomplete(`The bytes that were recorded for nonce ${nonce} are gone`)
    case 'foreign':
      return {
        level: 'warn',
        event: 'nonce.foreign',
        message: 'The chain passed a nonce of ours with a transaction that is not ours',
        nonce,
      } as const
  }
}

const incomplete = (message: string) =>
  ({ level: 'error', event: 'ledger.incomplete', message }) as const

async function requeue(
  { ledger, log }: Relayer,
  { session, nonce }: ActionOf<'requeue'>,
): Promise<ActionOutcome> {
  const requeued = await ledger.requeue(session)
  if (requeued.length > 0) {
    log(incomplete(`Nonce ${nonce} does not carry the payment that it was recorded for`))
  }
  logTransitions(log, requeued)
  return { kind: 'changed' }
}

async function abandon(
  { ledger, log }: Relayer,
  { nonce, count }: ActionOf<'abandon'>,
): Promise<ActionOutcome> {
  log({
    level: 'warn',
    event: 'nonce.ahead',
    message: 'A nonce too far ahead of the chain was given up',
    nonce,
    chain: count,
  })
  logTransitions(log, await ledger.abandon(nonce))
  return { kind: 'changed' }
}

/** Recorded bytes first: only a pool that has them though they are stuck, or finds them too cheap, is offered new ones. */
async function offer(
  relayer: Relayer,
  action: ActionOf<'rebroadcast' | 'outbid' | 'reportStuck'>,
): Promise<ActionOutcome> {
  const { nonce, transaction } = action
  const isFirst = action.kind === 'rebroadcast' && action.isFirst
  const signal = relayer.clock.timeout(nodeTimeoutMs)
  const verdict = await broadcast(relayer, nonce, transaction, isFirst, signal)
  switch (verdict) {
    case 'taken':
    case 'price_too_low':
      if (action.kind === 'outbid' && (verdict === 'price_too_low' || action.isStuck)) {
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
    case 'nonce_occupied':
      // Its payment waits again for another nonce.
      return { kind: isFirst ? 'changed' : 'same' }
    case 'unknown':
    case 'nonce_used':
    case 'nonce_too_high':
    case 'insufficient_funds':
    case 'quota':
    case 'price_too_high':
    case 'other':
      return { kind: 'same' }
  }
}

/** New bytes over our own, at the price that the pool asks of a replacement: nothing else is another. */
async function outbid(
  relayer: Relayer,
  { nonce, transaction: before, gasPriceWei }: ActionOf<'outbid'>,
): Promise<void> {
  const { ledger, clock, log, signer } = relayer
  const slot = { nonce, prior: before }
  const transaction = await signFor(relayer, slot, gasPriceWei, signer.contentOf(before))
  if (transaction === undefined) return
  const over = before.hash
  const recorded = await ledger.replace({ nonce, over, transaction })
  if (recorded.kind === 'fenced') return
  log({
    level: 'warn',
    event: 'nonce.replaced',
    message: 'A nonce that waited too long was outbid',
    nonce,
    hash: transaction.hash,
    over,
  })
  await broadcast(relayer, nonce, transaction, false, clock.timeout(nodeTimeoutMs))
}

/** Signs for a free nonce, and sends what was signed once that is durable. */
async function fill(relayer: Relayer, action: ActionOf<'carry' | 'noOp'>): Promise<ActionOutcome> {
  const { ledger, clock } = relayer
  const { nonce, count: chainNonce, gasPriceWei } = action
  const { sessions, requests } = action.kind === 'carry' ? action : { sessions: [], requests: [] }
  const slot = await ledger.slot({ nonce, chainNonce, sessions })
  if (slot === undefined) return { kind: 'refused', nonce }
  const transaction = await signFor(relayer, slot, gasPriceWei, carry(relayer, requests))
  if (transaction === undefined) return reuse(relayer, action, slot)
  const over = slot.prior?.hash
  const filled = await ledger.fill({ nonce, chainNonce, sessions, over, transaction })
  if (filled.kind === 'fenced') return { kind: 'same' }
  const isFirst = slot.prior === undefined
  await broadcast(relayer, nonce, transaction, isFirst, clock.timeout(nodeTimeoutMs))
  return { kind: 'same' }
}

/**
 * Older bytes of a nonce that may not be outbid go out again themselves, in a no-op's place: the
 * forwarder executes what they carry once at most, wherever else it is carried. Payments that were to
 * have this nonce get the next one.
 */
async function reuse(
  relayer: Relayer,
  { nonce, count: chainNonce, gasPriceWei }: ActionOf<'carry' | 'noOp'>,
  { prior }: Slot,
): Promise<ActionOutcome> {
  const { ledger, clock } = relayer
  const older = prior?.raw && { ...prior, raw: prior.raw }
  // Bytes that were lost hold the nonce like those of another program: nothing is known to outbid.
  const unknown = { nonce, prior: undefined }
  const transaction = older ?? (await signFor(relayer, unknown, gasPriceWei, carry(relayer, [])))
  if (transaction === undefined) return { kind: 'refused', nonce }
  const over = prior?.hash
  const filled = await ledger.fill({ nonce, chainNonce, sessions: [], over, transaction })
  if (filled.kind === 'recorded') {
    const isFirst = older === undefined
    await broadcast(relayer, nonce, transaction, isFirst, clock.timeout(nodeTimeoutMs))
  }
  return { kind: 'refused', nonce }
}
