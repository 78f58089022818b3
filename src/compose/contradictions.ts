import { wordlist as bip39Words } from '@scure/bip39/wordlists/english'
import { parseAddress } from '../account/address.ts'
import { sendsLastAnswerOnly } from '../ussd/gateways/declaration.ts'
import { africasTalking, hubtel } from '../ussd/gateways/presets.ts'
import type { Fault } from './environment.ts'
import type { Settings } from './settings.ts'

/** Gives the mnemonic of anvil and Hardhat, whose keys everybody knows. */
const wellKnownMnemonic = 'test test test test test test test test test test test junk'

/** Lists the names that a declared gateway must not have. */
const reservedNames: readonly string[] = [africasTalking.name, hubtel.name, 'operator']

const [mainnetChainId, testnetChainId] = [30, 31]

type Refuse = (variable: string, reason: string) => void

/** Finds settings that contradict each other, or that are incomplete without another setting. */
export function findContradictions(settings: Settings): Fault[] {
  const faults: Fault[] = []
  const refuse: Refuse = (variable, reason) => faults.push({ variable, reason })
  checkKeys(settings, refuse)
  checkPins(settings, refuse)
  checkAgents(settings, refuse)
  checkSmsAndAlerts(settings, refuse)
  checkNetworks(settings, refuse)
  checkOpenAccess(settings, refuse)
  checkGateway(settings, refuse)
  checkScreens(settings, refuse)
  return faults
}

function checkKeys({ chain, isLocal, ...settings }: Settings, refuse: Refuse): void {
  const { RELAYER_MNEMONIC: mnemonic, LOAN_ADDRESS: loan, FORWARDER_ADDRESS: forwarder } = settings
  const hasWrongChecksum = (address: string) => parseAddress(address, chain.id) === undefined
  if (mnemonic === wellKnownMnemonic && !isLocal)
    refuse(
      'RELAYER_MNEMONIC',
      "is anvil's, which everybody knows: use it only with nodes on this machine",
    )
  if (mnemonic.split(' ').some((word) => !bip39Words.includes(word)))
    refuse('RELAYER_MNEMONIC', 'has a word that is not in the word list of BIP-39')
  if (hasWrongChecksum(loan)) refuse('LOAN_ADDRESS', 'has a wrong checksum for this chain')
  if (hasWrongChecksum(forwarder))
    refuse('FORWARDER_ADDRESS', 'has a wrong checksum for this chain')
  if (forwarder.toLowerCase() === loan.toLowerCase())
    refuse('FORWARDER_ADDRESS', 'has to differ from LOAN_ADDRESS')
  if (settings.ACCOUNT_ID_SECRET === settings.ACCOUNT_KEY_SECRET)
    refuse('ACCOUNT_ID_SECRET', 'has to differ from ACCOUNT_KEY_SECRET')
}

/** Checks that PINs are used only with confirmation, a secret and PROFILE=lender. */
function checkPins(settings: Settings, refuse: Refuse): void {
  const { profile, PIN, PIN_SECRET: secret } = settings
  if (secret === settings.ACCOUNT_ID_SECRET || secret === settings.ACCOUNT_KEY_SECRET)
    refuse('PIN_SECRET', 'has to differ from the secrets of accounts')
  if (PIN === 'off') return
  const pinValue = settings.values.PIN ?? `on by PROFILE=${profile}`
  if (profile === 'demo') refuse('PIN', 'needs PROFILE=lender')
  if (settings.CONFIRM === 'off')
    refuse('PIN', `is ${pinValue}, which needs CONFIRM=on. To serve without PINs set PIN=off`)
  if (secret === undefined)
    refuse('PIN_SECRET', `is missing: PIN is ${pinValue}, and PINs are stored under this secret`)
}

/** Checks that AGENTS=on comes with PINs, and that agent limits come with it. */
function checkAgents({ AGENTS, profile, PIN, ...settings }: Settings, refuse: Refuse): void {
  const agentLimits = [
    'MAX_AGENT_OPEN_PAYMENTS',
    'MAX_AGENT_TRANSFERS_A_DAY',
    'MAX_AGENT_SENT_A_DAY_WEI',
  ] as const
  if (AGENTS !== 'on') {
    for (const name of agentLimits) {
      if (settings[name] !== undefined) refuse(name, 'needs AGENTS=on')
    }
    return
  }
  if (profile === 'demo') refuse('AGENTS', 'needs PROFILE=lender')
  else if (PIN === 'off')
    refuse('AGENTS', 'is on, and a withdrawal needs a PIN: set PIN=on or PIN=strict')
}

