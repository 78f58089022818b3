import { chooseVerdict, type NodeVerdict, type SendVerdict } from '../../chain/verdicts.ts'
import type { SignedTransaction } from '../ledger/port.ts'
import { mapNames } from '../ledger/rows.ts'
import type { Relayer } from '../relayer.ts'
import { logTransitions } from './log-transitions.ts'

/** Maps each verdict of the nodes to its effect on the nonce; `none` sends the same again later. */
const nonceEffects = {
  /** Waits for a block, and is outbid if none takes it for long. */
  taken: 'is_held',
  /** Is replaced at a higher price, if the chain asks for one. */
  price_too_low: 'is_cheap',
  /** Belongs to an unknown transaction, so its payments get another nonce. */
  nonce_occupied: 'is_foreign',
  ...mapNames('none', 'unknown', 'nonce_used', 'nonce_too_high', 'price_too_high'),
  ...mapNames('none', 'insufficient_funds', 'quota', 'other'),
} as const satisfies Record<SendVerdict, string>

export type NonceEffect = (typeof nonceEffects)[SendVerdict]

/** Sends a recorded transaction, and counts it as sent after a transport error. */
export async function broadcast(
  relayer: Relayer,
  nonce: number,
  transaction: SignedTransaction,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<NonceEffect> {
  const { ledger, node, log } = relayer
  const { hash } = transaction
  const sent = await node.send(transaction.raw, signal)
  const verdicts = sent.kind === 'taken' ? [{ verdict: sent.kind, message: '' }] : sent.verdicts
  // Never replace an unknown transaction that holds the nonce, because it may make a payment.
  const isForeign = isFirst && (await isHeldByAnother(relayer, nonce, verdicts, signal))
  const counted = isForeign ? verdicts : verdicts.filter((one) => !isOccupied(one))
  const decisive = chooseVerdict(counted) ?? chooseVerdict(verdicts)
  const { verdict, message } = decisive ?? { verdict: 'unknown' as const, message: '' }
  if (verdict !== 'taken' && verdict !== 'unknown') {
    log({
      level: verdict === 'nonce_used' ? 'info' : 'warn',
      event: 'broadcast.refused',
      message: `The node refused a transaction: ${verdict}`,
      ...{ hash, nonce, refusal: verdict, node: message },
    })
  }
  if (isForeign) {
    const message = 'Another transaction holds a nonce of ours in the pool or in the chain'
    log({ level: 'warn', event: 'nonce.foreign', message, nonce })
    logTransitions(log, (await ledger.recordDisplaced(nonce)) ?? [])
    return 'is_foreign'
  }
  await ledger.recordSend(hash, verdict)
  const effect = nonceEffects[verdict]
  return effect === 'is_foreign' ? 'none' : effect
}

const isOccupied = ({ verdict }: NodeVerdict): boolean => nonceEffects[verdict] === 'is_foreign'

/** Tells whether unknown bytes hold the nonce: a node says so, and pool or chain counts them. */
async function isHeldByAnother(
  { node, signer }: Relayer,
  nonce: number,
  verdicts: readonly NodeVerdict[],
  signal: AbortSignal,
): Promise<boolean> {
  // A node that may have taken our transaction would count that.
  const mayHaveOurs = verdicts.some(({ verdict }) => verdict === 'unknown')
  if (mayHaveOurs || !verdicts.some(isOccupied)) return false
  const counts = await Promise.allSettled(
    (['pending', 'latest'] as const).map((block) =>
      node.getTransactionCount(signer.address, signal, block),
    ),
  )
  return counts.some((count) => count.status === 'fulfilled' && count.value > nonce)
}
