import { expect, test } from 'vitest'
import { createCarriedText } from '../../../../src/ussd/gateways/carried-text.ts'
import { createDeclaredGateway } from '../../../../src/ussd/gateways/declaration.ts'
import type { UssdRequest } from '../../../../src/ussd/gateways/gateway.ts'
import { africasTalking, hubtel } from '../../../../src/ussd/gateways/presets.ts'
import { createRequestCounters } from '../../../../src/ussd/gateways/request-counters.ts'
import { createUssdRoutes } from '../../../../src/ussd/route.ts'
import { endScreen } from '../../../../src/ussd/screens/screen.ts'

const reply = { type: 'text/plain', ask: '{screen} {state}', end: '{screen}' }
const named = { session: 'sid', phone: 'msisdn', text: 'input', hasPlus: false, reply }
const kinds = { field: 'op', first: ['begin'], answer: ['continue'], end: ['end'] }
const delivered = { sid: 's1', msisdn: '254700000001', input: '2*0700000002*1', network: 'x' }

type Entries = readonly (readonly [name: string, value: string])[]

/** Lists each gateway with one good delivery. Those that are declared post in each notation. */
const deliveries = [
  {
    gateway: africasTalking,
    posts: 'form' as const,
    fields: { sessionId: 's1', phoneNumber: '+254700000001', text: '2*0700000002*1', other: 'x' },
  },
  {
    gateway: hubtel,
    posts: 'json' as const,
    fields: {
      Type: 'initiation',
      SessionId: 's1',
      Mobile: '233200000001',
      Message: '*384#',
      ClientState: '',
      Operator: 'mtn',
    },
  },
  ...(['form', 'json', 'xml'] as const).flatMap((posts) => [
    { posts, fields: delivered, gateway: declare(posts, {}) },
    { posts, fields: { ...delivered, op: 'continue' }, gateway: declare(posts, { kinds }) },
    {
      posts,
      fields: { ...delivered, op: 'continue', seq: '2' },
      gateway: declare(posts, { kinds, sequence: 'seq' }),
    },
    {
      posts,
      fields: { ...delivered, op: 'begin', carried: '' },
      gateway: declare(posts, { kinds, state: 'carried' }),
    },
  ]),
]

function declare(posts: 'form' | 'json' | 'xml', more: object) {
  return createDeclaredGateway({ name: 'example', posts, ...named, ...more })
}

const contentTypes = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
  xml: 'text/xml',
}

/** Writes a body field by field, so that a name may stand in it twice, and in an encoded form. */
const writers = {
  form: (entries: Entries) =>
    entries.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'),
  json: (entries: Entries) =>
    `{${entries.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join(',')}}`,
  xml: (entries: Entries) =>
    `<ussd>${entries.map(([name, value]) => `<${name}>${value}</${name}>`).join('')}</ussd>`,
}

const encodeStart = {
  form: (name: string) => `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
  json: (name: string) => `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
  xml: (name: string) => `&#${name.charCodeAt(0)};${name.slice(1)}`,
}

/** Lists ways to name a field again: each is another name or value for the same field. */
const repeats = (posts: keyof typeof writers, name: string, value: string): Entries => [
  [name, value],
  [name, '254700000009'],
  [name, ''],
  [name.toUpperCase() === name ? name.toLowerCase() : name.toUpperCase(), '254700000009'],
  [encodeStart[posts](name), '254700000009'],
]

for (const [index, { gateway, posts, fields }] of deliveries.entries()) {
  test(`a field that ${gateway.name} (${posts}, ${index}) names twice is refused, and moves nothing`, async () => {
    const asked: UssdRequest[] = []
    const routes = createUssdRoutes({
      gateway,
      carriedText: createCarriedText(`0x${'11'.repeat(32)}`),
      async handler(request) {
        asked.push(request)
        return { kind: 'screen', screen: endScreen('served') }
      },
      waitUntil: () => {},
      log: () => {},
      counters: createRequestCounters([]),
    })
    const post = async (entries: Entries) => {
      const headers = { 'content-type': contentTypes[posts] }
      const body = writers[posts](entries)
      return await (await routes.request('/', { method: 'POST', headers, body })).text()
    }
    const good = Object.entries(fields)
    expect(await post(good)).toContain('served')
    expect(asked).toHaveLength(1)
    for (const [name, value] of good) {
      for (const repeat of repeats(posts, name, value)) {
        for (const entries of [
          [...good, repeat],
          [repeat, ...good],
        ]) {
          expect(await post(entries), `${repeat}`).not.toContain('served')
        }
      }
    }
    expect(asked).toHaveLength(1)
  })
}
