import { wordlist as english } from '@scure/bip39/wordlists/english'
import { isSupportedCountry } from 'libphonenumber-js/mobile'
import type { Address, Hex } from 'viem'
import * as z from 'zod/mini'
import { parseAddress } from '../account/address.ts'
import { languages } from '../account/language.ts'
import type { Country } from '../account/phone.ts'
import { atPace, type Chain, chains, poolRules } from '../chain/chains.ts'
import type { RateFeed } from '../loan/local-worth.ts'
import type { BudgetLimits } from '../node/upstream/budget.ts'
import type { Webhook } from '../operator/alerting/webhook.ts'
import { usualMaxGasPriceWei } from '../relay/fees.ts'
import { maxOpen } from '../relay/ledger/port.ts'
import type { AccountLimits } from '../relay/pay/admission.ts'
import type { AfricasTalkingAccount } from '../sms/africas-talking.ts'
import { menuParts } from '../ussd/menu/entries.ts'
import type { MenuSettings } from '../ussd/menu/node.ts'
import { confirmOf, guardsOf, halfSetGuards, pinOf } from './guards.ts'
import { type ProfileDefaults, profiles, usualProfile } from './profiles.ts'
import '../runtime/english.ts'

export type Config = ReturnType<typeof parseConfig>

/** Cloudflare's regions for Durable Objects; an object stays where it was made. */
const objectLocations = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const

export type Limits = AccountLimits & {
  /** Counts dials that ask the chain or for a payment. */
  dialsAMinute: number
  leastTransferWei: bigint
}

/** Names each bad variable of an environment, and never shows its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly { variable: string; reason: string }[]

  constructor(faults: readonly { variable: string; reason: string }[]) {
    super(faults.map(({ variable, reason }) => `${variable} ${reason}`).join('; '))
    this.faults = faults
  }
}

/** Is what anvil and Hardhat print: its keys are public. */
const wellKnownMnemonic = 'test test test test test test test test test test test junk'

const text = (pattern: RegExp, words: string) => z.string().check(z.regex(pattern, words))
const address = text(/^0x[0-9a-fA-F]{40}$/, 'has to be an address: 0x and 40 hex digits')
const token = z.string().check(z.minLength(16, 'has to have 16 characters or more'))
const secret = z.custom<Hex>(
  (value) => typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value),
  'has to be 32 bytes: 0x and 64 hex digits',
)
const wei = z.pipe(
  text(/^[0-9]{1,30}$/, 'has to be a number of wei'),
  z.transform((value) => BigInt(value)),
)
const count = (least: number, most: number) =>
  z.coerce
    .number('has to be a number')
    .check(
      z.int('has to be a whole number'),
      z.minimum(least, `has to be ${least} or more`),
      z.maximum(most, `has to be ${most} or less`),
    )
const orNone = <Schema extends z.ZodMiniType>(schema: Schema, words: string) =>
  z.union([z.literal('none'), schema], `has to be none, or ${words}`)
const listOf = <Item extends z.ZodMiniType<unknown, string>>(item: Item) =>
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((value) =>
        value
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== ''),
      ),
    ),
    z.array(item),
  )
const choice = <const Options extends readonly [string, ...string[]]>(...options: Options) =>
  z.enum(options, `has to be ${options.join(' or ')}`)

const nodeUrls = listOf(
  z.url({ protocol: /^https?$/, error: 'has to be http(s) addresses' }),
).check(z.refine((urls) => urls.length > 0, 'has to name a node'))

/** Takes an address of a service on the net, or of a program on this machine. */
export const secureUrl = z.url({ protocol: /^https?$/, error: 'has to be an https address' }).check(
  z.refine((url) => url.startsWith('https:') || isLoopback(url), {
    error: 'has to be https, but for a program on this machine',
  }),
)

const menuVariables = menuParts.flatMap(({ variable }) => variable ?? [])

