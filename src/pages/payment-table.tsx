import { paymentKinds } from '../loan/kinds.ts'
import type { PaymentSummary } from '../operator/schemas/payments.ts'
import { getProgress } from '../relay/progress.ts'
import { shortenHex, showMoney, showTime, Table } from './parts.tsx'

/** Shows the amount that leaves the account; empty for a loan. */
export const showSpentAmount = ({ spendsWei }: PaymentSummary, currency: string): string =>
  spendsWei === '0' ? '' : showMoney(spendsWei, currency)

export const renderPaymentLink = (payment: PaymentSummary) => (
  <a href={`/console/payments/${payment.intent}`}>{shortenHex(payment.intent)}</a>
)

/** Describes a payment's state: the word that its caller reads, and the ledger's own. */
export const describeState = ({ state }: Pick<PaymentSummary, 'state'>): string =>
  `${getProgress(state)} (${state})`

export function PaymentTable(options: { payments: readonly PaymentSummary[]; currency: string }) {
  return (
    <Table
      name="Payments"
      head={['Accepted', 'Payment', 'Kind', 'Amount', 'State', 'Reason', 'Account', 'Transaction']}
      rows={options.payments.map((payment) => [
        showTime(payment.acceptedAt),
        renderPaymentLink(payment),
        paymentKinds[payment.kind].name,
        showSpentAmount(payment, options.currency),
        describeState(payment),
        payment.reason ?? '',
        <a href={`/console/payments?account=${payment.account}`}>{shortenHex(payment.account)}</a>,
        payment.explorer && <a href={payment.explorer}>{shortenHex(payment.hash ?? '')}</a>,
      ])}
    />
  )
}
