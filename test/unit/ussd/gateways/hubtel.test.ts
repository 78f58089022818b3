import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Country } from '../../../../src/account/phone.ts'
import { createCarriedText } from '../../../../src/ussd/gateways/carried-text.ts'
import type { UssdRequest } from '../../../../src/ussd/gateways/gateway.ts'
import { hubtel } from '../../../../src/ussd/gateways/presets.ts'
import { createRequestCounters } from '../../../../src/ussd/gateways/request-counters.ts'
import { createUssdRoutes } from '../../../../src/ussd/route.ts'
import { askScreen, endScreen } from '../../../../src/ussd/screens/screen.ts'

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
const parse = (request: unknown, country?: Country) =>
  hubtel.parse({ contentType: 'application/json', body: JSON.stringify(request) }, country)

describe("Hubtel's JSON", () => {
  test('is read as the last answer with the carried state', () => {
    const last = { input: '2', carried: '0x00' }
    expect(parse(good)).toEqual({ kind: 'step', session, last })
    expect(parse({ ...good, Type: 'Response' })).toEqual({ kind: 'step', session, last })
  })

  test('is a first dial whatever code was dialled', () => {
    const first = { kind: 'step', session, last: undefined }
    expect(parse({ ...good, Type: 'Initiation', Message: '*384*1#' })).toEqual(first)
    expect(parse({ ...good, Type: 'initiation', Message: null, ClientState: null })).toEqual(first)
  })

  test.for(['release', 'Release', 'Timeout'])('is the notice of an end as %s', (Type) => {
    expect(parse({ ...good, Type })).toEqual({ kind: 'notice' })
  })

  test.for([
    ['no object', undefined, 'JSON'],
    ['a list', [], 'JSON'],
    ['no session', { ...good, SessionId: undefined }, 'SessionId'],
    ['an endless session', { ...good, SessionId: 'x'.repeat(257) }, 'SessionId'],
    ['no number', { ...good, Mobile: undefined }, 'Mobile'],
    ['a number of letters', { ...good, Mobile: '23320abc' }, 'Mobile'],
    ['a national number', { ...good, Mobile: '0200000001' }, 'Mobile'],
    ['an unknown type', { ...good, Type: 'AddToCart' }, 'Type'],
    ['a message that is not text', { ...good, Message: 2 }, 'Message'],
    ['a state that is not text', { ...good, ClientState: {} }, 'ClientState'],
  ] as const)('is refused with %s, naming the member', ([, request, name]) => {
    expect(parse(request)).toEqual({ kind: 'invalid', message: expect.stringContaining(name) })
  })

  test('accepts the national form if the gateway has a country', () => {
    expect(parse({ ...good, Mobile: '0240000001' }, 'GH')).toMatchObject({
      session: { phone: '+233240000001' },
    })
  })
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
