import { describe, expect, test } from 'vitest'
import type { Country } from '../../../../src/account/phone.ts'
import { africasTalking } from '../../../../src/ussd/gateways/presets.ts'

const form = 'application/x-www-form-urlencoded'
const good = { sessionId: 's1', phoneNumber: '+254700000001', text: '2*0700000002' }
const parse = (contentType: string | undefined, body: string, country?: Country) =>
  africasTalking.parse({ contentType, body }, country)
const body = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

describe("Africa's Talking's form", () => {
  test('is read', () => {
    const { phoneNumber: phone, sessionId, text } = good
    const session = { gateway: 'africas-talking', sessionId, phone }
    const parsed = parse(`${form}; charset=UTF-8`, body({ ...good, networkCode: '99999' }))
    expect(parsed).toEqual({ kind: 'request', session, text })
  })

  test('is a first dial without text', () => {
    const { text: _, ...rest } = good
    expect(parse(form, body(rest))).toMatchObject({ text: '' })
  })

  test('accepts a plus that was not encoded', () => {
    const parsed = parse(form, 'sessionId=s1&phoneNumber=+254700000001')
    expect(parsed).toMatchObject({ session: { phone: '+254700000001' } })
  })

  test.for([
    ['no session', { phoneNumber: '+254700000001' }, 'sessionId'],
    ['an empty session', { ...good, sessionId: '' }, 'sessionId'],
    ['an endless session', { ...good, sessionId: 'x'.repeat(257) }, 'sessionId'],
    ['no phone number', { sessionId: 's1' }, 'phoneNumber'],
    ['a national phone number', { ...good, phoneNumber: '0700000001' }, 'phoneNumber'],
    ['one without its plus', { ...good, phoneNumber: '254700000001' }, 'phoneNumber'],
    ['letters for a phone number', { ...good, phoneNumber: '+2547abc' }, 'phoneNumber'],
    ['a phone number of 16 digits', { ...good, phoneNumber: '+2547000000010000' }, 'phoneNumber'],
  ] as const)('is refused with %s, naming the field', ([, fields, name]) => {
    const message = expect.stringContaining(name)
    expect(parse(form, body(fields))).toEqual({ kind: 'invalid', message })
  })

  test('accepts the national form if the gateway has a country', () => {
    const parsed = parse(form, body({ ...good, phoneNumber: '0700000001' }), 'KE')
    expect(parsed).toMatchObject({ session: { phone: '+254700000001' } })
  })

  test('is refused in another content type', () => {
    for (const type of [undefined, 'application/json', 'multipart/form-data; boundary=x']) {
      expect(parse(type, body(good))).toEqual({
        kind: 'invalid',
        message: 'The request has to be application/x-www-form-urlencoded.',
      })
    }
  })

  test("can be a notice of the session's end, which is not read further", () => {
    const { text: _, ...rest } = good
    const ended = { status: 'Success', durationInMillis: '9', hopsCount: '3', input: '2*1' }
    const notice = { ...rest, ...ended }
    expect(parse(form, body(notice))).toEqual({ kind: 'notice' })
    expect(parse(form, body({ ...notice, text: '' }))).toMatchObject({ kind: 'request' })
  })
})

test('a screen is written in the alphabet of handsets', () => {
  const screen = { kind: 'end', lines: ['Olá – “você”', 'São 2 €'] } as const
  expect(africasTalking.render(screen)).toBe('END Ola - "voce"\nSao 2 €')
})
