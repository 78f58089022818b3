// The phone of the page. Commands and tests import how it writes requests and reads replies.

const escapeXml = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const writeElement = ([name, text]) => `<${name}>${escapeXml(text)}</${name}>`

const encodings = {
  form: ['application/x-www-form-urlencoded', (fields) => `${new URLSearchParams(fields)}`],
  json: ['application/json', (fields) => JSON.stringify(fields)],
  xml: [
    'text/xml',
    (fields) => `<ussd>${Object.entries(fields).map(writeElement).join('')}</ussd>`,
  ],
}

/** @type {import('./handset.ts').CreateGatewayForm} */
export const createGatewayForm = (declaration, serviceCode = '*384#') => {
  const { name, posts, session, phone, hasPlus, text, dialled } = declaration
  const { state, sequence, kinds, reply } = declaration
  const [contentType, encode] = encodings[posts]
  return {
    path: name === 'africas-talking' ? '/ussd' : `/ussd/${name}`,
    contentType,
    startsEmpty: kinds !== undefined,
    dialled,
    serviceCode,
    write({ code = serviceCode, ...typed }, gatewayState) {
      const isFirst = typed.text === ''
      const answers = isFirst ? [] : typed.text.split('*')
      const accumulated = dialled ? `${[dialled, ...answers].join('*')}#` : typed.text
      const sent = (state ?? sequence) ? (answers.at(-1) ?? '') : accumulated
      return encode({
        [session]: typed.session,
        [phone]: hasPlus ? typed.phone : typed.phone.slice(1),
        [text]: kinds && isFirst ? code : sent,
        ...(kinds && { [kinds.field]: `${(isFirst ? kinds.first : kinds.answer)[0]}` }),
        ...(state && { [state]: gatewayState }),
        ...(sequence && { [sequence]: `${answers.length + 1}` }),
      })
    },
    parseReply(body, id) {
      const ask = parseByTemplate(reply.ask, reply.type, body)
      const values = ask ?? parseByTemplate(reply.end, reply.type, body)
      if (values === undefined) throw new Error('the body is no reply of this gateway')
      if ((values.session ?? id) !== id) throw new Error('the reply names another session')
      return { screen: `${ask ? 'CON' : 'END'} ${values.screen}`, gatewayState: values.state ?? '' }
    },
  }
}

/** Reads the values in a reply; returns undefined if the template did not write the reply. */
function parseByTemplate(template, type, body) {
  const parts = template.split(/\{(screen|session|state)\}/)
  const pattern = parts.map((part, index) =>
    index % 2 === 1 ? '([\\s\\S]*?)' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  )
  const values = new RegExp(`^${pattern.join('')}$`).exec(body)?.slice(1)
  const toEntry = (value, index) => [parts[2 * index + 1], decode(value, type)]
  return values && Object.fromEntries(values.map(toEntry))
}

