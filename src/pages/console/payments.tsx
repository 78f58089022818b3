import type { Unit } from '../../loan/amounts.ts'
import { kindNames, paymentKinds } from '../../loan/kinds.ts'
import { describeAgreed, formatAgreed } from '../../loan/local-worth.ts'
import type { PaymentDetails, PaymentSummary } from '../../operator/schemas/payments.ts'
import { outcomes, payment } from '../../operator/schemas/payments.ts'
import { getProgress } from '../../relay/progress.ts'
import { Choice, Field, Live, showMoney } from '../parts.tsx'
import { drawLink, Facts, Rows } from './answer.tsx'

/** Shows the amount that leaves the account, first as agreed in local money; empty for a loan. */
export const showSpentAmount = ({ spendsWei, agreed }: PaymentSummary, unit: Unit): string =>
  spendsWei === '0' ? '' : formatAgreed(agreed, showMoney(spendsWei, unit))

/** Describes a payment's state: the word that its caller reads, and the ledger's own. */
export const describeState = (payment: Pick<PaymentSummary, 'state' | 'assuredAt'>): string =>
  `${getProgress(payment)} (${payment.state})`

type PaymentTableOptions = { payments: readonly PaymentSummary[]; unit: Unit }

export const PaymentTable = ({ payments, unit }: PaymentTableOptions) => (
  <Rows
    name="Payments"
    of={payments}
    columns={[
      'acceptedAt',
      'intent',
      ['Kind', ({ kind }) => paymentKinds[kind].name],
      ['Amount', (payment) => showSpentAmount(payment, unit)],
      ['State', describeState],
      'reason',
      'account',
      ['Transaction', ({ explorer, hash }) => explorer && hash && drawLink(explorer, hash)],
    ]}
  />
)

const choices: readonly (readonly [name: string, label: string, options: readonly string[]])[] = [
  ['state', 'State', payment.shape.state.options],
  ['kind', 'Kind', kindNames],
  ['outcome', 'Outcome', outcomes],
  ['archived', 'Older than 8 days', ['true']],
]
const fields: readonly (readonly [name: string, label: string])[] = [
  ['account', 'Account'],
  ['since', 'From (UTC)'],
  ['before', 'Before'],
]

type PaymentList = { payments: PaymentSummary[]; next: string | null }
export type PaymentFilter = Readonly<Record<string, string>>

export function Payments(options: PaymentList & { filter: PaymentFilter; unit: Unit }) {
  const { filter, next } = options
  const olderQuery = next && new URLSearchParams({ ...filter, before: next })
  return (
    <>
      <section>
        <form method="get" action="/console/payments">
          {choices.map(([name, label, options]) => (
            <Choice name={name} label={label} value={filter[name]} options={['', ...options]} />
          ))}
          {fields.map(([name, label]) => (
            <Field name={name} label={label} value={filter[name]} />
          ))}
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

export function PaymentView({ payment, unit }: { payment: PaymentDetails; unit: Unit }) {
  const { screen, batch, transitions, transactions, messages, agreed, ...others } = payment
  const facts = agreed ? { ...others, agreed: describeAgreed(agreed, unit) } : others
  return (
    <Live name="payment" title={`${paymentKinds[payment.kind].name}, ${describeState(payment)}`}>
      <Facts of={facts} unit={unit} />
      <h3>What its caller was shown</h3>
      <pre>{screen ?? 'Deleted.'}</pre>
      <h3>Steps</h3>
      <Rows name="Steps" of={transitions} />
      <h3>Transactions</h3>
      <Rows name="Transactions" of={transactions} />
      <h3>Batch of {batch.length}</h3>
      <p>
        {batch.map((intent) => (
          <>{drawLink(`/console/payments/${intent}`, intent)} </>
        ))}
      </p>
      <h3>Messages that have not left</h3>
      <Rows name="Messages" of={messages} />
    </Live>
  )
}
