import { isAddressEqual } from 'viem'
import { decodeCall } from '../../../loan/calls.ts'
import type { LocalWorth } from '../../../loan/local-worth.ts'
import type { SignedRequest } from '../../forwarder/requests.ts'
import type { Row } from '../rows.ts'
import { computeTaken, type Order } from '../values.ts'

type PaymentRow = Row<'payments'>
type CallOf = Pick<SignedRequest, 'data'>

/** Returns the request that a payment is about: the one that the chain executed, if another. */
export const getRequest = ({ request, executed }: PaymentRow): SignedRequest => executed ?? request

/** Returns what a payment's caller agreed to in local money; nothing if another call executed. */
export const getAgreed = ({
  agreed,
  ...row
}: PaymentRow | Row<'history'>): LocalWorth | undefined =>
  'executed' in row && row.executed ? undefined : agreed

/** Tells whether the chain paid someone else than the request that was accepted. */
export const isToOther = ({ request, executed }: PaymentRow): boolean =>
  executed ? !paysSame(request, executed) : false

/** Tells whether two requests make the same kind of call to the same account. */
export function paysSame(request: CallOf, executed: CallOf): boolean {
  if (request.data === executed.data) return true
  const [call, other] = [decodeCall(request.data), decodeCall(executed.data)]
  if (call === undefined || other === undefined || call.kind !== other.kind) return false
  return !('to' in call && 'to' in other) || isAddressEqual(call.to, other.to)
}

/**
 * Returns an order as the chain executed it. Kind, amount and recipient are those of the executed
 * request; the accepted one's kind stays while the call and its recipient are the same.
 */
export function readExecutedOrder(order: Order, executed: SignedRequest): Order {
  const call = decodeCall(executed.data)
  const isSame = paysSame(order.request, executed)
  if (executed.data === order.request.data || call === undefined) {
    return { ...order, request: executed }
  }
  return {
    ...computeTaken(call),
    request: executed,
    kind: isSame ? order.kind : call.kind,
    reminder: call.kind === 'loan' ? order.reminder : undefined,
  }
}
