import { type Country, parseCaller } from '../../account/phone.ts'
import { paymentKinds } from '../../loan/kinds.ts'
import { describeFate } from '../../operator/remedies.ts'
import type { ActionAnswer } from '../../operator/schemas/actions.ts'
import type { PaymentDetails } from '../../operator/schemas/payments.ts'
import {
  Command,
  type Fact,
  FactList,
  Field,
  shortenHex,
  showMoney,
  showTime,
  Table,
} from '../parts.tsx'
import { PaymentTable, renderPaymentLink, showSpentAmount } from './payments.tsx'

type Found = ActionAnswer<'find'>
type AccountHit = Found['accounts'][number]
type Details = AccountHit['caller']

/** Describes what was found, with the latest payments in detail, by their intents. */
export type Lookup = { found: Found; details: ReadonlyMap<string, PaymentDetails> }

/** Says what to look for where nothing was found. */
export const nothingFits =
  'Nothing was found. A number needs its country code where many countries have such a one; payments are found for 8 days, and a hash by 10 characters after 0x or more.'

type SupportOptions = {
  csrf: string
  currency: string
  text: string
  lookup?: Lookup
  notice?: string | undefined
}

const renderHiddenFields = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => <input type="hidden" name={name} value={value} />)

/** Renders the support page; what is looked for is sent in request bodies, never in URLs. */
export function Support({ csrf, currency, text, lookup, notice }: SupportOptions) {
  const shared = { csrf, currency, text }
  return (
    <>
      <section>
        <form method="post" action="/console/support">
          {renderHiddenFields({ csrf })}
          <Field name="text" label="Number, hash, code or till" value={text} />
          <button type="submit" class="main">
            Look up
          </button>
        </form>
        <p class="soft">
          What the caller reads out: a number, with what it sent and received; the first characters
          of Tx after 0x (10 or more); the 6 digits of a cash-out; an agent’s or a bill’s till.
        </p>
        {notice && <p role="alert">{notice}</p>}
      </section>
      {lookup && <FoundPayments payments={lookup.found.payments} currency={currency} />}
      {lookup?.found.accounts.map((hit) => (
        <Account {...shared} hit={hit} details={lookup.details} />
      ))}
    </>
  )
}

function FoundPayments({ payments, currency }: Pick<Found, 'payments'> & { currency: string }) {
  if (payments.length === 0) return null
  return (
    <section>
      <h2>Payments that fit</h2>
      <PaymentTable payments={payments} currency={currency} />
    </section>
  )
}

type AccountOptions = {
  csrf: string
  currency: string
  text: string
  hit: AccountHit
  details: Lookup['details']
}

/** Returns the number of an account that was found by what was typed; undefined without one. */
export const findPhone = ({ by, country }: AccountHit, text: string) =>
  by === 'number'
    ? parseCaller(text.replaceAll(/[ ().-]/g, ''), (country ?? undefined) as Country | undefined)
    : undefined

function Account({ csrf, currency, text, hit, details }: AccountOptions) {
  const { account, payments, refusals, heldAt, arrivals } = hit.caller
  const phone = findPhone(hit, text)
  return (
    <section>
      <h2>
        Account {account} {hit.country && `(${hit.country})`}
      </h2>
      <FactList facts={listAccountFacts(hit.caller, currency)} />
      <h3>Sent and received</h3>
      <Table
        name="Sent and received"
        head={[
          'Accepted',
          'Way',
          'Payment',
          'With',
          'Code',
          'Outcome',
          'What its caller was shown',
        ]}
        rows={payments.map((payment) => {
          const other = payment.direction === 'in' ? payment.account : payment.recipient
          return [
            showTime(payment.acceptedAt),
            payment.direction === 'in' ? 'received' : 'sent',
            <>
              {paymentKinds[payment.kind].name} {showSpentAmount(payment, currency)}{' '}
              {renderPaymentLink(payment)}
            </>,
            other && <a href={`/console/payments?account=${other}`}>{shortenHex(other)}</a>,
            payment.code !== null && (
              <>
                {payment.code}{' '}
                {payment.paidOutAt === null
                  ? 'not said to be paid out'
                  : `paid out ${showTime(payment.paidOutAt)}`}
              </>
            ),
            describeFate(payment),
            <pre>{details.get(payment.intent)?.screen ?? ''}</pre>,
          ]
        })}
      />
      {arrivals === null && <p class="wait">No node answers what else arrived on the chain.</p>}
      {arrivals !== null && arrivals.length > 0 && (
        <>
          <h3>Arrived on the chain, and in no payment above</h3>
          <Table
            name="Arrivals"
            head={['Block', 'From', 'Amount', 'Transaction']}
            rows={arrivals.map(({ block, from, amountWei, hash }) => [
              block,
              from,
              showMoney(amountWei, currency),
              hash,
            ])}
          />
        </>
      )}
      <h3>The last refusals</h3>
      <Table
        name="Refusals"
        head={['At', 'Reason', 'Screen']}
        rows={refusals.map(({ at, reason, screen }) => [showTime(at), reason, screen ?? 'deleted'])}
      />
      {phone === undefined ? (
        <p class="soft">To hold the account or unblock its PIN, look it up by its number.</p>
      ) : (
        <>
          <h3>Hold the account, or unblock its PIN</h3>
          {[heldAt === null ? 'hold' : 'release', 'unblock'].map((act) => (
            <ConfirmedAction csrf={csrf} act={act} phone={phone} account={account} />
          ))}
        </>
      )}
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

function listAccountFacts(details: Details, currency: string): Fact[] {
  const { pin, today, open, loan, tills } = details
  const formatLimit = (max: string | number | null) => (max === null ? '' : ` of ${max}`)
  const chosenText = pin?.isBlocked ? 'blocked by three wrong PINs' : 'chosen'
  const pinText = pin?.isChosen ? chosenText : 'not chosen'
  return [
    ['Balance', showMoney(details.balanceWei, currency)],
    ['Owes', showMoney(details.owedWei, currency)],
    ['Due', showTime(details.dueAt)],
    ...(loan
      ? ([
          [
            'Last loan',
            <>
              {loan.state}; of {showTime(loan.issuedAt)}, due {showTime(loan.dueAt)};{' '}
              {showMoney(loan.lentWei, currency)} lent, {showMoney(loan.repaidWei, currency)} repaid
            </>,
          ],
        ] satisfies Fact[])
      : []),
    ['Held', details.heldAt === null ? 'no' : <>since {showTime(details.heldAt)}</>],
    ...tills.map(({ till, name, kind }): Fact => ['Till', `${till} (${kind}, ${name})`]),
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
