import { validateMnemonic } from '@scure/bip39'
import { wordlist as bip39Words } from '@scure/bip39/wordlists/english'
import { parseAddress } from '../chain/payees.ts'
import { listOperators } from '../operator/access.ts'
import { sendsLastAnswerOnly } from '../ussd/gateways/declaration.ts'
import { africasTalking, hubtel } from '../ussd/gateways/presets.ts'
import type { Fault, Settings } from './environment.ts'

/** Gives the mnemonic of anvil and Hardhat, whose keys everybody knows. */
const wellKnownMnemonic = 'test test test test test test test test test test test junk'

/** Lists the names that a declared gateway must not have. */
const reservedNames: readonly string[] = [africasTalking.name, hubtel.name, 'operator']

const agentLimits = [
  'MAX_AGENT_OPEN_PAYMENTS',
  'MAX_AGENT_TRANSFERS_A_DAY',
  'MAX_AGENT_SENT_A_DAY_WEI',
]

const signedAddresses = [
  ['ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET', 'alerts'],
  ['EVENTS_URL', 'EVENTS_SECRET', 'events'],
] as const

type Refuse = (variable: string, reason: string) => void

/** Finds settings that contradict each other, or that are incomplete without another setting. */
export function findContradictions(settings: Settings): Fault[] {
  const faults: Fault[] = []
  const refuse: Refuse = (variable, reason) => faults.push({ variable, reason })
  checkKeys(settings, refuse)
  checkMenu(settings, refuse)
  checkServices(settings, refuse)
  checkOperators(settings, refuse)
  return faults
}

function checkKeys({ chain, isLocal, ...settings }: Settings, refuse: Refuse): void {
  const { RELAYER_MNEMONIC: mnemonic, LOAN_ADDRESS: loan, FORWARDER_ADDRESS: forwarder } = settings
  const { ACCOUNT_ID_SECRET: idSecret, ACCOUNT_KEY_SECRET: keySecret, PIN_SECRET } = settings
  if (mnemonic === wellKnownMnemonic && !isLocal)
    refuse(
      'RELAYER_MNEMONIC',
      "is anvil's, which everybody knows: use it only with nodes on this machine",
    )
  if (mnemonic.split(' ').some((word) => !bip39Words.includes(word)))
    refuse('RELAYER_MNEMONIC', 'has a word that is not in the word list of BIP-39')
  else if (!validateMnemonic(mnemonic, bip39Words))
    refuse('RELAYER_MNEMONIC', 'is no phrase of BIP-39: a word is missing, wrong or misplaced')
  for (const name of ['LOAN_ADDRESS', 'FORWARDER_ADDRESS'] as const) {
    if (parseAddress(settings[name], chain.id) === undefined)
      refuse(name, 'has a wrong checksum for this chain')
  }
  if (forwarder.toLowerCase() === loan.toLowerCase())
    refuse('FORWARDER_ADDRESS', 'has to differ from LOAN_ADDRESS')
  if (idSecret === keySecret) refuse('ACCOUNT_ID_SECRET', 'has to differ from ACCOUNT_KEY_SECRET')
  if (PIN_SECRET === idSecret || PIN_SECRET === keySecret)
    refuse('PIN_SECRET', 'has to differ from the secrets of accounts')
  if (settings.isUssdOpenToAll && chain.id === 30 && !isLocal)
    refuse(
      'CALLBACK_SECRET',
      'is missing: ENVIRONMENT=development opens /ussd to everybody, and the money is real',
    )
}

