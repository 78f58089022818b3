import { wordlist as english } from '@scure/bip39/wordlists/english'
import { parseAddress } from '../account/address.ts'
import { sendsLastAnswerOnly } from '../ussd/gateways/declaration.ts'
import { africasTalking, hubtel } from '../ussd/gateways/presets.ts'
import type { Fault } from './environment.ts'
import type { Settings } from './settings.ts'

/** Holds the mnemonic of anvil and Hardhat, whose keys are public. */
const wellKnownMnemonic = 'test test test test test test test test test test test junk'

/** Lists gateway names that are taken. */
const takenNames: readonly string[] = [africasTalking.name, hubtel.name, 'operator']

type Checks = Readonly<Record<string, boolean>>

/** Finds values that contradict each other, or leave a guard half set. */
export function findContradictions(settings: Settings): Fault[] {
  const checks = [checkKeys, checkPins, checkAgents, checkSenders, checkOthers].map((of) =>
    of(settings),
  )
  return checks.flatMap(Object.entries<boolean>).flatMap(([says, isWrong]) => {
    const [variable = '', ...reason] = says.split(' ')
    return isWrong ? [{ variable, reason: reason.join(' ') }] : []
  })
}

function checkKeys({ chain, isLocal, ...settings }: Settings): Checks {
  const { RELAYER_MNEMONIC: words, ACCOUNT_ID_SECRET: id, ACCOUNT_KEY_SECRET: key } = settings
  const { LOAN_ADDRESS: loan, FORWARDER_ADDRESS: forwarder } = settings
  const isMistyped = (address: string) => parseAddress(address, chain.id) === undefined
  return {
    "RELAYER_MNEMONIC is anvil's own, which everybody knows; it is taken on loopback only":
      words === wellKnownMnemonic && !isLocal,
    'RELAYER_MNEMONIC has a word that is not in the list of BIP-39': words
      .split(' ')
      .some((word) => !english.includes(word)),
    'LOAN_ADDRESS has a wrong checksum for this chain': isMistyped(loan),
    'FORWARDER_ADDRESS has a wrong checksum for this chain': isMistyped(forwarder),
    'FORWARDER_ADDRESS has to differ from LOAN_ADDRESS':
      forwarder.toLowerCase() === loan.toLowerCase(),
    'ACCOUNT_ID_SECRET has to differ from ACCOUNT_KEY_SECRET': id === key,
  }
}

/** Checks that a PIN replaces confirmation, and belongs to the lender's profile. */
function checkPins({ profile, PIN, CONFIRM, PIN_SECRET: secret, ...settings }: Settings): Checks {
  const isAsked = PIN !== 'off'
  const asks = settings.values.PIN ?? `on, as PROFILE=${profile} has it`
  const others: string[] = [settings.ACCOUNT_ID_SECRET, settings.ACCOUNT_KEY_SECRET]
  return {
    'PIN is for PROFILE=lender': isAsked && profile === 'demo',
    [`PIN is ${asks}, and confirms what is sent: it needs CONFIRM=on. To serve without PINs set PIN=off`]:
      isAsked && CONFIRM === 'off',
    [`PIN_SECRET is missing: PINs are kept under it, and PIN is ${asks}`]:
      isAsked && secret === undefined,
    'PIN_SECRET has to differ from the secrets of accounts':
      secret !== undefined && others.includes(secret),
  }
}

/** Checks that withdrawals need a PIN, and that an agent's day has a limit. */
function checkAgents({ AGENTS, profile, PIN, ...settings }: Settings): Checks {
  const isOn = AGENTS === 'on'
  const { MAX_AGENT_OPEN_PAYMENTS: open, MAX_AGENT_TRANSFERS_A_DAY: times } = settings
  const { MAX_AGENT_SENT_A_DAY_WEI: sent } = settings
  return {
    'AGENTS is for PROFILE=lender': isOn && profile === 'demo',
    'AGENTS is on, and a withdrawal takes a PIN: it needs PIN=on or PIN=strict':
      isOn && profile !== 'demo' && PIN === 'off',
    'MAX_AGENT_SENT_A_DAY_WEI is missing: AGENTS=on needs what an agent may send in a day, or none':
      isOn && sent === undefined,
    'MAX_AGENT_OPEN_PAYMENTS goes with AGENTS=on': !isOn && open !== undefined,
    'MAX_AGENT_TRANSFERS_A_DAY goes with AGENTS=on': !isOn && times !== undefined,
    'MAX_AGENT_SENT_A_DAY_WEI goes with AGENTS=on': !isOn && sent !== undefined,
  }
}

