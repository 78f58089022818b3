import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Country } from '../../../../src/account/phone.ts'
import { createCarriedText } from '../../../../src/ussd/gateways/carried-text.ts'
import type { UssdRequest } from '../../../../src/ussd/gateways/gateway.ts'
import { africasTalking, hubtel } from '../../../../src/ussd/gateways/presets.ts'
import { createRequestCounters } from '../../../../src/ussd/gateways/request-counters.ts'
import { createUssdRoutes } from '../../../../src/ussd/route.ts'
import { askScreen, endScreen } from '../../../../src/ussd/screens/screen.ts'

const form = 'application/x-www-form-urlencoded'
const all = { sessionId: 's1', phoneNumber: '+254700000001', text: '2*0700000002' }
const { text, ...unsaid } = all
const readForm = (fields: Record<string, string>, country?: Country, contentType = form) =>
  africasTalking.parse({ contentType, body: `${new URLSearchParams(fields)}` }, country)

const good = {
  Type: 'response',
  SessionId: 's1',
  Mobile: '233200000001',
  ServiceCode: '*384#',
  Message: '2',
  ClientState: '0x00',
  Operator: 'mtn',
  Sequence: '2',
  Platform: 'USSD',
}
const session = { gateway: 'hubtel', sessionId: 's1', phone: '+233200000001' }
const readJson = (request: unknown, country?: Country) =>
  hubtel.parse({ contentType: 'application/json', body: JSON.stringify(request) }, country)

test("Africa's Talking's form is read, without text as a first dial, with its plus encoded or not", () => {
  const of = { gateway: 'africas-talking', sessionId: 's1', phone: '+254700000001' }
  const read = readForm({ ...all, networkCode: '99999' }, undefined, `${form}; charset=UTF-8`)
  expect(read).toEqual({ kind: 'request', session: of, text })
  const body = 'sessionId=s1&phoneNumber=+254700000001'
  const first = { kind: 'request', session: of, text: '' }
  expect(africasTalking.parse({ contentType: form, body })).toEqual(first)
  expect(readForm(unsaid)).toEqual(first)
})

test("Africa's Talking's notice of a session's end is not read further", () => {
  const ended = { status: 'Success', durationInMillis: '9', hopsCount: '3', input: '2*1' }
  expect(readForm({ ...unsaid, ...ended })).toEqual({ kind: 'notice' })
  expect(readForm({ ...unsaid, ...ended, text: '' })).toMatchObject({ kind: 'request' })
})

test("Hubtel's JSON is read as the last answer with the carried state", () => {
  const last = { input: '2', carried: '0x00' }
  expect(readJson(good)).toEqual({ kind: 'step', session, last })
  expect(readJson({ ...good, Type: 'Response' })).toEqual({ kind: 'step', session, last })
  const first = { kind: 'step', session, last: undefined }
  expect(readJson({ ...good, Type: 'Initiation', Message: '*384*1#' })).toEqual(first)
  const bare = { ...good, Type: 'initiation', Message: null, ClientState: null }
  expect(readJson(bare)).toEqual(first)
  for (const Type of ['release', 'Release', 'Timeout']) {
    expect(readJson({ ...good, Type })).toEqual({ kind: 'notice' })
  }
})

test('the national form is accepted if the gateway has a country', () => {
  const kenyan = readForm({ ...all, phoneNumber: '0700000001' }, 'KE')
  expect(kenyan).toMatchObject({ session: { phone: '+254700000001' } })
  const ghanaian = readJson({ ...good, Mobile: '0240000001' }, 'GH')
  expect(ghanaian).toMatchObject({ session: { phone: '+233240000001' } })
})

