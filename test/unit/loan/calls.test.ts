import { expect, test } from 'vitest'
import { decodeCall, encodeCall, encodeReadCall, type LoanCall } from '../../../src/loan/calls.ts'

const to = '0x1111111111111111111111111111111111111111'

test.for<LoanCall>([
  { kind: 'transfer', to, amountWei: 5n },
  { kind: 'loan', principalWei: 10n ** 16n, feeWei: 5n, termSeconds: 86_400 },
  { kind: 'repayment', amountWei: 7n },
  { kind: 'cashOut', to, amountWei: 7n },
  { kind: 'repayment', amountWei: 'all' },
])('a %o is read from its calldata', (call) => {
  expect(decodeCall(encodeCall(call))).toEqual(call)
})

test('other calldata is not decoded as a payment', () => {
  for (const data of ['0x', '0x12345678', encodeReadCall('terms')] as const) {
    expect(decodeCall(data)).toBeUndefined()
  }
})
