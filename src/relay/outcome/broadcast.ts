import { chooseVerdict, type NodeVerdict, type SendVerdict } from '../../chain/refusals.ts'
import { decodeRequests } from '../forwarder/requests.ts'
import type { TransactionToSend } from '../ledger/acceptance.ts'
import type { Relayer } from '../relayer.ts'
import { logTransitions } from './log-transitions.ts'
import { readRequestPayee } from './payees.ts'

export type Sending = Omit<TransactionToSend, 'requests'> & {
  /** Holds the requests that the bytes carry, where they are known. */
  requests?: TransactionToSend['requests']
  /** Is true if the ledger does not know that these bytes have left. */
  isUnsent: boolean
}

/**
 * Sends a recorded transaction, and counts it as sent after a transport error. `withheld`: it had
 * not left, and does not pay wallets only. `displaced`: an unknown transaction has the nonce, so
 * its payments get another one.
 */
export async function broadcast(
  relayer: Relayer,
  sending: Sending,
  timeoutMs: number,
): Promise<SendVerdict | 'withheld' | 'displaced'> {
  const { ledger, node, clock, log } = relayer
  const { nonce, transaction, isFirst } = sending
  if (sending.isUnsent && !(await beginSend(relayer, sending))) return 'withheld'
  const signal = clock.timeout(timeoutMs)
  const { hash } = transaction
  const sent = await node.send(transaction.raw, signal)
  const verdicts = sent.kind === 'taken' ? [{ verdict: sent.kind, message: '' }] : sent.verdicts
  // Never replace an unknown transaction that holds the nonce, because it may make a payment.
  const isForeign = isFirst && (await isHeldByAnother(relayer, sending, verdicts, signal))
  const counted = isForeign ? verdicts : verdicts.filter((one) => !isOccupied(one))
  const decisive = chooseVerdict(counted) ?? chooseVerdict(verdicts)
  const { verdict, message } = decisive ?? { verdict: 'unknown' as const, message: '' }
  if (verdict !== 'taken' && verdict !== 'unknown') {
    log({
      level: verdict === 'nonce_used' ? 'info' : 'warn',
      event: 'broadcast.refused',
      message: `The node refused a transaction: ${verdict}`,
      hash,
      nonce,
      refusal: verdict,
      node: message,
    })
  }
  if (isForeign) {
    const message = 'Another transaction holds a nonce of ours in the pool or in the chain'
    log({ level: 'warn', event: 'nonce.foreign', message, nonce })
    logTransitions(log, (await ledger.recordDisplaced(nonce)) ?? [])
    return 'displaced'
  }
  await ledger.recordSend(hash, verdict)
  return verdict
}

const isOccupied = ({ verdict }: NodeVerdict): boolean => verdict === 'nonce_occupied'

/**
 * Tells whether unknown bytes hold the nonce: a node says so, pool or chain counts them, and no
 * node that was asked has ours, which one may have taken before it said so.
 */
async function isHeldByAnother(
  { node, signer }: Relayer,
  { nonce, transaction: { hash } }: Sending,
  verdicts: readonly NodeVerdict[],
  signal: AbortSignal,
): Promise<boolean> {
  // A node that may have taken our transaction would count that.
  const mayHaveOurs = verdicts.some(({ verdict }) => verdict === 'unknown')
  if (mayHaveOurs || !verdicts.some(isOccupied)) return false
  const [ours, ...counts] = await Promise.allSettled([
    node.getCalldata(hash, signal),
    ...(['pending', 'latest'] as const).map((block) =>
      node.getTransactionCount(signer.address, signal, block),
    ),
  ])
  if (ours.status === 'rejected' || ours.value !== undefined) return false
  return counts.some((count) => count.status === 'fulfilled' && count.value > nonce)
}

/**
 * Tells whether bytes may leave. The recipients of cash-outs were wallets at acceptance, but code
 * may have come since. The ledger counts the bytes as sent before they leave, so that no process
 * ever takes back what another one sends.
 */
async function beginSend(
  relayer: Relayer,
  { nonce, transaction, ...known }: Pick<Sending, 'nonce' | 'transaction' | 'requests'>,
): Promise<boolean> {
  const { ledger, signer, log } = relayer
  const requests = known.requests?.values() ?? decodeRequests(signer.readContent(transaction).data)
  const payees = await Promise.all(
    Array.from(requests, (request) => readRequestPayee(relayer, request)),
  )
  const asked = payees.filter((payee) => payee !== undefined)
  if (asked.length === 0) return true
  const { hash } = transaction
  const mayLeave = asked.every((payee) => payee === 'wallet')
  const begun = await ledger.beginSend({ nonce, hash, mayLeave })
  if (begun.kind === 'begun') return true
  const message =
    'A transaction was taken back before it was sent: it pays no wallet, as far as known'
  log({ level: 'warn', event: 'broadcast.withheld', message, hash, nonce })
  logTransitions(log, begun.moved)
  return false
}