const environment = z.object({
  ...Object.fromEntries(menuVariables.map(({ name, schema }) => [name, z.optional(schema)])),
  ENVIRONMENT: z._default(choice('production', 'development'), 'production'),
  CHAIN_ID: z._default(choice('30', '31'), '31'),
  POOL_RULES: z._default(choice('rootstock', 'anvil'), 'rootstock'),
  NODE_URL: nodeUrls,
  NODE_URL_30: z.optional(nodeUrls),
  NODE_URL_31: z.optional(nodeUrls),
  LOAN_ADDRESS: address,
  FORWARDER_ADDRESS: address,
  RELAYER_MNEMONIC: text(/^([a-z]+ ){11,23}[a-z]+$/, 'has to be 12 to 24 words'),
  ACCOUNT_ID_SECRET: secret,
  ACCOUNT_KEY_SECRET: secret,
  CALLBACK_SECRET: z.optional(
    text(/^[A-Za-z0-9_-]{16,}$/, 'has to be 16 or more of A-Z a-z 0-9 _ -'),
  ),
  GATEWAY_COUNTRY: z.optional(
    z.custom<Country>(
      (value) => typeof value === 'string' && isSupportedCountry(value),
      'has to be a country by its two letters, such as KE',
    ),
  ),
  OPERATOR_TOKEN: z.optional(token),
  ALERT_WEBHOOK_URL: z.optional(secureUrl),
  ALERT_WEBHOOK_SECRET: z.optional(token),
  SMS_API_KEY: z.optional(text(/^[\x21-\x7e]{16,}$/, 'has to be a key of 16 characters or more')),
  SMS_USERNAME: z.optional(text(/^[A-Za-z0-9_.-]{1,64}$/, 'has to be a name of the provider')),
  SMS_SENDER: z.optional(
    text(
      /^(?=.*[A-Za-z])[A-Za-z0-9 _-]{1,11}$|^\+?[0-9]{3,15}$/,
      'has to be a sender id of 1 to 11 letters and digits, or a short code',
    ),
  ),
  SMS_URL: z.optional(secureUrl),
  RPC_KEY_HASHES: z._default(
    listOf(text(/^[0-9a-fA-F]{64}$/, 'has to be SHA-256 hashes in hex')),
    [],
  ),
  PREFLIGHT: z._default(choice('on', 'off'), 'on'),
  CONFIRMATIONS: z.optional(
    z.coerce
      .number('has to be a number of blocks')
      .check(
        z.int(),
        z.minimum(1, 'has to be 1 or more'),
        z.maximum(1000, 'has to be 1000 or less'),
      ),
  ),
  BLOCK_SECONDS: z.optional(
    z.coerce
      .number('has to be a number of seconds')
      .check(z.minimum(0.1, 'has to be 0.1 or more'), z.maximum(60, 'has to be 60 or less')),
  ),
  MIN_GAS_PRICE_WEI: z._default(wei, 0n),
  MAX_GAS_PRICE_WEI: z.optional(wei),
  UPSTREAM_CALLS_A_DAY: z.optional(orNone(count(1, 1e9), 'a number of calls')),
  UPSTREAM_RESERVE: z.optional(count(0, 1e9)),
  PROFILE: z.optional(choice('demo', 'lender')),
  MAX_OPEN_PAYMENTS: z.optional(count(1, maxOpen)),
  MAX_DIALS_A_MINUTE: z.optional(count(1, 1_000_000)),
  MAX_TRANSFERS_A_DAY: z.optional(orNone(count(1, 1_000), 'a number from 1 to 1000')),
  MAX_SENT_A_DAY_WEI: z.optional(orNone(wei, 'a number of wei')),
  MIN_TRANSFER_WEI: z.optional(wei),
  CONFIRM: z.optional(choice('on', 'off')),
  PIN: z.optional(choice('off', 'on', 'strict')),
  PIN_SECRET: z.optional(secret),
  LOCAL_CURRENCY: z.optional(
    text(/^[A-Z]{3}$/, 'has to be a currency by its three letters, such as KES'),
  ),
  RATE_FEED_URL: z.optional(secureUrl),
  LANGUAGES: z.optional(
    listOf(choice(...languages)).check(
      z.refine(
        (named) => named.length > 0 && new Set(named).size === named.length,
        'has to name languages, each once',
      ),
    ),
  ),
  OBJECT_LOCATION: z.optional(choice(...objectLocations)),
})

export const settings: readonly string[] = Object.keys(environment.shape)

