import { describe, test } from 'vitest'
import { parseAfricasTalking } from '../../../src/ussd/gateways/africas-talking.ts'

const form = 'application/x-www-form-urlencoded'
const good = { sessionId: 's1', phoneNumber: '+254700000001', text: '2*0700000002' }
const body = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

describe("Africa's Talking's form", () => {
  test('is read', ({ expect }) => {
    expect(
      parseAfricasTalking(`${form}; charset=UTF-8`, body({ ...good, networkCode: '99999' })),
    ).toEqual({
      kind: 'request',
      request: {
        gateway: 'africas-talking',
        sessionId: 's1',
        phone: '+254700000001',
        text: '2*0700000002',
      },
    })
  })

  test('is a first dial without text', ({ expect }) => {
    const { text: _, ...rest } = good
    expect(parseAfricasTalking(form, body(rest))).toMatchObject({ request: { text: '' } })
  })

  test('may hold a plus that was not encoded', ({ expect }) => {
    expect(parseAfricasTalking(form, 'sessionId=s1&phoneNumber=+254700000001')).toMatchObject({
      request: { phone: '+254700000001' },
    })
  })

  test.for([
    ['no session', { phoneNumber: '+254700000001' }, 'sessionId'],
    ['an empty session', { ...good, sessionId: '' }, 'sessionId'],
    ['an endless session', { ...good, sessionId: 'x'.repeat(257) }, 'sessionId'],
    ['no phone number', { sessionId: 's1' }, 'phoneNumber'],
    ['a national phone number', { ...good, phoneNumber: '0700000001' }, 'phoneNumber'],
    ['letters for a phone number', { ...good, phoneNumber: '+2547abc' }, 'phoneNumber'],
    ['a phone number of 16 digits', { ...good, phoneNumber: '+2547000000010000' }, 'phoneNumber'],
  ] as const)('is refused with %s, naming the field', ([, fields, name], { expect }) => {
    const parsed = parseAfricasTalking(form, body(fields))
    expect(parsed).toMatchObject({ kind: 'bad', status: 400 })
    expect(parsed.kind === 'bad' && parsed.says).toContain(name)
  })

  test.for([
    ['0700000001', 'the national form'],
    ['254700000001', 'no plus'],
    ['00254700000001', 'two zeros for the plus'],
    ['+254700000001', 'the international form'],
  ] as const)('may hold %s where the gateway has a country: %s', ([phoneNumber], { expect }) => {
    const parsed = parseAfricasTalking(form, body({ ...good, phoneNumber }), 'KE')
    expect(parsed).toMatchObject({ request: { phone: '+254700000001' } })
  })

  test('is refused in another content type', ({ expect }) => {
    for (const type of [undefined, 'application/json', 'multipart/form-data; boundary=x']) {
      expect(parseAfricasTalking(type, body(good))).toMatchObject({ kind: 'bad', status: 415 })
    }
  })
})
