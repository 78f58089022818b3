import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitPages } from '../../../../src/ussd/screens/pages.ts'
import { countSeptets, maxSeptets, toGsmAlphabet } from '../../../../src/ussd/screens/septets.ts'
import { anyCharacter, holds } from '../../../support/properties.ts'

describe('septets', () => {
  test.for([
    ['', 0],
    ['My Balance', 10],
    ['@£_\n', 4],
    ['€', 2],
    ['[{~^|\\}]', 16],
  ] as const)('%j takes %i', ([text, septets]) => {
    expect(countSeptets(text)).toBe(septets)
  })

  test.for([
    ['0.5 tRBTC', '0.5 tRBTC'],
    ['ÄÖÜ äöü ñ à Å', 'ÄÖÜ äöü ñ à Å'],
    ['ê õ ç Ž', 'e o c Z'],
    ['“so” – it’s…', '"so" - it\'s...'],
    ['你好 🙂', '?? ?'],
    ['a\u00a0b\tc', 'a b c'],
  ] as const)('%j is written as %j', ([text, written]) => {
    expect(toGsmAlphabet(text)).toBe(written)
  })

  test('every text is converted to the alphabet', async () => {
    await holds(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(toGsmAlphabet(toGsmAlphabet(text))).toBe(toGsmAlphabet(text))
      }),
    )
  })
})

describe('the pages of a list', () => {
  const words = { more: '98. More', back: '0. Back' }
  const lines = Array.from(
    { length: 12 },
    (_, index) => `${index}. Sent 0.000123 to 2547...00${index}`,
  )

  test('are a single page if all lines fit', () => {
    expect(splitPages(['A', 'B'], words, false)).toEqual(['A\nB'])
    expect(splitPages(['A', 'B'], words, true)).toEqual(['A\nB\n0. Back'])
    expect(splitPages(['x'.repeat(maxSeptets)], words, false)).toHaveLength(1)
  })

  test('lead on with 98 except the last, and back with 0 except a first one without a way back', () => {
    const pages = splitPages(lines, words, false)
    expect(pages.length).toBeGreaterThan(2)
    for (const [index, page] of pages.entries()) {
      expect(page.endsWith('\n0. Back'), page).toBe(index > 0)
      expect(page.includes('\n98. More'), page).toBe(index < pages.length - 1)
    }
    expect(splitPages(lines, words, true)[0]).toMatch(/\n98\. More\n0\. Back$/)
  })

  test('hold every line once and in order, each page in at most 160 septets', async () => {
    const word = fc.stringMatching(/^[a-z0-9[\]€.]{1,20}$/)
    const line = fc.array(word, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(' '))
    await holds(
      fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), fc.boolean(), (all, hasBack) => {
        const pages = splitPages(all, words, hasBack)
        for (const page of pages) expect(countSeptets(page)).toBeLessThanOrEqual(maxSeptets)
        const own = pages.map((page) => page.replaceAll(/\n(?:98\. More|0\. Back)/g, '')).join('\n')
        expect(own.split(/\s/)).toEqual(all.join('\n').split(/\s/))
      }),
    )
  })
})
