import { type Country, parseCaller } from '../../account/phone.ts'
import { formatAmountUp, type Unit } from '../../loan/amounts.ts'
import { formatAgreed, formatNow, formatWorthUp, type LocalMoney } from '../../loan/local-worth.ts'
import { findLackingRole } from '../../operator/access.ts'
import type { ActionAnswer } from '../../operator/actions/list.ts'
import { holdWords } from '../../operator/holds.ts'
import { describeFate, describeReceive, nameWay, reminderWords } from '../../operator/remedies.ts'
import type { PaymentDetails } from '../../operator/schemas/payments.ts'
import { Command, FactList, Field, Prose, showMoney, showTime, tellTime } from '../parts.tsx'
import { drawAccount, Facts, Rows, toWords } from './answer.tsx'
import { nameKind, PaymentLink, PaymentTable, showAmount } from './payments.tsx'
import type { ConsoleSession } from './session.ts'

export type Found = ActionAnswer<'find'>
type AccountHit = Found['accounts'][number]
type FoundPayment = AccountHit['caller']['payments'][number]

/** Describes what was found, with the latest payments in detail, by their intents. */
export type Lookup = { found: Found; details: ReadonlyMap<string, PaymentDetails> }

type SupportOptions = ConsoleSession & {
  unit: Unit
  text: string
  lookup?: Lookup
  notice?: string | undefined
}

const renderHiddenFields = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => <input type="hidden" name={name} value={value} />)

/** Renders the support page; a number is sent in request bodies, never in URLs. */
export function Support({ csrf, actor, unit, text, lookup, notice }: SupportOptions) {
  const shared = { csrf, actor, unit, text }
  return (
    <>
      <section>
        <form method="post" action="/console/support" class="filter">
          {renderHiddenFields({ csrf })}
          <Field
            name="text"
            label="Number, receipt, hash, code, till or its name"
            value={text}
            maxLength={80}
          />
          <button type="submit" class="main">
            Look up
          </button>
        </form>
        <p class="soft">
          What the caller reads out: a number, with what it sent and received; the 7 digits after
          Ref; the first characters of Tx after 0x (10 or more); the 6 digits of a withdrawal at an
          agent or to a wallet; an agent’s or a bill’s till, or its name.
        </p>
        {notice && (
          <p role="alert">
            <Prose text={notice} />
          </p>
        )}
      </section>
      {lookup && lookup.found.payments.length > 0 && (
        <section>
          <h2>Payments that fit</h2>
          <PaymentTable payments={lookup.found.payments} unit={unit} />
        </section>
      )}
      {lookup?.found.accounts.map((hit) => (
        <Account {...shared} hit={hit} details={lookup.details} />
      ))}
    </>
  )
}

type AccountOptions = ConsoleSession & {
  unit: Unit
  text: string
  hit: AccountHit
  details: Lookup['details']
}

/** Returns the number of an account that was found by what was typed; undefined without one. */
export const findPhone = ({ by, country }: AccountHit, text: string) =>
  by === 'number'
    ? parseCaller(text.replaceAll(/[ ().-]/g, ''), (country ?? undefined) as Country | undefined)
    : undefined

const listActs = ({ heldAt, pin }: AccountHit['caller']) => [
  heldAt === null ? 'hold' : 'release',
  ...(pin?.isBlocked || pin?.isDormant ? ['unblock'] : []),
  ...(pin?.replaceableAt ? ['keep-pin'] : []),
]

