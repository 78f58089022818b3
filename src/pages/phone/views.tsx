import { countSeptets, maxSeptets, toGsmAlphabet } from '../../ussd/screens/septets.ts'
import { describeState, PaymentTable } from '../console/payments.tsx'
import { Choice, FactList, Live, Table } from '../parts.tsx'
import { writeFlow } from './flow.ts'
import { type GatewayForm, serviceCode } from './gateway-forms.ts'
import {
  type DeliveryMode,
  deliveryModes,
  demoNumbers,
  getScreen,
  getTypedText,
  isWaitingForAnswer,
  type PhoneSession,
  phoneSessions,
  type Step,
  writeRequest,
} from './handset.ts'
import type { PhoneMessage } from './inbox.ts'
import type { SessionPayments } from './payment.ts'

export type PhonePageOptions = {
  sessions: readonly PhoneSession[]
  /** Tells why the last click had no effect. */
  fault: string | undefined
  payments: SessionPayments | 'unknown' | undefined
  messages: readonly PhoneMessage[]
  /** Maps the served gateways' names to their forms. */
  forms: Readonly<Record<string, GatewayForm>>
  profiles: readonly string[]
  currency: string
  settings: { number: string; gateway: string; profile: string; mode: DeliveryMode }
}

export function PhonePage(options: PhonePageOptions) {
  const session = options.sessions.at(-1)
  return (
    <div class="bench">
      <form id="phone" method="post" action="/phone" data-stay data-refresh>
        <Handset {...options} session={session} />
        <Settings {...options} />
      </form>
      <div>
        <GatewayTraffic {...options} />
        <Payment {...options} />
        <Messages messages={options.messages} />
        <SavedFlow sessions={options.sessions} />
      </div>
    </div>
  )
}

const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#']

function Handset({
  sessions,
  session,
  fault,
}: PhonePageOptions & { session: PhoneSession | undefined }) {
  const isAnswering = session !== undefined && isWaitingForAnswer(session)
  return (
    <div id="handset" data-live>
      {/* Parsed for a fixed order of fields, because a changed element loses a half-typed answer. */}
      <input type="hidden" name="sessions" value={JSON.stringify(phoneSessions.parse(sessions))} />
      <div class="handset">
        <div class="display">
          <pre id="screen" data-said>
            {getDisplayText(session)}
          </pre>
          {fault !== undefined && (
            <p class="bad" role="alert">
              {fault}
            </p>
          )}
          <label for="typed">{isAnswering ? 'Answer' : 'Dial'}</label>
          <input
            id="typed"
            name="typed"
            autocomplete="off"
            maxlength={160}
            value={isAnswering ? '' : serviceCode}
          />
        </div>
        <Keys isAnswering={isAnswering} isOpen={session?.endedAt === null} />
        <ScreenFacts session={session} />
      </div>
      <DeliveryModes />
    </div>
  )
}

function Keys({ isAnswering, isOpen }: { isAnswering: boolean; isOpen: boolean }) {
  return (
    <div class="keys">
      <button type="submit" id="send" name="action" value="send" class="call">
        {isAnswering ? 'Send' : 'Call'}
      </button>
      <button type="submit" id="hangup" name="action" value="hangup" class="end" disabled={!isOpen}>
        Hang up
      </button>
      {keys.map((key) => (
        <button type="button" data-key={key} aria-label={`Key ${key}`}>
          {key}
        </button>
      ))}
    </div>
  )
}

/** Returns the text on the display: a screen, or why the display has no screen. */
function getDisplayText(session: PhoneSession | undefined): string {
  if (session === undefined) return 'Ready.'
  const screen = getScreen(session)
  const isHungUp = session.endedAt !== null && screen?.startsWith('END ') !== true
  if (isHungUp) return 'Call ended.'
  if (screen !== undefined) return screen.replace(/^(CON|END) /, '')
  const isHeld = session.steps.at(-1)?.replyState === 'held'
  return isHeld ? 'Waiting: the gateway holds the request.' : 'No reply came.'
}

