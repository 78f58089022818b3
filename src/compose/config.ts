import type { Address } from 'viem'
import { type Chain, getNetwork, type MiningRules, poolRules, scaleRules } from '../chain/chains.ts'
import { createCoinUnit, createTokenUnit, type Unit } from '../loan/amounts.ts'
import { listOperators } from '../operator/access.ts'
import { parseNetwork } from '../runtime/peer.ts'
import { findContradictions } from './contradictions.ts'
import {
  ConfigError,
  type Env,
  type Fault,
  isLoopback,
  readSettings,
  type Settings,
} from './environment.ts'

export type Config = ReturnType<typeof parseConfig>

/** Reads the environment. @throws {ConfigError} naming every bad variable, and other faults */
export function parseConfig(env: Env, otherFaults: readonly Fault[] = []) {
  const settings = readSettings(env, otherFaults)
  const faults = [...findContradictions(settings), ...otherFaults]
  if (faults.length > 0) throw new ConfigError(faults)
  const { chain, urls, UPSTREAM_CALLS_A_DAY: callsADay } = settings
  const networks = new Map<Chain['id'], readonly string[]>([[chain.id, urls]])
  if (settings.NODE_URL_30 !== undefined) networks.set(30, settings.NODE_URL_30)
  if (settings.NODE_URL_31 !== undefined) networks.set(31, settings.NODE_URL_31)
  const mining = readMining(settings, networks, chain.id)
  const sms = takeWhole({ apiKey: settings.SMS_API_KEY, username: settings.SMS_USERNAME })
  const feed = takeWhole({ url: settings.RATE_FEED_URL, currency: settings.LOCAL_CURRENCY })
  return {
    isDevelopment: settings.ENVIRONMENT === 'development',
    chain,
    rules: readRules(settings, mining),
    fees: { maxWei: settings.MAX_GAS_PRICE_WEI },
    /** Maps each served network to its node URLs, the preferred first. */
    networks,
    webSockets: new Map([...networks].map(([id, urls]) => [id, getSocketUrls(settings, id, urls)])),
    unit: readUnit(settings),
    loan: settings.LOAN_ADDRESS.toLowerCase() as Address,
    forwarder: settings.FORWARDER_ADDRESS.toLowerCase() as Address,
    relayerMnemonic: settings.RELAYER_MNEMONIC,
    accountIdSecret: settings.ACCOUNT_ID_SECRET,
    accountKeySecret: settings.ACCOUNT_KEY_SECRET,
    pinSecret: settings.PIN === 'off' ? undefined : settings.PIN_SECRET,
    callbackSecret: settings.CALLBACK_SECRET,
    gateway: settings.GATEWAY,
    gatewayCountry: settings.GATEWAY_COUNTRY,
    gatewayAddresses: settings.GATEWAY_ADDRESSES?.flatMap((text) => parseNetwork(text) ?? []),
    operatorToken: settings.OPERATOR_TOKEN,
    operators: listOperators(settings.OPERATORS ?? [], settings.OPERATOR_TOKEN),
    /** Names where events of accounts are posted; undefined for nowhere. */
    events: takeWhole({ url: settings.EVENTS_URL, secret: settings.EVENTS_SECRET }),
    webhook: takeWhole({ url: settings.ALERT_WEBHOOK_URL, secret: settings.ALERT_WEBHOOK_SECRET }),
    sms: sms && { ...sms, sender: settings.SMS_SENDER, url: settings.SMS_URL },
    callsASecond: settings.RPC_CALLS_A_SECOND,
    rpcKeyHashes: settings.RPC_KEY_HASHES ?? [],
    preflight: settings.PREFLIGHT,
    upstreamBudget: callsADay ? { callsADay, relayReserve: Math.floor(callsADay / 2) } : undefined,
    readMining: (chainId: number) => readMining(settings, networks, chainId),
    mustCompareState: settings.COMPARE_STATE,
    /** Holds how outcomes are proved before they are final; undefined if they are not proved. */
    proofs: settings.PROOFS === false ? undefined : mining,
    guards: listGuards(settings),
    objectLocation: settings.OBJECT_LOCATION,
    limits: readLimits(settings),
    finalAtOnce: settings.FINAL_AT_ONCE,
    rateFeed: feed && {
      ...feed,
      secondUrl: settings.RATE_SECOND_FEED_URL,
      maxChangePercent: settings.RATE_MAX_CHANGE,
    },
    menu: readMenu(settings),
  }
}

/** Returns what is set as a whole; undefined if a part of it is not set. */
const takeWhole = <Parts extends object>(parts: Parts) =>
  Object.values(parts).includes(undefined)
    ? undefined
    : (parts as { [Name in keyof Parts]: NonNullable<Parts[Name]> })

const readMenu = (settings: Settings) => ({
  profile: settings.PROFILE,
  confirms: settings.CONFIRM,
  pin: settings.PIN,
  helpNumber: settings.HELP_NUMBER,
  serviceName: settings.SERVICE_NAME,
  timeZone: settings.TIME_ZONE,
  shortCode: settings.SHORT_CODE,
  languages: settings.LANGUAGES ?? [],
  localCurrency: settings.LOCAL_CURRENCY,
  isOverToken: settings.UNIT !== undefined,
  agents: settings.AGENTS,
  choosesLoan: settings.LOAN_CHOICE,
  recipientNames: settings.RECIPIENT_NAMES,
  recalls: {
    withinMs: settings.RECALL_MINUTES * 60_000,
    everyMs: settings.RECALL_DAYS * 86_400_000,
  },
  finalUpToWei: settings.FINAL_AFTER,
  sessionSeconds: settings.SESSION_SECONDS,
  redeliverySeconds: settings.REDELIVERY_SECONDS,
})

