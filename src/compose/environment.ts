import { type Hex, maxUint256 } from 'viem'
import * as z from 'zod/mini'
import { languages } from '../account/language.ts'
import { type Country, isCountry } from '../account/phone.ts'
import { chains, usualMaxGasPriceWei } from '../chain/chains.ts'
import { parseOperator } from '../operator/access.ts'
import { maxOpenPayments } from '../relay/ledger/sessions.ts'
import { parseJson } from '../runtime/json.ts'
import { tryTo } from '../runtime/log.ts'
import { parseNetwork } from '../runtime/peer.ts'
import { gatewayDeclaration } from '../ussd/gateways/declaration.ts'
import { countSeptets, toGsmAlphabet } from '../ussd/screens/septets.ts'
import '../runtime/english.ts'

export type Fault = { variable: string; reason: string }

/** Names the bad variables of an environment, never their values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ variable, reason }) => `${variable} ${reason}`).join('; '))
    this.faults = faults
  }
}

/** Lists Cloudflare's regions for Durable Objects. An object stays where it was created. */
const objectLocations = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const

const text = (pattern: RegExp, error: string) => z.string().check(z.regex(pattern, error))
const address = text(/^0x[0-9a-fA-F]{40}$/, 'has to be an address: 0x and 40 hex digits')
const token = z.string().check(z.minLength(16, 'has to have 16 characters or more'))
const textThat = <Kind extends string>(isFit: (text: string) => boolean, error: string) =>
  z.custom<Kind>((value) => typeof value === 'string' && isFit(value), error)
const isSecret = (text: string) => /^0x[0-9a-fA-F]{64}$/.test(text)
const secret = textThat<Hex>(isSecret, 'has to be 32 bytes: 0x and 64 hex digits')
const country = textThat<Country>(isCountry, 'has to be a country by its two letters, such as KE')
const amountOf = (unit: string) =>
  z.pipe(
    text(/^[0-9]{1,30}$/, `has to be a number of ${unit}`),
    z.transform((value) => BigInt(value)),
  )
const wei = amountOf('wei')
const number = (min: number, max: number) =>
  z.coerce
    .number('has to be a number')
    .check(z.minimum(min, `has to be ${min} or more`))
    .check(z.maximum(max, `has to be ${max} or less`))
const count = (min: number, max: number) =>
  number(min, max).check(z.int('has to be a whole number'))
const orNone = <Value>(schema: z.ZodMiniType<Value, unknown>, description: string) =>
  z.pipe(
    z.union([z.literal('none'), schema], `has to be none, or ${description}`),
    z.transform((value) => (value === 'none' ? undefined : value)),
  )
const maxNameSeptets = 20
/** Tells whether a name is a time zone's. One without a place, but UTC, knows no summer time. */
const isTimeZone = (name: string): boolean =>
  (name.includes('/') || name === 'UTC') &&
  tryTo(() => new Intl.DateTimeFormat('en', { timeZone: name })) !== undefined

const serviceNameError = `has to be a name of 1 to ${maxNameSeptets} characters that every phone shows`
/** Tells whether every phone shows a name as it is, on one line. */
const isServiceName = (name: string) =>
  /^\S(.*\S)?$/.test(name) && toGsmAlphabet(name) === name && countSeptets(name) <= maxNameSeptets

const networksError = 'has to be addresses, or networks such as 192.0.2.0/24 or 2001:db8::/32'
const operatorsError = 'has to be NAME:ROLE:HASH of each, as `ops -- operators add` writes it'
const isOperator = (text: string) => parseOperator(text) !== undefined
const splitList = (value: string) =>
  value.split(',').flatMap((part) => (part.trim() === '' ? [] : part.trim()))
const list = <Item extends z.ZodMiniType<unknown, unknown>>(item: Item) =>
  z.pipe(
    z.pipe(z.string(), z.transform(splitList)),
    z.array(item as z.ZodMiniType<z.output<Item>, string>),
  )
