import type { Address } from 'viem'
import { atPace, type Chain, poolRules } from '../chain/chains.ts'
import type { RateFeed } from '../loan/local-worth.ts'
import type { BudgetLimits } from '../node/upstream/budget.ts'
import type { Webhook } from '../operator/alerting/webhook.ts'
import type { AccountLimits } from '../relay/pay/admission.ts'
import type { AfricasTalkingAccount } from '../sms/africas-talking.ts'
import { contradictionsIn } from './contradictions.ts'
import { ConfigError, menuVariables, readEnvironment } from './environment.ts'
import { guardsOf } from './guards.ts'
import { completeSettings, type Settings } from './settings.ts'

export type Config = ReturnType<typeof parseConfig>

export type Limits = AccountLimits & {
  /** Counts dials that ask the chain or for a payment. */
  dialsAMinute: number
  leastTransferWei: bigint
}

/** Reads the environment. @throws {ConfigError} naming every bad variable and why */
export function parseConfig(env: Readonly<Record<string, unknown>>) {
  const settings = completeSettings(readEnvironment(env))
  const faults = contradictionsIn(settings)
  if (faults.length > 0) throw new ConfigError(faults)
  const { chain, urls, profile, PIN: pin, BLOCK_SECONDS: blockSeconds } = settings
  const networks = new Map<Chain['id'], readonly string[]>([[chain.id, urls]])
  if (settings.NODE_URL_30 !== undefined) networks.set(30, settings.NODE_URL_30)
  if (settings.NODE_URL_31 !== undefined) networks.set(31, settings.NODE_URL_31)
  const usual = poolRules[settings.POOL_RULES]
  // For a local chain with Rootstock's pool and blocks faster than Rootstock's.
  const rules = blockSeconds === undefined ? usual : atPace(usual, blockSeconds * 1_000)
  return {
    isDevelopment: settings.ENVIRONMENT === 'development',
    chain,
    rules: { ...rules, confirmations: settings.CONFIRMATIONS ?? rules.confirmations },
    fees: { minWei: settings.MIN_GAS_PRICE_WEI, maxWei: settings.maxGasPriceWei },
    /** Names the nodes of every network that is served, the preferred ones first. */
    networks,
    loan: settings.LOAN_ADDRESS.toLowerCase() as Address,
    forwarder: settings.FORWARDER_ADDRESS.toLowerCase() as Address,
    relayerMnemonic: settings.RELAYER_MNEMONIC,
    accountIdSecret: settings.ACCOUNT_ID_SECRET,
    accountKeySecret: settings.ACCOUNT_KEY_SECRET,
    pinSecret: pin === 'off' ? undefined : settings.PIN_SECRET,
    /** Is undefined where `/ussd` is closed outside development. */
    callbackSecret: settings.CALLBACK_SECRET,
    /** Says whose national numbers the gateway may send. */
    gatewayCountry: settings.GATEWAY_COUNTRY,
    operatorToken: settings.OPERATOR_TOKEN,
    webhook: webhookOf(settings),
    sms: smsOf(settings),
    rpcKeyHashes: settings.RPC_KEY_HASHES,
    preflight: settings.PREFLIGHT === 'on',
    upstreamBudget: budgetOf(settings),
    guards: guardsOf(settings),
    objectLocation: settings.OBJECT_LOCATION,
    limits: limitsOf(settings),
    rateFeed: rateFeedOf(settings),
    menu: {
      profile,
      confirms: settings.CONFIRM === 'on',
      pin,
      own: ownOf(settings.values),
      languages: settings.LANGUAGES,
    },
  }
}

function budgetOf({ callsADay, UPSTREAM_RESERVE: reserve }: Settings): BudgetLimits | undefined {
  if (callsADay === undefined) return undefined
  return { callsADay, relayReserve: reserve ?? Math.floor(callsADay / 2) }
}

function webhookOf(settings: Settings): Webhook | undefined {
  const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret } = settings
  return url === undefined || secret === undefined ? undefined : { url, secret }
}

function smsOf(settings: Settings): AfricasTalkingAccount | undefined {
  const { SMS_API_KEY: apiKey, SMS_USERNAME: username, SMS_SENDER: sender, SMS_URL: url } = settings
  const isSet = apiKey !== undefined && username !== undefined
  return isSet ? { apiKey, username, sender, url } : undefined
}

function rateFeedOf(settings: Settings): RateFeed | undefined {
  const { RATE_FEED_URL: url, LOCAL_CURRENCY: currency } = settings
  return url === undefined || currency === undefined ? undefined : { url, currency }
}

/** Gives entries of the menu the variables that they have of their own. */
function ownOf(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const set = menuVariables.map(({ name }) => [name, values[name]] as const)
  return Object.fromEntries(set.flatMap(([name, value]) => (value ? [[name, `${value}`]] : [])))
}

function limitsOf(settings: Settings): Limits {
  const { MAX_TRANSFERS_A_DAY: transfers, MAX_SENT_A_DAY_WEI: sentWei } = settings
  return {
    openPayments: settings.MAX_OPEN_PAYMENTS,
    dialsAMinute: settings.MAX_DIALS_A_MINUTE,
    transfersADay: transfers === 'none' ? undefined : transfers,
    sentADayWei: sentWei === 'none' ? undefined : sentWei,
    leastTransferWei: settings.MIN_TRANSFER_WEI,
  }
}
