// The phone in the browser. It keeps its sessions itself, and posts to the relay as a gateway does.
import { render, useState } from 'hono/jsx/dom'
import { countSeptets, maxSeptets, toGsmAlphabet } from '../../ussd/screens/septets.ts'
import { Choice, FactList, Live, Table } from '../parts.tsx'
import { describeState, PaymentTable } from '../payment-table.tsx'
import { writeFlow } from './flow.ts'
import { createGatewayForm, type GatewayForm, serviceCode } from './gateway-form.ts'
import {
  type DeliveryMode,
  deliverStep,
  deliveryModes,
  demoNumbers,
  getScreen,
  getTypedText,
  isHeldBack,
  isReplyLost,
  isWaitingForAnswer,
  type PhoneSession,
  type PhoneSetup,
  parseCodeAnswers,
  type Step,
  writeRequest,
} from './handset.ts'
import { readPayments, type SessionPayments } from './payment.ts'

const page = document.getElementById('phone') as HTMLElement
const setup: PhoneSetup = JSON.parse(page.dataset.setup ?? '')
const forms = new Map<string, GatewayForm>(
  setup.gateways.map((declaration, index) => [
    declaration.name,
    createGatewayForm(declaration, index === 0 ? '/ussd' : undefined),
  ]),
)
const sessions: PhoneSession[] = []
const shown = {
  /** Tells why the last click had no effect. */
  fault: '',
  payments: undefined as SessionPayments | 'unknown' | undefined,
  messages: [] as readonly { to: string; text: string }[],
}
let redraw = () => {}
let isSending = false

async function askRelay(path: string, body?: object): Promise<unknown> {
  const init = body && { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(path, { ...init, headers: { 'x-phone': '' } })
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`the relay answers ${response.status}`)
  return await response.json()
}

/** Delivers a step, and shows what came of it. */
async function deliver(session: PhoneSession, step: Step): Promise<void> {
  const form = forms.get(session.gateway)
  if (form === undefined || isSending) return
  isSending = true
  const headers = { 'content-type': form.contentType, 'x-phone': session.profile }
  try {
    await deliverStep(form, session, step, async (body) => {
      const response = await fetch(form.path, { method: 'POST', headers, body })
      return { status: response.status, body: await response.text() }
    })
  } catch {
    shown.fault = 'The relay gives no answer.'
  }
  isSending = false
  await refresh()
}

/** Dials, or sends an answer; the gateway may hold it back. */
async function send(form: HTMLFormElement): Promise<void> {
  if (isSending) return
  const fields = Object.fromEntries(new FormData(form)) as Record<string, string>
  const { number = '', gateway = '', profile = '', typed = '', mode } = fields
  const last = sessions.at(-1)
  const isAnswer = last !== undefined && isWaitingForAnswer(last)
  shown.fault = isAnswer ? '' : findDialFault(number.trim(), typed)
  if (shown.fault === '') {
    const session = isAnswer ? last : startSession(number.trim(), gateway, profile)
    const step: Step = { typed, mode: mode as DeliveryMode, replies: [] }
    session.steps.push(step)
    getTypedField().value = ''
    ;(form.elements.namedItem('mode') as RadioNodeList).value = 'As usual'
    if (!isHeldBack(step)) await deliver(session, step)
  }
  if (!isWaiting()) getTypedField().value = serviceCode
  redraw()
}

function findDialFault(number: string, code: string): string {
  if (!/^\+[1-9]\d{6,14}$/.test(number)) return `A number has the form ${demoNumbers[0]}.`
  return parseCodeAnswers(code) ? '' : 'Dial *384#, or a code such as *384*1#.'
}

function startSession(phone: string, gateway: string, profile: string): PhoneSession {
  const id = `phone-${crypto.randomUUID().slice(0, 13)}`
  const startedAt = Date.now()
  const session = { id, phone, gateway, profile, startedAt, endedAt: null, steps: [] }
  sessions.push(session)
  return session
}

function hangUp(): void {
  const last = sessions.at(-1)
  if (last) last.endedAt ??= Date.now()
  getTypedField().value = serviceCode
  redraw()
}

async function refresh(): Promise<void> {
  if (sessions.length > 0) {
    shown.payments = await readPayments(askRelay, sessions).catch(() => 'unknown' as const)
  }
  const messages = await askRelay('/phone/sms').catch(() => undefined)
  if (messages) shown.messages = messages as typeof shown.messages
  redraw()
}

async function keepFresh(): Promise<void> {
  if (!document.hidden) await refresh()
  setTimeout(keepFresh, 2_000)
}

const getTypedField = () => document.getElementById('typed') as HTMLInputElement

function isWaiting(): boolean {
  const last = sessions.at(-1)
  return last !== undefined && isWaitingForAnswer(last)
}

