import { describe, expect, test } from 'vitest'
import { type Config, parseConfig } from '../../../src/compose/config.ts'
import { ConfigError } from '../../../src/compose/environment.ts'
import { sampleOf } from '../../support/sample.ts'
import { otherWords, required } from './variables.ts'

const secret = (digits: string) => `0x${digits.repeat(32)}`
const word = 'a-secret-of-this-test'

const needed = { ...required, RELAYER_MNEMONIC: otherWords }

/** What each setting may be; undefined: it is not set. */
const settings = {
  NODE_URL: ['http://127.0.0.1:8545', 'https://node.example'],
  ENVIRONMENT: [undefined, 'development'],
  CHAIN_ID: ['30', '31'],
  PROFILE: [undefined, 'demo', 'lender'],
  CONFIRM: [undefined, 'on', 'off'],
  PIN: [undefined, 'off', 'on', 'strict'],
  PIN_SECRET: [undefined, secret('33')],
  MAX_TRANSFERS_A_DAY: [undefined, 'none', '5'],
  MAX_SENT_A_DAY_WEI: [undefined, 'none', '7'],
  PREFLIGHT: [undefined, 'on', 'off'],
  CALLBACK_SECRET: [undefined, word],
  GATEWAY_ADDRESSES: [undefined, '192.0.2.0/24'],
  UPSTREAM_CALLS_A_DAY: [undefined, 'none', '9'],
  MIN_DIFFICULTY: [undefined, 'none', '9'],
  PROOFS: [undefined, 'on', 'off'],
  ALERT_WEBHOOK_URL: [undefined, 'https://hooks.example/planted'],
  ALERT_WEBHOOK_SECRET: [undefined, word],
  SMS_API_KEY: [undefined, word],
  SMS_USERNAME: [undefined, 'lender'],
  SMS_SENDER: [undefined, 'My Lender'],
  SMS_URL: [undefined, 'https://sms.example'],
} as const satisfies Record<string, readonly (string | undefined)[]>

type Setting = keyof typeof settings
type Env = Partial<Record<Setting, string | undefined>>

type Guard = {
  /** Where it is on, it does its work. */
  works: (config: Config) => boolean
  /** An operator has said, by this setting or by the profile, that it is off. */
  isSaidOff: (env: Env) => boolean
}

const place = ['NODE_URL', 'ENVIRONMENT', 'CHAIN_ID', 'PROFILE'] as const
const isDemo = ({ PROFILE, CHAIN_ID }: Env) => (PROFILE ?? (CHAIN_ID === '31' && 'demo')) === 'demo'
const isUnset = (env: Env, ...names: Setting[]) => names.every((name) => env[name] === undefined)
const sms = ['SMS_API_KEY', 'SMS_USERNAME', 'SMS_SENDER', 'SMS_URL'] as const
const mined = ['MIN_DIFFICULTY', 'PROOFS'] as const
const alerts = ['ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET'] as const

/** By this word of its setting, or where it is not set and the profile is the demonstration's. */
const saidOff = (name: Setting, word: string) => (env: Env) =>
  env[name] === word || (env[name] === undefined && isDemo(env))

const guards: Readonly<Record<Config['guards'][number]['name'], Guard>> = {
  pin: {
    works: ({ pinSecret, menu }) => pinSecret !== undefined && menu.pin !== 'off' && menu.confirms,
    isSaidOff: saidOff('PIN', 'off'),
  },
  confirmation: { works: ({ menu }) => menu.confirms, isSaidOff: saidOff('CONFIRM', 'off') },
  transfers_a_day: {
    works: ({ limits }) => limits.transfersADay !== undefined,
    isSaidOff: saidOff('MAX_TRANSFERS_A_DAY', 'none'),
  },
  sent_a_day: {
    works: ({ limits }) => limits.sentADayWei !== undefined,
    isSaidOff: saidOff('MAX_SENT_A_DAY_WEI', 'none'),
  },
  preflight: {
    works: ({ preflight }) => preflight,
    isSaidOff: ({ PREFLIGHT }) => PREFLIGHT === 'off',
  },
  callback: {
    works: ({ isDevelopment, callbackSecret }) => !isDevelopment || callbackSecret !== undefined,
    isSaidOff: ({ ENVIRONMENT, CHAIN_ID, NODE_URL }) =>
      ENVIRONMENT === 'development' && !(CHAIN_ID === '30' && NODE_URL?.startsWith('https')),
  },
  addresses: {
    works: ({ gatewayAddresses }) => gatewayAddresses !== undefined,
    isSaidOff: (env) => isUnset(env, 'GATEWAY_ADDRESSES'),
  },
  upstream_budget: {
    works: ({ upstreamBudget }) => upstreamBudget !== undefined,
    isSaidOff: ({ UPSTREAM_CALLS_A_DAY: calls, NODE_URL }) =>
      calls === 'none' || (calls === undefined && NODE_URL?.startsWith('http:') === true),
  },
  proofs: {
    works: ({ proofs }) => proofs !== undefined,
    isSaidOff: ({ PROOFS, MIN_DIFFICULTY: difficulty, NODE_URL }) =>
      PROOFS === 'off' ||
      difficulty === 'none' ||
      (difficulty === undefined && NODE_URL?.startsWith('http:') === true),
  },
  alerts: {
    works: ({ webhook }) => webhook !== undefined,
    isSaidOff: (env) => isUnset(env, ...alerts),
  },
  messages: {
    works: ({ sms: account }) => account !== undefined,
    isSaidOff: (env) => isUnset(env, ...sms),
  },
}