function Account({ csrf, actor, unit, text, hit, details }: AccountOptions) {
  const { account, payments, refusals, arrivals, balanceWei, owedWei, price, ...facts } = hit.caller
  const { dueAt, heldAt, heldFor, pin, open, tills, till, recalled, reminded, ...rest } = facts
  const { receiveAddress: _, waitingWei: __, ...others } = rest
  const phone = findPhone(hit, text)
  const acts = listActs(hit.caller)
  const tellHold = ({ intent }: FoundPayment): string => {
    const recall = details.get(intent)?.recall
    const held = recall?.state === 'held' ? recall : recalled.find((one) => one.intent === intent)
    return held ? ` Held until ${tellTime(held.until).slice(0, 16)}.` : ''
  }
  return (
    <section>
      <h2>
        Account {account} {hit.country && `(${hit.country})`}
      </h2>
      <Facts
        of={{
          balance: showNow(balanceWei, unit, price),
          owed: showNow(owedWei, unit, price, formatAmountUp, formatWorthUp),
          dueAt,
          accountHeldSince: heldAt,
          ...(heldFor && { accountHeldFor: heldFor }),
          openPayments: open,
          pin: describePin(pin),
          lastReminderTried: reminded && reminderWords[reminded],
        }}
        unit={unit}
      />
      <p>
        <Prose text={describeReceive(hit.caller, hit.by, unit)} you={actor} />
      </p>
      {recalled.length > 0 && (
        <>
          <h3>Kept back: the senders call these payments mistakes</h3>
          <Rows
            name="Kept back"
            of={recalled}
            columns={[
              ['Payment', PaymentLink],
              ['Amount', ({ wei }) => showNow(wei, unit, price)],
              'sender',
              'until',
            ]}
          />
        </>
      )}
      {till && <TillSums till={till} tills={tills} unit={unit} />}
      <p class="soft">While an account is held, {holdWords}</p>
      {phone === undefined ? (
        <p class="soft">To hold the account or unblock its PIN, look it up by its number.</p>
      ) : (
        acts.map((act) => (
          <ConfirmedAction csrf={csrf} actor={actor} act={act} phone={phone} account={account} />
        ))
      )}
      {acts.includes('unblock') && <p class="soft">{unblockWords}</p>}
      {pin?.isChosen !== false && <p class="soft">{forgottenWords}</p>}
      <details>
        <summary>Loan and limits</summary>
        <Facts of={others} unit={unit} />
      </details>
      <h3>Sent and received</h3>
      <p class="soft">
        Sent to a wrong number? The payment’s page, by its Ref, says what can be done. Older ones:{' '}
        <a href={`/console/payments?account=${account}`}>all payments of the account</a>. Of the
        last 8 days: what is not in this list or among older ones was not sent.
      </p>
      <Rows
        name="Sent and received"
        of={payments}
        columns={[
          ['Ref', PaymentLink],
          'acceptedAt',
          ['Way', nameWay],
          ['Kind', ({ kind }) => nameKind(kind)],
          ['Amount', (payment) => showAmount(details.get(payment.intent) ?? payment, unit, price)],
          ['With', drawOtherAccount],
          ['Code', drawCode],
          ['Outcome', (payment) => `${describeFate(payment)}${tellHold(payment)}`],
          // A sender's screen may tell the sender's balance.
          [
            'Screen',
            ({ intent, direction }) =>
              direction === 'in' ? undefined : drawScreen(details.get(intent)?.screen),
          ],
        ]}
      />
      {arrivals === null && <p class="wait">No node answers what else arrived on the chain.</p>}
      {arrivals !== null && arrivals.length > 0 && (
        <>
          <h3>Arrived on the chain, and in no payment above</h3>
          <Rows name="Arrivals" of={arrivals} unit={unit} />
        </>
      )}
      <h3>The last refusals</h3>
      <Rows
        name="Refusals"
        of={refusals}
        columns={[
          'at',
          ['Reason', ({ reason }) => toWords(reason)],
          ['Screen', ({ screen }) => drawScreen(screen)],
        ]}
      />
      <MoneyCommands actor={actor} unit={unit} />
    </section>
  )
}

type TillSumsOptions = Pick<AccountHit['caller'], 'tills'> & {
  till: NonNullable<AccountHit['caller']['till']>
  unit: Unit
}

