import type { CountryCode } from 'libphonenumber-js/core'
import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile'
import examples from 'libphonenumber-js/mobile/examples'
import { describe, expect, test } from 'vitest'
import {
  createPattern,
  listFormerForms,
  numberingChanges,
  toPresentForm,
} from '../../../src/account/numbering.ts'
import {
  isListed,
  numberingPlans as metadata,
  type PhoneNumber,
  parseCaller,
  parseTypedPhone,
  spellPhone,
} from '../../../src/account/phone.ts'
import { isFull, sampleOf } from '../../support/sample.ts'

const countries = Object.keys(metadata.countries) as CountryCode[]
type Described = [string, string, string, number[], unknown, string | undefined, ...unknown[]]
const described = (country: CountryCode) => metadata.countries[country] as unknown as Described

/** Numbers of a form: one for each way through its choices. */
function numbersOf(form: string): string[] {
  const parts = form.match(/\[[^\]]+\]|[+\dx]/g) ?? []
  return parts.reduce<string[]>(
    (begun, part, place) => {
      const digits = part.startsWith('[')
        ? [...'0123456789'].filter((each) => new RegExp(part).test(each))
        : [part.replace('x', `${place % 10}`)]
      return begun.flatMap((each) => digits.map((digit) => each + digit))
    },
    [''],
  )
}

/** Who says that mobile numbers of a country have two forms. */
const sources: Readonly<Record<string, string>> = {
  AR: 'ENACOM: calls from abroad need the 9 of mobile numbers, and calls at home do not have it',
  BJ: 'ARCEP Bénin: 10 digits since 30 November 2024',
  BR: 'Anatel, Resolução 553/2010: the ninth digit, in all areas since 6 November 2016',
  CI: 'ARTCI: 10 digits since 31 January 2021, by operator, which the second of the 8 tells',
  CO: 'CRC, Resolución 5826/2019: mobile numbers have no 0; libphonenumber takes 03 for a carrier',
  GA: 'ARCEP Gabon: 9 digits since 15 November 2019, no 0 from abroad; 03 is as it was',
  GM: 'PURA: the operator before the 7 digits since 4 September, alone from 30 November 2026',
  LR: 'LTA: 05 became 0555 on 19 September 2013 (ITU, national numbering plan of Liberia)',
  MX: 'IFT: no 1 after the country code since 3 August 2019',
}

/**
 * Names numbers that stay apart from longer ones with the same digits: two accounts of one person
 * are better than one of two. Forms, or countries, by the reason.
 */
const undecidedNumbers: Readonly<Record<string, string>> = {
  'Numbers have several lengths or services, and no notice joins shorter ones to longer ones.':
    'AD AT AX DE EE FI HR ID IS IT KH KR LI MC MM MY NZ PA RS SB SO TK VA WS ZA +24388xxxxx',
  'They look like the longer ones without a prefix, but no notice says which prefix it was.':
    '+683[56]xxx +508[45]xxxxx +2316xxxxxx +2314[67]xxxxx',
  'Anatel left radio numbers (SME) with 8 digits: with a ninth it is another subscriber.':
    '+55[1-9][1-9]7xxxxxxx',
}

test.for([
  ['+2207000001', '+220877000001'],
  ['+24107000001', '+24177000001'],
  ['+2416200001', '+24166200001'],
  ['+2315000001', '+231555000001'],
  ['+22997000001', '+2290197000001'],
  ['+22507000001', '+2250707000001'],
  ['+22545100001', '+2250545100001'],
  ['+551180000001', '+5511980000001'],
  ['+5215500000002', '+525500000002'],
  ['+541100000002', '+5491100000002'],
] as const)('%s is the account of %s, as caller and as typed', ([former, present]) => {
  for (const form of [former, present]) {
    expect(parseCaller(form)).toBe(present)
    expect(parseTypedPhone(form, present as PhoneNumber)).toBe(present)
  }
})

test.for(numberingChanges)('%s is permanently %s, by a source', ([former, present]) => {
  const written = numbersOf(former).map((number) => {
    const now = toPresentForm(number)
    expect(now).toMatch(createPattern(present))
    expect(toPresentForm(now)).toBe(now)
    expect(listFormerForms(now)).toContain(number)
    for (const form of [number, now]) expect(parseCaller(form)).toBe(now)
    return now
  })
  expect(written.some((each) => parsePhoneNumberFromString(each)?.isValid())).toBe(true)
  const sourced = Object.keys(sources).map((each) => described(each as CountryCode)[0])
  expect(sourced.some((code) => former.startsWith(`+${code} `))).toBe(true)
})

/** All of one digit, of two and of three. */
const someDigits = [1, 10, 100, 1_000].map((count, more) =>
  more === 0 ? [] : Array.from({ length: count }, (_, each) => `${each}`.padStart(more, '0')),
)

