import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { startLoopbackServer } from '../../../scripts/dev/loopback-server.ts'
import { examine, gatewayFinding, judgeDial, sampleFinding } from '../../../scripts/ops/doctor.ts'
import { findGatewayForm } from '../../../scripts/stack/phone/phone-lines.ts'
import { createCarriedText } from '../../../src/ussd/gateways/carried-text.ts'
import {
  createDeclaredGateway,
  gatewayDeclaration,
} from '../../../src/ussd/gateways/declaration.ts'
import type { UssdRequest } from '../../../src/ussd/gateways/gateway.ts'
import { createRequestCounters } from '../../../src/ussd/gateways/request-counters.ts'
import { createUssdRoutes } from '../../../src/ussd/route.ts'
import { askScreen, endScreen, type Screen } from '../../../src/ussd/screens/screen.ts'

const declared = {
  ...{ name: 'example', posts: 'json', session: 'sid', phone: 'msisdn', text: 'input' },
  ...{ hasPlus: false, sequence: 'seq' },
  kinds: { field: 'new', first: ['true'], answer: ['false'], end: ['end'] },
  reply: { type: 'application/json', ask: '{"m":"{screen}","c":true}', end: '{"m":"{screen}"}' },
}
const written = JSON.stringify(declared)
const form = findGatewayForm('example', written)

/**
 * Serves the declared gateway at a port, and closes with the scope; `addresses` are those that it
 * takes.
 */
async function serve({
  shown = askScreen('Menu') as Screen,
  addresses = undefined as [] | undefined,
}) {
  const asked: UssdRequest[] = []
  const routes = createUssdRoutes({
    gateway: createDeclaredGateway(gatewayDeclaration.parse(declared)),
    carriedText: createCarriedText(`0x${'11'.repeat(32)}`),
    async handler(request) {
      asked.push(request)
      return { kind: 'screen', screen: shown }
    },
    ...{ waitUntil: () => {}, counters: createRequestCounters([]), log: () => {}, addresses },
  })
  const server = createServer(async (request, response) => {
    const isThere =
      request.url === '/ussd/example' && request.headers.authorization === 'Bearer own'
    const body = await text(request)
    const answer = await routes.request('/', { method: 'POST', body })
    response.writeHead(isThere ? answer.status : 404).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => new Promise((resolve) => server.close(resolve))
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: async () => void (await close()),
  }
}

describe('the doctor delivers a first dial of a configured gateway', () => {
  test('in its form, which only opens the menu', async () => {
    await using served = await serve({})
    expect(await gatewayFinding(served.origin, form, 'own')).toMatchObject({ state: 'ok' })
    expect(served.asked).toMatchObject([{ text: '', step: { number: 1, isFirst: true } }])
  })

  test('and names each fault that it finds', async () => {
    await using ending = await serve({ shown: endScreen('Service not available.') })
    expect(await gatewayFinding(ending.origin, form, 'own')).toMatchObject({
      ...{ state: 'bad', says: 'A first dial is answered 200: END Service not available.' },
    })
    expect(await gatewayFinding(ending.origin, form, 'other')).toMatchObject({ state: 'bad' })
    await using named = await serve({ addresses: [] })
    expect(await gatewayFinding(named.origin, form, 'own')).toMatchObject({
      ...{ state: 'ok', says: expect.stringContaining('named addresses') },
    })
    const other = findGatewayForm('example', written.replaceAll('screen}', 'screen}!'))
    expect(await gatewayFinding(ending.origin, other, 'own')).toMatchObject({
      ...{ state: 'bad', says: expect.stringContaining('not in its form') },
    })
  })

  test('and judges by a sample whether the dialled code has to be declared', () => {
    const written = { ...declared, kinds: undefined, sequence: undefined }
    const formOf = (dialled?: string) =>
      findGatewayForm('example', JSON.stringify({ ...written, dialled }))
    expect(sampleFinding(formOf(), '*415*33#')).toMatchObject({
      ...{ state: 'bad', says: expect.stringContaining('"dialled": "*415*33"') },
    })
    expect(sampleFinding(formOf('*415*33'), '*415*33#').state).toBe('ok')
    expect(sampleFinding(formOf('*415*33'), '').state).toBe('bad')
    expect(sampleFinding(formOf(), '').state).toBe('ok')
    expect(sampleFinding(form, '*415*33#').state).toBe('ok')
  })

  test('of the one that GATEWAY declares, or of a built-in one', () => {
    expect(findGatewayForm('hubtel', undefined).path).toBe('/ussd/hubtel')
    expect(form.path).toBe('/ussd/example')
    expect(() => findGatewayForm('other', written)).toThrow('GATEWAY declares example')
    expect(() => findGatewayForm('other', undefined)).toThrow('GATEWAY declares none')
    expect(() => findGatewayForm('example', '{')).toThrow('GATEWAY is wrong')
  })
})

test.for<[status: number, body: object, found: string]>([
  [
    401,
    { error: 'a token' },
    'operator bad: The deployment knows no such OPERATOR_TOKEN: is it retired?',
  ],
  [404, {}, 'operator bad: The deployment has neither OPERATOR_TOKEN nor OPERATORS.'],
  [403, {}, 'operator skipped: Not known: the status is answered by HTTP 403.'],
  [500, {}, 'operator skipped: Not known: the status is answered by HTTP 500.'],
  [503, { error: 'look at Redis' }, 'status bad: It is not told: look at Redis.'],
  [502, {}, 'operator skipped: Not known: the status is answered by HTTP 502.'],
])('a status answered by %d accuses the token only if it was refused', async (given) => {
  const [status, body, found] = given
  const server = await startLoopbackServer(async ({ url }, response) => {
    // The keys are in the same store as the ledger.
    const isHealth = url === '/healthz'
    const code = isHealth || url === '/operator/status' || url === '/keys' ? status : 404
    response.writeHead(isHealth ? 200 : code)
    response.end(JSON.stringify(isHealth ? { status: 'ok', failing: [] } : body))
  })
  const findings = await examine(server.url, { OPERATOR_TOKEN: 'of an operator' })
  await server.close()
  const told = findings.map((one) => `${one.name} ${one.state}: ${one.says}`)
  expect(told).toContain(found)
  const accusing = told.filter((line) => line.includes('OPERATOR_TOKEN'))
  expect(accusing).toEqual([401, 404].includes(status) ? [found] : [])
})

test.for([
  ['END Your Balance: 1 tRBTC', 'ok'],
  ['CON Choose a PIN of 4 to 6 digits.', 'ok'],
  ['CON Language / Lugha\n1. English\n2. Kiswahili', 'ok'],
  ['CON Pesa Bora\nLangue / Idioma\n1. Francais\n2. Español', 'ok'],
  ['CON Welcome', 'bad'],
] as const)('a dialled balance that is answered %j is %s', ([text, state]) => {
  expect(judgeDial(200, text)).toMatchObject({ state })
})