/** Reads the environment. @throws {ConfigError} naming every bad variable and why */
export function parseConfig(env: Readonly<Record<string, unknown>>) {
  const parsed = environment.safeParse(withoutEmpty(env))
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map((issue) => {
        const variable = String(issue.path[0])
        const isMissing = env[variable] === undefined || env[variable] === ''
        return { variable, reason: isMissing ? 'is missing' : issue.message }
      }),
    )
  }
  const values = parsed.data
  const chain = chains[values.CHAIN_ID === '30' ? 30 : 31]
  const networks = new Map<Chain['id'], readonly string[]>([[chain.id, values.NODE_URL]])
  if (values.NODE_URL_30 !== undefined) networks.set(30, values.NODE_URL_30)
  if (values.NODE_URL_31 !== undefined) networks.set(31, values.NODE_URL_31)
  const urls = networks.get(chain.id) ?? values.NODE_URL
  const faults = contradictionsOf(values, chain, urls)
  if (faults.length > 0) throw new ConfigError(faults)
  const usual = poolRules[values.POOL_RULES]
  const profile = profileOf(values, chain)
  // For a local chain with Rootstock's pool and blocks faster than Rootstock's.
  const rules =
    values.BLOCK_SECONDS === undefined ? usual : atPace(usual, values.BLOCK_SECONDS * 1_000)
  return {
    isDevelopment: values.ENVIRONMENT === 'development',
    chain,
    rules: { ...rules, confirmations: values.CONFIRMATIONS ?? rules.confirmations },
    fees: {
      minWei: values.MIN_GAS_PRICE_WEI,
      maxWei: values.MAX_GAS_PRICE_WEI ?? usualMaxGasPriceWei[values.POOL_RULES],
    },
    /** Names the nodes of every network that is served, the preferred ones first. */
    networks,
    loan: values.LOAN_ADDRESS.toLowerCase() as Address,
    forwarder: values.FORWARDER_ADDRESS.toLowerCase() as Address,
    relayerMnemonic: values.RELAYER_MNEMONIC,
    accountIdSecret: values.ACCOUNT_ID_SECRET,
    accountKeySecret: values.ACCOUNT_KEY_SECRET,
    pinSecret: pinOf(values, profile) === 'off' ? undefined : values.PIN_SECRET,
    /** Is undefined where `/ussd` is closed outside development. */
    callbackSecret: values.CALLBACK_SECRET,
    /** Says whose national numbers the gateway may send. */
    gatewayCountry: values.GATEWAY_COUNTRY,
    operatorToken: values.OPERATOR_TOKEN,
    webhook: webhookOf(values),
    sms: smsOf(values),
    rpcKeyHashes: values.RPC_KEY_HASHES,
    preflight: values.PREFLIGHT === 'on',
    upstreamBudget: budgetOf(values, urls),
    /** What keeps money and callers safe, and what has switched off the rest. */
    guards: guardsOf(values, { profile, chainId: chain.id, isLocal: urls.every(isLoopback) }),
    /** Where the objects are made, in Cloudflare's words. Undefined: near the first request. */
    objectLocation: values.OBJECT_LOCATION,
    limits: limitsOf(values, profiles[profile]),
    /** Where prices come from. Undefined: amounts are in the chain's currency alone. */
    rateFeed: rateFeedOf(values),
    menu: {
      profile,
      confirms: confirmOf(values, profile) === 'on',
      pin: pinOf(values, profile),
      own: ownOf(values),
      languages: values.LANGUAGES ?? profiles[profile].LANGUAGES,
    },
  }
}

/** A node on this machine is asked without a limit; the hosted service gives so many calls a day. */
const hostedCallsADay = 25_000

function budgetOf(
  { UPSTREAM_CALLS_A_DAY: set, UPSTREAM_RESERVE: reserve }: Values,
  urls: readonly string[],
): BudgetLimits | undefined {
  const callsADay = set ?? (urls.every(isLoopback) ? 'none' : hostedCallsADay)
  if (callsADay === 'none') return undefined
  return { callsADay, relayReserve: reserve ?? Math.floor(callsADay / 2) }
}

function webhookOf({
  ALERT_WEBHOOK_URL: url,
  ALERT_WEBHOOK_SECRET: secret,
}: Values): Webhook | undefined {
  return url === undefined || secret === undefined ? undefined : { url, secret }
}

function smsOf(values: Values): AfricasTalkingAccount | undefined {
  const { SMS_API_KEY: apiKey, SMS_USERNAME: username, SMS_SENDER: sender, SMS_URL: url } = values
  return apiKey === undefined || username === undefined
    ? undefined
    : { apiKey, username, sender, url }
}

function rateFeedOf({
  RATE_FEED_URL: url,
  LOCAL_CURRENCY: currency,
}: Values): RateFeed | undefined {
  return url === undefined || currency === undefined ? undefined : { url, currency }
}

/** What entries of the menu have variables of their own for. */
function ownOf(values: Readonly<Record<string, unknown>>): MenuSettings['own'] {
  const set = menuVariables.map(({ name }) => [name, values[name]] as const)
  return Object.fromEntries(set.flatMap(([name, value]) => (value ? [[name, `${value}`]] : [])))
}

