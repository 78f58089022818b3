import { paymentKinds } from '../../loan/kinds.ts'
import type { PaymentDetails, ToldOf } from '../../operator/answers.ts'
import { describeFate } from '../../operator/remedies.ts'
import { Command, type Fact, FactList, Field, money, Table, time } from '../parts.tsx'
import { linkTo, PaymentTable, spent } from './payments.tsx'

/** Holds what was found for a number, and its latest payments in detail. */
export type Looked = { phone: string; found: ToldOf<'lookup'>; latest: readonly PaymentDetails[] }

type Shown = {
  csrf: string
  currency: string
  phone: string
  looked?: Looked
  said?: string | undefined
}

const hidden = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => <input type="hidden" name={name} value={value} />)

/** Renders the support page; the number travels in request bodies only. */
export function Support({ csrf, currency, phone, looked, said }: Shown) {
  return (
    <>
      <section>
        <form method="post" action="/console/support">
          {hidden({ csrf })}
          <Field name="phone" label="Number" type="tel" value={phone} />
          <button type="submit" class="main">
            Look up
          </button>
        </form>
        {said && <p role="alert">{said}</p>}
      </section>
      {looked && <Account csrf={csrf} currency={currency} {...looked} />}
    </>
  )
}

type AccountShown = Looked & { csrf: string; currency: string }

function Account({ csrf, currency, phone, found, latest }: AccountShown) {
  const { account, payments, refusals, heldAt } = found
  return (
    <section>
      <h2>Account {account}</h2>
      <FactList facts={accountFacts(found, currency)} />
      <h3>The last refusals</h3>
      <Table
        name="Refusals"
        head={['At', 'Reason', 'What was shown']}
        rows={refusals.map(({ at, reason, screen }) => [time(at), reason, screen ?? 'gone'])}
      />
      <h3>The latest payments</h3>
      <Table
        name="Latest payments"
        head={['Accepted', 'Payment', 'What became of it', 'What was shown']}
        rows={latest.map((payment) => [
          time(payment.acceptedAt),
          <>
            {paymentKinds[payment.kind].name} {spent(payment, currency)} {linkTo(payment)}
          </>,
          describeFate(payment),
          <pre>{payment.screen ?? 'gone'}</pre>,
        ])}
      />
      <h3>Payments</h3>
      <PaymentTable payments={payments} currency={currency} />
      <h3>Hold the account, or unblock its PIN</h3>
      <Confirmed
        csrf={csrf}
        act={heldAt === null ? 'hold' : 'release'}
        phone={phone}
        of={account}
      />
      <Confirmed csrf={csrf} act="unblock" phone={phone} of={account} />
      <p class="soft">
        Money moves by commands, which ask for the number: <Command of="account -- deposit" />,{' '}
        <Command of="account -- cash-out 0x… all" />,{' '}
        <Command of="account -- add-wallet NAME 0x…" />, or with a code to dial{' '}
        <Command of="account -- wallet NAME 0x…" />
      </p>
    </section>
  )
}

/** Returns the text to type before an action, against mistakes. */
export const describeConfirmation = (act: string, account: string): string =>
  `${act} ${account.slice(-4)}`

type Confirming = { csrf: string; act: string; phone: string; of: string }

function Confirmed({ csrf, act, phone, of }: Confirming) {
  return (
    <form method="post" action="/console/act">
      {hidden({ csrf, act, phone })}
      <Field name="confirmation" label={`To ${act}, type “${describeConfirmation(act, of)}”`} />
      <button type="submit">{act}</button>
    </form>
  )
}

function accountFacts(found: Looked['found'], currency: string): Fact[] {
  const { pin, today, open } = found
  const of = (most: string | number | null) => (most === null ? '' : ` of ${most}`)
  const blocked = pin?.isBlocked ? 'blocked by three wrong ones' : 'chosen'
  const pinWords = pin?.isChosen ? blocked : 'not chosen'
  return [
    ['Balance', money(found.balanceWei, currency)],
    ['Owes', money(found.owedWei, currency)],
    ['Due', time(found.dueAt)],
    ['Held', found.heldAt === null ? 'no' : <>since {time(found.heldAt)}</>],
    ...(found.till
      ? ([
          ['Till, in today', money(found.till.inWei, currency)],
          ['Till, out today', money(found.till.outWei, currency)],
        ] satisfies Fact[])
      : []),
    ['Open payments', open],
    ['PIN', pin && pinWords],
    ['Dormant', pin && (pin.isDormant ? 'yes: not dialled for 90 days' : 'no')],
    ['PIN may be replaced', time(pin?.replaceableAt)],
    ['Transfers in 24 hours', `${today.transfers}${of(today.mostTransfers)}`],
    [
      'Sent in 24 hours',
      `${money(today.sentWei, currency)}${of(today.mostSentWei && money(today.mostSentWei, currency))}`,
    ],
  ]
}
