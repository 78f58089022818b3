import { describe, expect, test } from 'vitest'
import {
  listPossibleNumbers,
  type PhoneNumber,
  parseCaller,
  parseTypedPhone,
} from '../../../src/account/phone.ts'

describe('a phone', () => {
  test('that no numbering plan knows is read unchanged, and gets no message', () => {
    const unknown = '+999123456789'
    expect(parseCaller(unknown)).toBe(unknown)
    expect(parseTypedPhone(unknown, '+254700000001' as PhoneNumber)).toBeUndefined()
  })

  test('is not read from the short prefixes between Kenya, Uganda and Tanzania, which a plus turns into another continent', () => {
    // 006 777 123 456 is a Ugandan's number there, and +677 712 34 56 one of the Solomon Islands.
    for (const caller of ['+254700000001', '+255700000001', '+256700000001']) {
      expect(parseTypedPhone('006777123456', caller as PhoneNumber)).toBeUndefined()
      expect(parseTypedPhone('00256700000002', caller as PhoneNumber)).toBe('+256700000002')
    }
    expect(parseTypedPhone('006777123456', '+447700900001' as PhoneNumber)).toBe('+6777123456')
  })
})

test.for(['0700 000 001', '(0700) 000-001', '0700.000.001', '٠٧٠٠٠٠٠٠٠١', '+254 700-000 001'])(
  'support reads "%s" as a number',
  (read) => {
    expect(listPossibleNumbers(read, 'KE')).toEqual([{ phone: '+254700000001', country: 'KE' }])
  },
)
