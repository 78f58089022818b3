import { expect, test } from 'vitest'
import { authorize } from '../../../src/pages/phone/authorize.ts'

const secrets = { operatorToken: 'the-operator', callbackSecret: 'the-gateway' }

const send = (line: string, headers = {}, known: Parameters<typeof authorize>[1] = secrets) => {
  const [method = '', path = ''] = line.split(' ')
  const request = new Request(`http://127.0.0.1${path}`, { method, headers })
  return authorize(request, known).headers.get('authorization')
}

const ofPage = { 'x-phone': 'lender' }

test.for([
  ['POST /ussd', 'Bearer the-gateway'],
  ['POST /ussd/hubtel', 'Bearer the-gateway'],
  ['POST /operator/session', 'Bearer the-operator'],
  ['GET /operator/payments?account=0x1', 'Bearer the-operator'],
  ['GET /operator/payments/0x1', 'Bearer the-operator'],
] as const)('the phone page sends %s with the secret that it needs', ([line, secret]) => {
  expect(send(line, ofPage)).toBe(secret)
  expect(send(line)).toBeNull()
  const none = { operatorToken: undefined, callbackSecret: undefined }
  expect(send(line, ofPage, none)).toBeNull()
})

test.for([
  'POST /operator/pause',
  'POST /operator/session/x',
  'POST /operator/payments/0x1',
  'DELETE /operator/payments/0x1',
  'GET /operator/payments/0x1/x',
  'POST /ussdx',
  'GET /operator/status',
  'GET /operator/ussd/hubtel',
  'POST /rpc',
])('the phone page gets no secret for %s', (line) => {
  expect(send(line, ofPage)).toBeNull()
})
