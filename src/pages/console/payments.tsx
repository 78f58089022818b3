import { kindNames, paymentKinds } from '../../loan/kinds.ts'
import type { PaymentDetails, PaymentSummary } from '../../operator/schemas/payments.ts'
import { outcomes } from '../../operator/schemas/payments.ts'
import { paymentStates } from '../../relay/ledger/transitions.ts'
import { getProgress } from '../../relay/progress.ts'
import { Choice, FactList, Field, Live, shortenHex, showMoney, showTime, Table } from '../parts.tsx'

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

type PaymentList = { payments: PaymentSummary[]; next: string | null }
export type PaymentFilter = Readonly<Record<string, string>>

export function Payments(options: PaymentList & { filter: PaymentFilter; currency: string }) {
  const { filter, next } = options
  const olderQuery = next && new URLSearchParams({ ...filter, before: next })
  return (
    <>
      <section>
        <form method="get" action="/console/payments">
          <Choice
            name="state"
            label="State"
            value={filter.state}
            options={['', ...paymentStates]}
          />
          <Choice name="kind" label="Kind" value={filter.kind} options={['', ...kindNames]} />
          <Choice
            name="outcome"
            label="Outcome"
            value={filter.outcome}
            options={['', ...outcomes]}
          />
          <Field name="account" label="Account" value={filter.account} />
          <Field name="since" label="From (UTC)" value={filter.since} />
          <Field name="before" label="Before" value={filter.before} />
          <Choice
            name="archived"
            label="Older than 8 days"
            value={filter.archived}
            options={['', 'true']}
          />
          <button type="submit">Show</button>
        </form>
      </section>
      <Live name="payments" title="The newest first">
        <PaymentTable {...options} />
        {olderQuery && (
          <p>
            <a href={`/console/payments?${olderQuery}`}>Older ones</a>
          </p>
        )}
      </Live>
    </>
  )
}

export function PaymentView({ payment, currency }: { payment: PaymentDetails; currency: string }) {
  const { screen, batch, transitions, transactions, messages } = payment
  return (
    <Live name="payment" title={`${paymentKinds[payment.kind].name}, ${describeState(payment)}`}>
      <FactList
        facts={[
          ['Intent', payment.intent],
          [
            'Account',
            <a href={`/console/payments?account=${payment.account}`}>{payment.account}</a>,
          ],
          ['Amount', showSpentAmount(payment, currency) || 'the loan'],
          ['Reason', payment.reason ?? 'none'],
          ['Good until', showTime(payment.deadline)],
          ['Failed attempts', payment.attempts],
          ['Gas used', payment.gasUsed],
          ['Block', payment.block],
        ]}
      />
      <h3>What its caller was shown</h3>
      <pre>{screen ?? 'Deleted.'}</pre>
      <h3>Steps</h3>
      <Table
        name="Steps"
        head={['At', 'State']}
        rows={transitions.map(({ at, state }) => [showTime(at), state])}
      />
      <h3>Transactions</h3>
      <Table
        name="Transactions"
        head={['Hash', 'Nonce', 'Gas price, wei', 'Last sent', 'Mined', 'Not taken by nodes']}
        rows={transactions.map((transaction) => [
          <a href={transaction.explorer}>{shortenHex(transaction.hash)}</a>,
          transaction.nonce,
          transaction.gasPriceWei,
          showTime(transaction.sentAt),
          transaction.isMined ? 'yes' : 'no',
          transaction.failures,
        ])}
      />
      <h3>Batch of {batch.length}</h3>
      <p>
        {batch.map((intent) => (
          <>
            <a href={`/console/payments/${intent}`}>{shortenHex(intent)}</a>{' '}
          </>
        ))}
      </p>
      <h3>Messages that have not left</h3>
      <Table
        name="Messages"
        head={['To', 'State', 'Since', 'Attempts']}
        rows={messages.map((sms) => [sms.party, sms.state, showTime(sms.at), sms.attempts])}
      />
    </Live>
  )
}
