import { type ProfileName, profiles } from './profiles.ts'

/** The settings that a guard goes by, as the environment has them. */
type Settings = {
  [Name in Word]?: string | undefined
} & {
  ENVIRONMENT: 'production' | 'development'
  PREFLIGHT: 'on' | 'off'
  CONFIRM?: 'on' | 'off' | undefined
  PIN?: 'off' | 'on' | 'strict' | undefined
  MAX_TRANSFERS_A_DAY?: number | 'none' | undefined
  MAX_SENT_A_DAY_WEI?: bigint | 'none' | undefined
  UPSTREAM_CALLS_A_DAY?: number | 'none' | undefined
  UPSTREAM_RESERVE?: number | undefined
}

type Word =
  | ('PIN_SECRET' | 'ACCOUNT_ID_SECRET' | 'ACCOUNT_KEY_SECRET' | 'CALLBACK_SECRET')
  | ('SMS_API_KEY' | 'SMS_USERNAME' | 'SMS_SENDER' | 'SMS_URL')
  | ('ALERT_WEBHOOK_URL' | 'ALERT_WEBHOOK_SECRET')

/** Where they hold. `isLocal`: every node is on this machine. */
type Place = { profile: ProfileName; chainId: number; isLocal: boolean }

/** Something that keeps money or callers safe, whether it is on, and the setting that says so. */
export type Guard = { name: GuardName; isOn: boolean; by: string }

export const guardNames = [
  ...(['pin', 'confirmation', 'transfers_a_day', 'sent_a_day'] as const),
  ...(['preflight', 'callback', 'upstream_budget', 'alerts', 'messages'] as const),
] as const

type GuardName = (typeof guardNames)[number]

/** Whether a PIN is asked for: what is not set is as the profile has it. */
export const pinOf = ({ PIN }: Settings, profile: ProfileName) => PIN ?? profiles[profile].PIN

export const confirmOf = ({ CONFIRM }: Settings, profile: ProfileName) =>
  CONFIRM ?? profiles[profile].CONFIRM

/** Which guards are on, and by what. What is off is off by a setting's own word, or by that of its profile. */
export function guardsOf(values: Settings, { profile, isLocal }: Place): Guard[] {
  const states = {
    pin: [pinOf(values, profile) !== 'off', 'PIN'],
    confirmation: [confirmOf(values, profile) === 'on', 'CONFIRM'],
    transfers_a_day: [isLimited(values, 'MAX_TRANSFERS_A_DAY', profile), 'MAX_TRANSFERS_A_DAY'],
    sent_a_day: [isLimited(values, 'MAX_SENT_A_DAY_WEI', profile), 'MAX_SENT_A_DAY_WEI'],
    preflight: [values.PREFLIGHT === 'on', 'PREFLIGHT'],
  } as const
  const bySetting = Object.entries(states).map(([name, [isOn, setting]]): Guard => {
    const own = values[setting]
    const by = own === undefined ? `PROFILE=${profile}` : `${setting}=${own}`
    return { name: name as keyof typeof states, isOn, by }
  })
  const isOpen = values.CALLBACK_SECRET === undefined && values.ENVIRONMENT === 'development'
  const calls = values.UPSTREAM_CALLS_A_DAY
  const isCounted = (calls ?? (isLocal ? 'none' : undefined)) !== 'none'
  const own = (name: GuardName, variable: Word): Guard => {
    const isOn = values[variable] !== undefined
    return { name, isOn, by: isOn ? variable : `no ${variable}` }
  }
  return [
    ...bySetting,
    { name: 'callback', isOn: !isOpen, by: isOpen ? 'ENVIRONMENT=development' : 'CALLBACK_SECRET' },
    {
      name: 'upstream_budget',
      isOn: isCounted,
      by: calls === undefined ? 'NODE_URL' : `UPSTREAM_CALLS_A_DAY=${calls}`,
    },
    own('alerts', 'ALERT_WEBHOOK_URL'),
    own('messages', 'SMS_API_KEY'),
  ]
}

const isLimited = (
  values: Settings,
  name: 'MAX_TRANSFERS_A_DAY' | 'MAX_SENT_A_DAY_WEI',
  profile: ProfileName,
): boolean => (values[name] ?? profiles[profile][name] ?? 'none') !== 'none'

type Check = [variable: string, isWrong: boolean, reason: string]

/** What would leave a guard half set: each names both settings, so that none is off in silence. */
export function halfSetGuards(values: Settings, place: Place): Check[] {
  return [...pinChecks(values, place), ...senderChecks(values), ...otherChecks(values, place)]
}

/** A PIN stands in the place of what confirms, and is one of the lender's screens. */
function pinChecks(values: Settings, { profile }: Place): Check[] {
  const isAsked = pinOf(values, profile) !== 'off'
  const isConfirmed = confirmOf(values, profile) === 'on'
  const { PIN_SECRET: secret, ACCOUNT_ID_SECRET: id, ACCOUNT_KEY_SECRET: key } = values
  const asks = values.PIN ?? `on, as PROFILE=${profile} has it`
  return [
    ['PIN', isAsked && profile === 'demo', 'is for PROFILE=lender'],
    [
      'PIN',
      isAsked && !isConfirmed,
      `is ${asks}, and confirms what is sent: it needs CONFIRM=on. To serve without PINs set PIN=off`,
    ],
    [
      'PIN_SECRET',
      isAsked && secret === undefined,
      `is missing: PINs are kept under it, and PIN is ${asks}`,
    ],
    [
      'PIN_SECRET',
      secret !== undefined && (secret === id || secret === key),
      'has to differ from the secrets of accounts',
    ],
  ]
}

/** Who is told something needs all that it takes to tell. */
function senderChecks(values: Settings): Check[] {
  const { SMS_API_KEY: key, SMS_USERNAME: name, ALERT_WEBHOOK_URL: url } = values
  const isNamed = (name ?? values.SMS_SENDER ?? values.SMS_URL) !== undefined
  return [
    [
      'SMS_USERNAME',
      key !== undefined && name === undefined,
      'is missing: messages are sent in its name with SMS_API_KEY',
    ],
    [
      'SMS_API_KEY',
      key === undefined && isNamed,
      'is missing: without it no message is sent, whatever SMS_USERNAME, SMS_SENDER and SMS_URL say',
    ],
    [
      'ALERT_WEBHOOK_SECRET',
      url !== undefined && values.ALERT_WEBHOOK_SECRET === undefined,
      'is missing: what goes to ALERT_WEBHOOK_URL is signed with it',
    ],
    [
      'ALERT_WEBHOOK_URL',
      url === undefined && values.ALERT_WEBHOOK_SECRET !== undefined,
      'is missing: nothing is signed with ALERT_WEBHOOK_SECRET, and nobody is told of alerts',
    ],
  ]
}

function otherChecks(values: Settings, { chainId, isLocal }: Place): Check[] {
  const isCounted = (values.UPSTREAM_CALLS_A_DAY ?? (isLocal ? 'none' : '')) !== 'none'
  const isOpen = values.ENVIRONMENT === 'development' && values.CALLBACK_SECRET === undefined
  return [
    [
      'UPSTREAM_RESERVE',
      values.UPSTREAM_RESERVE !== undefined && !isCounted,
      'is kept of nothing: it needs a number as UPSTREAM_CALLS_A_DAY',
    ],
    [
      'CALLBACK_SECRET',
      isOpen && chainId === 30 && !isLocal,
      'is missing: ENVIRONMENT=development opens /ussd to everybody, and the money of this chain is real',
    ],
  ]
}