function ScreenFacts({ session }: { session: PhoneSession | undefined }) {
  const screen = session && getScreen(session)
  if (session === undefined || screen === undefined) return null
  const [, kind = '?', text = screen] = /^(CON|END) ([\s\S]*)$/.exec(screen) ?? []
  const septets = countSeptets(text)
  const last = session.steps.at(-1)
  return (
    <dl class="facts">
      <dt>Screen</dt>
      <dd id="kind">{kind === 'CON' ? 'CON: the session goes on' : 'END: the session is over'}</dd>
      <dt>Length</dt>
      <dd class={septets > maxSeptets ? 'bad' : ''}>
        {septets} of {maxSeptets} septets
      </dd>
      <dt>Alphabet</dt>
      <dd>{toGsmAlphabet(text) === text ? 'GSM 03.38' : 'UCS-2: a screen has 70 characters'}</dd>
      <dt>Reply</dt>
      <dd>after {last?.tookMs} ms</dd>
      <dt>Session</dt>
      <dd id="timer" data-since={session.startedAt} data-ended={session.endedAt ?? undefined} />
    </dl>
  )
}

function Settings({ settings, forms, profiles, sessions }: PhonePageOptions) {
  return (
    <fieldset>
      <legend>Phone and gateway</legend>
      <label for="number">Number</label>
      <input id="number" name="number" list="numbers" value={settings.number} />
      <datalist id="numbers">
        {demoNumbers.map((number) => (
          <option value={number} />
        ))}
      </datalist>
      <Choice
        name="gateway"
        label="Gateway"
        options={Object.keys(forms)}
        value={settings.gateway}
      />
      {profiles.length > 0 && (
        <Choice name="profile" label="Profile" options={profiles} value={settings.profile} />
      )}
      {sessions.length === 0 && (
        <p class="soft">Keys and keyboard type, Enter sends, Escape hangs up.</p>
      )}
      <p>
        <a href="/console">The console</a> shows what operators see.
      </p>
    </fieldset>
  )
}

const deliveryModeLabels: Readonly<Record<DeliveryMode, string>> = {
  'as usual': 'As usual',
  'lose the reply': 'Lose the reply',
  'deliver late': 'Deliver late',
}

function DeliveryModes() {
  return (
    <fieldset>
      <legend>The next delivery</legend>
      {deliveryModes.map((mode) => (
        <label>
          <input type="radio" name="mode" value={mode} checked={mode === 'as usual'} />{' '}
          {deliveryModeLabels[mode]}
        </label>
      ))}
    </fieldset>
  )
}

function GatewayTraffic({ sessions, forms }: PhonePageOptions) {
  const session = sessions.at(-1)
  const last = session?.steps.at(-1)
  const form = session && forms[session.gateway]
  return (
    <Live name="wire" title="At the gateway">
      {session === undefined || last === undefined || form === undefined ? (
        <p class="soft">After a dial, the raw request and reply appear here.</p>
      ) : (
        <>
          <p class="soft">
            Session {session.id}, {describeSession(session)}
          </p>
          <div class="pair">
            <RawText title="Request">
              {`POST ${form.path}\ncontent-type: ${form.contentType}\n\n${writeRequest(form, session, session.steps.length - 1, true)}`}
            </RawText>
            <RawText title={last.replyState === 'lost' ? 'Reply, which was lost' : 'Reply'}>
              {last.deliveries === 0 ? 'None yet.' : `${last.status}\n\n${last.reply}`}
            </RawText>
          </div>
        </>
      )}
      <Deliveries sessions={sessions} />
    </Live>
  )
}

const describeSession = ({ gateway, phone, profile }: PhoneSession): string =>
  [gateway, phone, ...(profile === '' ? [] : [`profile ${profile}`])].join(', ')

function RawText({ title, children }: { title: string; children: string }) {
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <pre>{children}</pre>
    </figure>
  )
}