function checkMenu({ given, CONFIRM, PIN, ...settings }: Settings, refuse: Refuse): void {
  const { PROFILE, PIN_SECRET, RATE_FEED_URL: feed, LOCAL_CURRENCY: currency } = settings
  const isDemo = PROFILE === 'demo'
  const pinValue = given.PIN ?? `on by PROFILE=${PROFILE}`
  if (isDemo && PIN !== 'off') refuse('PIN', 'needs PROFILE=lender')
  if (PIN !== 'off' && !CONFIRM)
    refuse('PIN', `is ${pinValue}, which needs CONFIRM=on. To serve without PINs set PIN=off`)
  if (PIN !== 'off' && PIN_SECRET === undefined)
    refuse('PIN_SECRET', `is missing: PIN is ${pinValue}, and PINs are stored under this secret`)
  if (!settings.AGENTS) {
    for (const name of agentLimits) if (name in given) refuse(name, 'needs AGENTS=on')
  } else if (isDemo) refuse('AGENTS', 'needs PROFILE=lender')
  else if (PIN === 'off')
    refuse('AGENTS', 'is on, and a withdrawal needs a PIN: set PIN=on or PIN=strict')
  if (settings.FINAL_AFTER > 0n) {
    if (!settings.AGENTS) refuse('FINAL_AFTER', 'needs AGENTS=on')
    if (!settings.isSure)
      refuse('FINAL_AFTER', 'needs PROOFS=on: a block that is merely believed makes nothing final')
  }
  const { eachWei, limitWei } = settings.FINAL_AT_ONCE
  if (eachWei > limitWei) refuse('FINAL_AT_ONCE', 'has more for each payment than for all of them')
  if (limitWei > 0n && settings.FINAL_AFTER === 0n)
    refuse('FINAL_AT_ONCE', 'needs FINAL_AFTER: the operator backs a payment until one block')
  if (limitWei > 0n && !settings.PREFLIGHT)
    refuse('FINAL_AT_ONCE', 'needs PREFLIGHT=on: nobody backs what was not simulated')
  if (settings.RECIPIENT_NAMES && PIN === 'off')
    refuse('RECIPIENT_NAMES', 'needs PIN=on or PIN=strict: names are entered and shown behind it')
  if (settings.RECALL_MINUTES > 0 && isDemo)
    refuse('RECALL_MINUTES', 'needs PROFILE=lender: the demonstration has its own menu')
  if (settings.RECALL_MINUTES === 0 && 'RECALL_DAYS' in given)
    refuse('RECALL_DAYS', 'needs RECALL_MINUTES')
  if (settings.LOAN_CHOICE && !CONFIRM)
    refuse('LOAN_CHOICE', 'needs CONFIRM=on, which shows the terms before they are agreed to')
  if (Boolean(feed) !== Boolean(currency))
    refuse('LOCAL_CURRENCY', 'has to be set together with RATE_FEED_URL')
  if (settings.RATE_SECOND_FEED_URL && !feed) refuse('RATE_SECOND_FEED_URL', 'needs RATE_FEED_URL')
  if (currency && feed && isDemo)
    refuse(
      'LOCAL_CURRENCY',
      'needs PROFILE=lender: the demonstration shows the amounts of the chain',
    )
  if (currency && !isDemo && !CONFIRM)
    refuse(
      'LOCAL_CURRENCY',
      'needs CONFIRM=on, which shows an amount in both currencies before it is sent',
    )
  for (const name of ['SESSION_SECONDS', 'REDELIVERY_SECONDS']) {
    if (isDemo && name in given)
      refuse(name, 'needs PROFILE=lender: the demonstration asks no question again')
  }
  if (settings.REDELIVERY_SECONDS < settings.SESSION_SECONDS)
    refuse('REDELIVERY_SECONDS', 'is below SESSION_SECONDS')
  for (const name of ['LANGUAGES', 'SERVICE_NAME', 'SHORT_CODE', 'TIME_ZONE']) {
    if (isDemo && name in given)
      refuse(name, 'needs PROFILE=lender: the demonstration has its own words')
  }
}

function checkServices({ isLocal, given, ...settings }: Settings, refuse: Refuse): void {
  const { GATEWAY: gateway } = settings
  if (settings.POOL_RULES === 'anvil' && !isLocal)
    refuse('POOL_RULES', 'may be anvil only with nodes on this machine')
  if (settings.PROOFS && !settings.isMined)
    refuse('PROOFS', 'needs a chain that is mined: set MIN_DIFFICULTY to a number, or PROOFS=off')
  if (gateway && reservedNames.includes(gateway.name))
    refuse('GATEWAY', 'has the name of another gateway')
  if (gateway && sendsLastAnswerOnly(gateway) && !settings.CONFIRM)
    refuse('GATEWAY', 'sends only the last answer: it needs CONFIRM=on')
  const { SMS_API_KEY: key, SMS_USERNAME: username, SMS_SENDER, SMS_URL } = settings
  if (key && !username) refuse('SMS_USERNAME', 'is missing: SMS_API_KEY needs it')
  if (!key && (username || SMS_SENDER || SMS_URL))
    refuse('SMS_API_KEY', 'is missing: SMS_USERNAME, SMS_SENDER and SMS_URL need it')
  for (const [url, secret, what] of signedAddresses) {
    if (url in given && !(secret in given))
      refuse(secret, `is missing: ${what} to ${url} are signed with it`)
    if (secret in given && !(url in given))
      refuse(url, `is missing: ${secret} has no effect without it`)
  }
}

function checkOperators({ OPERATORS = [], OPERATOR_TOKEN }: Settings, refuse: Refuse): void {
  const operators = listOperators(OPERATORS, OPERATOR_TOKEN)
  const countOf = (name: 'name' | 'tokenHash') => new Set(operators.map((each) => each[name])).size
  if (countOf('name') < operators.length) refuse('OPERATORS', 'has a name twice')
  if (countOf('tokenHash') < operators.length) refuse('OPERATORS', 'has a token twice')
}