/** Checks that each sender has all its settings. */
function checkSenders(settings: Settings): Checks {
  const { SMS_API_KEY: key, SMS_USERNAME: name, SMS_SENDER: sender, SMS_URL: smsUrl } = settings
  const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret } = settings
  return {
    'SMS_USERNAME is missing: messages are sent in its name with SMS_API_KEY': !!key && !name,
    'SMS_API_KEY is missing: without it no message is sent, whatever SMS_USERNAME, SMS_SENDER and SMS_URL say':
      !key && !!(name || sender || smsUrl),
    'ALERT_WEBHOOK_SECRET is missing: what goes to ALERT_WEBHOOK_URL is signed with it':
      !!url && !secret,
    'ALERT_WEBHOOK_URL is missing: nothing is signed with ALERT_WEBHOOK_SECRET, and nobody is told of alerts':
      !url && !!secret,
  }
}

function checkOthers({ chain, isLocal, profile, callsADay, ...settings }: Settings): Checks {
  const { UPSTREAM_RESERVE: reserve, RATE_FEED_URL: feed, LOCAL_CURRENCY: currency } = settings
  const { GATEWAY: gateway, NODE_WS_URL_30: sockets30, NODE_WS_URL_31: sockets31 } = settings
  return {
    'NODE_WS_URL_30 is for a network that is not served: it needs NODE_URL_30':
      !!sockets30 && chain.id !== 30 && !settings.NODE_URL_30,
    'NODE_WS_URL_31 is for a network that is not served: it needs NODE_URL_31':
      !!sockets31 && chain.id !== 31 && !settings.NODE_URL_31,
    'CALLBACK_SECRET is missing: ENVIRONMENT=development opens /ussd to everybody, and the money of this chain is real':
      settings.isOpen && chain.id === 30 && !isLocal,
    'GATEWAY has the name of another gateway': takenNames.includes(gateway?.name ?? ''),
    'GATEWAY sends the last answer alone: it needs CONFIRM=on':
      gateway !== undefined && sendsLastAnswerOnly(gateway) && settings.CONFIRM === 'off',
    'POOL_RULES is anvil on loopback only': settings.POOL_RULES === 'anvil' && !isLocal,
    'MIN_GAS_PRICE_WEI is above the highest price':
      settings.MIN_GAS_PRICE_WEI > settings.maxGasPriceWei,
    'UPSTREAM_RESERVE is kept of nothing: it needs a number as UPSTREAM_CALLS_A_DAY':
      reserve !== undefined && callsADay === undefined,
    'UPSTREAM_RESERVE is above the calls of a day':
      reserve !== undefined && reserve > (callsADay ?? reserve),
    'PROOFS is on, and nobody mines the blocks of this chain: name MIN_DIFFICULTY, or set PROOFS=off':
      settings.PROOFS === 'on' && !settings.isMined,
    'LOCAL_CURRENCY goes with RATE_FEED_URL': !feed !== !currency,
    'LOCAL_CURRENCY is for PROFILE=lender: the demonstration shows the amounts of the chain':
      !!currency && !!feed && profile === 'demo',
    'LOCAL_CURRENCY needs CONFIRM=on, which shows an amount in both currencies before it is sent':
      !!currency && profile !== 'demo' && settings.CONFIRM === 'off',
    'LANGUAGES is for PROFILE=lender: the demonstration has its own words':
      settings.values.LANGUAGES !== undefined && profile === 'demo',
  }
}