const isNetwork = (text: string) => parseNetwork(text) !== undefined
const networks = list(textThat(isNetwork, networksError)).check(z.minLength(1, networksError))
const oneOf = <const Options extends readonly [string, ...string[]]>(...options: Options) =>
  z.enum(options, `has to be ${options.join(' or ')}`)
/** Reads up to which amount a payment at an agent is final after one block, in wei. */
const finalAfter = z.pipe(
  z.union(
    [z.enum(['block', 'confirmations']), wei],
    'has to be block, confirmations, or a number of wei',
  ),
  z.transform((after) => (typeof after === 'bigint' ? after : after === 'block' ? maxUint256 : 0n)),
)
/** Reads how much may be final at once: each payment, and all that the operator backs, in wei. */
const finalAtOnce = z.pipe(
  z.union(
    [z.literal('off'), z.string().check(z.regex(/^[0-9]{1,30}:[0-9]{1,30}$/))],
    'has to be off, or two numbers of wei: each payment:all of them, such as 10:200',
  ),
  z.transform((text) => {
    const [eachWei = 0n, limitWei = 0n] = text === 'off' ? [] : text.split(':').map(BigInt)
    return { eachWei, limitWei }
  }),
)
const onOrOff = z.pipe(
  oneOf('on', 'off'),
  z.transform((word) => word === 'on'),
)

const urlList = (protocol: RegExp, error: string) =>
  list(z.url({ protocol, error })).check(z.minLength(1, 'has to name a node'))
const nodeUrls = urlList(/^https?$/, 'has to be http(s) addresses')
const socketUrls = urlList(/^wss?$/, 'has to be ws(s) addresses')

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.[0-9]+){3}$/.test(hostname)
}

/** Accepts a URL that is HTTPS, or HTTP on this machine. */
export const secureUrl = z.url({ protocol: /^https?$/, error: 'has to be an https address' }).check(
  z.refine((url) => url.startsWith('https:') || isLoopback(url), {
    error: 'has to be https, unless it is an address of this machine',
  }),
)