const names = Object.keys(guards) as (keyof typeof guards)[]

/** Every combination of these settings; of the others nothing is set. */
function* combinations(of: readonly Setting[]): Generator<Env> {
  const [first, ...rest] = of
  if (first === undefined) return yield {}
  for (const env of combinations(rest)) {
    for (const value of settings[first]) yield { ...env, [first]: value }
  }
}

function start(env: Env): Config | ConfigError {
  try {
    return parseConfig({ ...needed, ...env })
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

const settingsIn = ({ message }: ConfigError) =>
  Object.keys(settings).filter((name) => new RegExp(`\\b${name}\\b`).test(message))

/** By which word of a setting a guard may be off. */
const offBy = /^(PROFILE=demo|NODE_URL|ENVIRONMENT=development|no [A-Z_]+|[A-Z_]+=(none|off))$/

/** What is wrong with each of these; and how often each guard was on, and off. */
function judged(environments: Iterable<Env>) {
  const faults: string[] = []
  const met = new Map<string, number>()
  for (const env of environments) {
    const started = start(env)
    const fault = (words: string) => faults.push(`${JSON.stringify(env)}: ${words}`)
    if (started instanceof ConfigError) {
      if (settingsIn(started).length < 2) fault(started.message)
      continue
    }
    for (const { name, isOn, by } of started.guards) {
      const { works, isSaidOff } = guards[name]
      met.set(`${name} ${isOn}`, (met.get(`${name} ${isOn}`) ?? 0) + 1)
      if (works(started) !== isOn) fault(`${name} is told to be ${isOn}`)
      if (!isOn && !(isSaidOff(env) && offBy.test(by))) fault(`${name} is off in silence, by ${by}`)
    }
  }
  return { faults, met }
}

const [paying, telling] = [
  [...place, 'CONFIRM', 'PIN', 'PIN_SECRET', 'CALLBACK_SECRET', 'GATEWAY_ADDRESSES', 'PREFLIGHT'],
  [...place, 'UPSTREAM_CALLS_A_DAY', ...mined, ...alerts, ...sms, 'PIN_SECRET'],
] as const satisfies Setting[][]
const limits = ['MAX_TRANSFERS_A_DAY', 'MAX_SENT_A_DAY_WEI'] as const

describe('no setting switches a guard off silently', () => {
  test.for([
    ['of who may pay and how much', [...paying, ...limits]],
    ['of what is asked and told', telling],
  ] as const)('in any combination %s', ([, of]) => {
    const { faults, met } = judged(sampleOf(2_000, [...combinations(of)], of.join()))
    expect(faults.slice(0, 9)).toEqual([])
    // And each way is there: a guard can be had, and can be done without.
    const own = names.filter((name) => met.has(`${name} true`) && met.has(`${name} false`))
    expect(own).toEqual(
      of === telling ? expect.arrayContaining(names.slice(-4)) : names.slice(0, 9),
    )
  })

  test('nor do any two settings together', () => {
    const all = Object.keys(settings) as Setting[]
    const base = { NODE_URL: settings.NODE_URL[1], CHAIN_ID: '30', PIN_SECRET: secret('33') }
    function* pairs(): Generator<Env> {
      for (const [index, one] of all.entries()) {
        for (const other of all.slice(index + 1)) {
          for (const env of combinations([one, other])) yield { ...base, ...env }
        }
      }
    }
    expect(judged(pairs()).faults).toEqual([])
  })
})
