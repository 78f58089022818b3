import { checksumAddress, getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { showAddress } from '../../../src/account/address.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { parseRecipient } from '../../../src/ussd/recipient.ts'

const caller = parseCaller('+254700000001') as PhoneNumber
const rules = { chainId: 31, caller, reserved: [] }
// The first example of EIP-1191.
const lower = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
const address = (address: string) => ({
  kind: 'recipient',
  recipient: { kind: 'address', address },
})
const phone = (phone: string) => ({ kind: 'recipient', recipient: { kind: 'phone', phone } })
const fault = (fault: string) => ({ kind: 'fault', fault })
const onTestnet = checksumAddress(lower, 31)

describe('a recipient that is an address', () => {
  test('is computed with in lower case: libraries refuse a checksum that is not EIP-55', () => {
    expect(parseRecipient(onTestnet, rules)).toEqual(address(lower))
  })

  test("is shown with this chain's checksum (EIP-1191)", () => {
    expect(onTestnet).toBe('0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd')
    expect(showAddress(lower, 31)).toBe(onTestnet)
  })

  test("may carry this chain's checksum or Ethereum's", () => {
    for (const typed of [onTestnet, getAddress(lower), `0X${lower.slice(2)}`, ` ${lower} `]) {
      expect(parseRecipient(typed, rules)).toEqual(address(lower))
    }
  })

  test("may not carry another chain's checksum, or a broken one", () => {
    const flipped = onTestnet.replace('aA', 'Aa')
    for (const typed of [checksumAddress(lower, 30), flipped]) {
      expect(parseRecipient(typed, rules)).toEqual(fault('bad_checksum'))
    }
  })

  test('may be all in capitals, which are no checksum', () => {
    const upper = lower.slice(2).toUpperCase()
    for (const typed of [`0x${upper}`, `0X${upper}`]) {
      expect(parseRecipient(typed, rules)).toEqual(address(lower))
    }
  })
})

describe('a recipient that is a phone number', () => {
  test.for([
    '+254700000002',
    '0700000002',
    '0700 000 002',
    '0700-000-002',
    '(0700) 000.002',
    '00254700000002',
    '+2540700000002',
    '254700000002',
  ])('may be typed as %s', (typed) => {
    expect(parseRecipient(typed, rules)).toEqual(phone('+254700000002'))
  })

  test("is read by the caller's country", () => {
    const ghanaian = parseCaller('+233200000001') as PhoneNumber
    expect(parseRecipient('0200000002', { ...rules, caller: ghanaian })).toEqual(
      phone('+233200000002'),
    )
  })

  test.for([
    ['a landline', '+254202222222'],
    ['a toll-free number', '+254800221121'],
    ['a premium number', '0900223344'],
  ] as const)('is refused as %s: nobody could collect it', ([, typed]) => {
    expect(parseRecipient(typed, rules)).toEqual(fault('unknown_form'))
  })

  test.for(['07000', '+25470000000200', '++254700000002', '0700_000_002', '#700000002', '-'])(
    'is refused as %s',
    (typed) => {
      expect(parseRecipient(typed, rules)).toEqual(fault('unknown_form'))
    },
  )
})