const optional = z.partial(
  z.object({
    NODE_URL_30: nodeUrls,
    NODE_URL_31: nodeUrls,
    NODE_WS_URL: socketUrls,
    CALLBACK_SECRET: text(/^[A-Za-z0-9_-]{16,}$/, 'has to be 16 or more of A-Z a-z 0-9 _ -'),
    GATEWAY: z.pipe(z.pipe(z.string(), z.transform(parseJson)), gatewayDeclaration),
    GATEWAY_COUNTRY: country,
    GATEWAY_ADDRESSES: networks,
    OPERATOR_TOKEN: token,
    OPERATORS: list(textThat(isOperator, operatorsError)),
    ALERT_WEBHOOK_URL: secureUrl,
    ALERT_WEBHOOK_SECRET: token,
    EVENTS_URL: secureUrl,
    EVENTS_SECRET: token,
    SMS_API_KEY: text(/^[\x21-\x7e]{16,}$/, 'has to be a key of 16 characters or more'),
    SMS_USERNAME: text(/^[A-Za-z0-9_.-]{1,64}$/, 'has to be a name of the provider'),
    SMS_SENDER: text(
      /^(?=.*[A-Za-z])[A-Za-z0-9 _-]{1,11}$|^\+?[0-9]{3,15}$/,
      'has to be a sender id of 1 to 11 letters and digits, or a short code',
    ),
    SMS_URL: secureUrl,
    CONFIRMATIONS: count(1, 1_000),
    BLOCK_SECONDS: number(0.1, 60),
    PROOFS: onOrOff,
    MAX_AGENT_TRANSFERS_A_DAY: orNone(count(1, 100_000), 'a number from 1 to 100000'),
    MAX_AGENT_SENT_A_DAY_WEI: orNone(wei, 'a number of wei'),
    PIN_SECRET: secret,
    HELP_NUMBER: text(
      /^[+*#0-9][*#0-9 ]{2,19}$/,
      'has to be a number to call: 3 to 20 digits and spaces',
    ),
    SERVICE_NAME: textThat(isServiceName, serviceNameError),
    TIME_ZONE: textThat(isTimeZone, 'has to be a time zone by its name, such as Africa/Nairobi'),
    SHORT_CODE: text(
      /^(?=.{3,15}$)\*[0-9]+(\*[0-9]+)*#$/,
      'has to be what callers dial, such as *384*1#: 15 characters at most',
    ),
    UNIT: text(
      /^[A-Za-z][A-Za-z0-9]{1,5}:([6-9]|1[0-8]):0x[0-9a-fA-F]{40}$/,
      'has to be SYMBOL:DECIMALS:ADDRESS of a token with 6 to 18 decimals',
    ),
    LOCAL_CURRENCY: text(/^[A-Z]{3}$/, 'has to be a currency by its three letters, such as KES'),
    RATE_FEED_URL: secureUrl,
    RATE_SECOND_FEED_URL: secureUrl,
    LANGUAGES: list(oneOf(...languages)).check(
      z.refine(
        (named) => named.length > 0 && new Set(named).size === named.length,
        'has to name languages, each once',
      ),
    ),
    RPC_KEY_HASHES: list(text(/^[0-9a-fA-F]{64}$/, 'has to be SHA-256 hashes in hex')),
    OBJECT_LOCATION: oneOf(...objectLocations),
  }),
)

/** Reads all variables, after those that are not set got their defaults. */
const environment = z.extend(optional, {
  ENVIRONMENT: z._default(oneOf('production', 'development'), 'production'),
  CHAIN_ID: z._default(oneOf('30', '31'), '31'),
  POOL_RULES: z._default(oneOf('rootstock', 'anvil'), 'rootstock'),
  NODE_URL: nodeUrls,
  LOAN_ADDRESS: address,
  FORWARDER_ADDRESS: address,
  RELAYER_MNEMONIC: text(/^([a-z]+ ){11,23}[a-z]+$/, 'has to be 12 to 24 words'),
  ACCOUNT_ID_SECRET: secret,
  ACCOUNT_KEY_SECRET: secret,
  PREFLIGHT: z._default(onOrOff, true),
  MAX_GAS_PRICE_WEI: wei,
  UPSTREAM_CALLS_A_DAY: orNone(count(1, 1e9), 'a number of calls'),
  RPC_CALLS_A_SECOND: orNone(count(1, 100_000), 'a number of calls'),
  MIN_DIFFICULTY: orNone(amountOf('hashes'), 'a number of hashes'),
  COMPARE_STATE: z._default(onOrOff, false),
  RATE_MAX_CHANGE: z._default(count(1, 1_000), 25),
  PROFILE: oneOf('demo', 'lender'),
  MAX_OPEN_PAYMENTS: count(1, maxOpenPayments),
  MAX_DIALS_A_MINUTE: count(1, 1_000_000),
  MAX_TRANSFERS_A_DAY: orNone(count(1, 1_000), 'a number from 1 to 1000'),
  MAX_SENT_A_DAY_WEI: orNone(wei, 'a number of wei'),
  MIN_TRANSFER_WEI: wei,
  CONFIRM: onOrOff,
  PIN: oneOf('off', 'on', 'strict'),
  // A payment is compared with the equal ones of 10 minutes: no question may hold for longer.
  SESSION_SECONDS: count(30, 600),
  REDELIVERY_SECONDS: count(60, 86_400),
  AGENTS: z._default(onOrOff, false),
  RECIPIENT_NAMES: z._default(onOrOff, false),
  RECALL_MINUTES: z._default(count(0, 1_440), 0),
  // The rows that a recall is judged by are kept for 8 days.
  RECALL_DAYS: z._default(count(1, 7), 7),
  LOAN_CHOICE: z._default(onOrOff, false),
  FINAL_AFTER: z.optional(finalAfter),
  FINAL_AT_ONCE: z._default(finalAtOnce, { eachWei: 0n, limitWei: 0n }),
  MAX_AGENT_OPEN_PAYMENTS: z._default(count(1, maxOpenPayments), maxOpenPayments),
})

export const settings: readonly string[] = Object.keys(environment.shape)

export type Env = Readonly<Record<string, unknown>>

/** Leaves out empty variables, which count as not set. */
const listGiven = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '' && value !== undefined))

