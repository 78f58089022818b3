import { type Hex, pad } from 'viem'
import { expect, test } from 'vitest'
import {
  decodeCall,
  encodeCall,
  encodeReadCall,
  findCredited,
  type LoanCall,
} from '../../../src/loan/calls.ts'
import { loanLog } from '../../ports/payments.ts'

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

test('a sweep credits what was deposited to its account, and what its inlet had within the contract', () => {
  const [account, inlet, other] = ['aa', 'bb', 'cc'].map(
    (digits) => `0x${digits.repeat(20)}` as const,
  ) as [Hex, Hex, Hex]
  const write = (name: 'Deposited' | 'Transferred', args: object, amount: bigint) =>
    loanLog(name, { ...args, amount })
  const events = [
    { topics: [pad('0x1')], data: '0x' as Hex },
    write('Deposited', { account: other, payer: other }, 1n),
    write('Transferred', { from: inlet, to: account }, 20n),
    write('Transferred', { from: other, to: account }, 300n),
    write('Deposited', { account, payer: inlet }, 4_000n),
  ]
  expect(findCredited(events, 'Deposited', account)).toBe(4_020n)
  expect(findCredited(events.slice(0, -1), 'Deposited', account)).toBeUndefined()
  // Two sweeps in one transaction have one sum, of which nobody knows the parts.
  expect(findCredited([...events, ...events], 'Deposited', account)).toBeUndefined()
})

test('a receipt tells what repaid all, unless the account repaid twice in it', () => {
  const [account, other] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`] as [Hex, Hex]
  const write = (payer: Hex, amount: bigint) =>
    loanLog('LoanRepaid', { borrower: payer, payer, amount, remaining: 0n })
  const [own, others] = [write(account, 7n), write(other, 90n)]
  expect(findCredited([others, own], 'LoanRepaid', account)).toBe(7n)
  expect(findCredited([own, others, own], 'LoanRepaid', account)).toBeUndefined()
  expect(findCredited([others], 'LoanRepaid', account)).toBeUndefined()
})
