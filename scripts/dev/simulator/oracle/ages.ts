import type { Payment } from '../../../../src/relay/ledger/payments/payment-states.ts'
import { usualTimes } from '../../menu-ways.ts'
import { getClaim } from '../../oracle/sessions.ts'
import type { Delivery, History } from '../history.ts'
import type { Report } from './circumstances.ts'

/** A session's deliveries, and the payment that it made. */
type Paid = { deliveries: readonly Delivery[]; payment: Payment | undefined; lost_answer: boolean }

const holdsMs = usualTimes.sessionSeconds * 1_000
const redeliveredMs = usualTimes.redeliverySeconds * 1_000

/** Judges late answers, answers after the end, and ids that come back, in a lender's session. */
export function judgeAges({ plan }: History, paid: Paid, found: Report): void {
  const { deliveries, payment, lost_answer } = paid
  const inOrder = deliveries.toSorted((a, b) => (a.repliedAt ?? 0) - (b.repliedAt ?? 0))
  const first = inOrder.find((one) => getClaim(one) === 'submitted')
  if (!plan.setup.isLender || first?.repliedAt === undefined || payment === undefined) return
  const { acceptedAt } = payment
  const question = first.text.slice(0, Math.max(0, first.text.lastIndexOf('*')))
  const asked = inOrder.find(({ text, said }) => text === question && said?.claim === 'none')
  if (acceptedAt - (asked?.repliedAt ?? acceptedAt) > holdsMs) {
    found('held', `${first.actor.name} pays by an answer that came too late`, 'lost_rows')
  }
  for (const one of deliveries) {
    const { actor, text, startedAt, repliedAt = startedAt } = one
    if (text !== first.text) {
      const isAsked = one.said?.claim === 'none' && startedAt > first.repliedAt
      if (isAsked) found('over', `${actor.name} is asked after the payment`, { lost_answer })
      continue
    }
    const claim = getClaim(one)
    if (claim === 'submitted' && startedAt - acceptedAt > redeliveredMs) {
      found('recycled', `${actor.name} is told "submitted" of an old payment`, 'lost_rows')
    }
    if (claim === 'paid' && repliedAt - acceptedAt <= redeliveredMs) {
      found('recycled', `${actor.name} is told of an old payment, which is new`, 'lost_rows')
    }
  }
}