export function readVariables<Schema extends z.ZodMiniType>(schema: Schema, env: Env) {
  const given = listGiven(env)
  const parsed = schema.safeParse(given)
  const faults = (parsed.error?.issues ?? []).map(({ path, message }): Fault => {
    const variable = String(path[0])
    return { variable, reason: variable in given ? message : 'is missing' }
  })
  return { values: parsed.data, faults }
}

/** Holds what both profiles set: limits, how long a session lives, and how long a gateway waits. */
const usual = {
  MAX_OPEN_PAYMENTS: '3',
  MAX_DIALS_A_MINUTE: '30',
  SESSION_SECONDS: '180',
  REDELIVERY_SECONDS: '600',
}

/** Holds a lender's defaults with a token: callers send 1,000 a day, and 5 hundredths at least. */
const ofToken = { MAX_SENT_A_DAY_WEI: '1000000000', MIN_TRANSFER_WEI: '50000' }

/** Holds what each profile sets; `demo` is the demonstration byte for byte. */
export const profiles = {
  demo: {
    ...usual,
    MAX_TRANSFERS_A_DAY: 'none',
    MAX_SENT_A_DAY_WEI: 'none',
    MIN_TRANSFER_WEI: '0',
    CONFIRM: 'off',
    PIN: 'off',
  },
  lender: {
    ...usual,
    MAX_TRANSFERS_A_DAY: '20',
    MAX_SENT_A_DAY_WEI: '50000000000000000',
    // Twice what a transfer costs at Rootstock's usual price: a smaller one burns more than it
    // sends.
    MIN_TRANSFER_WEI: '20000000000000',
    CONFIRM: 'on',
    PIN: 'on',
    LANGUAGES: languages.join(),
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
  const lendsToken = given.UNIT !== undefined && PROFILE === 'lender'
  return {
    ...profiles[PROFILE === 'lender' ? 'lender' : 'demo'],
    ...(lendsToken && ofToken),
    ...(lendsToken && given.CONFIRM !== 'off' && { LOAN_CHOICE: 'on' }),
    ...limits,
    PROFILE,
    MAX_GAS_PRICE_WEI: `${usualMaxGasPriceWei[rules]}`,
  }
}

export type Settings = ReturnType<typeof readSettings>

/** Reads all variables and what follows. @throws {ConfigError} naming bad ones, and other faults */
export function readSettings(env: Env, otherFaults: readonly Fault[]) {
  const given = listGiven(env)
  const { values, faults } = readVariables(environment, { ...listDefaults(given), ...given })
  if (values === undefined) throw new ConfigError([...faults, ...otherFaults])
  const chain = chains[values.CHAIN_ID === '30' ? 30 : 31]
  const urls = values[`NODE_URL_${chain.id}`] ?? values.NODE_URL
  const isLocal = urls.every(isLoopback)
  const isMined = values.MIN_DIFFICULTY !== undefined
  // The money of chain 30 is real, wherever its node is.
  const isSure = (isLocal && chain.id !== 30) || (isMined && values.PROOFS !== false)
  return {
    ...values,
    FINAL_AFTER: values.FINAL_AFTER ?? (values.AGENTS && isSure ? maxUint256 : 0n),
    /** Tells whether one block shows for sure what it did: by a proof, or as a local chain. */
    isSure,
    /** Holds the variables that are set, as they were written. */
    given,
    chain,
    urls,
    isLocal,
    /** Tells whether the blocks of the relay's chain are mined, so that work can prove them. */
    isMined,
    isUssdOpenToAll: values.CALLBACK_SECRET === undefined && values.ENVIRONMENT === 'development',
  }
}
