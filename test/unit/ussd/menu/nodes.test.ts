import fc from 'fast-check'
import { parseEther } from 'viem'
import { describe, expect, test } from 'vitest'
import { menus, sampleContext, walk } from '../../../../scripts/dev/menu-ways.ts'
import { parseCaller } from '../../../../src/account/phone.ts'
import { createCoinUnit, parseAmount } from '../../../../src/loan/amounts.ts'
import type { MenuContext } from '../../../../src/ussd/menu/node.ts'
import { writePrompt } from '../../../../src/ussd/menu/prompt.ts'
import { maxAnswers, splitAnswers } from '../../../../src/ussd/menu/walk.ts'
import { parseRecipient } from '../../../../src/ussd/recipient.ts'
import { holds } from '../../../support/properties.ts'

const caller = parseCaller('+254700000001')
if (caller === undefined) throw new Error('the fixture is no phone number')

const loan = '0x00000000000000000000000000000000000000aa'
const forwarder = '0x00000000000000000000000000000000000000bb'
const context: MenuContext = { ...sampleContext(menus.demo), caller, reserved: [loan, forwarder] }
const alice = '0x1111111111111111111111111111111111111111'

const menu =
  'Rootstock DeFi (+254700000001)\n1. My Balance\n2. Send Money (P2P)\n3. Request Micro-Loan\n4. Repay Loan'

/** What a text comes to; a question as it is shown. */
function reach(text: string, within = context) {
  const result = walk(splitAnswers(text), within)
  return result.kind === 'ask' ? { kind: 'ask', prompt: writePrompt(result.place, within) } : result
}

describe('the menu', () => {
  const restless = Array.from({ length: maxAnswers }, (_, index) => (index % 2 === 0 ? '2' : '0'))

  test.for<[text: string, result: object]>([
    ['', { kind: 'ask', prompt: menu }],
    ['1', { kind: 'balance' }],
    ['2', { kind: 'ask', prompt: 'Enter Recipient Address:_________' }],
    [`2*${alice}`, { kind: 'ask', prompt: 'Enter Amount:_____' }],
    ['3', { kind: 'loan' }],
    ['4', { kind: 'ask', prompt: 'Repay Loan\n1. All of it\n2. A part\n0. Back' }],
    ['4*1', { kind: 'repayment', amountWei: 'all' }],
    ['4*2', { kind: 'ask', prompt: 'Enter Amount:_____' }],
    ['4*2*0.004', { kind: 'repayment', amountWei: parseEther('0.004') }],
    // Where there is nothing to go back to.
    ['0', { kind: 'ask', prompt: `Please choose from the list.\n${menu}` }],
    // The third bad answer to one question ends the session, and bad answers count for each
    // question.
    ['2*nobody*none*no', { kind: 'gave_up' }],
    [`2*nobody*none*no*${alice}`, { kind: 'past_the_end' }],
    ['2*nobody*0*2*none*0*2*no', { kind: 'gave_up' }],
    [
      `9*8*2*nobody*none*${alice}*much*more*0.5`,
      {
        ...{ kind: 'transfer', amountWei: parseEther('0.5') },
        recipient: { kind: 'address', address: alice },
      },
    ],
  ])('answers %j', ([text, result]) => {
    expect(reach(text)).toEqual(result)
  })

  const asksAgain = (why: string, question: string) => ({
    kind: 'ask',
    prompt: `${why} Try again, or 0 to go back.\nEnter ${question}`,
  })
  const contract = 'This address is a contract of this service.'

  test.for([
    ...['abc', '0x12', '12', '', '+254202222222', '0.5'].map((typed) => [
      typed,
      'Not a valid address or phone number.',
    ]),
    [`0x${'0'.repeat(40)}`, 'Nobody owns the zero address: money is lost.'],
    ['0x5aAeb6053F3E94C9b9A09F33669435E7EF1BEaed', 'This address has a typing mistake.'],
    ...[loan, forwarder].map((address) => [address, contract]),
    ...['+254700000001', '0700000001#'].map((typed) => [typed, 'This is your own number.']),
  ] as const)('asks again for the recipient after %j: %s', ([typed, why]) => {
    expect(reach(`2*${typed}`)).toEqual(asksAgain(`${why}`, 'Recipient Address:_________'))
  })

  test.for([
    ['0,5', parseEther('0.5')],
    ['1.', parseEther('1')],
    ['0.5#', parseEther('0.5')],
    ...['all', 'ALL #', 'zote', 'tout', 'todo'].map((typed) => [typed, 'all'] as const),
  ] as const)('takes %s as an amount', ([typed, amountWei]) => {
    expect(reach(`2*0700000002*${typed}`)).toMatchObject({ kind: 'transfer', amountWei })
    expect(reach(`4*2*${typed}`)).toEqual({ kind: 'repayment', amountWei })
  })

  test.for([
    ...['abc', '1,500', ''].map((typed) => [typed, 'Not a valid amount, such as 0.001.']),
    ['0.0', 'The amount must be more than 0.'],
    ['0.0000000000000000001', 'At most 18 digits after the point.'],
    ['21000001', 'This amount is too large.'],
  ] as const)('asks again for the amount after %j: %s', ([typed, why]) => {
    expect(reach(`2*${alice}*${typed}`)).toEqual(asksAgain(`${why}`, 'Amount:_____'))
  })

  test('ends a session that goes back and forth too often', () => {
    expect(walk(restless.slice(1), context)).toMatchObject({ kind: 'ask' })
    expect(walk(restless, context)).toEqual({ kind: 'too_long' })
    expect(walk([...restless, '1'], context)).toEqual({ kind: 'past_the_end' })
  })

  test('a transfer below the least amount is asked again, and a repayment is not', () => {
    const text = '0.00000000000000002'
    const strict = { ...context, minTransferWei: 20n }
    const below = `2*${alice}*0.000000000000000019`
    const least = `The smallest amount to send is ${text} tRBTC.`
    expect(reach(below, strict)).toEqual(asksAgain(least, 'Amount:_____'))
    expect(reach(`${below}*${text}`, strict)).toMatchObject({ amountWei: 20n })
    expect(reach('4*2*0.000000000000000019', strict)).toMatchObject({ amountWei: 19n })
  })
})

