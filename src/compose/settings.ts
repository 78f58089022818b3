import { languages } from '../account/language.ts'
import { chains } from '../chain/chains.ts'
import { usualMaxGasPriceWei } from '../relay/fees.ts'
import {
  ConfigError,
  type Env,
  environment,
  isLoopback,
  listGiven,
  nodeUrls,
  readVariables,
} from './environment.ts'

/** Holds how long a session lives on networks, and when a gateway has given up a request. */
const usualTimes = { SESSION_SECONDS: '180', REDELIVERY_SECONDS: '600' }

/** Holds what each profile sets; `demo` is the demonstration byte for byte. */
export const profiles = {
  demo: {
    MAX_OPEN_PAYMENTS: '3',
    MAX_DIALS_A_MINUTE: '30',
    MAX_TRANSFERS_A_DAY: 'none',
    MAX_SENT_A_DAY_WEI: 'none',
    MIN_TRANSFER_WEI: '0',
    CONFIRM: 'off',
    PIN: 'off',
    ...usualTimes,
  },
  lender: {
    MAX_OPEN_PAYMENTS: '3',
    MAX_DIALS_A_MINUTE: '30',
    MAX_TRANSFERS_A_DAY: '20',
    MAX_SENT_A_DAY_WEI: '50000000000000000',
    // Twice what a transfer costs at Rootstock's usual price: a smaller one burns more than it
    // sends.
    MIN_TRANSFER_WEI: '20000000000000',
    CONFIRM: 'on',
    PIN: 'on',
    LANGUAGES: languages.join(),
    ...usualTimes,
  },
} as const

/** Lists the defaults that depend on other variables, as an operator would write them. */
function listDefaults(given: Env) {
  const chain = chains[given.CHAIN_ID === '30' ? 30 : 31]
  // The money of chain 30 is real.
  const PROFILE = given.PROFILE ?? { 30: 'lender', 31: 'demo' }[chain.id]
  const urls = nodeUrls.safeParse(given[`NODE_URL_${chain.id}`] ?? given.NODE_URL).data
  const limits = urls?.every(isLoopback)
    ? { UPSTREAM_CALLS_A_DAY: 'none', RPC_CALLS_A_SECOND: 'none', MIN_DIFFICULTY: 'none' }
    : {
        // The usual quota of a hosted node.
        UPSTREAM_CALLS_A_DAY: '25000',
        RPC_CALLS_A_SECOND: '50',
        MIN_DIFFICULTY: `${chain.mining.minDifficulty}`,
      }
  const rules = given.POOL_RULES === 'anvil' ? 'anvil' : 'rootstock'
  return {
    ...profiles[PROFILE === 'lender' ? 'lender' : 'demo'],
    ...limits,
    PROFILE,
    MAX_GAS_PRICE_WEI: `${usualMaxGasPriceWei[rules]}`,
  }
}

export type Settings = ReturnType<typeof readSettings>

/** Reads all variables and what follows from them. @throws {ConfigError} naming the bad ones */
export function readSettings(env: Env) {
  const given = listGiven(env)
  const { values, faults } = readVariables(environment, { ...listDefaults(given), ...given })
  if (values === undefined) throw new ConfigError(faults)
  const chain = chains[values.CHAIN_ID === '30' ? 30 : 31]
  const urls = values[`NODE_URL_${chain.id}`] ?? values.NODE_URL
  return {
    ...values,
    /** Holds the variables that are set, as they were written. */
    given,
    chain,
    urls,
    isLocal: urls.every(isLoopback),
    /** Tells whether the blocks of the relay's chain are mined, so that work can prove them. */
    isMined: values.MIN_DIFFICULTY !== undefined,
    /** Tells whether anybody may use `/ussd`. */
    isUssdOpenToAll: values.CALLBACK_SECRET === undefined && values.ENVIRONMENT === 'development',
  }
}
