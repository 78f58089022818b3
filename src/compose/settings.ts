import { languages } from '../account/language.ts'
import { type Chain, chains } from '../chain/chains.ts'
import { usualMaxGasPriceWei } from '../relay/fees.ts'
import { isLoopback, type Values } from './environment.ts'

type ProfileSetting =
  | ('MAX_OPEN_PAYMENTS' | 'MAX_DIALS_A_MINUTE' | 'MAX_TRANSFERS_A_DAY' | 'MAX_SENT_A_DAY_WEI')
  | ('MIN_TRANSFER_WEI' | 'CONFIRM' | 'PIN' | 'LANGUAGES')
  | keyof typeof usualTimes

/** Holds how long a session lives on networks, and when a gateway has given up a request. */
const usualTimes = { SESSION_SECONDS: 180, REDELIVERY_SECONDS: 600 }

type Defaults = { [Name in ProfileSetting]: NonNullable<Values[Name]> }

/** Holds the default settings of each profile; `demo` is the demonstration byte for byte. */
export const profiles: Readonly<Record<'demo' | 'lender', Defaults>> = {
  demo: {
    MAX_OPEN_PAYMENTS: 3,
    MAX_DIALS_A_MINUTE: 30,
    MAX_TRANSFERS_A_DAY: 'none',
    MAX_SENT_A_DAY_WEI: 'none',
    MIN_TRANSFER_WEI: 0n,
    CONFIRM: 'off',
    PIN: 'off',
    LANGUAGES: [],
    ...usualTimes,
  },
  lender: {
    MAX_OPEN_PAYMENTS: 3,
    MAX_DIALS_A_MINUTE: 30,
    MAX_TRANSFERS_A_DAY: 20,
    MAX_SENT_A_DAY_WEI: 50_000_000_000_000_000n,
    // Twice what a transfer costs at Rootstock's usual price: a smaller one burns more than it
    // sends.
    MIN_TRANSFER_WEI: 20_000_000_000_000n,
    CONFIRM: 'on',
    PIN: 'on',
    LANGUAGES: [...languages],
    ...usualTimes,
  },
}

/** Names the default profile of each chain. The money of chain 30 is real. */
const defaultProfiles = { 30: 'lender', 31: 'demo' } as const

/** Limits the calls of a day by the usual quota of a hosted node; a local node has no limit. */
const defaultCallsADay = 25_000

/** Limits a key's calls per second if the node is not local. */
const defaultCallsASecond = 50

export type Settings = ReturnType<typeof completeSettings>

/** Completes an environment's settings by its profile's defaults, and derives what follows. */
export function completeSettings(values: Values) {
  const chain: Chain = chains[values.CHAIN_ID === '30' ? 30 : 31]
  const profile = values.PROFILE ?? defaultProfiles[chain.id]
  const urls = { 30: values.NODE_URL_30, 31: values.NODE_URL_31 }[chain.id] ?? values.NODE_URL
  const isLocal = urls.every(isLoopback)
  const callsADay = values.UPSTREAM_CALLS_A_DAY ?? (isLocal ? 'none' : defaultCallsADay)
  const callsASecond = values.RPC_CALLS_A_SECOND ?? (isLocal ? 'none' : defaultCallsASecond)
  const isMined = (values.MIN_DIFFICULTY ?? (isLocal ? 'none' : undefined)) !== 'none'
  return {
    ...({ ...profiles[profile], ...values } as Omit<Values, ProfileSetting> & Defaults),
    chain,
    profile,
    urls,
    isLocal,
    values,
    callsADay: callsADay === 'none' ? undefined : callsADay,
    callsASecond: callsASecond === 'none' ? undefined : callsASecond,
    /** Tells whether the blocks of the relay's chain are mined, so that work can prove them. */
    isMined,
    /** Tells whether outcomes are proved before they are final. */
    requiresProofs: isMined && values.PROOFS !== 'off',
    maxGasPriceWei: values.MAX_GAS_PRICE_WEI ?? usualMaxGasPriceWei[values.POOL_RULES],
    /** Tells whether anybody may use `/ussd`. */
    isUssdOpenToAll: values.CALLBACK_SECRET === undefined && values.ENVIRONMENT === 'development',
  }
}
