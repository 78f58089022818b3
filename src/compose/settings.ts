import { languages } from '../account/language.ts'
import { type Chain, chains } from '../chain/chains.ts'
import { usualMaxGasPriceWei } from '../relay/fees.ts'
import { isLoopback, type Values } from './environment.ts'

type OfProfile =
  | ('MAX_OPEN_PAYMENTS' | 'MAX_DIALS_A_MINUTE' | 'MAX_TRANSFERS_A_DAY' | 'MAX_SENT_A_DAY_WEI')
  | ('MIN_TRANSFER_WEI' | 'CONFIRM' | 'PIN' | 'LANGUAGES')

type Defaults = { [Name in OfProfile]: NonNullable<Values[Name]> }

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
  },
}

/** Names the default profile of each chain: on 30 money is real. */
const usualProfile = { 30: 'lender', 31: 'demo' } as const

/** Holds a hosted node's usual daily quota; a local node has no limit. */
const hostedCallsADay = 25_000

/** Limits a key's calls per second if the node is not local. */
const usualCallsASecond = 50

export type Settings = ReturnType<typeof completeSettings>

/** Completes an environment's settings by its profile's defaults, and derives what follows. */
export function completeSettings(values: Values) {
  const chain: Chain = chains[values.CHAIN_ID === '30' ? 30 : 31]
  const profile = values.PROFILE ?? usualProfile[chain.id]
  const own = { 30: values.NODE_URL_30, 31: values.NODE_URL_31 }[chain.id]
  const urls = own ?? values.NODE_URL
  const isLocal = urls.every(isLoopback)
  const { UPSTREAM_CALLS_A_DAY: calls = isLocal ? 'none' : hostedCallsADay } = values
  const { RPC_CALLS_A_SECOND: rate = isLocal ? 'none' : usualCallsASecond } = values
  const { MIN_DIFFICULTY: difficulty = isLocal ? 'none' : undefined } = values
  return {
    ...({ ...profiles[profile], ...values } as Omit<Values, OfProfile> & Defaults),
    ...{ chain, profile, urls, isLocal, values },
    callsADay: calls === 'none' ? undefined : calls,
    callsASecond: rate === 'none' ? undefined : rate,
    /**
     * Tells whether the relay's chain is mined in public; else its nodes may be on this machine.
     */
    isMined: difficulty !== 'none',
    /** Tells that outcomes are proved before they are final. */
    proves: difficulty !== 'none' && values.PROOFS !== 'off',
    maxGasPriceWei: values.MAX_GAS_PRICE_WEI ?? usualMaxGasPriceWei[values.POOL_RULES],
    /** Tells that `/ussd` is open to everyone. */
    isOpen: values.CALLBACK_SECRET === undefined && values.ENVIRONMENT === 'development',
  }
}
