import { checksumAddress, getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
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
const upper = lower.slice(2).toUpperCase()

describe('a recipient that is an address', () => {
  test.for([onTestnet, getAddress(lower), `0X${lower.slice(2)}`, ` ${lower} `])(
    "may carry this chain's checksum or Ethereum's, and is computed with in lower case: %s",
    (typed) => {
      expect(parseRecipient(typed, rules)).toEqual(address(lower))
    },
  )

  test.for([checksumAddress(lower, 30), onTestnet.replace('aA', 'Aa')])(
    "may not carry another chain's checksum, or a broken one: %s",
    (typed) => {
      expect(parseRecipient(typed, rules)).toEqual(fault('bad_checksum'))
    },
  )

  test.for([`0x${upper}`, `0X${upper}`])(
    'may be all in capitals, which are no checksum',
    (typed) => {
      expect(parseRecipient(typed, rules)).toEqual(address(lower))
    },
  )
})

describe('a recipient that is a phone number', () => {
  test.for([
    ...['+254700000002', '0700000002', '0700 000 002', '0700-000-002', '(0700) 000.002'],
    ...['00254700000002', '+2540700000002', '254700000002'],
  ])('may be typed as %s', (typed) => {
    expect(parseRecipient(typed, rules)).toEqual(phone('+254700000002'))
  })

  test("is read by the caller's country", () => {
    const ghanaian = parseCaller('+233200000001') as PhoneNumber
    const read = parseRecipient('0200000002', { ...rules, caller: ghanaian })
    expect(read).toEqual(phone('+233200000002'))
  })

  test.for([
    // A landline, a toll-free and a premium number: nobody could collect it.
    ...['+254202222222', '+254800221121', '0900223344'],
    ...['07000', '+25470000000200', '++254700000002', '0700_000_002', '#700000002', '-'],
  ])('is refused as %s', (typed) => {
    expect(parseRecipient(typed, rules)).toEqual(fault('unknown_form'))
  })
})