/** Shows the day of an account with a till, in the sums that its phone shows. */
export function TillSums({ till, tills, unit }: TillSumsOptions) {
  const showSum = (wei: string, local: LocalMoney | null) =>
    formatAgreed(local, showMoney(wei, unit))
  return (
    <>
      <h3>Today, from {tellTime(till.since).slice(0, 16)}</h3>
      <FactList
        facts={[
          [`Taken at ${listTills(tills)}`, showSum(till.inWei, till.inLocal)],
          ['Of that paid out in cash', showSum(till.cashWei, till.cashLocal)],
          ['Withdrawals whose cash is not paid out', till.waiting],
          ['Sent by the account in all', showSum(till.outWei, till.outLocal)],
        ]}
      />
    </>
  )
}

const MoneyCommands = ({ actor, unit }: Pick<AccountOptions, 'actor' | 'unit'>) => (
  <p class="soft">
    Money moves by commands, which ask for the number:{' '}
    {unit.token === null && (
      <>
        <Command line="npm run ops -- account deposit" you={actor} />,{' '}
      </>
    )}
    <Command line="npm run ops -- account cash-out 0x… all" you={actor} />,{' '}
    <Command line="npm run ops -- account add-wallet NAME 0x…" you={actor} />, or with a code to
    dial <Command line="npm run ops -- account wallet NAME 0x…" you={actor} />
  </p>
)

const showNow = (
  wei: string | null,
  unit: Unit,
  price: AccountHit['caller']['price'],
  format?: typeof formatAmountUp,
  worthOf?: typeof formatWorthUp,
) =>
  wei === null
    ? 'not known'
    : formatNow(showMoney(wei, unit, format), BigInt(wei), unit, price, worthOf)

const listTills = (tills: AccountHit['caller']['tills']): string =>
  tills.map(({ name, till }) => `${name}, ${till}`).join(' and ')

const drawCode = ({ code, paidOutAt }: FoundPayment) =>
  code && [code, paidOutAt && [', paid out ', showTime(paidOutAt)]]

const drawScreen = (screen: string | null | undefined) => screen && <pre>{screen}</pre>

const unblockWords =
  'After unblock the PIN of now counts again, with three tries, and a number that was not dialled for 90 days may pay again: first make sure who calls, since such a number may have another owner now. It sets no PIN.'

const forgottenWords =
  'A caller who forgot the PIN needs no operator: dial, 8. Settings, 3. Forgot PIN, and choose a new one after 24 hours.'

function describePin(pin: AccountHit['caller']['pin']) {
  if (pin === null) return 'not known'
  const { replaceableAt } = pin
  const forgotten = replaceableAt && `forgotten: a new one from ${tellTime(replaceableAt)}`
  if (pin.isBlocked) return forgotten ? `blocked, and ${forgotten}` : 'blocked'
  if (pin.isDormant) return 'dormant: not dialled for 90 days'
  return forgotten || (pin.isChosen ? 'chosen' : 'not chosen yet')
}

function drawOtherAccount({ direction, account, recipient }: FoundPayment) {
  const other = direction === 'in' ? account : recipient
  return other && drawAccount(other)
}

export const describeConfirmation = (act: string, account: string): string =>
  `${act} ${account.slice(-4)}`

const reasonLabel = 'Why, in a few words (no phone number, nor another of over 6 digits)'

type ConfirmedActionOptions = ConsoleSession & { act: string; phone: string; account: string }

function ConfirmedAction({ csrf, actor, act, phone, account }: ConfirmedActionOptions) {
  const isHold = act === 'hold' || act === 'release'
  const lacks = findLackingRole(actor, isHold ? 'POST /operator/hold' : 'POST /operator/pin', act)
  const what = act === 'keep-pin' ? 'cancel the reset' : act
  if (lacks !== undefined) return <p class="soft">{`To ${what}, the role ${lacks} is needed.`}</p>
  return (
    <form method="post" action="/console/act" class="filter">
      {renderHiddenFields({ csrf, act, phone })}
      <Field
        name="confirmation"
        label={`To ${what}, type “${describeConfirmation(act, account)}”`}
      />
      {act === 'hold' && <Field name="reason" label={reasonLabel} maxLength={80} />}
      <button type="submit">
        {act === 'keep-pin' ? 'Cancel the reset: the old PIN stays' : act}
      </button>
    </form>
  )
}