const withoutHash = (typed = '') => typed.trim().replace(/\s*#$/, '')

/** What is typed as an amount, as an intent has it. */
function amountIn(typed: string): bigint | string {
  const parsed = parseAmount(withoutHash(typed), createCoinUnit('tRBTC'))
  return parsed.kind === 'amount' ? parsed.wei : withoutHash(typed).toLowerCase()
}

const any = (...of: string[]) => ({ weight: 3, arbitrary: fc.constantFrom(...of) })
const graphemes = fc.string({ unit: 'grapheme', maxLength: 20 })

test('whatever is typed, money goes where the caller said, and as much as was typed last', async () => {
  const answer = fc.oneof(
    any('0', '00', '98', '1', '2', '3', '4', ' 2 '),
    any(alice, '0700000002', '+254700000003', loan),
    any('0.5', '100', '.25', '0,5', 'all', '5#', '0.0', '1e3', '21000001'),
    { weight: 1, arbitrary: graphemes.filter((text) => !text.includes('*')) },
  )
  await holds(
    fc.property(fc.array(answer, { maxLength: 12 }), (typed) => {
      const result = walk(typed, context)
      if (result.kind === 'transfer') {
        expect(amountIn(typed.at(-1) ?? '')).toBe(result.amountWei)
        // The answer after which the amount was asked for, for the last time without a mistake.
        const asked = typed.findLastIndex((_, index) => {
          const step = walk(typed.slice(0, index + 1), context)
          return (
            step.kind === 'ask' && step.place.name === 'amount' && step.place.mistake === undefined
          )
        })
        const { recipient } = result
        expect(parseRecipient(withoutHash(typed[asked]), context)).toEqual({
          ...{ kind: 'recipient', recipient },
        })
      }
      if (result.kind === 'repayment' && typed.at(-1) !== '1') {
        expect(amountIn(typed.at(-1) ?? '')).toBe(result.amountWei)
      }
    }),
    { sampled: 2_000, full: 100_000 },
  )
})
