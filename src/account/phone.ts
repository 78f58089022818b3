import type { CountryCode, MetadataJson } from 'libphonenumber-js/core'
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/core'
import { plainDigits } from '../runtime/digits.ts'
import { presentForm } from './numbering.ts'
import { plans } from './plans.ts'

/** Holds each country's mobile numbers; after an update of the library run `npm run generate`. */
export const numberingPlans = JSON.parse(plans) as MetadataJson

declare const brand: unique symbol

/** Is a number in E.164, in one spelling only. It is never logged and never stored. */
export type PhoneNumber = string & { readonly [brand]: 'PhoneNumber' }

/** Is a country with a numbering plan, by its two letters (ISO 3166-1). */
export type Country = CountryCode

/** Parses a number in E.164 or of the gateway's country; accepts one that no numbering plan has. */
export function parseCaller(raw: string, country?: Country): PhoneNumber | undefined {
  const text = plainDigits(raw.startsWith(' ') ? `+${raw.slice(1)}` : raw)
  if (!/^\+?[0-9]{4,20}$/.test(text)) return undefined
  const known = numbersIn(text, country).find(isListed)
  if (known !== undefined) return known
  return hasForm(text) ? (presentForm(text) as PhoneNumber) : undefined
}

const hasForm = (text: string): boolean => /^\+[1-9][0-9]{6,14}$/.test(text)

/** Parses a typed number in E.164 or of the caller's country; undefined if no plan has it. */
export const parseTypedPhone = (raw: string, caller: PhoneNumber): PhoneNumber | undefined =>
  typedNumbers(raw, caller).find(isListed)

/** Parses a typed number that no plan has: it may have been valid when its account was opened. */
export const parseUnlistedPhone = (raw: string, caller: PhoneNumber): PhoneNumber | undefined =>
  typedNumbers(raw, caller).find((number) => hasForm(number))

function typedNumbers(raw: string, caller: PhoneNumber): PhoneNumber[] {
  const typed = plainDigits(raw).replaceAll(/[ ().-]/g, '')
  if (!/^\+?[0-9]+$/.test(typed)) return []
  // Kenya, Uganda and Tanzania dial each other by 005 to 007.
  if (/^\+25[456]/.test(caller) && /^00[567][0-9]{9}$/.test(typed)) return []
  return numbersIn(typed, parseNumber(caller)?.country)
}

/** Lists the numbers that digits may stand for, in their one spelling. */
function numbersIn(text: string, country: Country | undefined): PhoneNumber[] {
  const candidates = text.startsWith('00') ? [`+${text.slice(2)}`, text] : [text]
  const defaults = country === undefined ? {} : { defaultCountry: country }
  return candidates.flatMap((candidate) => {
    const parsed = parsePhoneNumberFromString(presentForm(candidate), defaults, numberingPlans)
    const number = parsed?.number ?? (hasForm(candidate) ? candidate : undefined)
    return number === undefined ? [] : [presentForm(number) as PhoneNumber]
  })
}

export const isListed = (number: string): boolean => parseNumber(number)?.isValid() === true

const parseNumber = (number: string) => parsePhoneNumberFromString(number, numberingPlans)

/** Tells whether two letters name a country with a numbering plan. */
export const isCountry = (letters: string): letters is Country =>
  isSupportedCountry(letters as Country, numberingPlans)

/** Shows the first 4 and last 3 digits of a number. */
export function shortPhone(phone: PhoneNumber): string {
  const digits = phone.slice(1)
  return `${digits.slice(0, 4)}...${digits.slice(-3)}`
}

/** Spells a number with its country code and in threes, to compare by eye. */
export function spelledPhone(phone: PhoneNumber): string {
  const code = parseNumber(phone)?.countryCallingCode ?? phone.slice(1, 4)
  const threes = phone.slice(1 + code.length).replaceAll(/(\d{3})(?=\d{2})/g, '$1 ')
  return `+${code} ${threes}`
}
