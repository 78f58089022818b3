import type { Unit } from '../../../../src/loan/amounts.ts'
import { PaymentTable, TimeLine } from '../../../../src/pages/console/payments.tsx'
import { Choice, FactList, Live, Table } from '../../../../src/pages/parts.tsx'
import type { GatewayDeclaration } from '../../../../src/ussd/gateways/declaration.ts'
import {
  basicAlphabet,
  extendedAlphabet,
  maxSeptets,
} from '../../../../src/ussd/screens/septets.ts'
import { demoNumbers, type SessionName } from './handset.ts'
import type { SessionPayments } from './payment.ts'

export type PhonePageOptions = {
  session: SessionName | undefined
  payments: SessionPayments | 'unknown'
  /** Lists the newest first. */
  messages: readonly { to: string; text: string }[]
  gateways: readonly GatewayDeclaration[]
  profiles: readonly string[]
  profile: string
  unit: Unit
  /** Is how long a session lives. */
  sessionSeconds: number
  /** Is what callers dial. */
  serviceCode: string
}

/** Renders the page; `phone.js` fills in what the phone and its gateway do. */
export function PhonePage(options: PhonePageOptions) {
  const { gateways, messages, sessionSeconds, serviceCode } = options
  const alphabets = { alphabet: basicAlphabet, extension: extendedAlphabet, maxSeptets }
  return (
    <div class="bench">
      <form
        id="phone"
        data-refresh
        data-setup={JSON.stringify({ gateways, sessionSeconds, serviceCode, ...alphabets })}
      >
        <Handset {...options} />
        <Settings {...options} />
      </form>
      <div>
        <GatewayTraffic />
        <Live name="payment" title="The session's payment">
          <Payment {...options} />
        </Live>
        <Live name="messages" title="Messages">
          <p class="soft">The SMS that phones would get, once an outcome is final.</p>
          <FactList facts={messages.map(({ to, text }) => [to, text])} />
        </Live>
        <section id="flow" hidden>
          <h2>As a test</h2>
          <p>
            <a id="save" download="dialled.txt" href="/phone">
              Save as test
            </a>{' '}
            into <code>test/flows</code>, or play it:{' '}
            <code>npm run dial -- --script dialled.txt</code>
          </p>
          <pre id="flow-text" />
        </section>
      </div>
    </div>
  )
}

function Handset({ serviceCode }: Pick<PhonePageOptions, 'serviceCode'>) {
  const screenFacts = { kind: 'Screen', length: 'Length', alphabet: 'Alphabet' }
  const facts = { ...screenFacts, delay: 'Reply', timer: 'Session' }
  return (
    <>
      <div class="handset">
        <div class="display">
          <pre id="screen" role="status">
            Ready.
          </pre>
          <p id="fault" class="bad" role="alert" />
          <label id="label" for="typed">
            Dial
          </label>
          <input id="typed" name="typed" autocomplete="off" maxlength={160} value={serviceCode} />
        </div>
        <div class="keys">
          <button type="submit" id="send">
            Call
          </button>
          <button type="button" id="hangup" disabled>
            Hang up
          </button>
          {[...'123456789*0#'].map((key) => (
            <button type="button" data-key={key} aria-label={`Key ${key}`}>
              {key}
            </button>
          ))}
        </div>
      </div>
      <section id="facts" hidden>
        <FactList facts={Object.entries(facts).map(([id, name]) => [name, <span id={id} />])} />
      </section>
      <fieldset>
        <legend>The next delivery</legend>
        {['As usual', 'Lose the reply', 'Deliver late'].map((mode) => (
          <label>
            <input type="radio" name="mode" value={mode} checked={mode === 'As usual'} /> {mode}
          </label>
        ))}
      </fieldset>
    </>
  )
}

function Settings({ gateways, profiles, profile }: PhonePageOptions) {
  return (
    <fieldset>
      <legend>Phone and gateway</legend>
      <label for="number">Number</label>
      <input id="number" name="number" list="numbers" value={demoNumbers[0]} />
      <datalist id="numbers">
        {demoNumbers.map((number) => (
          <option value={number} />
        ))}
      </datalist>
      <Choice name="gateway" label="Gateway" options={gateways.map(({ name }) => name)} />
      {profiles.length > 0 && (
        <Choice name="profile" label="Profile" options={profiles} value={profile} />
      )}
      <p class="soft">Keys and keyboard type, Enter sends, Escape hangs up.</p>
      <p>
        <a href="/console">The console</a> shows what operators see.
      </p>
    </fieldset>
  )
}

/** Renders the places of the last request and reply, and of what the gateway can deliver again. */
function GatewayTraffic() {
  return (
    <section id="wire">
      <h2>At the gateway</h2>
      <p id="session" class="soft">
        After a dial, the raw request and reply appear here.
      </p>
      <div id="traffic" hidden>
        <div class="bench">
          <div>
            <span class="soft">Request</span>
            <pre id="request" />
          </div>
          <div>
            <span id="arrival" class="soft" />
            <pre id="reply" />
          </div>
        </div>
        <Table name="Deliveries" head={['Typed', 'Reply', 'Gateway']} rows={[[]]} />
      </div>
    </section>
  )
}

function Payment({ session, payments, unit }: PhonePageOptions) {
  if (session === undefined) return <p class="soft">The payment of a session appears here.</p>
  if (payments === 'unknown') return <p class="bad">The ledger gives no answer now.</p>
  const { payment, accountPayments } = payments
  const count = accountPayments.length === 1 ? '1 payment' : `${accountPayments.length} payments`
  return (
    <>
      {payment ? <TimeLine {...payment} unit={unit} /> : <p>This session has paid nothing.</p>}
      <p id="paid-count">
        {session.phone} has made {count} since this page was opened.
      </p>
      <PaymentTable payments={accountPayments} unit={unit} />
    </>
  )
}
