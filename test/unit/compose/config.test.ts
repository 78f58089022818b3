import { maxUint256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { chains } from '../../../src/chain/chains.ts'
import { parseConfig } from '../../../src/compose/config.ts'
import { ConfigError } from '../../../src/compose/environment.ts'
import { otherWords, required } from './variables.ts'

const env = { ...required, PIN_SECRET: `0x${'55'.repeat(32)}` }

type Changes = Record<string, string | undefined>
const read = (changes: Changes = {}) => parseConfig({ ...env, ...changes })

function faultsOf(changes: Changes) {
  try {
    read(changes)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

const badIn = (changes: Changes) => faultsOf(changes).map(({ variable }) => variable)
const remote = { NODE_URL: 'https://node.example', RELAYER_MNEMONIC: otherWords }

describe('the configuration', () => {
  test("is production's by default, with Rootstock's rules", () => {
    const chain = { id: 31, currency: 'tRBTC' }
    const rules = { maxInFlight: 15, confirmations: 12 }
    expect(read()).toMatchObject({ isDevelopment: false, preflight: true, chain, rules })
    expect(read({ CHAIN_ID: '30' }).chain.currency).toBe('RBTC')
    expect(read({ OBJECT_LOCATION: 'afr' }).objectLocation).toBe('afr')
    for (const part of ['callbackSecret', 'objectLocation', 'webhook', 'sms', 'pinSecret'] as const)
      expect(read()[part], part).toBeUndefined()
  })

  test('lets a chain of its own be idle, and no network', () => {
    const haltedAfter = (changes: Changes) => read(changes).rules.haltedAfterMs
    for (const own of ['1', 'none'])
      expect(haltedAfter({ MIN_DIFFICULTY: own }), own).toBeUndefined()
    const networks = [{}, remote, { ...remote, MIN_DIFFICULTY: '1' }]
    expect(networks.map(haltedAfter)).toEqual([500_000, 500_000, 500_000])
    expect(haltedAfter({ ...remote, MIN_DIFFICULTY: 'none' })).toBe(500_000)
  })

  test('requires proofs of outcomes on mined chains, unless that is off', () => {
    const { mining } = chains[31]
    expect(read(remote).proofs).toEqual(mining)
    expect(read({ ...remote, PROOFS: 'off' }).proofs).toBeUndefined()
    expect(read().proofs).toBeUndefined()
    expect(read({ ...remote, MIN_DIFFICULTY: 'none' }).proofs).toBeUndefined()
    const { from } = mining
    expect(read({ ...remote, MIN_DIFFICULTY: '5' }).proofs).toEqual({ from, minDifficulty: 5n })
    // A mined chain of one's own has no older forms of blocks.
    expect(read({ MIN_DIFFICULTY: '5' }).proofs).toEqual({ from: 1, minDifficulty: 5n })
    expect(read({ MIN_DIFFICULTY: `${10n ** 10n}` }).proofs).toMatchObject({ from })
    expect(badIn({ PROOFS: 'on' })).toEqual(['PROOFS'])
    expect(badIn({ ...remote, PROOFS: 'on', MIN_DIFFICULTY: 'none' })).toEqual(['PROOFS'])
  })

  test('shortens times and keeps confirmations if blocks come faster', () => {
    const [usual, fast] = [read().rules, read({ BLOCK_SECONDS: '2.5' }).rules]
    expect(fast.rebroadcastMs).toBe(usual.rebroadcastMs / 10)
    expect(fast.roundMs).toBe(usual.roundMs / 10)
    expect(fast.confirmations).toBe(usual.confirmations)
  })

  test("has the limits of its chain's profile, and each can be set alone", () => {
    const demo = read().limits
    const unlimited = { transfersADay: undefined, sentADayWei: undefined }
    expect(demo).toEqual({ openPayments: 3, dialsAMinute: 30, minTransferWei: 0n, ...unlimited })
    const lender = read({ CHAIN_ID: '30' }).limits
    expect(lender).toEqual(read({ PROFILE: 'lender' }).limits)
    expect(lender).toMatchObject({ openPayments: 3, transfersADay: 20 })
    expect(lender.minTransferWei).toBeGreaterThan(0n)
    expect(read({ CHAIN_ID: '30', PROFILE: 'demo' }).limits).toEqual(demo)
    const own = { MAX_TRANSFERS_A_DAY: '5', MAX_SENT_A_DAY_WEI: 'none', MIN_TRANSFER_WEI: '7' }
    const changed = { transfersADay: 5, sentADayWei: undefined, minTransferWei: 7n }
    expect(read({ PROFILE: 'lender', ...own }).limits).toEqual({ ...lender, ...changed })
  })

  test('has the screens of its profile, and each can be set alone', () => {
    const times = { sessionSeconds: 180, redeliverySeconds: 600 }
    const none = {
      agents: false,
      isOverToken: false,
      choosesLoan: false,
      recipientNames: false,
      recalls: { withinMs: 0, everyMs: 604_800_000 },
      finalUpToWei: 0n,
      helpNumber: undefined,
      languages: [] as string[],
      ...times,
    }
    const demo = { ...none, profile: 'demo', confirms: false, pin: 'off' }
    expect(read().menu).toEqual(demo)
    const languages = ['en', 'sw', 'fr', 'es']
    const lender = { ...none, profile: 'lender', confirms: true, pin: 'on', languages }
    expect(read({ CHAIN_ID: '30' }).menu).toEqual(lender)
    const unasked = { PROFILE: 'lender', CONFIRM: 'off', PIN: 'off' }
    expect(read(unasked).menu).toEqual({ ...lender, confirms: false, pin: 'off' })
    const helpNumber = '0700 000 099'
    const called = read({ CONFIRM: 'on', HELP_NUMBER: helpNumber })
    expect(called.menu).toEqual({ ...demo, confirms: true, helpNumber })
  })

  test('has the times of sessions and redeliveries, which lenders may set', () => {
    const set = { SESSION_SECONDS: '90', REDELIVERY_SECONDS: '120' }
    const times = { sessionSeconds: 90, redeliverySeconds: 120 }
    expect(read({ CHAIN_ID: '30', ...set }).menu).toMatchObject(times)
    const reason = 'needs PROFILE=lender: the demonstration asks no question again'
    expect(faultsOf(set)).toEqual(Object.keys(set).map((variable) => ({ variable, reason })))
    const below = { CHAIN_ID: '30', ...set, REDELIVERY_SECONDS: '89' }
    const fault = { variable: 'REDELIVERY_SECONDS', reason: 'is below SESSION_SECONDS' }
    expect(faultsOf(below)).toEqual([fault])
  })

  test('asks for a PIN only with its own secret and CONFIRM', () => {
    const asks = { PROFILE: 'lender', PIN: 'strict' }
    expect(read(asks)).toMatchObject({ pinSecret: env.PIN_SECRET, menu: { pin: 'strict' } })
    expect(read({ PROFILE: 'lender', PIN: 'off' }).pinSecret).toBeUndefined()
    expect(badIn({ CHAIN_ID: '30', PIN_SECRET: undefined })).toEqual(['PIN_SECRET'])
    expect(badIn({ ...asks, CONFIRM: 'off' })).toEqual(['PIN'])
    expect(badIn({ ...asks, PROFILE: 'demo' })).toEqual(['PIN', 'PIN'])
    for (const PIN_SECRET of [env.ACCOUNT_KEY_SECRET, '1234'])
      expect(badIn({ ...asks, PIN_SECRET })).toEqual(['PIN_SECRET'])
  })

  test('shows local amounts if a currency is set, and only with CONFIRM', () => {
    const url = 'https://prices.example/planted'
    const feed = { RATE_FEED_URL: url, LOCAL_CURRENCY: 'KES' }
    const usual = { url, currency: 'KES', maxChangePercent: 25 }
    expect(read({ ...feed, CHAIN_ID: '30' }).rateFeed).toEqual(usual)
    const second = { RATE_SECOND_FEED_URL: url, RATE_MAX_CHANGE: '10' }
    const bounded = { ...usual, secondUrl: url, maxChangePercent: 10 }
    expect(read({ ...feed, ...second, CHAIN_ID: '30' }).rateFeed).toEqual(bounded)
    expect(badIn({ CHAIN_ID: '30', ...second })).toEqual(['RATE_SECOND_FEED_URL'])
    expect(read({ CHAIN_ID: '30' }).rateFeed).toBeUndefined()
    const onTest = { ...feed, PROFILE: 'lender' }
    expect(read(onTest).menu.localCurrency).toBe('KES')
    const reason = 'needs PROFILE=lender: the demonstration shows the amounts of the chain'
    expect(faultsOf(feed)).toEqual([{ variable: 'LOCAL_CURRENCY', reason }])
    const reasons = faultsOf({ ...onTest, CONFIRM: 'off', PIN: 'off' })
    const shown = 'needs CONFIRM=on, which shows an amount in both currencies before it is sent'
    expect(reasons).toEqual([{ variable: 'LOCAL_CURRENCY', reason: shown }])
    expect(badIn({ ...onTest, RATE_FEED_URL: undefined })).toEqual(['LOCAL_CURRENCY'])
    expect(badIn({ ...onTest, LOCAL_CURRENCY: undefined })).toEqual(['LOCAL_CURRENCY'])
  })

  test('counts the token that UNIT names, and other limits for it, or the currency', () => {
    const address = `0x${'5a'.repeat(20)}`
    const token = {
      PROFILE: 'lender',
      UNIT: `USDRIF:18:${address.toUpperCase().replace('X', 'x')}`,
    }
    expect(read(token)).toMatchObject({
      unit: { symbol: 'USDRIF', decimals: 6, token: { address, decimals: 18 } },
      limits: { sentADayWei: 1_000_000_000n, minTransferWei: 50_000n },
    })
    expect(read({ ...token, MIN_TRANSFER_WEI: '7' }).limits.minTransferWei).toBe(7n)
    expect(read().unit).toEqual({ symbol: 'tRBTC', decimals: 18, token: null })
  })

  test('limits calls to remote nodes, and reserves half for the relay', () => {
    const budget = (more: object) => read({ ...remote, ...more }).upstreamBudget
    expect(read().upstreamBudget).toBeUndefined()
    expect(budget({})).toEqual({ callsADay: 25_000, relayReserve: 12_500 })
    expect(budget({ UPSTREAM_CALLS_A_DAY: 'none' })).toBeUndefined()
  })

  test('shows names of recipients only behind a PIN', () => {
    const named = { PROFILE: 'lender', PIN_SECRET: `0x${'5'.repeat(64)}`, RECIPIENT_NAMES: 'on' }
    expect(badIn(named)).toEqual([])
    expect(badIn({ ...named, PIN: 'off' })).toEqual(['RECIPIENT_NAMES'])
    expect(badIn({ RECIPIENT_NAMES: 'on' })).toEqual(['RECIPIENT_NAMES'])
  })

  test('holds mistaken payments for a lender alone, for a day at most, and once a week', () => {
    const held = { PROFILE: 'lender', PIN: 'off', RECALL_MINUTES: '30' }
    expect(read(held).menu).toMatchObject({
      recalls: { withinMs: 1_800_000, everyMs: 604_800_000 },
    })
    expect(badIn({ ...held, RECALL_DAYS: '1' })).toEqual([])
    expect(badIn({ ...held, RECALL_MINUTES: '1441', RECALL_DAYS: '8' })).toEqual([
      ...['RECALL_MINUTES', 'RECALL_DAYS'],
    ])
    expect(badIn({ ...held, PROFILE: 'demo' })).toEqual(['RECALL_MINUTES'])
    expect(badIn({ ...held, RECALL_MINUTES: '0', RECALL_DAYS: '3' })).toEqual(['RECALL_DAYS'])
  })

  test('serves agents with PINs and their own limit, and refuses settings that miss something', () => {
    const agents = { PROFILE: 'lender', PIN_SECRET: `0x${'5'.repeat(64)}`, AGENTS: 'on' }
    const sent = { MAX_AGENT_SENT_A_DAY_WEI: '7' }
    const { menu, limits } = read({ ...agents, ...sent })
    const usual = { openPayments: 16, transfersADay: undefined, sentADayWei: 7n }
    expect([menu.agents, limits.agents]).toEqual([true, usual])
    const open = { MAX_AGENT_OPEN_PAYMENTS: '3', MAX_AGENT_TRANSFERS_A_DAY: '9' }
    const own = { openPayments: 3, transfersADay: 9, sentADayWei: 7n }
    expect(read({ ...agents, ...sent, ...open }).limits.agents).toEqual(own)
    expect(read().limits.agents).toBeUndefined()
    // An agent sends what ten callers may, and has no limit where callers have none.
    expect(
      read({ ...agents, MAX_SENT_A_DAY_WEI: 'none' }).limits.agents?.sentADayWei,
    ).toBeUndefined()
    expect(read(agents).limits.agents?.sentADayWei).toBe(500_000_000_000_000_000n)
    const finalIn = (env: Changes) => read({ ...agents, ...env }).menu.finalUpToWei
    expect([finalIn({}), finalIn({ FINAL_AFTER: 'block' })]).toEqual([maxUint256, maxUint256])
    expect([finalIn({ FINAL_AFTER: '7' }), finalIn({ FINAL_AFTER: 'confirmations' })]).toEqual([
      7n,
      0n,
    ])
    const atOnce = { FINAL_AFTER: 'block', FINAL_AT_ONCE: '5:20' }
    expect(read({ ...agents, ...atOnce }).finalAtOnce).toEqual({ eachWei: 5n, limitWei: 20n })
    expect(read().finalAtOnce).toEqual({ eachWei: 0n, limitWei: 0n })
    const late = { ...agents, FINAL_AFTER: 'confirmations' }
    expect(badIn({ ...late, FINAL_AT_ONCE: '5:20' })).toEqual(['FINAL_AT_ONCE'])
    expect(badIn({ ...agents, ...atOnce, FINAL_AT_ONCE: '5' })).toEqual(['FINAL_AT_ONCE'])
    const real = { CHAIN_ID: '30', NODE_URL: 'http://127.0.0.1:4444/', FINAL_AFTER: 'block' }
    expect(badIn({ ...agents, ...real })).toContain('FINAL_AFTER')
    expect(badIn({ FINAL_AFTER: 'block' })).toEqual(['FINAL_AFTER'])
    expect(badIn({ ...agents, FINAL_AFTER: 'at once' })).toEqual(['FINAL_AFTER'])
    const believed = { ...agents, NODE_URL: 'https://node.example/', PROOFS: 'off' }
    expect(badIn({ ...believed, FINAL_AFTER: 'block' })).toContain('FINAL_AFTER')
    // By default it is where one block shows for sure what it did.
    expect(finalIn({ CHAIN_ID: '30', NODE_URL: 'http://127.0.0.1:4444/' })).toBe(0n)
    expect(read().menu.finalUpToWei).toBe(0n)
    expect(badIn({ ...agents, ...sent, PIN: 'off' })).toEqual(['AGENTS'])
    expect(badIn({ AGENTS: 'on', ...sent })).toEqual(['AGENTS'])
    expect(badIn({ ...sent, ...open })).toEqual([...Object.keys(open), ...Object.keys(sent)])
  })

  test('requires both key and name of the SMS account, or neither', () => {
    const [key, name] = [{ SMS_API_KEY: 'the-key-of-this-test' }, { SMS_USERNAME: 'lender' }]
    expect([badIn(key), badIn(name)]).toEqual([['SMS_USERNAME'], ['SMS_API_KEY']])
    const account = { apiKey: 'the-key-of-this-test', username: 'lender', sender: 'My Lender' }
    const set = { ...key, ...name, SMS_SENDER: 'My Lender' }
    expect(read(set).sms).toEqual({ ...account, url: undefined })
  })

  test('takes a name that fits every screen, and a code for the screens of a lender', () => {
    const lender = { PROFILE: 'lender', SERVICE_NAME: 'Crédit [Ñandú]'.replace('ú', 'u') }
    expect(read(lender).menu.serviceName).toBe('Crédit [Ñandu]')
    const code = { PROFILE: 'lender', SHORT_CODE: '*384*1#' }
    expect(read(code).menu.shortCode).toBe('*384*1#')
    expect(badIn({ ...code, PROFILE: 'demo' })).toEqual(['SHORT_CODE'])
  })

  test('names every missing variable at once', () => {
    const names = Object.keys(required)
    const none = Object.fromEntries(names.map((name) => [name, undefined]))
    const missing = names.map((variable) => ({ variable, reason: 'is missing' }))
    expect(faultsOf(none)).toEqual(missing)
  })

  const refused: Readonly<Record<string, readonly string[]>> = {
    ENVIRONMENT: ['staging'],
    CHAIN_ID: ['1'],
    POOL_RULES: ['geth'],
    NODE_URL: ['ftp://node', ','],
    NODE_WS_URL: ['http://node'],
    LOAN_ADDRESS: ['0x11'],
    FORWARDER_ADDRESS: ['0x5AAEb6053F3e94c9b9A09F33669435E7EF1BEaEd', env.LOAN_ADDRESS],
    RELAYER_MNEMONIC: [
      'too few words',
      env.RELAYER_MNEMONIC.replace('junk', 'jnuk'),
      env.RELAYER_MNEMONIC.replace('junk', 'test'),
      `${env.RELAYER_MNEMONIC} test`,
    ],
    ACCOUNT_ID_SECRET: ['0x11', env.ACCOUNT_KEY_SECRET],
    CALLBACK_SECRET: ['short', 'a/slash/in/a/path/segment'],
    GATEWAY_COUNTRY: ['ke', 'XX'],
    OPERATOR_TOKEN: ['short'],
    OPERATORS: [
      ...['amina', 'amina:all', 'Amina:read', 'a:read', 'operator:read'].map(
        (start) => `${start}:${'ab'.repeat(32)}`,
      ),
      `amina:read:${'AB'.repeat(32)}`,
      `amina:read:${'ab'.repeat(32)},amina:money:${'cd'.repeat(32)}`,
      `amina:read:${'ab'.repeat(32)},brian:money:${'ab'.repeat(32)}`,
    ],
    RPC_KEY_HASHES: ['abc'],
    ALERT_WEBHOOK_URL: ['http://hooks.example/planted'],
    ALERT_WEBHOOK_SECRET: ['short'],
    SMS_API_KEY: ['short'],
    SMS_USERNAME: ['not a name'],
    SMS_SENDER: ['much-too-long-a-sender'],
    SMS_URL: ['http://sms.example/planted'],
    PREFLIGHT: ['yes'],
    CONFIRMATIONS: ['0'],
    MAX_GAS_PRICE_WEI: ['1e9'],
    BLOCK_SECONDS: ['0'],
    PROFILE: ['bank'],
    MAX_OPEN_PAYMENTS: ['17'],
    MAX_DIALS_A_MINUTE: ['0'],
    MAX_TRANSFERS_A_DAY: ['1.5'],
    MAX_SENT_A_DAY_WEI: ['-7'],
    MIN_TRANSFER_WEI: ['0.1'],
    UPSTREAM_CALLS_A_DAY: ['0'],
    CONFIRM: ['yes'],
    LANGUAGES: ['sw', 'de', 'sw,en,sw', ','],
    UNIT: ['USD', `USD:5:0x${'5'.repeat(40)}`, `DOLLARS:6:0x${'5'.repeat(40)}`],
    LOCAL_CURRENCY: ['shilling', 'KES'],
    RATE_FEED_URL: ['http://prices.example/planted'],
    RATE_MAX_CHANGE: ['0'],
    HELP_NUMBER: ['the shop'],
    SERVICE_NAME: ['W'.repeat(21), '['.repeat(11), ' Duka', 'Du\nka', '小店', 'Préstamo', 'Duka'],
    TIME_ZONE: ['Kenya', 'Kenya/Nowhere', '+03:00'],
    SHORT_CODE: ['55#', '*55', '*#', '*55*12345678901#'],
    SESSION_SECONDS: ['29', '601'],
    REDELIVERY_SECONDS: ['86401'],
    OBJECT_LOCATION: ['africa'],
  }
  const bad = Object.entries(refused).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  )
  test.for(bad)('is refused with %s=%s, without showing the value', ([name, value]) => {
    const faults = faultsOf({ [name]: value })
    expect(faults.map(({ variable }) => variable)).toEqual([name])
    expect(faults.map(({ reason }) => reason).join()).not.toContain(`${value}`.padEnd(2, '?'))
  })

  test("uses the nodes' WebSockets at the set addresses, or at their HTTP addresses", () => {
    const urls = (changes: Changes) => Object.fromEntries(read(changes).webSockets)
    const NODE_URL_30 = 'https://main.example/key'
    const [main, test] = ['wss://main.example/key', 'ws://127.0.0.1:8545']
    expect(urls({ NODE_URL_30 })).toEqual({ 30: [main], 31: [test] })
    const NODE_WS_URL = 'ws://127.0.0.1:4445/websocket,ws://127.0.0.1:5445/websocket'
    const both = { 30: [main], 31: NODE_WS_URL.split(',') }
    expect(urls({ NODE_URL_30, NODE_WS_URL })).toEqual(both)
  })

  test("accepts anvil's mnemonic and the local chain's pool rules on loopback only", () => {
    const NODE_URL = 'http://127.0.0.1:8545,https://node.example'
    expect(badIn({ NODE_URL })).toEqual(['RELAYER_MNEMONIC'])
    expect(badIn({ ...remote, POOL_RULES: 'anvil' })).toEqual(['POOL_RULES'])
    expect(badIn(remote)).toEqual([])
  })
})
