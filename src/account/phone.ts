import type { CountryCode, MetadataJson } from 'libphonenumber-js/core'
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/core'
import { toPlainDigits } from '../runtime/digits.ts'
import { toPresentForm } from './numbering.ts'
import { plans } from './plans.ts'

/** Holds each country's mobile numbers. Run `npm run generate` after updates of the library. */
export const numberingPlans = JSON.parse(plans) as MetadataJson

declare const brand: unique symbol

/** Holds a phone number in E.164 and its present form. It is never logged and never stored. */
export type PhoneNumber = string & { readonly [brand]: 'PhoneNumber' }

/** Names a country with a numbering plan by two letters (ISO 3166-1). */
export type Country = CountryCode

/** Parses a caller's number in E.164 or in the national form of the gateway's country. */
export function parseCaller(raw: string, country?: Country): PhoneNumber | undefined {
  const text = toPlainDigits(raw.startsWith(' ') ? `+${raw.slice(1)}` : raw)
  if (!/^\+?[0-9]{4,20}$/.test(text)) return undefined
  const listed = listNumbers(text, country).find(isListed)
  if (listed !== undefined) return listed
  // Old accounts may have numbers that no plan lists any longer.
  return isE164(text) ? (toPresentForm(text) as PhoneNumber) : undefined
}

const isE164 = (text: string): boolean => /^\+[1-9][0-9]{6,14}$/.test(text)

/** Parses a typed number in E.164 or of the caller's country; undefined if no plan lists it. */
export const parseTypedPhone = (raw: string, caller: PhoneNumber): PhoneNumber | undefined =>
  listTypedNumbers(raw, caller).find(isListed)

/** Parses a typed number that no plan lists, because an older plan may have listed it. */
export const parseUnlistedPhone = (raw: string, caller: PhoneNumber): PhoneNumber | undefined =>
  listTypedNumbers(raw, caller).find((number) => isE164(number))

function listTypedNumbers(raw: string, caller: PhoneNumber): PhoneNumber[] {
  const typed = toPlainDigits(raw).replaceAll(/[ ().-]/g, '')
  if (!/^\+?[0-9]+$/.test(typed)) return []
  // Callers in Kenya, Uganda and Tanzania dial each other's countries by 005 to 007.
  if (/^\+25[456]/.test(caller) && /^00[567][0-9]{9}$/.test(typed)) return []
  return listNumbers(typed, parseNumber(caller)?.country)
}

/** Lists the numbers that digits may mean, in E.164 and their present form. */
function listNumbers(text: string, country: Country | undefined): PhoneNumber[] {
  const candidates = text.startsWith('00') ? [`+${text.slice(2)}`, text] : [text]
  const defaults = country === undefined ? {} : { defaultCountry: country }
  return candidates.flatMap((candidate) => {
    const parsed = parsePhoneNumberFromString(toPresentForm(candidate), defaults, numberingPlans)
    const number = parsed?.number ?? (isE164(candidate) ? candidate : undefined)
    return number === undefined ? [] : [toPresentForm(number) as PhoneNumber]
  })
}

/**
 * Lists the numbers that a person may mean by what is read out: one in E.164 or of the gateway's
 * country, else one for each plan that lists the digits, with its country code or without.
 */
export function listPossibleNumbers(raw: string, country?: Country) {
  const text = toPlainDigits(raw).replaceAll(/[ ().-]/g, '')
  const given = parseCaller(text, country)
  if (given !== undefined) return [{ phone: given, country: parseNumber(given)?.country }]
  if (!/^[0-9]{7,15}$/.test(text)) return []
  const plans = Object.keys(numberingPlans.countries) as Country[]
  const listed = plans.flatMap((plan) => {
    const phone = parseCaller(text, plan)
    return phone !== undefined && parseNumber(phone)?.country === plan ? [phone] : []
  })
  return [...new Set(listed)].map((phone) => ({ phone, country: parseNumber(phone)?.country }))
}

export const isListed = (number: string): boolean => parseNumber(number)?.isValid() === true

const parseNumber = (number: string) => parsePhoneNumberFromString(number, numberingPlans)

export const isCountry = (letters: string): letters is Country =>
  isSupportedCountry(letters as Country, numberingPlans)

/** Shows the first 4 and last 3 digits of a number. */
export function shortenPhone(phone: PhoneNumber): string {
  const digits = phone.slice(1)
  return `${digits.slice(0, 4)}...${digits.slice(-3)}`
}

/** Writes a number with its country code and in groups of three digits, for people to compare. */
export function spellPhone(phone: PhoneNumber): string {
  const code = parseNumber(phone)?.countryCallingCode ?? phone.slice(1, 4)
  const groups = phone.slice(1 + code.length).replaceAll(/(\d{3})(?=\d{2})/g, '$1 ')
  return `+${code} ${groups}`
}
