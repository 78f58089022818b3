import { type Address, checksumAddress } from 'viem'
import type { Language } from '../../account/language.ts'
import { writeLocalTime } from '../../runtime/time-zone.ts'

export type Wording = Language | 'demo'

export const defaultServiceName = 'Rootstock DeFi'

/** Returns a function that selects the words of a language, or the demonstration's. */
export const defineWords =
  <Words extends object>(
    words: { en: Words; demo?: Partial<NoInfer<Words>> } & Record<
      Exclude<Language, 'en'>,
      NoInfer<Words>
    >,
  ) =>
  ({ wording }: { wording: Wording }): Words =>
    wording === 'demo' ? { ...words.en, ...words.demo } : words[wording]

export const languageLabels: Readonly<Record<Language, string>> = {
  en: 'English',
  sw: 'Kiswahili',
  fr: 'Français',
  es: 'Español',
}

/** Shows the first 10 and last 6 characters of an address. */
export const toLongAddress = (address: string): string =>
  `${address.slice(0, 10)}...${address.slice(-6)}`

/** Shows the first 10 characters of an address. */
export const toShortAddress = (address: string): string => `${address.slice(0, 10)}...`

/** Shows the first 10 characters of an address with the chain's checksum. */
export const shortenAddress = (address: Address, chainId: number): string =>
  toShortAddress(checksumAddress(address, chainId))

/**
 * Creates a format for dates (Unix time in s) in a time zone from the names of the months; with
 * `hasClock` the time of day stands before.
 */
export const createDateFormat =
  (months: string) =>
  (time: number, hasClock = false, timeZone = 'UTC'): string => {
    const [year, month, day, hour, minute] = writeLocalTime(time * 1_000, timeZone).split(/[- :]/)
    const date = `${Number(day)} ${months.split(' ')[Number(month) - 1]} ${year}`
    const clock = `${hour}:${minute}${timeZone === 'UTC' ? ' UTC' : ''}`
    return hasClock ? `${clock}, ${date}` : date
  }

type DateFormat = ReturnType<typeof createDateFormat>

/** Writes a time (Unix, in ms) with its date. */
export const writeTime = ({ date }: { date: DateFormat }, at: number): string =>
  date(at / 1_000, true)
