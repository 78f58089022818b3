import { describe, expect, test } from 'vitest'
import { createGatewayForm } from '../../../../scripts/stack/phone/page/phone.js'
import { parseConfig } from '../../../../src/compose/config.ts'
import { createCarriedText } from '../../../../src/ussd/gateways/carried-text.ts'
import {
  createDeclaredGateway,
  gatewayDeclaration,
} from '../../../../src/ussd/gateways/declaration.ts'
import { createRequestCounters } from '../../../../src/ussd/gateways/request-counters.ts'
import { createUssdRoutes } from '../../../../src/ussd/route.ts'
import { askScreen, endScreen } from '../../../../src/ussd/screens/screen.ts'
import { required } from '../../compose/variables.ts'

const fields = { name: 'example', session: 'sid', phone: 'msisdn', text: 'input', hasPlus: false }
const plain = { type: 'text/plain', ask: 'CON {screen}', end: 'END {screen}' }
const kinds = { field: 'op', first: ['begin'], answer: ['continue'], end: ['end', 'abort'] }
const inJson = {
  type: 'application/json',
  ask: '{"id":"{session}","say":"{screen}","more":true,"state":"{state}"}',
  end: '{"id":"{session}","say":"{screen}","more":false}',
}
const inXml = {
  type: 'text/xml; charset=utf-8',
  ask: '<r><id>{session}</id><say>{screen}</say></r>',
  end: '<r><say>{screen}</say></r>',
}

const gatewayOf = (declared: object) =>
  createDeclaredGateway(gatewayDeclaration.parse({ ...fields, reply: plain, ...declared }))

type Delivered = Readonly<Record<string, string>>