/** Lists a country's valid numbers for each first four digits, and longer ones that end alike. */
function planOf(country: CountryCode) {
  const [code, , , possible, ...rest] = described(country)
  const mobile = (rest as unknown as [string, number[]?][][])[7]?.[1]
  const isMobile = new RegExp(`^(?:${mobile?.[0] ?? 'none'})$`)
  const lengths = mobile?.[1] ?? possible
  const valid = lengths.flatMap((length) =>
    Array.from({ length: 20_000 }, (_, each) => `${each >> 1}`.padStart(4, '0') + '15'[each & 1])
      .map((start) => `${start}234567895`.slice(0, length))
      .filter((number) => isMobile.test(number)),
  )
  /** With some digits more, before it or, where it is as long as one with an area, behind that. */
  const longerThan = (number: string) => {
    const added = lengths.flatMap((length) => someDigits[length - number.length] ?? [])
    const before = added.map((more) => more + number)
    const behind = added.map((more) => number.slice(0, 2) + more + number.slice(2))
    return [...before, ...(number.length >= 10 ? behind : [])].filter((each) => isMobile.test(each))
  }
  return { code: `+${code}`, valid, longerThan }
}

test('in every country all valid forms of one subscriber are one account, except undecided ones with a reason', () => {
  const forms = Object.values(undecidedNumbers).flatMap((each) => each.split(' '))
  const patterns = forms.map((form) => [form, createPattern(form)] as const)
  const needed = new Set<string>()
  const twins = sampleOf(20, countries, 'twins').flatMap((country) => {
    const { code, valid, longerThan } = planOf(country)
    return valid.flatMap((national) => {
      const number = code + national
      const [undecided] =
        patterns.find(([form, pattern]) => form === country || pattern.test(number)) ?? []
      if (undecided !== undefined && needed.has(undecided)) return []
      const longer = longerThan(national)
      // Where its present form is known, no other is meant.
      if (longer.length === 0 || parseCaller(number) !== number) return []
      const twin = longer.find((each) => parseCaller(code + each) !== number)
      if (twin === undefined) return []
      if (undecided !== undefined) needed.add(undecided)
      return undecided === undefined ? [`${country}: ${national} and ${twin}`] : []
    })
  })
  expect(twins.slice(0, 20)).toEqual([])
  if (isFull) expect([...needed].sort()).toEqual(forms.sort())
})

describe('a number of every country', () => {
  const numbers = countries.map((country) => {
    const [code, , , , , trunk] = described(country)
    const number = toPresentForm(`+${code}${examples[country]}`) as PhoneNumber
    return { country, code: `+${code}`, trunk: trunk || '', number }
  })

  test('is one account with and without its country code and trunk prefix', () => {
    for (const { country, code, trunk, number } of numbers) {
      const national = number.slice(code.length)
      for (const way of [number, `00${number.slice(1)}`]) {
        expect(parseCaller(way, country)).toBe(number)
        expect(parseTypedPhone(way, number)).toBe(number)
      }
      expect(parseCaller(` ${number.slice(1)}`)).toBe(number)
      for (const way of [national, trunk + national, code + trunk + national]) {
        // Refused is no other account.
        expect([number, undefined], `${country} ${way}`).toContain(parseCaller(way, country))
        expect([number, undefined], `${country} ${way}`).toContain(parseTypedPhone(way, number))
      }
    }
  })

  test('is one account for the plans if it is one for the library', () => {
    const more = numberingChanges.flat().flatMap(numbersOf)
    for (const number of [...numbers.flatMap(({ number }) => [number, `${number}1`]), ...more]) {
      const said = parsePhoneNumberFromString(number)
      expect(isListed(number), number).toBe(said?.isValid() === true)
      const spelled = said === undefined ? undefined : `+${said.countryCallingCode} `
      if (spelled) expect(spellPhone(number as PhoneNumber).startsWith(spelled)).toBe(true)
    }
  })

  test.for([
    ['of after 30 November 2026, when Gambia has 9 digits', ['GM'], '8\\d{8}'],
    ['of before 4 September 2026, when it had 7', ['GM'], '[2-9]\\d{6}'],
    ['that knows no mobile number at all', countries, 'none'],
  ] as const)('has the same account under metadata %s', ([, changed, mobile]) => {
    const all = [
      ...numbers.map(({ number }) => number),
      ...numberingChanges.flat().flatMap(numbersOf),
    ]
    const before = all.map((number) => parseCaller(number))
    const listed = all.map(isListed)
    const rows = metadata.countries as unknown as Record<string, unknown[]>
    const kept = changed.map((country) => rows[country]?.[11])
    try {
      for (const country of changed) Object.assign(rows[country] ?? [], { 11: [0, [mobile]] })
      // It is what numbers are read by.
      expect(all.map(isListed)).not.toEqual(listed)
      expect(all.map((number) => parseCaller(number))).toEqual(before)
    } finally {
      for (const [index, country] of changed.entries())
        Object.assign(rows[country] ?? [], { 11: kept[index] })
    }
  })
})
