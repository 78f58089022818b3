import type { Address } from 'viem'
import { type Chain, getNetwork, type MiningRules, poolRules, scaleRules } from '../chain/chains.ts'
import { maxOpenPayments } from '../relay/ledger/port.ts'
import { parseNetwork } from '../runtime/peer.ts'
import { findContradictions } from './contradictions.ts'
import { ConfigError, isLoopback, readEnvironment } from './environment.ts'
import { listGuards } from './guards.ts'
import { completeSettings, type Settings } from './settings.ts'

export type Config = ReturnType<typeof parseConfig>

/** Reads the environment. @throws {ConfigError} naming every bad variable and why */
export function parseConfig(env: Readonly<Record<string, unknown>>) {
  const settings = completeSettings(readEnvironment(env))
  const faults = findContradictions(settings)
  if (faults.length > 0) throw new ConfigError(faults)
  const { chain, urls, profile, PIN: pin, BLOCK_SECONDS: blockSeconds } = settings
  const networks = new Map<Chain['id'], readonly string[]>([[chain.id, urls]])
  if (settings.NODE_URL_30 !== undefined) networks.set(30, settings.NODE_URL_30)
  if (settings.NODE_URL_31 !== undefined) networks.set(31, settings.NODE_URL_31)
  const unscaledRules = poolRules[settings.POOL_RULES]
  // A local chain may have Rootstock's pool rules, and faster blocks than Rootstock.
  const rules =
    blockSeconds === undefined ? unscaledRules : scaleRules(unscaledRules, blockSeconds * 1_000)
  // A private chain may make blocks only for payments; one that waits too long raises `stuck`.
  const isUnmined = settings.isLocal && settings.values.MIN_DIFFICULTY === 'none'
  const isPrivate = isUnmined || readMining(settings, networks, chain.id)?.from === 1
  return {
    isDevelopment: settings.ENVIRONMENT === 'development',
    chain,
    rules: {
      ...rules,
      confirmations: settings.CONFIRMATIONS ?? rules.confirmations,
      ...(isPrivate && { haltedAfterMs: undefined }),
    },
    fees: { minWei: settings.MIN_GAS_PRICE_WEI, maxWei: settings.maxGasPriceWei },
    /** Maps each served network to its node URLs, the preferred first. */
    networks,
    /** Maps each network to its nodes' WebSocket addresses. */
    webSockets: new Map([...networks].map(([id, urls]) => [id, getSocketUrls(settings, id, urls)])),
    loan: settings.LOAN_ADDRESS.toLowerCase() as Address,
    forwarder: settings.FORWARDER_ADDRESS.toLowerCase() as Address,
    relayerMnemonic: settings.RELAYER_MNEMONIC,
    accountIdSecret: settings.ACCOUNT_ID_SECRET,
    accountKeySecret: settings.ACCOUNT_KEY_SECRET,
    pinSecret: pin === 'off' ? undefined : settings.PIN_SECRET,
    callbackSecret: settings.CALLBACK_SECRET,
    gateway: settings.GATEWAY,
    gatewayCountry: settings.GATEWAY_COUNTRY,
    gatewayAddresses: settings.GATEWAY_ADDRESSES?.flatMap((text) => parseNetwork(text) ?? []),
    operatorToken: settings.OPERATOR_TOKEN,
    webhook: readWebhook(settings),
    sms: readSms(settings),
    callsASecond: settings.callsASecond,
    rpcKeyHashes: settings.RPC_KEY_HASHES,
    preflight: settings.PREFLIGHT === 'on',
    upstreamBudget: readBudget(settings),
    readMining: (chainId: number) => readMining(settings, networks, chainId),
    mustCompareState: settings.COMPARE_STATE === 'on',
    proofs: settings.requiresProofs ? readMining(settings, networks, chain.id) : undefined,
    guards: listGuards(settings),
    objectLocation: settings.OBJECT_LOCATION,
    limits: readLimits(settings),
    rateFeed: readRateFeed(settings),
    menu: {
      profile,
      confirms: settings.CONFIRM === 'on',
      pin,
      helpNumber: settings.HELP_NUMBER,
      languages: settings.LANGUAGES,
      localCurrency: settings.LOCAL_CURRENCY,
      agents: settings.AGENTS === 'on',
      sessionSeconds: settings.SESSION_SECONDS,
      redeliverySeconds: settings.REDELIVERY_SECONDS,
    },
  }
}