/** Types a key into the phone's field. The first key replaces the suggested code. */
function typeKey(key: string): void {
  const input = getTypedField()
  if (input.value === serviceCode) input.value = ''
  input.value += key
  input.setSelectionRange(input.value.length, input.value.length)
}

/** Has the keyboard type into the phone's field while no other field has focus. */
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') hangUp()
  const focused = event.target as Element
  const isTyping = focused.matches('input:not([type=radio]), select')
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  if (/^[0-9*#+.,]$/.test(event.key)) typeKey(event.key)
  if (event.key === 'Backspace') getTypedField().value = getTypedField().value.slice(0, -1)
  if (event.key === 'Enter' && !focused.matches('button, a')) getTypedField().form?.requestSubmit()
})

function PhonePage() {
  const [, setDrawings] = useState(0)
  redraw = () => setDrawings((drawings) => drawings + 1)
  const session = sessions.at(-1)
  return (
    <div class="bench">
      <form
        onSubmit={(event: Event) => {
          event.preventDefault()
          void send(event.target as HTMLFormElement)
        }}
      >
        <Handset session={session} />
        <fieldset>
          <legend>The next delivery</legend>
          {deliveryModes.map((mode) => (
            <label>
              <input type="radio" name="mode" value={mode} checked={mode === 'As usual'} /> {mode}
            </label>
          ))}
        </fieldset>
        <Settings />
      </form>
      <div>
        <GatewayTraffic session={session} />
        <Payment session={session} />
        <Live name="messages" title="Messages">
          <p class="soft">The SMS that phones would get, once an outcome is final.</p>
          <FactList facts={shown.messages.map(({ to, text }) => [to, text])} />
        </Live>
        {session && <SavedFlow />}
      </div>
    </div>
  )
}

type SessionOptions = { session: PhoneSession | undefined }

function Handset({ session }: SessionOptions) {
  return (
    <div class="handset">
      <div class="display">
        <pre id="screen" role="status">
          {getDisplayText(session)}
        </pre>
        <p class="bad" role="alert">
          {shown.fault}
        </p>
        <label for="typed">{isWaiting() ? 'Answer' : 'Dial'}</label>
        <input id="typed" name="typed" autocomplete="off" maxlength={160} value={serviceCode} />
      </div>
      <div class="keys">
        <button type="submit" class="call">
          {isWaiting() ? 'Send' : 'Call'}
        </button>
        <button type="button" class="end" disabled={session?.endedAt !== null} onClick={hangUp}>
          Hang up
        </button>
        {[...'123456789*0#'].map((key) => (
          <button type="button" aria-label={`Key ${key}`} onClick={() => typeKey(key)}>
            {key}
          </button>
        ))}
      </div>
      {session && <ScreenFacts session={session} />}
    </div>
  )
}

/** Returns the text on the display: a screen, or why the display has no screen. */
function getDisplayText(session: PhoneSession | undefined): string {
  const last = session?.steps.at(-1)
  if (session === undefined || last === undefined) return 'Ready.'
  const screen = getScreen(session)
  if (session.endedAt !== null && screen?.startsWith('END ') !== true) return 'Call ended.'
  if (screen !== undefined) return screen.replace(/^(CON|END) /, '')
  if (isHeldBack(last)) return 'Waiting: the gateway holds the request.'
  return isReplyLost(last) ? 'No reply came.' : 'Waiting for the reply.'
}

function ScreenFacts({ session }: { session: PhoneSession }) {
  const screen = getScreen(session)
  if (screen === undefined) return null
  const text = screen.replace(/^(CON|END) /, '')
  const septets = countSeptets(text)
  const seconds = Math.floor(((session.endedAt ?? Date.now()) - session.startedAt) / 1_000)
  const time = `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, '0')}`
  return (
    <div class="facts">
      <FactList
        facts={[
          [
            'Screen',
            screen.startsWith('CON ') ? 'CON: the session goes on' : 'END: the session is over',
          ],
          [
            'Length',
            <span class={septets > maxSeptets ? 'bad' : ''}>
              {septets} of {maxSeptets} septets
            </span>,
          ],
          [
            'Alphabet',
            toGsmAlphabet(text) === text ? 'GSM 03.38' : 'UCS-2: a screen has 70 characters',
          ],
          ['Reply', `after ${session.steps.at(-1)?.replies.at(-1)?.tookMs} ms`],
          ['Session', <span id="timer">{time}</span>],
        ]}
      />
    </div>
  )
}

function Settings() {
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
      <Choice name="gateway" label="Gateway" options={[...forms.keys()]} />
      {setup.profiles.length > 0 && (
        <Choice name="profile" label="Profile" options={setup.profiles} value={setup.profile} />
      )}
      <p class="soft">Keys and keyboard type, Enter sends, Escape hangs up.</p>
      <p>
        <a href="/console">The console</a> shows what operators see.
      </p>
    </fieldset>
  )
}

