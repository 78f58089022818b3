import type { Unit } from '../../loan/amounts.ts'
import { kindNames, type PaymentKind } from '../../loan/kinds.ts'
import { describeAgreed, formatAgreed, formatNow } from '../../loan/local-worth.ts'
import { describeHoldStep, describeRecall } from '../../operator/holds.ts'
import { describeFate } from '../../operator/remedies.ts'
import type { PaymentDetails, PaymentSummary } from '../../operator/schemas/payments.ts'
import { payment } from '../../operator/schemas/payments.ts'
import { toReceiptNumber } from '../../relay/forwarder/requests.ts'
import type { PaymentState } from '../../relay/ledger/transitions.ts'
import { getProgress } from '../../relay/progress.ts'
import { payments } from '../../ussd/menu/payments.ts'
import { english } from '../../ussd/messages/en.ts'
import { Choice, Field, Live, Prose, showMoney, showTime, tellTime } from '../parts.tsx'
import { drawAccount, drawLink, Facts, Rows, toWords } from './answer.tsx'

export const nameKind = (kind: PaymentKind): string => payments[kind].words(english).label

/** Says what a payment moves whose amount the chain alone knows. */
const movesAll: Partial<Record<PaymentKind, string>> = {
  repayment: 'all that was owed',
  deposit: 'all that had arrived',
}

/**
 * Shows what a payment moves, first as agreed in local money, else with what that is worth now by
 * a price; empty if that is not known.
 */
export function showAmount(
  payment: PaymentSummary & Partial<Pick<PaymentDetails, 'creditedWei'>>,
  unit: Unit,
  price: Parameters<typeof formatNow>[3] = null,
): string {
  const { kind, spendsWei, lentWei, creditedWei, agreed } = payment
  const wei = creditedWei ?? lentWei ?? spendsWei
  if (wei === '0') return movesAll[kind] ?? ''
  const text = showMoney(wei, unit)
  return agreed ? formatAgreed(agreed, text) : formatNow(text, BigInt(wei), unit, price)
}

type Standing = Pick<PaymentSummary, 'state' | 'assuredAt'>

const tones = { arriving: 'wait', done: 'good', failed: 'bad' } as const

const getLook = (payment: Standing): string => `key ${tones[getProgress(payment)]}`

function drawProgress(payment: PaymentSummary) {
  const reason = payment.reason === null ? '' : `: ${toWords(payment.reason)}`
  return <span class={getLook(payment)}>{`${getProgress(payment)}${reason}`}</span>
}

export const PaymentLink = ({ intent }: { intent: string }) => (
  <a href={`/console/payments/${intent}`}>{toReceiptNumber(intent)}</a>
)

type PaymentTableOptions = { payments: readonly PaymentSummary[]; unit: Unit }

export const PaymentTable = ({ payments, unit }: PaymentTableOptions) => (
  <Rows
    name="Payments"
    of={payments}
    columns={[
      ['Ref', PaymentLink],
      'acceptedAt',
      ['Kind', ({ kind }) => nameKind(kind)],
      ['Amount', (payment) => showAmount(payment, unit)],
      ['State', drawProgress],
      ['From', ({ account }) => drawAccount(account)],
      ['To', ({ recipient }) => recipient && drawAccount(recipient)],
    ]}
  />
)

const steps: Readonly<Record<PaymentState, string>> = {
  queued: 'waits for its turn',
  signed: 'signed, and sent to the nodes',
  mined: 'in a block',
  confirmed: 'done: its block is final',
  reverted: 'failed: its block is final',
  expired: 'failed: in no block before its deadline',
}

const kindWords = Object.fromEntries(kindNames.map((kind) => [kind, nameKind(kind)]))

const choices = [
  ['state', 'State', payment.shape.state.options, steps],
  ['kind', 'Kind', kindNames, kindWords],
  ['archived', 'Age', ['true'], { '': 'up to 8 days', true: 'older than 8 days' }],
] as const
const fields = [
  ['account', 'Account (0x…)'],
  ['since', 'From (as 2026-01-31 09:00)'],
  ['before', 'Before (a time, or a day)'],
] as const

export type PaymentFilter = Readonly<Record<string, string>>

type PaymentListOptions = PaymentTableOptions & {
  next: string | null
  filter: PaymentFilter
  /** Lists what the account of the filter received; undefined without one. */
  received?: PaymentSummary[] | undefined
}

export function Payments(options: PaymentListOptions) {
  const { filter, next, received, unit } = options
  const olderQuery = next && new URLSearchParams({ ...filter, before: next })
  return (
    <>
      <section>
        <form method="get" action="/console/payments" class="filter">
          {choices.map(([name, label, options, words]) => (
            <Choice {...{ name, label, words }} value={filter[name]} options={['', ...options]} />
          ))}
          {fields.map(([name, label]) => (
            <Field name={name} label={label} value={filter[name]} />
          ))}
          <button type="submit">Show</button>
        </form>
      </section>
      {received && (
        <Live name="received" title="Received, the newest first">
          <PaymentTable payments={received} unit={unit} />
        </Live>
      )}
      <Live name="payments" title={received ? 'Sent, the newest first' : 'The newest first'}>
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
  const {
    screen,
    batch,
    transitions,
    transactions,
    messages,
    agreed,
    recall: _,
    holdSteps: __,
    price: ___,
    ...others
  } = payment
  const { account: from, recipient, code, explorer } = payment
  const name = nameKind(payment.kind)
  const amount = showAmount(payment, unit, payment.price)
  const ref = toReceiptNumber(payment.intent)
  const wrongNumber = describeRecall(payment, unit, tellTime)
  const agreedText = agreed && { agreed: describeAgreed(agreed, unit, tellTime) }
  return (
    <Live name="payment" title={amount === '' ? name : `${name}: ${amount}`}>
      <p class={getLook(payment)}>It {describeFate(payment)}</p>
      {wrongNumber && (
        <p>
          <Prose text={wrongNumber} />
        </p>
      )}
      <Facts of={{ ref, from, recipient, ...agreedText, code, explorer }} />
      <div class="tiles">
        <div>
          <h3>What happened</h3>
          <TimeLine {...payment} unit={unit} />
        </div>
        <div>
          <h3>What its caller was sent</h3>
          <pre class="screen">{screen ?? 'Deleted.'}</pre>
        </div>
      </div>
      <details>
        <summary>System</summary>
        <Facts of={others} unit={unit} />
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
      </details>
    </Live>
  )
}

export function TimeLine(payment: PaymentDetails & { unit: Unit }) {
  const { acceptedAt, transitions, assuredAt, paidOutAt, block, holdSteps, unit } = payment
  const last = transitions.findLastIndex(({ state }) => state === 'mined')
  const entries: (readonly [at: string, words: string])[] = [
    [acceptedAt, 'accepted'],
    ...transitions.map(({ state, at }, index) => {
      const words = index === last && block !== null ? `in block ${block}` : steps[state]
      return [at, words] as const
    }),
    ...(assuredAt ? [[assuredAt, 'final for the payee, ahead of its block'] as const] : []),
    ...(paidOutAt ? [[paidOutAt, 'cash paid out, as the agent says'] as const] : []),
    ...holdSteps.map((step) => [step.at, describeHoldStep(step, payment, unit)] as const),
  ]
  const since = (at: string) => ((Date.parse(at) - Date.parse(acceptedAt)) / 1_000).toFixed(1)
  return (
    <ol class="steps">
      {entries
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([at, words]) => (
          <li>
            {showTime(at)} {words} {at !== acceptedAt && <span class="soft">+{since(at)} s</span>}
          </li>
        ))}
    </ol>
  )
}