/** What the environment sets, and what its profile has for the rest. */
function limitsOf(values: Values, defaults: ProfileDefaults): Limits {
  const orDefault = <Value>(value: Value | 'none' | undefined, usual: Value | undefined) =>
    value === 'none' ? undefined : (value ?? usual)
  return {
    openPayments: values.MAX_OPEN_PAYMENTS ?? defaults.MAX_OPEN_PAYMENTS,
    dialsAMinute: values.MAX_DIALS_A_MINUTE ?? defaults.MAX_DIALS_A_MINUTE,
    transfersADay: orDefault(values.MAX_TRANSFERS_A_DAY, defaults.MAX_TRANSFERS_A_DAY),
    sentADayWei: orDefault(values.MAX_SENT_A_DAY_WEI, defaults.MAX_SENT_A_DAY_WEI),
    leastTransferWei: values.MIN_TRANSFER_WEI ?? defaults.MIN_TRANSFER_WEI,
  }
}

type Values = z.output<typeof environment>
type Fault = ConfigError['faults'][number]
type Check = ReturnType<typeof halfSetGuards>[number]

const profileOf = (values: Values, chain: Chain) => values.PROFILE ?? usualProfile[chain.id]

/** What is wrong with values that are each well formed. */
function contradictionsOf(values: Values, chain: Chain, urls: readonly string[]): Fault[] {
  const isLocal = urls.every(isLoopback)
  const maxWei = values.MAX_GAS_PRICE_WEI ?? usualMaxGasPriceWei[values.POOL_RULES]
  const checks: Check[] = [
    [
      'RELAYER_MNEMONIC',
      values.RELAYER_MNEMONIC === wellKnownMnemonic && !isLocal,
      "is anvil's own, which everybody knows; it is taken on loopback only",
    ],
    [
      'RELAYER_MNEMONIC',
      values.RELAYER_MNEMONIC.split(' ').some((word) => !english.includes(word)),
      'has a word that is not in the list of BIP-39',
    ],
    ['POOL_RULES', values.POOL_RULES === 'anvil' && !isLocal, 'is anvil on loopback only'],
    [
      'LOAN_ADDRESS',
      parseAddress(values.LOAN_ADDRESS, chain.id) === undefined,
      'has a wrong checksum for this chain',
    ],
    [
      'FORWARDER_ADDRESS',
      parseAddress(values.FORWARDER_ADDRESS, chain.id) === undefined,
      'has a wrong checksum for this chain',
    ],
    [
      'FORWARDER_ADDRESS',
      values.FORWARDER_ADDRESS.toLowerCase() === values.LOAN_ADDRESS.toLowerCase(),
      'has to differ from LOAN_ADDRESS',
    ],
    [
      'ACCOUNT_ID_SECRET',
      values.ACCOUNT_ID_SECRET === values.ACCOUNT_KEY_SECRET,
      'has to differ from ACCOUNT_KEY_SECRET',
    ],
    ...halfSetGuards(values, { profile: profileOf(values, chain), chainId: chain.id, isLocal }),
    ['MIN_GAS_PRICE_WEI', values.MIN_GAS_PRICE_WEI > maxWei, 'is above the highest price'],
    ['UPSTREAM_RESERVE', isReserveTooLarge(values, urls), 'is above the calls of a day'],
    [
      'RATE_FEED_URL',
      values.RATE_FEED_URL !== undefined && chain.id !== 30,
      'is for the main network: what is on the test network is worth nothing',
    ],
    [
      'LOCAL_CURRENCY',
      (values.RATE_FEED_URL === undefined) !== (values.LOCAL_CURRENCY === undefined),
      'goes with RATE_FEED_URL',
    ],
    [
      'LANGUAGES',
      values.LANGUAGES !== undefined && profileOf(values, chain) === 'demo',
      'is for PROFILE=lender: the demonstration has its own words',
    ],
  ]
  return checks
    .filter(([, isWrong]) => isWrong)
    .map(([variable, , reason]) => ({ variable, reason }))
}

function isReserveTooLarge(values: Values, urls: readonly string[]): boolean {
  const budget = budgetOf(values, urls)
  return budget !== undefined && budget.relayReserve > budget.callsADay
}

/** A variable that is set to nothing is not set. */
function withoutEmpty(env: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
}

/** Whether an address leads to this very machine. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.[0-9]+){3}$/.test(hostname)
}