/** Checks that messages and alerts have all the settings that they need. */
function checkSmsAndAlerts(settings: Settings, refuse: Refuse): void {
  const { SMS_API_KEY: key, SMS_USERNAME: username, SMS_SENDER: sender, SMS_URL } = settings
  const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret } = settings
  if (key && !username) refuse('SMS_USERNAME', 'is missing: SMS_API_KEY needs it')
  if (!key && (username || sender || SMS_URL))
    refuse('SMS_API_KEY', 'is missing: SMS_USERNAME, SMS_SENDER and SMS_URL need it')
  if (url && !secret)
    refuse('ALERT_WEBHOOK_SECRET', 'is missing: alerts to ALERT_WEBHOOK_URL are signed with it')
  if (!url && secret)
    refuse('ALERT_WEBHOOK_URL', 'is missing: ALERT_WEBHOOK_SECRET has no effect without it')
}

function checkNetworks({ chain, isLocal, callsADay, ...settings }: Settings, refuse: Refuse): void {
  const { UPSTREAM_RESERVE: reserve } = settings
  if (settings.NODE_WS_URL_30 && chain.id !== mainnetChainId && !settings.NODE_URL_30)
    refuse('NODE_WS_URL_30', 'is for a network that is not served: it needs NODE_URL_30')
  if (settings.NODE_WS_URL_31 && chain.id !== testnetChainId && !settings.NODE_URL_31)
    refuse('NODE_WS_URL_31', 'is for a network that is not served: it needs NODE_URL_31')
  if (settings.POOL_RULES === 'anvil' && !isLocal)
    refuse('POOL_RULES', 'may be anvil only with nodes on this machine')
  if (settings.MIN_GAS_PRICE_WEI > settings.maxGasPriceWei)
    refuse('MIN_GAS_PRICE_WEI', 'is above MAX_GAS_PRICE_WEI')
  if (reserve !== undefined && callsADay === undefined)
    refuse('UPSTREAM_RESERVE', 'needs a number in UPSTREAM_CALLS_A_DAY')
  if (reserve !== undefined && callsADay !== undefined && reserve > callsADay)
    refuse('UPSTREAM_RESERVE', 'is above UPSTREAM_CALLS_A_DAY')
  if (settings.PROOFS === 'on' && !settings.isMined)
    refuse('PROOFS', 'needs a chain that is mined: set MIN_DIFFICULTY to a number, or PROOFS=off')
}

/** Checks that real money is not open to everybody. */
function checkOpenAccess({ isUssdOpenToAll, chain, isLocal }: Settings, refuse: Refuse): void {
  if (isUssdOpenToAll && chain.id === mainnetChainId && !isLocal)
    refuse(
      'CALLBACK_SECRET',
      'is missing: ENVIRONMENT=development opens /ussd to everybody, and the money is real',
    )
}

function checkGateway({ GATEWAY: gateway, CONFIRM }: Settings, refuse: Refuse): void {
  if (gateway === undefined) return
  if (reservedNames.includes(gateway.name)) refuse('GATEWAY', 'has the name of another gateway')
  if (sendsLastAnswerOnly(gateway) && CONFIRM === 'off')
    refuse('GATEWAY', 'sends only the last answer: it needs CONFIRM=on')
}

function checkScreens({ profile, CONFIRM, ...settings }: Settings, refuse: Refuse): void {
  const { RATE_FEED_URL: feed, LOCAL_CURRENCY: currency } = settings
  if (Boolean(feed) !== Boolean(currency))
    refuse('LOCAL_CURRENCY', 'has to be set together with RATE_FEED_URL')
  if (settings.RATE_SECOND_FEED_URL && !feed) refuse('RATE_SECOND_FEED_URL', 'needs RATE_FEED_URL')
  if (currency && feed && profile === 'demo')
    refuse(
      'LOCAL_CURRENCY',
      'needs PROFILE=lender: the demonstration shows the amounts of the chain',
    )
  if (currency && profile !== 'demo' && CONFIRM === 'off')
    refuse(
      'LOCAL_CURRENCY',
      'needs CONFIRM=on, which shows an amount in both currencies before it is sent',
    )
  for (const name of ['SESSION_SECONDS', 'REDELIVERY_SECONDS'] as const) {
    if (settings.values[name] !== undefined && profile === 'demo')
      refuse(name, 'needs PROFILE=lender: the demonstration asks no question again')
  }
  if (settings.REDELIVERY_SECONDS < settings.SESSION_SECONDS)
    refuse('REDELIVERY_SECONDS', 'is below SESSION_SECONDS')
  if (settings.values.LANGUAGES !== undefined && profile === 'demo')
    refuse('LANGUAGES', 'needs PROFILE=lender: the demonstration has its own words')
}
