import { type Chain, chains } from '../chain/chains.ts'
import { usualMaxGasPriceWei } from '../relay/fees.ts'
import { isLoopback, type Values } from './environment.ts'
import { type ProfileDefaults, profiles, usualProfile } from './profiles.ts'

type OfProfile = {
  [Name in keyof ProfileDefaults]: Exclude<Values[Name], undefined> | ProfileDefaults[Name]
}

/** Adds to what an environment sets what its profile has for the rest, and what follows from both. */
export function completeSettings(values: Values) {
  const chain: Chain = chains[values.CHAIN_ID === '30' ? 30 : 31]
  const profile = values.PROFILE ?? usualProfile[chain.id]
  const own = { 30: values.NODE_URL_30, 31: values.NODE_URL_31 }[chain.id]
  const urls = own ?? values.NODE_URL
  const isLocal = urls.every(isLoopback)
  const { UPSTREAM_CALLS_A_DAY: calls = isLocal ? 'none' : hostedCallsADay } = values
  return {
    ...({ ...profiles[profile], ...values } as Omit<Values, keyof OfProfile> & OfProfile),
    chain,
    profile,
    urls,
    isLocal,
    callsADay: calls === 'none' ? undefined : calls,
    maxGasPriceWei: values.MAX_GAS_PRICE_WEI ?? usualMaxGasPriceWei[values.POOL_RULES],
    /** Opens `/ussd` to everybody. */
    isOpen: values.CALLBACK_SECRET === undefined && values.ENVIRONMENT === 'development',
    values,
  }
}

/** Is what a hosted node gives a day; a node on this machine is asked without a limit. */
const hostedCallsADay = 25_000

export type Settings = ReturnType<typeof completeSettings>