function decode(value, type) {
  if (/\bjson\b/.test(type)) return `${JSON.parse(`"${value}"`)}`
  if (!/\bxml\b/.test(type)) return value
  return value.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** Lists the answers that a dialled code has behind the code of the service. */
const readCodeAnswers = (code, { serviceCode }) =>
  code.slice(serviceCode.length).split(/[*#]/).slice(0, -1)

/** @type {import('./handset.ts').WriteRequest} */
export const writeRequest = (form, { id, phone, steps }, index, part = 'typed') => {
  const [code, ...answers] = steps.slice(0, index + 1).map((step) => step[part])
  // The gateway passes the answers in a code on, unless its sessions start without any.
  const codeAnswers = form.startsEmpty ? [] : readCodeAnswers(code, form)
  const dialled = { phone, session: id, text: [...codeAnswers, ...answers].join('*'), code }
  return form.write(dialled, steps[index - 1]?.replies.at(-1)?.gatewayState ?? '')
}

/** @type {(typed: string, screen?: string, serviceCode?: string) => string} */
export const hidePins = (typed, screen, serviceCode = '*384#') => {
  // No screen tells what the answers in a code are for, so each of them may be a PIN.
  if (screen === undefined) {
    const answersAt = serviceCode.length - 1
    const answers = typed.slice(answersAt).replaceAll(/(?<=\*)\d{4,6}(?=[*#])/g, 'PIN')
    return `${typed.slice(0, answersAt)}${answers}`
  }
  // An answer of one or two characters goes back or to more of the list, so it is no PIN.
  return screen.includes('PIN') && typed.length > 2 ? 'PIN' : typed
}

/** Lists the PINs that replace typed ones, because a flow must not hold a person's own PIN. */
const fictionalPins = ['482615', '739164', '915372', '264859']

/** Writes what was dialled as a flow, which `npm run dial -- --script FILE` plays. */
function writeFlow() {
  const pins = []
  const lines = ['# Written by /phone. Each typed PIN is replaced by a fictional one.']
  sessions.forEach(({ phone, steps }, place) => {
    if (phone !== sessions[place - 1]?.phone) lines.push(`phone ${phone}`)
    const answers = readCodeAnswers(steps[0].typed, readSetup())
    lines.push('dial', ...answers.map((part) => `> ${part}`))
    steps.forEach(({ typed, shown, mode, replies: [reply, ...repeated] }, index) => {
      if (typed !== shown && !pins.includes(typed)) pins.push(typed)
      const pin = fictionalPins[pins.indexOf(typed) % fictionalPins.length]
      if (index > 0) lines.push(`> ${typed === shown ? typed : pin}`)
      if (reply === undefined) return
      const isLate = mode === 'Deliver late'
      if (isLate) lines.push('# The gateway delivered this late, after what follows it here.')
      const [line] = reply.screen.slice(4).split('\n')
      // A balance is waited for: blocks change it.
      if (line !== '') lines.push(`${/balance/i.test(line) ? 'until' : '='} ${line}`)
      lines.push(...repeated.map(() => 'again'))
    })
  })
  return `${lines.join('\n')}\n`
}

const sessions = []
const find = (id) => document.getElementById(id)
const readSetup = () => JSON.parse(find('phone').dataset.setup)
let isPosting = false

const findForm = ({ gateway }) =>
  createGatewayForm(
    readSetup().gateways.find(({ name }) => name === gateway),
    readSetup().serviceCode,
  )

const isHeldBack = ({ mode, replies }) => mode === 'Deliver late' && replies.length === 0
const isReplyLost = ({ mode, replies }) => mode === 'Lose the reply' && replies.length === 1

/** Returns the screen that the phone shows; undefined if no reply has arrived. */
function getScreen(session) {
  const last = session?.steps.at(-1)
  return last && !isReplyLost(last) ? last.replies.at(-1)?.screen : undefined
}

const isWaiting = (session) => session?.endedAt === null && getScreen(session)?.startsWith('CON ')

/** Dials, or sends an answer; the gateway may hold it back. */
async function send() {
  if (isPosting) return
  const page = find('phone')
  const { number, gateway, profile = '', typed, mode } = Object.fromEntries(new FormData(page))
  const isDial = !isWaiting(sessions.at(-1))
  const fault = isDial ? findDialFault(number, typed) : ''
  setTexts({ fault })
  if (fault !== '') return
  const screen = isDial ? undefined : getScreen(sessions.at(-1))
  const shown = hidePins(typed, screen, readSetup().serviceCode)
  if (isDial) {
    const id = `phone-${crypto.randomUUID().slice(0, 13)}`
    const dialled = { id, phone: number, gateway, profile, startedAt: Date.now() }
    sessions.push({ ...dialled, endedAt: null, steps: [] })
  }
  const step = { typed, shown, mode, replies: [] }
  sessions.at(-1).steps.push(step)
  find('typed').value = ''
  page.elements.mode.value = 'As usual'
  if (isHeldBack(step)) draw()
  else await deliver(sessions.at(-1), step)
}

function findDialFault(number, code) {
  if (!/^\+[1-9]\d{6,14}$/.test(number)) return 'A number has the form +254700000001.'
  const start = readSetup().serviceCode.slice(0, -1)
  const isDialled = code.startsWith(start) && /^(\*[^*#]+)*#$/.test(code.slice(start.length))
  return isDialled ? '' : `Dial ${start}#, or a code such as ${start}*1#.`
}

/** Posts a step as its gateway does, with the same bytes each time. */
async function deliver(session, step) {
  if (isPosting) return
  isPosting = true
  const form = findForm(session)
  const headers = { 'content-type': form.contentType, 'x-phone': session.profile }
  const body = writeRequest(form, session, session.steps.indexOf(step))
  const post = { method: 'POST', headers, body }
  const startedAt = Date.now()
  try {
    const response = await fetch(form.path, { ...post, signal: AbortSignal.timeout(20_000) })
    const reply = { status: response.status, body: await response.text() }
    const read = readReply(form, reply.body, session.id)
    step.replies.push({ ...reply, ...read, tookMs: Date.now() - startedAt })
  } catch {
    setTexts({ fault: 'The relay gives no answer.' })
  }
  isPosting = false
  if (getScreen(session)?.startsWith('END ')) session.endedAt ??= Date.now()
  draw()
  document.dispatchEvent(new Event('refresh'))
}

/** Reads a reply; a reply in another form ends the session, as it does on a real phone. */
function readReply(form, body, session) {
  try {
    return form.parseReply(body, session)
  } catch {
    return { screen: `END ${body}`, gatewayState: '' }
  }
}

function hangUp() {
  const session = sessions.at(-1)
  if (session) session.endedAt ??= Date.now()
  draw()
}

function setTexts(texts) {
  for (const [id, text] of Object.entries(texts)) find(id).textContent = text
}

/** Shows the latest session on the phone, and beside it what its gateway sends and gets. */
function draw() {
  const session = sessions.at(-1)
  const isAnswer = isWaiting(session)
  const field = find('typed')
  const { serviceCode } = readSetup()
  if (isAnswer && field.value === serviceCode) field.value = ''
  if (!isAnswer && field.value === '') field.value = serviceCode
  if (session === undefined) return
  const { id, gateway, phone, profile, steps } = session
  const last = steps.at(-1)
  const reply = last.replies.at(-1)
  const form = findForm(session)
  const request = writeRequest(form, session, steps.length - 1, 'shown')
  const flow = writeFlow()
  find('hangup').disabled = session.endedAt !== null
  drawFacts(getScreen(session), reply)
  setTexts({
    label: isAnswer ? 'Answer' : 'Dial',
    send: isAnswer ? 'Send' : 'Call',
    screen: describeDisplay(session, last),
    session: `Session ${id}, ${gateway}, ${phone}${profile && `, profile ${profile}`}`,
    request: `POST ${form.path}\ncontent-type: ${form.contentType}\n\n${request}`,
    arrival: isReplyLost(last) ? 'Reply, which was lost' : 'Reply',
    reply: reply ? `${reply.status}\n\n${reply.body}` : 'None yet.',
    'flow-text': flow,
  })
  find('save').href = `data:text/plain;charset=utf-8,${encodeURIComponent(flow)}`
  for (const place of ['flow', 'traffic']) find(place).hidden = false
  const focused = document.activeElement?.id
  document.querySelector('#traffic tbody').replaceChildren(...sessions.flatMap(drawDeliveries))
  find(focused)?.focus()
}

/** Returns the text on the display: a screen, or why the display has no screen. */
function describeDisplay(session, last) {
  const screen = getScreen(session)
  if (session.endedAt !== null && !screen?.startsWith('END ')) return 'Call ended.'
  if (screen !== undefined) return screen.slice(4)
  return isHeldBack(last) ? 'Waiting: the gateway holds the request.' : 'No reply came.'
}

function drawFacts(screen, reply) {
  find('facts').hidden = screen === undefined
  if (screen === undefined) return
  const { alphabet, extension, maxSeptets } = readSetup()
  const characters = [...screen.slice(4)]
  const septets = characters.length + characters.filter((each) => extension.includes(each)).length
  const isGsm = characters.every((each) => `${alphabet}${extension}`.includes(each))
  find('length').className = septets > maxSeptets ? 'bad' : ''
  setTexts({
    kind: screen.startsWith('CON ') ? 'CON: the session goes on' : 'END: the session is over',
    length: `${septets} of ${maxSeptets} septets`,
    alphabet: isGsm ? 'GSM 03.38' : 'UCS-2: a screen has 70 characters',
    delay: `after ${reply.tookMs} ms`,
  })
}

/** Draws the steps of the latest session, and the held ones of earlier sessions. */
function drawDeliveries(session) {
  return session.steps.flatMap((step, index) => {
    if (session !== sessions.at(-1) && !isHeldBack(step)) return []
    const button = document.createElement('button')
    button.id = `${session.id} ${index}`
    button.textContent = isHeldBack(step) ? 'Deliver it now' : 'Deliver again'
    button.addEventListener('click', () => deliver(session, step))
    const row = document.createElement('tr')
    for (const content of [step.shown || '(nothing)', describeReplies(step), button]) {
      row.insertCell().append(content)
    }
    return [row]
  })
}

function describeReplies(step) {
  const [first, ...repeated] = step.replies
  if (isHeldBack(step)) return 'held by the gateway'
  if (isReplyLost(step)) return 'lost on its way to the phone'
  if (first === undefined) return 'none came'
  const late = step.mode === 'Deliver late' ? ', delivered late' : ''
  if (repeated.length === 0) return `after ${first.tookMs} ms${late}`
  const times = `delivered ${step.replies.length} times`
  if (repeated.every(({ body }) => body === first.body)) return `the same bytes, ${times}`
  const warning = { className: 'bad', textContent: `other bytes, ${times}` }
  return Object.assign(document.createElement('b'), warning)
}

/** Types a key into the phone's field. The first key replaces the suggested code. */
function type(key) {
  const field = find('typed')
  if (field.value === readSetup().serviceCode) field.value = ''
  field.value += key
  field.setSelectionRange(field.value.length, field.value.length)
}

/** Has the keyboard type while no other field has focus. */
function typeByKeyboard(event) {
  if (event.key === 'Escape') hangUp()
  const isTyping = event.target.matches('input:not([type=radio]), select')
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  if (/^[0-9*#+.,]$/.test(event.key)) type(event.key)
  if (event.key === 'Backspace') find('typed').value = find('typed').value.slice(0, -1)
  if (event.key === 'Enter' && !event.target.matches('button, a')) find('send').click()
}

/** Ends a session that is as old as networks let one be. */
function endOldSession() {
  const session = sessions.at(-1)
  const isOld = Date.now() - session?.startedAt >= readSetup().sessionSeconds * 1_000
  if (session?.endedAt === null && isOld) hangUp()
}

function drawTimer() {
  endOldSession()
  const { startedAt, endedAt } = sessions.at(-1) ?? { startedAt: 0, endedAt: 0 }
  const seconds = Math.floor(((endedAt ?? Date.now()) - startedAt) / 1_000)
  find('timer').textContent = `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, '0')}`
}

if (globalThis.document) {
  const page = find('phone')
  page.addEventListener('submit', (event) => {
    event.preventDefault()
    void send()
  })
  page.addEventListener('formdata', ({ formData }) => {
    const names = sessions.slice(-8).map(({ steps, ...name }) => name)
    formData.set('sessions', JSON.stringify(names))
  })
  page.addEventListener('click', ({ target: { dataset } }) => dataset.key && type(dataset.key))
  find('hangup').addEventListener('click', hangUp)
  document.addEventListener('keydown', typeByKeyboard)
  setInterval(drawTimer, 250)
}