/** Reads what the loan contract counts: the chain's currency, or the token of `UNIT`. */
function readUnit({ UNIT, chain }: Settings): Unit {
  if (UNIT === undefined) return createCoinUnit(chain.currency)
  const [symbol = '', decimals, address = ''] = UNIT.split(':')
  return createTokenUnit(symbol, { address: address.toLowerCase(), decimals: Number(decimals) })
}

/** Reads the rules of the pool. A local chain may have Rootstock's, and faster blocks. */
function readRules(settings: Settings, mining: MiningRules | undefined) {
  const { CONFIRMATIONS, BLOCK_SECONDS: blockSeconds, given, isLocal } = settings
  const usual = poolRules[settings.POOL_RULES]
  const rules = blockSeconds === undefined ? usual : scaleRules(usual, blockSeconds * 1_000)
  // A private chain may make blocks only for payments; one that waits too long raises `stuck`.
  const isPrivate = mining?.from === 1 || (isLocal && given.MIN_DIFFICULTY === 'none')
  return {
    ...rules,
    confirmations: CONFIRMATIONS ?? rules.confirmations,
    ...(isPrivate && { haltedAfterMs: undefined }),
  }
}

function getSocketUrls(settings: Settings, id: Chain['id'], urls: readonly string[]) {
  const urlsOfRelay = id === settings.chain.id ? settings.NODE_WS_URL : undefined
  return urlsOfRelay ?? urls.map((url) => url.replace(/^http/, 'ws'))
}

/** Returns how a network's blocks are mined; undefined for a chain that is not mined. */
function readMining(
  { MIN_DIFFICULTY: minDifficulty, chain, isLocal }: Settings,
  networks: ReadonlyMap<number, readonly string[]>,
  chainId: number,
): MiningRules | undefined {
  const { mining } = getNetwork(chainId)
  // A node on this machine may serve a local chain, which is not mined.
  if (chainId !== chain.id) return networks.get(chainId)?.every(isLoopback) ? undefined : mining
  if (minDifficulty === undefined) return undefined
  // A private chain has today's block format from its first block.
  const isPrivate = isLocal && minDifficulty < mining.minDifficulty
  return { minDifficulty, from: isPrivate ? 1 : mining.from }
}

/** Reads the limits of callers and agents; by default an agent sends what ten callers may. */
function readLimits(settings: Settings) {
  const { MAX_SENT_A_DAY_WEI: sentADayWei, MAX_AGENT_SENT_A_DAY_WEI, given } = settings
  const agents = {
    openPayments: settings.MAX_AGENT_OPEN_PAYMENTS,
    transfersADay: settings.MAX_AGENT_TRANSFERS_A_DAY,
    sentADayWei:
      'MAX_AGENT_SENT_A_DAY_WEI' in given
        ? MAX_AGENT_SENT_A_DAY_WEI
        : sentADayWei && 10n * sentADayWei,
  }
  return {
    openPayments: settings.MAX_OPEN_PAYMENTS,
    dialsAMinute: settings.MAX_DIALS_A_MINUTE,
    transfersADay: settings.MAX_TRANSFERS_A_DAY,
    sentADayWei,
    minTransferWei: settings.MIN_TRANSFER_WEI,
    agents: settings.AGENTS ? agents : undefined,
  }
}

/** Lists the guards of money and callers; `by` names the setting that decides. */
function listGuards({ given, isUssdOpenToAll, ...settings }: Settings) {
  const { UPSTREAM_CALLS_A_DAY: calls, MAX_TRANSFERS_A_DAY: transfers } = settings
  const tell = (name: keyof typeof settings, otherwise = `PROFILE=${settings.PROFILE}`) =>
    name in given ? `${name}=${given[name]}` : otherwise
  /** Tells of a guard that is on if its variable is set, which may be a secret. */
  const tellSet = (name: keyof typeof settings) =>
    [name in given, name in given ? name : `no ${name}`] as const
  const isProved = settings.isMined && settings.PROOFS !== false
  const proofSetting = 'PROOFS' in given ? 'PROOFS' : 'MIN_DIFFICULTY'
  const guards = [
    ['pin', settings.PIN !== 'off', tell('PIN')],
    ['confirmation', settings.CONFIRM, tell('CONFIRM')],
    ['transfers_a_day', transfers !== undefined, tell('MAX_TRANSFERS_A_DAY')],
    ['sent_a_day', settings.MAX_SENT_A_DAY_WEI !== undefined, tell('MAX_SENT_A_DAY_WEI')],
    ['preflight', settings.PREFLIGHT, tell('PREFLIGHT', 'PREFLIGHT=on')],
    ['callback', !isUssdOpenToAll, isUssdOpenToAll ? 'ENVIRONMENT=development' : 'CALLBACK_SECRET'],
    ['addresses', ...tellSet('GATEWAY_ADDRESSES')],
    ['upstream_budget', calls !== undefined, tell('UPSTREAM_CALLS_A_DAY', 'NODE_URL')],
    ['proofs', isProved, tell(proofSetting, 'NODE_URL')],
    ['alerts', ...tellSet('ALERT_WEBHOOK_URL')],
    ['messages', ...tellSet('SMS_API_KEY')],
  ] as const
  return guards.map(([name, isOn, by]) => ({ name, isOn, by }))
}