/** Shows the last request and reply as they are, and what the gateway can deliver again. */
function GatewayTraffic({ session }: SessionOptions) {
  const last = session?.steps.at(-1)
  const form = session && forms.get(session.gateway)
  if (session === undefined || last === undefined || form === undefined) {
    return (
      <Live name="wire" title="At the gateway">
        <p class="soft">After a dial, the raw request and reply appear here.</p>
      </Live>
    )
  }
  const { id, gateway, phone, profile, steps } = session
  const request = writeRequest(form, session, steps.length - 1, true)
  const reply = last.replies.at(-1)
  return (
    <Live name="wire" title="At the gateway">
      <p class="soft">
        Session {id}, {[gateway, phone, profile && `profile ${profile}`].filter(Boolean).join(', ')}
      </p>
      <div class="pair">
        <RawText title="Request">
          {`POST ${form.path}\ncontent-type: ${form.contentType}\n\n${request}`}
        </RawText>
        <RawText title={isReplyLost(last) ? 'Reply, which was lost' : 'Reply'}>
          {reply ? `${reply.status}\n\n${reply.body}` : 'None yet.'}
        </RawText>
      </div>
      <Deliveries />
    </Live>
  )
}

const RawText = ({ title, children }: { title: string; children: string }) => (
  <figure>
    <figcaption>{title}</figcaption>
    <pre>{children}</pre>
  </figure>
)

/** Lists the steps of the latest session, and the held ones of earlier sessions. */
function Deliveries() {
  const rows = sessions.flatMap((session) =>
    session.steps.flatMap((step, index) => {
      if (session !== sessions.at(-1) && !isHeldBack(step)) return []
      const action = isHeldBack(step) ? 'Deliver it now' : 'Deliver again'
      return [
        [
          getTypedText(session, index, true) || '(nothing)',
          describeReplies(step),
          <button type="button" onClick={() => void deliver(session, step)}>
            {action}
          </button>,
        ],
      ]
    }),
  )
  return <Table name="Deliveries" head={['Typed', 'Reply', 'Gateway']} rows={rows} />
}

function describeReplies(step: Step) {
  const [first, ...repeated] = step.replies
  if (isHeldBack(step)) return 'held by the gateway'
  if (isReplyLost(step)) return 'lost on its way to the phone'
  if (first === undefined) return 'none yet'
  const late = step.mode === 'Deliver late' ? ', delivered late' : ''
  if (repeated.length === 0) return `after ${first.tookMs} ms${late}`
  const isEqual = repeated.every(({ body }) => body === first.body)
  const bytes = isEqual ? 'the same bytes' : <b class="bad">other bytes</b>
  return (
    <>
      {bytes}, delivered {step.replies.length} times
    </>
  )
}

function Payment({ session }: SessionOptions) {
  const { payments } = shown
  return (
    <Live name="payment" title="The session's payment">
      {payments === undefined && <p class="soft">The payment of a session appears here.</p>}
      {payments === 'unknown' && <p class="bad">The ledger gives no answer now.</p>}
      {typeof payments === 'object' && (
        <>
          <PaymentSteps {...payments} />
          <p id="paid-count">
            {session?.phone} has made {payments.ofPhone.length}{' '}
            {payments.ofPhone.length === 1 ? 'payment' : 'payments'} since this page was opened.
          </p>
          <PaymentTable payments={payments.ofPhone} currency={setup.currency} />
        </>
      )}
    </Live>
  )
}

function PaymentSteps({ payment }: SessionPayments) {
  if (payment === undefined) return <p>This session has paid nothing.</p>
  const sentAt = payment.transactions.findLast((each) => each.sentAt !== null)?.sentAt
  const showSecondsSince = (at: string) =>
    `+${((Date.parse(at) - Date.parse(payment.acceptedAt)) / 1_000).toFixed(1)} s`
  const others = payment.batch.length - 1
  return (
    <>
      <ol id="steps">
        {payment.transitions.map(({ state, at }) => (
          <li>
            {state} <span class="soft">{showSecondsSince(at)}</span>
            {state === 'signed' && sentAt && `, sent ${showSecondsSince(sentAt)}`}
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

function SavedFlow() {
  const text = writeFlow(sessions)
  const address = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`
  return (
    <Live name="flow" title="As a test">
      <p>
        <a download="dialled.txt" href={address}>
          Save as test
        </a>{' '}
        into <code>test/flows</code>, or play it: <code>npm run dial -- --script dialled.txt</code>
      </p>
      <pre id="flow-text">{text}</pre>
    </Live>
  )
}

render(<PhonePage />, page)
setInterval(() => redraw(), 1_000)
void keepFresh()
