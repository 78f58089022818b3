import { checksumAddress, getAddress } from 'viem'
import { expect, test } from 'vitest'
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

const each = (meant: object, typed: string[]) => typed.map((one) => [one, meant] as const)

test.for([
  // This chain's checksum, or Ethereum's; all in capitals is none.
  ...each(address(lower), [onTestnet, getAddress(lower), `0X${lower.slice(2)}`, ` ${lower} `]),
  ...each(address(lower), [`0x${upper}`, `0X${upper}`]),
  // Another chain's, or a broken one.
  ...each(fault('bad_checksum'), [checksumAddress(lower, 30), onTestnet.replace('aA', 'Aa')]),
  ...each(phone('+254700000002'), [
    ...['+254700000002', '0700000002', '0700 000 002', '0700-000-002', '(0700) 000.002'],
    ...['00254700000002', '+2540700000002', '254700000002'],
  ]),
  ...each(fault('unknown_form'), [
    // A landline, a toll-free and a premium number: nobody could collect it.
    ...['+254202222222', '+254800221121', '0900223344'],
    ...['07000', '+25470000000200', '++254700000002', '0700_000_002', '#700000002', '-'],
  ]),
])('a recipient typed as %s is read as it is meant, or refused', ([typed, meant]) => {
  expect(parseRecipient(typed, rules)).toMatchObject(meant)
})

test("a number is read by the caller's country", () => {
  const ghanaian = parseCaller('+233200000001') as PhoneNumber
  const read = parseRecipient('0200000002', { ...rules, caller: ghanaian })
  expect(read).toEqual(phone('+233200000002'))
})
