import type { CountryCode } from 'libphonenumber-js/mobile'
import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile'
import { plainDigits } from '../runtime/digits.ts'
import { presentForm } from './numbering.ts'

declare const brand: unique symbol

/**
 * A telephone number in E.164 form with its plus, written in one way alone: one phone is one account.
 * Never logged and never stored.
 */
export type PhoneNumber = string & { readonly [brand]: 'PhoneNumber' }

/** A country with a numbering plan, by its two letters (ISO 3166-1). */
export type Country = CountryCode

/**
 * The caller's number as a gateway sends it: E.164 with its plus. A leading space is a plus that a form
 * encoder left bare, and two leading zeros stand for one. With the gateway's country also its national
 * form, and the country code without a plus. Anything else is undefined: a caller's number is never guessed at. The gateway knows its
 * callers, so a number that the numbering plans do not know yet is taken as it stands.
 */
export function parseCaller(raw: string, country?: Country): PhoneNumber | undefined {
  const text = plainDigits(raw.startsWith(' ') ? `+${raw.slice(1)}` : raw)
  if (!/^\+?[0-9]{4,20}$/.test(text)) return undefined
  const known = parseMobile(text, country)
  if (known !== undefined) return known
  return hasForm(text) ? (presentForm(text) as PhoneNumber) : undefined
}

/** Tells whether digits have the form of a number with its country code, be there such a country or not. */
const hasForm = (text: string): boolean => /^\+[1-9][0-9]{6,14}$/.test(text)

/**
 * A number that a caller typed: E.164, also with 00 for its plus, or the national form of the caller's
 * own country, with or without what people write between digits. Undefined where the numbering plan knows
 * no such mobile number: nobody could collect what was sent to a landline or a toll-free number. Undefined
 * too for what Kenya, Uganda and Tanzania dial each other by, 005 to 007: with 00 for a plus it would be a
 * number of another continent.
 */
export const parseTypedPhone = (raw: string, caller: PhoneNumber): PhoneNumber | undefined =>
  typedNumbers(raw, caller).find(isListed)

/**
 * Reads a typed number that no numbering plan knows, as far as it has the form of one: it may have been a number
 * when its account was opened.
 */
export const parseUnlistedPhone = (raw: string, caller: PhoneNumber): PhoneNumber | undefined =>
  typedNumbers(raw, caller).find((number) => hasForm(number))

function typedNumbers(raw: string, caller: PhoneNumber): PhoneNumber[] {
  const typed = plainDigits(raw).replaceAll(/[ ().-]/g, '')
  if (!/^\+?[0-9]+$/.test(typed)) return []
  if (/^\+25[456]/.test(caller) && /^00[567][0-9]{9}$/.test(typed)) return []
  return numbersIn(typed, parsePhoneNumberFromString(caller)?.country)
}

/** The one form of a mobile number. Undefined for anything else. */
const parseMobile = (text: string, country: Country | undefined): PhoneNumber | undefined =>
  numbersIn(text, country).find(isListed)

/** What digits may be the number of, in its one form, be it listed or not. */
function numbersIn(text: string, country: Country | undefined): PhoneNumber[] {
  const candidates = text.startsWith('00') ? [`+${text.slice(2)}`, text] : [text]
  const defaults = country === undefined ? {} : { defaultCountry: country }
  return candidates.flatMap((candidate) => {
    const parsed = parsePhoneNumberFromString(presentForm(candidate), defaults)
    const number = parsed?.number ?? (hasForm(candidate) ? candidate : undefined)
    return number === undefined ? [] : [presentForm(number) as PhoneNumber]
  })
}

/** Tells whether the numbering plans know this mobile number. */
export const isListed = (number: string): boolean =>
  parsePhoneNumberFromString(number)?.isValid() === true

/** What a screen may show of a recipient's number: its first 4 and last 3 digits. */
export function shortPhone(phone: PhoneNumber): string {
  const digits = phone.slice(1)
  return `${digits.slice(0, 4)}...${digits.slice(-3)}`
}

/** A number with its country code and digits in threes, so that it can be compared: +254 700 000 002. */
export function spelledPhone(phone: PhoneNumber): string {
  const code = parsePhoneNumberFromString(phone)?.countryCallingCode ?? phone.slice(1, 4)
  const threes = phone.slice(1 + code.length).replaceAll(/(\d{3})(?=\d{2})/g, '$1 ')
  return `+${code} ${threes}`
}
