import { type Address, checksumAddress } from 'viem'
import type { Language } from '../../account/language.ts'

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

/** Creates a format for dates (Unix time in s, shown in UTC) from the names of the months. */
export const createDateFormat =
  (months: string) =>
  (time: number): string => {
    const day = new Date(time * 1_000)
    return `${day.getUTCDate()} ${months.split(' ')[day.getUTCMonth()]} ${day.getUTCFullYear()}`
  }

/** Writes a time (Unix, in ms) in UTC. */
export const writeTime = ({ date }: { date: (time: number) => string }, at: number): string =>
  `${new Date(at).toISOString().slice(11, 16)} UTC, ${date(Math.floor(at / 1_000))}`
