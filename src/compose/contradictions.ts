import { wordlist as english } from '@scure/bip39/wordlists/english'
import { parseAddress } from '../account/address.ts'
import type { Fault } from './environment.ts'
import type { Settings } from './settings.ts'

/** Is what anvil and Hardhat print: its keys are public. */
const wellKnownMnemonic = 'test test test test test test test test test test test junk'

type Check = [variable: string, isWrong: boolean, reason: string]

/** Finds what is wrong with values that are each well formed, or would leave a guard half set. */
export function contradictionsIn(settings: Settings): Fault[] {
  const checks = [keyChecks, pinChecks, senderChecks, otherChecks].flatMap((of) => of(settings))
  return checks.flatMap(([variable, isWrong, reason]) => (isWrong ? [{ variable, reason }] : []))
}

function keyChecks({ chain, isLocal, ...settings }: Settings): Check[] {
  const { RELAYER_MNEMONIC: words, ACCOUNT_ID_SECRET: id, ACCOUNT_KEY_SECRET: key } = settings
  const { LOAN_ADDRESS: loan, FORWARDER_ADDRESS: forwarder } = settings
  const isMistyped = (address: string) => parseAddress(address, chain.id) === undefined
  return [
    [
      'RELAYER_MNEMONIC',
      words === wellKnownMnemonic && !isLocal,
      "is anvil's own, which everybody knows; it is taken on loopback only",
    ],
    [
      'RELAYER_MNEMONIC',
      words.split(' ').some((word) => !english.includes(word)),
      'has a word that is not in the list of BIP-39',
    ],
    ['LOAN_ADDRESS', isMistyped(loan), 'has a wrong checksum for this chain'],
    ['FORWARDER_ADDRESS', isMistyped(forwarder), 'has a wrong checksum for this chain'],
    [
      'FORWARDER_ADDRESS',
      forwarder.toLowerCase() === loan.toLowerCase(),
      'has to differ from LOAN_ADDRESS',
    ],
    ['ACCOUNT_ID_SECRET', id === key, 'has to differ from ACCOUNT_KEY_SECRET'],
  ]
}

/** Holds that a PIN stands in the place of what confirms, and is one of the lender's screens. */
function pinChecks({ profile, PIN, CONFIRM, PIN_SECRET: secret, ...settings }: Settings): Check[] {
  const isAsked = PIN !== 'off'
  const asks = settings.values.PIN ?? `on, as PROFILE=${profile} has it`
  const others: string[] = [settings.ACCOUNT_ID_SECRET, settings.ACCOUNT_KEY_SECRET]
  return [
    ['PIN', isAsked && profile === 'demo', 'is for PROFILE=lender'],
    [
      'PIN',
      isAsked && CONFIRM === 'off',
      `is ${asks}, and confirms what is sent: it needs CONFIRM=on. To serve without PINs set PIN=off`,
    ],
    [
      'PIN_SECRET',
      isAsked && secret === undefined,
      `is missing: PINs are kept under it, and PIN is ${asks}`,
    ],
    [
      'PIN_SECRET',
      secret !== undefined && others.includes(secret),
      'has to differ from the secrets of accounts',
    ],
  ]
}

/** Holds that who is told something has all that it takes to tell. */
function senderChecks(settings: Settings): Check[] {
  const { SMS_API_KEY: key, SMS_USERNAME: name, SMS_SENDER: sender, SMS_URL: smsUrl } = settings
  const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret } = settings
  return [
    ['SMS_USERNAME', !!key && !name, 'is missing: messages are sent in its name with SMS_API_KEY'],
    [
      'SMS_API_KEY',
      !key && !!(name || sender || smsUrl),
      'is missing: without it no message is sent, whatever SMS_USERNAME, SMS_SENDER and SMS_URL say',
    ],
    [
      'ALERT_WEBHOOK_SECRET',
      !!url && !secret,
      'is missing: what goes to ALERT_WEBHOOK_URL is signed with it',
    ],
    [
      'ALERT_WEBHOOK_URL',
      !url && !!secret,
      'is missing: nothing is signed with ALERT_WEBHOOK_SECRET, and nobody is told of alerts',
    ],
  ]
}

function otherChecks({ chain, isLocal, profile, callsADay, ...settings }: Settings): Check[] {
  const { UPSTREAM_RESERVE: reserve, RATE_FEED_URL: feed, LOCAL_CURRENCY: currency } = settings
  return [
    [
      'CALLBACK_SECRET',
      settings.isOpen && chain.id === 30 && !isLocal,
      'is missing: ENVIRONMENT=development opens /ussd to everybody, and the money of this chain is real',
    ],
    ['POOL_RULES', settings.POOL_RULES === 'anvil' && !isLocal, 'is anvil on loopback only'],
    [
      'MIN_GAS_PRICE_WEI',
      settings.MIN_GAS_PRICE_WEI > settings.maxGasPriceWei,
      'is above the highest price',
    ],
    [
      'UPSTREAM_RESERVE',
      reserve !== undefined && callsADay === undefined,
      'is kept of nothing: it needs a number as UPSTREAM_CALLS_A_DAY',
    ],
    [
      'UPSTREAM_RESERVE',
      reserve !== undefined && reserve > (callsADay ?? reserve),
      'is above the calls of a day',
    ],
    [
      'RATE_FEED_URL',
      !!feed && chain.id !== 30,
      'is for the main network: what is on the test network is worth nothing',
    ],
    ['LOCAL_CURRENCY', !feed !== !currency, 'goes with RATE_FEED_URL'],
    [
      'LANGUAGES',
      settings.values.LANGUAGES !== undefined && profile === 'demo',
      'is for PROFILE=lender: the demonstration has its own words',
    ],
  ]
}