/** Returns a network's WebSocket addresses; by default those of its nodes. */
function getSocketUrls(settings: Settings, id: Chain['id'], urls: readonly string[]) {
  const urlsOfNetwork = { 30: settings.NODE_WS_URL_30, 31: settings.NODE_WS_URL_31 }[id]
  const urlsOfRelay = id === settings.chain.id ? settings.NODE_WS_URL : undefined
  return urlsOfNetwork ?? urlsOfRelay ?? urls.map((url) => url.replace(/^http/, 'ws'))
}

const readBudget = ({ callsADay, UPSTREAM_RESERVE: reserve }: Settings) =>
  callsADay === undefined
    ? undefined
    : { callsADay, relayReserve: reserve ?? Math.floor(callsADay / 2) }

/** Returns how a network's blocks are mined; undefined for a chain that is not mined. */
function readMining(
  { MIN_DIFFICULTY: minDifficulty, chain }: Settings,
  networks: ReadonlyMap<number, readonly string[]>,
  chainId: number,
): MiningRules | undefined {
  const { mining } = getNetwork(chainId)
  const isLocal = networks.get(chainId)?.every(isLoopback)
  // A node on this machine may serve a local chain, which is not mined.
  if (chainId !== chain.id || minDifficulty === undefined) return isLocal ? undefined : mining
  if (minDifficulty === 'none') return undefined
  // A private chain has today's block format from its first block.
  const isPrivate = isLocal && minDifficulty < mining.minDifficulty
  return { minDifficulty, from: isPrivate ? 1 : mining.from }
}

const readWebhook = ({ ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret }: Settings) =>
  url && secret ? { url, secret } : undefined

const readSms = ({ SMS_API_KEY: apiKey, SMS_USERNAME: username, ...settings }: Settings) =>
  apiKey && username
    ? { apiKey, username, sender: settings.SMS_SENDER, url: settings.SMS_URL }
    : undefined

const readRateFeed = ({ RATE_FEED_URL: url, LOCAL_CURRENCY: currency, ...settings }: Settings) =>
  url && currency
    ? {
        url,
        currency,
        secondUrl: settings.RATE_SECOND_FEED_URL,
        maxChangePercent: settings.RATE_MAX_CHANGE,
      }
    : undefined

/** Returns a limit; undefined for `none`. */
const toOptionalLimit = <Limit>(limit: Limit | 'none') => (limit === 'none' ? undefined : limit)

const readLimits = (settings: Settings) => ({
  openPayments: settings.MAX_OPEN_PAYMENTS,
  dialsAMinute: settings.MAX_DIALS_A_MINUTE,
  transfersADay: toOptionalLimit(settings.MAX_TRANSFERS_A_DAY),
  sentADayWei: toOptionalLimit(settings.MAX_SENT_A_DAY_WEI),
  minTransferWei: settings.MIN_TRANSFER_WEI,
  agents: settings.AGENTS === 'on' ? readAgentLimits(settings) : undefined,
})

/** Reads an agent's limits; by default an agent sends in a day what ten callers may. */
function readAgentLimits({ MAX_AGENT_SENT_A_DAY_WEI: limitWei, ...settings }: Settings) {
  const callerLimitWei = toOptionalLimit(settings.MAX_SENT_A_DAY_WEI)
  return {
    openPayments: settings.MAX_AGENT_OPEN_PAYMENTS ?? maxOpenPayments,
    transfersADay: toOptionalLimit(settings.MAX_AGENT_TRANSFERS_A_DAY ?? 'none'),
    sentADayWei:
      limitWei === undefined ? callerLimitWei && 10n * callerLimitWei : toOptionalLimit(limitWei),
  }
}
