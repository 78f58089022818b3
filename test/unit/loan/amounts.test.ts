import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createCoinUnit,
  createTokenUnit,
  formatAmountDown,
  formatExactly,
  getQuantum,
  parseAmount,
} from '../../../src/loan/amounts.ts'
import { holds } from '../../support/properties.ts'

const coin = createCoinUnit('tRBTC')
const dollar = createTokenUnit('USD', { address: `0x${'5'.repeat(40)}`, decimals: 18 })
const mostWei = 21_000_000n * 10n ** 18n

describe('an amount', () => {
  test.for([
    ['007', 7n * 10n ** 18n],
    ['1.', 10n ** 18n],
    ['0,5', 5n * 10n ** 17n],
    ['0,500', 5n * 10n ** 17n],
    ['1000,5', 10005n * 10n ** 17n],
    ['21000000', 21_000_000n * 10n ** 18n],
    // No double: a float would round it.
    ['9007199.254740993', 9007199254740993n * 10n ** 9n],
  ] as const)('%s is read exactly', ([typed, wei]) => {
    expect(parseAmount(typed, coin)).toEqual({ kind: 'amount', wei })
  })

  test.for([
    ['', 'not_a_number'],
    ['.', 'not_a_number'],
    [',', 'not_a_number'],
    ['1,000', 'not_a_number'],
    ['1,000.5', 'not_a_number'],
    ['1.000,5', 'not_a_number'],
    ['+1', 'not_a_number'],
    ['0x10', 'not_a_number'],
    ['١', 'not_a_number'],
    ['1 000', 'not_a_number'],
    ['0', 'zero'],
    ['0.0000000000000000000', 'too_fine'],
    ['21000000.000000000000000001', 'too_large'],
  ] as const)('%j is not an amount: %s', ([typed, fault]) => {
    expect(parseAmount(typed, coin)).toEqual({ kind: 'fault', fault })
  })

  test.for([
    [0n, '0'],
    [1n, '<0.000001'],
    [10n ** 12n - 1n, '<0.000001'],
    [10n ** 12n, '0.000001'],
    [123456789n * 10n ** 10n, '1.234567'],
    [999999999n * 10n ** 9n, '0.999999'],
    [5n * 10n ** 17n, '0.5'],
  ] as const)('%s wei are shown as %s, rounded down', ([wei, text]) => {
    expect(formatAmountDown(wei, coin)).toBe(text)
  })

  test.for([
    [0n, '0.00', '0.00'],
    [9_999n, '<0.01', '0.009999'],
    [7_500_000n, '7.50', '7.50'],
    [7_759_999n, '7.75', '7.759999'],
  ] as const)('of a dollar, %s parts are shown as %s and exactly as %s', ([wei, shown, exact]) => {
    expect(formatAmountDown(wei, dollar)).toBe(shown)
    expect(formatExactly(wei, dollar)).toBe(exact)
    expect(parseAmount(exact, dollar)).toMatchObject(wei === 0n ? {} : { kind: 'amount', wei })
  })

  test('of a dollar is refused beyond its six decimals, and above a billion', () => {
    expect(parseAmount('0.000001', dollar)).toEqual({ kind: 'amount', wei: 1n })
    expect(parseAmount('0.0000001', dollar)).toEqual({ kind: 'fault', fault: 'too_fine' })
    expect(parseAmount('1000000000,000001', dollar)).toEqual({ kind: 'fault', fault: 'too_large' })
    // 1,000 shillings at 129 a dollar, rounded down to a millionth.
    const parsed = { kind: 'amount', wei: 7_751_937n, cents: 100_000n }
    expect(parseAmount('1000', dollar, 129_000_000n)).toEqual(parsed)
  })

  test.for([
    [6, 1n],
    [18, 10n ** 12n],
  ] as const)('of a token with %i decimals is counted by %s of its parts', ([decimals, parts]) => {
    const token = { address: `0x${'5'.repeat(40)}`, decimals } as const
    expect(getQuantum(createTokenUnit('USD', token))).toBe(parts)
    expect(getQuantum(coin)).toBe(1n)
  })

  test('is unchanged by zeros around its digits', async () => {
    const digits = (most: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: most })
    await holds(
      fc.property(digits(7), digits(18), fc.nat(5), (whole, fraction, zeros) => {
        const typed = `${'0'.repeat(zeros)}${whole}.${fraction || '0'}`
        const wei = [...whole, ...fraction.padEnd(18, '0')].reduce(
          (sum, digit) => sum * 10n + BigInt(digit),
          0n,
        )
        expect(parseAmount(typed, coin)).toEqual(
          wei === 0n ? { kind: 'fault', fault: 'zero' } : { kind: 'amount', wei },
        )
      }),
    )
  })

  test('is above zero and at most all coins that can exist, whatever is typed', async () => {
    const typed = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...'0123456789.,+-eE x') }),
    )
    await holds(
      fc.property(typed, (text) => {
        const parsed = parseAmount(text, coin)
        if (parsed.kind === 'fault') return
        expect(text.trim()).toMatch(/^(?=.*[0-9])[0-9]*[.,]?[0-9]*$/)
        expect(parsed.wei > 0n && parsed.wei <= mostWei).toBe(true)
      }),
    )
  })
})