/** Lists the steps of the latest session, and the held ones of earlier sessions. */
function Deliveries({ sessions }: Pick<PhonePageOptions, 'sessions'>) {
  const rows = sessions.flatMap((session, sessionIndex) =>
    session.steps.flatMap((step, index) =>
      sessionIndex === sessions.length - 1 || step.replyState === 'held'
        ? [{ session, sessionIndex, step, index }]
        : [],
    ),
  )
  if (rows.length === 0) return null
  return (
    <Table
      name="Deliveries"
      head={['Typed', 'Reply', 'Gateway']}
      rows={rows.map(({ session, sessionIndex, step, index }) => [
        getTypedText(session, index, true) || '(nothing)',
        <span class={step.hasDifferentReply ? 'bad' : ''}>{describeReply(step)}</span>,
        <button
          type="submit"
          id={`deliver-${sessionIndex}-${index}`}
          form="phone"
          name="action"
          value={`deliver ${sessionIndex} ${index}`}
        >
          {step.replyState === 'held' ? 'Deliver it now' : 'Deliver again'}
        </button>,
      ])}
    />
  )
}

function describeReply({ deliveries, replyState, hasDifferentReply, tookMs, isLate }: Step) {
  if (replyState === 'held') return 'held by the gateway'
  if (replyState === 'lost') return 'lost on its way to the phone'
  if (deliveries === 1) return `after ${tookMs} ms${isLate ? ', delivered late' : ''}`
  return `${hasDifferentReply ? 'other bytes' : 'the same bytes'}, delivered ${deliveries} times`
}

function Payment({ sessions, payments, currency }: PhonePageOptions) {
  const session = sessions.at(-1)
  return (
    <Live name="payment" title="The session's payment">
      {payments === undefined && <p class="soft">The payment of a session appears here.</p>}
      {payments === 'unknown' && <p class="bad">The ledger gives no answer now.</p>}
      {typeof payments === 'object' && (
        <>
          {payments.payment === undefined ? (
            <p>This session has paid nothing.</p>
          ) : (
            <Steps {...payments} />
          )}
          <p id="paid-count">
            {session?.phone} has made{' '}
            {payments.accountPayments.length === 1
              ? '1 payment'
              : `${payments.accountPayments.length} payments`}{' '}
            since this page was opened.
          </p>
          <PaymentTable payments={payments.accountPayments} currency={currency} />
        </>
      )}
    </Live>
  )
}

function Steps({ payment, batch }: SessionPayments) {
  if (payment === undefined) return null
  const sentTransaction = payment.transactions.findLast(({ sentAt }) => sentAt !== null)
  const others = batch.length - 1
  return (
    <>
      <ol id="steps">
        {payment.transitions.map(({ state, at }) => (
          <li>
            {state} <span class="soft">{showSecondsSince(payment.acceptedAt, at)}</span>
            {state === 'signed' && sentTransaction?.sentAt && (
              <>
                {', sent '}
                <span class="soft">
                  {showSecondsSince(payment.acceptedAt, sentTransaction.sentAt)}
                </span>
              </>
            )}
            {state === 'mined' && payment.block !== null && ` in block ${payment.block}`}
          </li>
        ))}
      </ol>
      <FactList
        facts={[
          ['State', describeState(payment)],
          ['Transaction', <code>{payment.hash ?? 'none yet'}</code>],
          ['Batch', others > 0 ? `shared with ${others} others` : 'alone in its transaction'],
          ['Failed', payment.reason ?? 'no'],
        ]}
      />
    </>
  )
}

const showSecondsSince = (from: string, at: string): string =>
  `+${((Date.parse(at) - Date.parse(from)) / 1_000).toFixed(1)} s`

function Messages({ messages }: Pick<PhonePageOptions, 'messages'>) {
  return (
    <Live name="messages" title="Messages">
      {messages.length === 0 && (
        <p class="soft">The SMS that phones would get appear here, once an outcome is final.</p>
      )}
      <FactList facts={messages.map(({ to, text }) => [to, text])} />
    </Live>
  )
}

function SavedFlow({ sessions }: Pick<PhonePageOptions, 'sessions'>) {
  if (sessions.length === 0) return <section id="flow" data-live hidden />
  const text = writeFlow(sessions)
  return (
    <Live name="flow" title="As a test">
      <p>
        <a
          id="save"
          download="dialled.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
        >
          Save as test
        </a>{' '}
        into <code>test/flows</code>, or play it: <code>npm run dial -- --script dialled.txt</code>
      </p>
      <pre id="flow-text">{text}</pre>
    </Live>
  )
}