const entities: Record<string, string> = { '<': '&lt;', '>': '&#62;', '&': '&amp;', '"': '&#x22;' }
const bodies = {
  form: (delivered: Delivered) => `${new URLSearchParams(delivered)}`,
  json: (delivered: Delivered) => JSON.stringify(delivered),
  xml(delivered: Delivered) {
    const toXml = (value: string) => value.replaceAll(/[<>&"]/g, (each) => entities[each] ?? each)
    const fields = Object.entries(delivered).map(([of, value]) => `<${of}>${toXml(value)}</${of}>`)
    return `<?xml version="1.0"?>\n<ussd v="1">${fields.join('\n')}</ussd>\n`
  },
}
const [form, json, xml] = ['application/x-www-form-urlencoded', 'application/json', 'text/xml']
const types = { form, json, xml }

type Gateway = ReturnType<typeof gatewayOf>
type UssdRouteOptions = Parameters<typeof createUssdRoutes>[0]

/** Opens a gateway's routes, with what a test says of them. */
const routesOf = (gateway: Gateway, options: Partial<UssdRouteOptions> = {}) =>
  createUssdRoutes({
    gateway,
    carriedText: createCarriedText(`0x${'11'.repeat(32)}`),
    handler: () => Promise.reject(new Error('nothing is asked')),
    waitUntil: () => {},
    log: () => {},
    counters: createRequestCounters([]),
    ...options,
  })

describe.for(['form', 'json', 'xml'] as const)('a gateway that posts %s', (posts) => {
  const read = (delivered: Delivered, declared = {}) => {
    const body = bodies[posts](delivered)
    return gatewayOf({ posts, ...declared }).parse({ contentType: types[posts], body })
  }
  const good = { sid: 's<1>&"', msisdn: '254700000001', input: '2*0700000002', other: '' }
  const session = { gateway: 'example', sessionId: good.sid, phone: '+254700000001' }

  test('is read by the declared names of its fields', () => {
    expect(read(good)).toEqual({ kind: 'request', session, text: good.input })
    expect(read({ ...good, msisdn: '+254700000001' }, { hasPlus: true })).toMatchObject({ session })
    expect(read({ ...good, input: '' })).toMatchObject({ text: '' })
  })

  test('with declared kinds is read by them, and pays nothing at an end', () => {
    expect(read({ ...good, op: 'BEGIN', input: '*384#' }, { kinds })).toMatchObject({ text: '' })
    expect(read({ ...good, op: 'continue' }, { kinds })).toMatchObject({ text: good.input })
    for (const op of ['end', 'Abort'])
      expect(read({ ...good, op }, { kinds })).toEqual({ kind: 'notice' })
    const message = expect.stringMatching(/^op /)
    expect(read({ ...good, op: 'pay' }, { kinds })).toMatchObject({ kind: 'invalid', message })
  })

  test('with numbered answers is read by the number, in each notation', () => {
    const numbered = { kinds, sequence: 'seq' }
    const read1 = read({ ...good, op: 'begin', seq: '1' }, numbered)
    const request = { kind: 'request', session }
    expect(read1).toEqual({ ...request, text: '', step: { number: 1, isFirst: true } })
    const last = { ...request, text: '7', step: { number: 2, isFirst: false } }
    expect(read({ ...good, op: 'continue', input: '7', seq: '02' }, numbered)).toEqual(last)
    for (const seq of ['', '-1', '1.5', '1e3', '12345678', 'x']) {
      const message = 'seq is missing or no number.'
      expect(read({ ...good, op: 'continue', seq }, numbered)).toEqual({ kind: 'invalid', message })
    }
    expect(read({ ...good, op: 'end', seq: '3' }, numbered)).toEqual({ kind: 'notice' })
  })

  test('is refused with an error that names the field', () => {
    const { sid: _, ...nameless } = good
    for (const [delivered, message] of [
      [nameless, 'sid is missing or too long.'],
      [{ ...good, sid: 'x'.repeat(257) }, 'sid is missing or too long.'],
      [{ ...good, msisdn: '0700000001' }, 'msisdn is missing or not in international format.'],
    ] as const)
      expect(read(delivered)).toEqual({ kind: 'invalid', message })
    const bad = { form: 'form', json: 'JSON', xml: 'XML' }[posts]
    const refused = { kind: 'invalid', message: expect.stringContaining(bad) }
    for (const body of ['', '<a>', '<a><b>1</b><b>2</b></a>', '<a>1</a>', '[1]', '"x"'])
      expect(gatewayOf({ posts }).parse({ contentType: 'text/plain', body })).toMatchObject(refused)
  })
})

test('a reply is written by its template, with special characters escaped', () => {
  const text = 'Say "1" & <2>\nOr \\'
  const to = { sessionId: 's"</id>', carried: 'x' }
  const reply = (declared: object) =>
    gatewayOf({ posts: 'json', reply: declared }).render(askScreen(text), to)
  const told = { id: to.sessionId, say: text, more: true, state: 'x' }
  expect(JSON.parse(reply(inJson))).toEqual(told)
  const escaped = 'Say "1" &amp; &lt;2&gt;\nOr \\'
  expect(reply(inXml)).toBe(`<r><id>s"&lt;/id&gt;</id><say>${escaped}</say></r>`)
  expect(reply(plain)).toBe(`CON ${text}`)
})

test.for(
  (['form', 'json', 'xml'] as const).flatMap((posts) =>
    [plain, inJson, inXml].map((reply) => ({ posts, reply, type: reply.type })),
  ),
)('the phone page posts $posts as declared, and reads $type', ({ posts, reply }) => {
  const numbered = { kinds, sequence: 'seq' }
  const carrying = reply === inJson ? [{ kinds, state: 'state' }] : []
  for (const more of [{}, { kinds }, numbered, ...carrying]) {
    const declared = { ...fields, posts, reply, ...more }
    const gateway = gatewayOf(declared)
    const phone = createGatewayForm(gatewayDeclaration.parse(declared))
    const session = 's<1>&"'
    const dialled = { phone: '+254700000001', session, text: '2*<9>&"' }
    const { contentType } = phone
    const read = (text: string) =>
      gateway.parse({ contentType, body: phone.write({ ...dialled, text }, 'c') })
    const of = { gateway: 'example', sessionId: session, phone: dialled.phone }
    const isStep = 'state' in more
    const step = { kind: 'step', session: of, last: { input: '<9>&"', carried: 'c' } }
    const whole = { kind: 'request', session: of, text: dialled.text }
    const third = { ...whole, text: '<9>&"', step: { number: 3, isFirst: false } }
    expect(read(dialled.text)).toEqual(isStep ? step : more === numbered ? third : whole)
    expect(read('')).toMatchObject(isStep ? { kind: 'step', last: undefined } : { text: '' })
    const to = { sessionId: session, carried: 'd' }
    const state = reply === inJson ? 'd' : ''
    for (const [screen, kind, gatewayState] of [
      [askScreen('A "1" & <2>\n\\'), 'CON', state] as const,
      [endScreen('{screen}'), 'END', ''] as const,
    ]) {
      const shown = { screen: `${kind} ${screen.lines.join('\n')}`, gatewayState }
      expect(phone.parseReply(gateway.render(screen, to), session)).toEqual(shown)
    }
    expect(() => phone.parseReply('<html>502</html>', session)).toThrow('no reply')
  }
})

describe('a gateway of which the addresses are named', () => {
  const counters = createRequestCounters(['example'])
  const logged: unknown[] = []
  const GATEWAY_ADDRESSES = '192.0.2.0/24, 2001:db8::1'
  const { gatewayAddresses: addresses } = parseConfig({ ...required, GATEWAY_ADDRESSES })
  const routes = routesOf(gatewayOf({ posts: 'json', reply: inJson }), {
    handler: async () => ({ kind: 'screen', screen: askScreen('Menu') }),
    log: (event) => void logged.push(event),
    findPeer: (_, given) => (given as { from?: string }).from,
    addresses,
    counters,
  })
  const body = JSON.stringify({ sid: 's', msisdn: '254700000001', input: '2*482615' })
  const post = (from?: string) => routes.request('/', { method: 'POST', body }, { from })

  test('is served from its addresses only; others are refused in its form, counted and logged', async () => {
    for (const from of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8:0::1'])
      expect((await post(from)).status).toBe(200)
    for (const from of ['192.0.3.7', '2001:db8::2', undefined]) {
      const refused = await post(from)
      expect(refused.status).toBe(403)
      const say = 'Requests from this address are not served.'
      expect(await refused.json()).toMatchObject({ say })
    }
    expect(counters.take()).toEqual({ 'example/delivery': 3, 'example/reply': 3, 'example/bad': 3 })
    expect(logged).toHaveLength(3)
    expect(JSON.stringify(logged)).not.toMatch(/192|2001|2547|482615/)
  })

  const wrong = [' , ', 'localhost', '192.0.2.0/33', '192.0.2.7;::1']
  test.for(wrong)('refuses the list "%s"', (list) => {
    const read = () => parseConfig({ ...required, GATEWAY_ADDRESSES: list })
    expect(read).toThrow(/^GATEWAY_ADDRESSES /)
  })
})

describe('what a configured gateway may not do', () => {
  const routes = routesOf(gatewayOf({ posts: 'form', kinds }))

  test.for(['GET', 'PUT', 'DELETE'])(
    'includes %s, which is refused without asking the handler',
    async (method) => {
      const path = '/?sid=s&msisdn=254700000001&op=continue&input=3'
      const refused = await routes.request(path, { method })
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST'])
      expect(await refused.text()).toBe('END Use POST.')
    },
  )

  test.for(['end', 'abort'])('includes a payment by its notice "%s"', async (op) => {
    const delivery = new URLSearchParams({ sid: 's', msisdn: '254700000001', op, input: '3*1' })
    const noted = await routes.request('/', { method: 'POST', body: delivery })
    expect([noted.status, await noted.text()]).toEqual([200, ''])
  })
})

describe('a declaration', () => {
  const declared = { ...fields, posts: 'json', reply: plain }
  const configured = (gateway: object | string, env = {}) => {
    const GATEWAY = typeof gateway === 'string' ? gateway : JSON.stringify(gateway)
    return parseConfig({ ...required, ...env, GATEWAY })
  }

  test('is a setting', () => {
    expect(configured(declared).gateway).toEqual(declared)
    expect(configured({ ...declared, hasPlus: undefined }).gateway?.hasPlus).toBe(true)
  })

  test.for([
    ['is no JSON', '{'],
    ['has what is not known', { ...declared, method: 'GET' }],
    ['has no name for an address', { ...declared, name: '../x' }],
    ['lacks a field', { ...declared, phone: undefined }],
    ['shows nothing', { ...declared, reply: { ...plain, end: 'END' } }],
    ['has a state and tells no first dial', { ...declared, state: 'state', reply: inJson }],
    ['has a state that no reply has', { ...declared, state: 'state', kinds }],
    ['has a sequence and tells no first dial', { ...declared, sequence: 'seq' }],
    ['has both', { ...declared, sequence: 'seq', state: 'state', kinds, reply: inJson }],
    ['has the name of a gateway that is there', { ...declared, name: 'hubtel' }],
    ['has the name of who pays for an operator', { ...declared, name: 'operator' }],
  ] as const)('that %s is refused', ([, wrong]) => {
    expect(() => configured(wrong)).toThrow(/^GATEWAY /)
  })

  test('for the last answer alone is refused if payments are not confirmed', () => {
    const carried = { ...declared, state: 'state', kinds, reply: inJson }
    const numbered = { ...declared, sequence: 'seq', kinds }
    for (const last of [carried, numbered])
      expect(() => configured(last, { CONFIRM: 'off', PIN: 'off' })).toThrow('CONFIRM=on')
    expect(configured(carried, { CONFIRM: 'on' }).gateway?.state).toBe('state')
    expect(configured(numbered, { CONFIRM: 'on' }).gateway?.sequence).toBe('seq')
  })
})

describe('a dialled code before the answers', () => {
  const read = (input: string, declared = {}) => {
    const body = bodies.form({ sid: 's', msisdn: '254700000001', input })
    return gatewayOf({ posts: 'form', ...declared }).parse({ contentType: form, body })
  }

  test.for([
    ['*415*33', '', ''],
    ['*415*33', '*415*33#', ''],
    ['*415*33', '*415*33*1#', '1'],
    ['*415*33', '*415*33*2*0700000002*5#', '2*0700000002*5'],
    ['*415*33', '*415*33#*1', '1'],
    ['33', '33', ''],
    ['33', '33*1', '1'],
  ] as const)('is cut off where it is declared: %s from "%s"', ([dialled, input, text]) => {
    expect(read(input, { dialled })).toMatchObject({ kind: 'request', text })
  })

  test.for([
    [undefined, '*415*3#'],
    [undefined, '*415*33*1#'],
    [undefined, '*3'],
    [undefined, '415*3#'],
    [undefined, '33*3#'],
    [undefined, '415#*3'],
    ['*415*33', '*415*3#'],
    ['*415*33', '*415*333*1#'],
    ['*415*33', '3'],
    ['*415', '*415**3#'],
  ])('walks no menu where another one is declared: %s before "%s"', ([dialled, input = '']) => {
    const refused = read(input, { dialled })
    expect(refused).toMatchObject({ kind: 'invalid', message: expect.stringMatching(/dialled/) })
  })

  test('is no answer that a caller ends with #', () => {
    for (const input of ['3#', '2*0700000002#', '2*0700000002*0.5#', '']) {
      expect(read(input)).toMatchObject({ kind: 'request', text: input })
    }
  })

  test('is written on the phone page as the gateway does', () => {
    const declared = gatewayDeclaration.parse({
      ...fields,
      posts: 'form',
      reply: plain,
      dialled: '*415*33',
    })
    const write = createGatewayForm(declared).write
    const typed = (text: string) =>
      new URLSearchParams(write({ phone: '+254700000001', session: 's', text }, '')).get('input')
    expect([typed(''), typed('1*2')]).toEqual(['*415*33#', '*415*33*1*2#'])
  })
})