const long = 'x'.repeat(257)
test.for([
  ['no session', readForm({ phoneNumber: all.phoneNumber }), 'sessionId'],
  ['an empty session', readForm({ ...all, sessionId: '' }), 'sessionId'],
  ['an endless session', readForm({ ...all, sessionId: long }), 'sessionId'],
  ['no phone number', readForm({ sessionId: 's1' }), 'phoneNumber'],
  ['a national phone number', readForm({ ...all, phoneNumber: '0700000001' }), 'phoneNumber'],
  ['one without its plus', readForm({ ...all, phoneNumber: '254700000001' }), 'phoneNumber'],
  ['letters for a number', readForm({ ...all, phoneNumber: '+2547abc' }), 'phoneNumber'],
  ['16 digits', readForm({ ...all, phoneNumber: '+2547000000010000' }), 'phoneNumber'],
  ['no content type', africasTalking.parse({ contentType: undefined, body: 'sessionId=s1' }), form],
  ['JSON for a form', readForm(all, undefined, 'application/json'), form],
  ['parts', readForm(all, undefined, 'multipart/form-data; boundary=x'), form],
  ['no object', readJson(undefined), 'JSON'],
  ['a list', readJson([]), 'JSON'],
  ['no session in JSON', readJson({ ...good, SessionId: undefined }), 'SessionId'],
  ['an endless session in JSON', readJson({ ...good, SessionId: long }), 'SessionId'],
  ['no number in JSON', readJson({ ...good, Mobile: undefined }), 'Mobile'],
  ['a number of letters', readJson({ ...good, Mobile: '23320abc' }), 'Mobile'],
  ['a national number', readJson({ ...good, Mobile: '0200000001' }), 'Mobile'],
  ['an unknown type', readJson({ ...good, Type: 'AddToCart' }), 'Type'],
  ['a message that is not text', readJson({ ...good, Message: 2 }), 'Message'],
  ['a state that is not text', readJson({ ...good, ClientState: {} }), 'ClientState'],
] as const)('a request with %s is refused, naming what is wrong', ([, read, name]) => {
  expect(read).toEqual({ kind: 'invalid', message: expect.stringContaining(name) })
})

test('a screen is written in the alphabet of handsets', () => {
  const screen = { kind: 'end', lines: ['Olá – “você”', 'São 2 €'] } as const
  expect(africasTalking.render(screen)).toBe('END Ola - "voce"\nSao 2 €')
})

type Reply = { Type: string; Message: string; ClientState: string }

/** A relay that shows each text that it was asked, and ends at `9`. */
function open(secret: Hex = `0x${'11'.repeat(32)}`) {
  const asked: UssdRequest[] = []
  const logged: unknown[] = []
  const routes = createUssdRoutes({
    gateway: hubtel,
    counters: createRequestCounters([]),
    carriedText: createCarriedText(secret),
    async handler(request) {
      asked.push(request)
      const shown = request.text.endsWith('9') ? endScreen('Bye') : askScreen(`<${request.text}>`)
      return { kind: 'screen', screen: shown }
    },
    waitUntil: () => {},
    log: (event) => void logged.push(event),
  })
  async function post(request: object): Promise<Reply> {
    const body = JSON.stringify({ ...good, ...request })
    const response = await routes.request('/', { method: 'POST', body })
    return (await response.json()) as Reply
  }
  const dial = (request = {}) => post({ ...request, Type: 'initiation', Message: '*384#' })
  const type = (Message: string, { ClientState }: Reply, request = {}) =>
    post({ ...request, Message, ClientState })
  return { asked, logged, dial, type }
}

describe('a session of which the gateway sends the last answer alone', () => {
  test('is read like one whose gateway sends all answers', async () => {
    const { asked, dial, type } = open()
    const first = await dial()
    const second = await type('2', first)
    const third = await type('0200000002', second)
    expect([first, second, third].map(({ Message }) => Message)).toEqual([
      '<>',
      '<2>',
      '<2*0200000002>',
    ])
    expect(await type('9', third)).toMatchObject({ Type: 'release', Message: 'Bye' })
    expect(asked.at(-1)).toEqual({ ...session, text: '2*0200000002*9' })
  })

  test('reads a redelivered answer as one answer, and an answer typed twice as two', async () => {
    const { dial, type } = open()
    const first = await dial()
    const second = await type('1', first)
    expect(second.Message).toBe('<1>')
    for (const [before, read] of [
      [first, '<1>'],
      [second, '<1*1>'],
      [first, '<1>'],
    ] as const)
      expect((await type('1', before)).Message).toBe(read)
  })

  test('carries nothing that the gateway can read or change', async () => {
    const { asked, logged, dial, type } = open()
    const first = await type('482615', await dial())
    expect(first.ClientState).not.toContain('482615')
    const before = asked.length
    const ended = { Type: 'release', Message: 'This session has ended. Please dial again.' }
    const bent = first.ClientState.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    for (const forged of ['', '0x', 'x', bent]) {
      expect(await type('1', { ...first, ClientState: forged })).toMatchObject(ended)
    }
    expect(await type('1', first, { SessionId: 's2' })).toMatchObject(ended)
    expect(await type('1', first, { Mobile: '233200000002' })).toMatchObject(ended)
    expect(await type('1', await open(`0x${'22'.repeat(32)}`).dial())).toMatchObject(ended)
    expect(asked.length).toBe(before)
    expect(JSON.stringify(logged)).not.toMatch(/482615|2332|0x/)
    // A forged state is no part of the session, which goes on from its own screens.
    expect((await type('1', first)).Message).toBe('<482615*1>')
  })
})
