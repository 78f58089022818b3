import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

declare const brand: unique symbol

/** A telephone number in E.164 form with its plus. Never logged and never stored. */
export type PhoneNumber = string & { readonly [brand]: 'PhoneNumber' }

/**
 * The caller's number as a gateway sends it: E.164 with plus. A leading space is a plus that a
 * form encoder left bare. Anything else is undefined: a caller's number is never guessed at.
 */
export function parseCaller(raw: string): PhoneNumber | undefined {
  const text = raw.startsWith(' ') ? `+${raw.slice(1)}` : raw
  return /^\+[1-9][0-9]{6,14}$/.test(text) ? (text as PhoneNumber) : undefined
}

/**
 * A number that a caller typed: E.164, or the national form of the caller's own country.
 * Undefined where the numbering plan knows no such number.
 */
export function parseRecipient(raw: string, caller: PhoneNumber): PhoneNumber | undefined {
  const typed = raw.trim()
  if (!/^\+?[0-9 ]+$/.test(typed)) return undefined
  const country = parsePhoneNumberFromString(caller)?.country
  const parsed = parsePhoneNumberFromString(
    typed,
    country === undefined ? {} : { defaultCountry: country },
  )
  return parsed?.isValid() ? (parsed.number as unknown as PhoneNumber) : undefined
}

/** What a screen may show of a recipient's number: its first 4 and last 3 digits. */
export function shortPhone(phone: PhoneNumber): string {
  const digits = phone.slice(1)
  return `${digits.slice(0, 4)}...${digits.slice(-3)}`
}
