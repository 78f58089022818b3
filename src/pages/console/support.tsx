import { paymentKinds } from '../../loan/kinds.ts'
import { describeFate } from '../../operator/remedies.ts'
import type { ActionAnswer } from '../../operator/schemas/actions.ts'
import type { PaymentDetails } from '../../operator/schemas/payments.ts'
import { Command, type Fact, FactList, Field, showMoney, showTime, Table } from '../parts.tsx'
import { PaymentTable, renderPaymentLink, showSpentAmount } from './payments.tsx'

/** Describes the account of a number, with its latest payments in detail. */
export type AccountLookup = {
  phone: string
  details: ActionAnswer<'lookup'>
  latest: readonly PaymentDetails[]
}

type SupportOptions = {
  csrf: string
  currency: string
  phone: string
  lookup?: AccountLookup
  notice?: string | undefined
}

const renderHiddenFields = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => <input type="hidden" name={name} value={value} />)

/** Renders the support page; the phone number is sent in request bodies, never in URLs. */
export function Support({ csrf, currency, phone, lookup, notice }: SupportOptions) {
  return (
    <>
      <section>
        <form method="post" action="/console/support">
          {renderHiddenFields({ csrf })}
          <Field name="phone" label="Number" type="tel" value={phone} />
          <button type="submit" class="main">
            Look up
          </button>
        </form>
        {notice && <p role="alert">{notice}</p>}
      </section>
      {lookup && <Account csrf={csrf} currency={currency} {...lookup} />}
    </>
  )
}

type AccountOptions = AccountLookup & { csrf: string; currency: string }

function Account({ csrf, currency, phone, details, latest }: AccountOptions) {
  const { account, payments, refusals, heldAt } = details
  return (
    <section>
      <h2>Account {account}</h2>
      <FactList facts={listAccountFacts(details, currency)} />
      <h3>The last refusals</h3>
      <Table
        name="Refusals"
        head={['At', 'Reason', 'Screen']}
        rows={refusals.map(({ at, reason, screen }) => [showTime(at), reason, screen ?? 'deleted'])}
      />
      <h3>The latest payments</h3>
      <Table
        name="Latest payments"
        head={['Accepted', 'Payment', 'Outcome', 'Screen']}
        rows={latest.map((payment) => [
          showTime(payment.acceptedAt),
          <>
            {paymentKinds[payment.kind].name} {showSpentAmount(payment, currency)}{' '}
            {renderPaymentLink(payment)}
          </>,
          describeFate(payment),
          <pre>{payment.screen ?? 'deleted'}</pre>,
        ])}
      />
      <h3>Payments</h3>
      <PaymentTable payments={payments} currency={currency} />
      <h3>Hold the account, or unblock its PIN</h3>
      <ConfirmedAction
        csrf={csrf}
        act={heldAt === null ? 'hold' : 'release'}
        phone={phone}
        account={account}
      />
      <ConfirmedAction csrf={csrf} act="unblock" phone={phone} account={account} />
      <p class="soft">
        Money moves by commands, which ask for the number: <Command line="account -- deposit" />,{' '}
        <Command line="account -- cash-out 0x… all" />,{' '}
        <Command line="account -- add-wallet NAME 0x…" />, or with a code to dial{' '}
        <Command line="account -- wallet NAME 0x…" />
      </p>
    </section>
  )
}

/** Returns the text that confirms an action on an account. */
export const describeConfirmation = (act: string, account: string): string =>
  `${act} ${account.slice(-4)}`

type ConfirmedActionOptions = { csrf: string; act: string; phone: string; account: string }

function ConfirmedAction({ csrf, act, phone, account }: ConfirmedActionOptions) {
  return (
    <form method="post" action="/console/act">
      {renderHiddenFields({ csrf, act, phone })}
      <Field
        name="confirmation"
        label={`To ${act}, type “${describeConfirmation(act, account)}”`}
      />
      <button type="submit">{act}</button>
    </form>
  )
}

function listAccountFacts(details: AccountLookup['details'], currency: string): Fact[] {
  const { pin, today, open } = details
  const formatLimit = (max: string | number | null) => (max === null ? '' : ` of ${max}`)
  const chosenText = pin?.isBlocked ? 'blocked by three wrong PINs' : 'chosen'
  const pinText = pin?.isChosen ? chosenText : 'not chosen'
  return [
    ['Balance', showMoney(details.balanceWei, currency)],
    ['Owes', showMoney(details.owedWei, currency)],
    ['Due', showTime(details.dueAt)],
    ['Held', details.heldAt === null ? 'no' : <>since {showTime(details.heldAt)}</>],
    ...(details.till
      ? ([
          ['Till, in today', showMoney(details.till.inWei, currency)],
          ['Till, out today', showMoney(details.till.outWei, currency)],
        ] satisfies Fact[])
      : []),
    ['Open payments', open],
    ['PIN', pin && pinText],
    ['Dormant', pin && (pin.isDormant ? 'yes: not dialled for 90 days' : 'no')],
    ['PIN may be replaced', showTime(pin?.replaceableAt)],
    ['Transfers in 24 hours', `${today.transfers}${formatLimit(today.mostTransfers)}`],
    [
      'Sent in 24 hours',
      `${showMoney(today.sentWei, currency)}${formatLimit(today.mostSentWei && showMoney(today.mostSentWei, currency))}`,
    ],
  ]
}
