import { numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { poolRules } from '../../../../src/chain/chains.ts'
import type { PaymentKind } from '../../../../src/loan/kinds.ts'
import type { WholeLedger } from '../../../../src/operator/kept/steps.ts'
import { signRequest } from '../../../../src/relay/forwarder/requests.ts'
import { minutesPlaceholder } from '../../../../src/relay/ledger/values.ts'
import { createAcceptor } from '../../../../src/relay/pay/acceptor.ts'
import type { AccountLimits } from '../../../../src/relay/pay/admission.ts'
import { createEndSession } from '../../../../src/relay/pay/answers.ts'
import { createPay } from '../../../../src/relay/pay/delivery.ts'
import type { PayingStep } from '../../../../src/relay/pay/paying-step.ts'
import type { Refusal } from '../../../../src/relay/refusal.ts'
import { type Clock, systemClock } from '../../../../src/runtime/clock.ts'
import type { LogEvent } from '../../../../src/runtime/log.ts'
import { createDialLimiter } from '../../../../src/ussd/dial-limiter.ts'
import { createMemoryLedger, openMemoryRelayer } from '../../../ports/ledger-memory.ts'

const gwei = 1_000_000_000n

type Dialled = [
  ...[number: number, who?: number, spendsWei?: bigint, kind?: PaymentKind],
  findDenial?: PayingStep['findDenial'],
]

/** Models a chain without mining, with price and money set by the test, and its payers. */
function stillChain({
  slots = 15,
  priceWei = gwei / 10n,
  balanceWei = 10n ** 18n,
  limits = { openPayments: 3, transfersADay: undefined, sentADayWei: undefined } as AccountLimits,
  dialsAMinute = 1_000,
  answers = {} as Record<string, () => unknown>,
  slept = (_ms: number, _world: { now: number }): void | Promise<void> => {},
} = {}) {
  const world = { now: 1_700_000_000_000, priceWei, balanceWei }
  const rules = { ...poolRules.rootstock, maxInFlight: slots, maxInBatch: 2 }
  // Time is the test's: no limit runs out because a machine is slow. Only short pauses pass.
  const clock: Clock = {
    now: () => world.now,
    async sleep(ms, signal) {
      if (ms >= 1_000) return untilPassed(world, world.now + ms, signal)
      await systemClock.sleep(ms, signal)
      await slept(ms, world)
    },
    timeout: () => new AbortController().signal,
  }
  const events: LogEvent[] = []
  const { ledger, relayer, asked } = openMemoryRelayer({
    ...{ rules, clock, now: clock.now, limits: { maxInFlight: slots } },
    fees: { maxWei: gwei },
    log: (event) => void events.push(event),
    answers: {
      eth_getTransactionCount: () => '0x0',
      eth_gasPrice: () => numberToHex(world.priceWei),
      eth_getBalance: () => numberToHex(world.balanceWei),
      eth_sendRawTransaction: () => `0x${'ab'.repeat(32)}`,
      ...answers,
    },
  })
  const background: Promise<void>[] = []
  const pay = createPay(relayer, {
    checkTarget: async () => 'ready' as const,
    preflight: false,
    limits,
    readLimits: {} as never,
    readHoldings: {} as never,
    finalAtOnce: { eachWei: 0n, limitWei: 0n },
    mayDial: createDialLimiter(dialsAMinute, clock.now),
    accept: createAcceptor(relayer),
    waitUntil: (work) => background.push(work),
  })

  /** Dials as this caller; returns the outcome in words. */
  async function dial(
    ...[number, who = number, spendsWei = 1n, kind = 'transfer', findDenial]: Dialled
  ): Promise<string> {
    const caller = privateKeyToAccount(numberToHex(who + 10, { size: 32 }))
    const intent = { from: caller.address, intentId: numberToHex(number, { size: 22 }) }
    const request = { ...intent, gas: 1, deadline: world.now / 1_000 + 7_200, data: '0x' } as const
    const answered = await pay({
      stepKey: { session: `session ${number}`, input: 'input', account: caller.address },
      since: world.now,
      answerCount: 3,
      intent,
      createOrder: async () => ({
        order: { request: await signRequest(caller, relayer.forwarder, request), kind, spendsWei },
        writeScreens: async () => ({
          carried: screenOf('submitted'),
          queued: screenOf(`queued ${minutesPlaceholder}`),
        }),
      }),
      findDenial: findDenial ?? (async () => undefined),
      texts: {
        paid: async () => screenOf('submitted'),
        refusal: (refusal) => screenOf(wordsOf(refusal)),
      },
    })
    return answered.kind === 'screen' ? answered.screen.lines.join() : answered.kind
  }

  return {
    ...{ world, ledger, dial, relayer },
    dialAll: (from: number, count: number, who?: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => dial(from + index, who))),
    asked: (method: string) => asked.filter((one) => one.method === method).length,
    refusals: () => events.filter(({ event }) => event === 'payments.refused'),
  }
}

async function untilPassed(
  world: { now: number },
  time: number,
  signal: Parameters<Clock['sleep']>[1],
): Promise<void> {
  while (world.now < time && signal?.aborted !== true) await systemClock.sleep(2)
}

const wordsOf = ({ kind, ...rest }: Refusal): string => [kind, ...Object.values(rest)].join(' ')
const screenOf = (words: string) => ({ kind: 'end', lines: [words] }) as const

const count = (told: readonly string[], words: string) => told.filter((one) => one === words).length

test('no payment joins a queue that would outlast its deadline', async () => {
  const { dialAll, ledger, refusals, world } = stillChain({ slots: 2 })
  const told = await dialAll(0, 900)
  // Two nonces of two in flight; then half of what two nonces of two carry in half an hour of
  // blocks of 25 s.
  expect(count(told, 'submitted')).toBe(4)
  // 74 blocks of two payments that can be counted on, every 25 s.
  const minutes = told.flatMap((words) => /^queued (\d+)$/.exec(words)?.[1] ?? [])
  expect([minutes.length, minutes[0], minutes.at(-1)]).toEqual([144, '2', '31'])
  expect(count(told, 'crowded 30')).toBe(900 - 4 - 144)
  expect((await ledger.readWork()).waiting).toHaveLength(144)
  const refusal = { level: 'error', reason: 'crowded', message: expect.any(String) }
  expect(refusals()).toEqual([expect.objectContaining(refusal)])
  world.now += 60_000
  expect(await dialAll(900, 3)).toEqual(['crowded 30', 'crowded 30', 'crowded 30'])
  expect(refusals()).toHaveLength(2)
  expect((await ledger.readVitals()).obstacle).toMatchObject({ kind: 'crowded', at: world.now })
})

test.for([
  [0, 'price_too_high'],
  [5, 'uncertain'],
] as const)(
  'a new ledger with a used key says of an intent spent in block %d without a simulation: %s',
  async ([block, told]) => {
    const [hash, parentHash] = [numberToHex(9, { size: 32 }), numberToHex(8, { size: 32 })]
    const head = { number: '0x9', hash, parentHash, timestamp: '0x1', transactions: [] }
    const answers = {
      eth_getTransactionCount: () => '0x3',
      eth_getBlockByNumber: () => head,
      eth_call: () => numberToHex(block, { size: 64 }),
    }
    expect(await stillChain({ priceWei: gwei + 1n, answers }).dial(0)).toBe(told)
  },
)

test.for([
  ['relayer_poor', { balanceWei: 10n ** 12n }],
  ['price_too_high', { priceWei: gwei + 1n }],
] as const)('no payment begins, and few calls are made: %s', async ([refused, changes]) => {
  const { dial, dialAll, asked, world, ledger } = stillChain(changes)
  expect(await dial(0)).toBe(refused)
  expect(new Set(await dialAll(1, 30))).toEqual(new Set([refused]))
  expect([asked('eth_getBalance'), asked('eth_gasPrice')]).toEqual([1, 1])
  expect((await ledger.readWork()).nextNonce).toBe(0)
  Object.assign(world, { balanceWei: 10n ** 18n, priceWei: gwei, now: world.now + 5_000 })
  expect(await dial(50)).toBe('submitted')
  // What was refused stays so, whatever comes after.
  expect(await dial(0)).toBe(refused)
})

test('no more payments are accepted together than the key can pay for at the highest price', async () => {
  // 300,000 gas at the limit of 1 gwei: as often outbid as may be, a tenth of a gwei comes to it.
  const { dialAll } = stillChain({ balanceWei: 300_000n * gwei * 3n + 1n })
  const told = await dialAll(0, 10)
  expect(count(told, 'submitted')).toBe(3)
  expect(count(told, 'relayer_poor')).toBe(7)
})

test("the pool's count is read for each payment, and the key's balance is the last recorded one", async () => {
  const { dial, ledger, asked, world } = stillChain()
  for (let number = 0; number < 3; number++) expect(await dial(number)).toBe('submitted')
  // The chain's count was not noted yet, and is asked for as well.
  expect(asked('eth_getTransactionCount')).toBe(6)
  expect([asked('eth_gasPrice'), asked('eth_getBalance')]).toEqual([1, 1])
  const report = { facts: { balanceWei: { value: 0n } }, node: 'answered', round: 'done' } as const
  await ledger.recordObservations(report)
  // It was read a moment before by a process that tells it late: the newest fact decides.
  const balanceWei = { value: 10n ** 18n, readAt: world.now - 2_000 }
  await ledger.recordObservations({
    ...report,
    now: world.now,
    facts: { balanceWei },
    round: undefined,
  })
  expect(await dial(4)).toBe('relayer_poor')
})

test("a refusal records the chain's facts with their time", async () => {
  const { dial, ledger, world } = stillChain({ priceWei: gwei + 1n })
  const readAt = world.now
  const late = async () => {
    world.now += 3_000
    return undefined
  }
  expect(await dial(0, 0, 1n, 'transfer', late)).toBe('price_too_high')
  expect((await ledger.readVitals()).observations.gasPriceWei?.at).toBe(readAt)
})

const greedy = 1_000_000

test('an account has at most three open payments, also at one moment, and others have their own', async () => {
  const { dial, dialAll } = stillChain()
  const told = await dialAll(0, 9, greedy)
  expect(count(told, 'submitted')).toBe(3)
  expect(count(told, 'too_many_open 3')).toBe(6)
  expect(await dial(50)).toBe('submitted')
})

test('a phone that dials too often in a minute has to wait, and causes no node call', async () => {
  const { dial, dialAll, asked, world } = stillChain({ dialsAMinute: 5 })
  for (let number = 0; number < 5; number++) await dial(number, greedy)
  world.now += 10_000
  const before = asked('eth_gasPrice')
  const told = await dialAll(9, 200, greedy)
  expect(count(told, 'too_many_dials')).toBe(200)
  expect(asked('eth_gasPrice')).toBe(before)
  expect(await dial(500)).toBe('submitted')
  world.now += 50_000
  expect(await dial(501, greedy)).toBe('too_many_open 3')
  // Its session is closed: what was refused is not paid by a later delivery.
  expect(await dial(9, greedy)).toBe('too_many_dials')
  // A delivery that comes again is answered as before.
  expect(await dial(0, greedy)).toBe('submitted')
})

test("an account's payments and amounts are limited within any 24 hours", async () => {
  const limits = { openPayments: 16, transfersADay: 3, sentADayWei: 100n }
  const { dial, world } = stillChain({ limits })
  expect(await dial(0, greedy, 60n)).toBe('submitted')
  expect(await dial(1, greedy, 41n)).toBe('too_much_today 40')
  expect(await dial(2, greedy, 40n)).toBe('submitted')
  expect(await dial(3, 50, 41n)).toBe('submitted')
  world.now += 23 * 60 * 60 * 1000
  expect(await dial(4, greedy, 1n)).toBe('too_much_today 0')
  world.now += 60 * 60 * 1000
  for (const number of [5, 6, 7]) expect(await dial(number, greedy, 1n)).toBe('submitted')
  expect(await dial(8, greedy, 1n)).toBe('too_many_today 3')
  // What is repaid stays in the house; what is cashed out is sent as well.
  expect(await dial(9, greedy, 1n, 'repayment')).toBe('submitted')
  expect(await dial(10, 51, 60n, 'cashOut')).toBe('submitted')
  expect(await dial(11, 51, 41n)).toBe('too_much_today 40')
  expect(await dial(12, greedy, 1n, 'cashOut')).toBe('too_many_today 3')
})

test("the caller's limits are checked after the chain's answer, simulated or not", async () => {
  const { dial, asked, ledger } = stillChain()
  const told = await dial(0, 0, 1n, 'transfer', async () => {
    // All that takes its time is over: nothing but the claim comes after.
    for (const method of ['eth_getTransactionCount', 'eth_gasPrice', 'eth_getBalance'])
      expect(asked(method)).toBeGreaterThan(0)
    return { kind: 'not_authorized', reason: 'void' }
  })
  expect(told).toBe('not_authorized void')
  expect((await ledger.readWork()).nextNonce).toBe(0)
})

const stoppedMs = 12_000
const denied = async () => ({ kind: 'not_authorized', reason: 'void' }) as const

/** Stops the process once, in a pause of so many ms. */
function stopIn(pauseMs: number, meanwhile = async () => {}) {
  const state = { isStopped: false }
  const slept = async (ms: number, world: { now: number }) => {
    if (ms !== pauseMs || state.isStopped) return
    state.isStopped = true
    await meanwhile()
    world.now += stoppedMs
  }
  return { state, slept }
}

/** Has the first calls of a method fail; returns what resolves once the next one is over. */
function failFirst(ledger: WholeLedger, method: 'acceptOffers' | 'refuse', failures = 1) {
  const call = ledger[method] as (...args: unknown[]) => Promise<unknown>
  const over = Promise.withResolvers<void>()
  let calls = 0
  Object.assign(ledger, {
    [method]: async (...args: unknown[]) => {
      calls += 1
      if (calls <= failures) throw new Error('the object restarts')
      return call(...args).finally(over.resolve)
    },
  })
  return over.promise
}

const nothingSpent = {
  eth_call: () => `0x${'00'.repeat(64)}`,
  eth_getBlockByNumber: () => ({ number: '0x1', timestamp: '0x1' }),
}

describe('a process that is stopped beyond the time of an answer', () => {
  test('begins nothing by what it read before', async () => {
    const { world, ledger, dial } = stillChain()
    const stop = async () => {
      world.now += stoppedMs
      return undefined
    }
    expect(await dial(1, 1, 1n, 'transfer', stop)).toBe('uncertain')
    expect(await dial(2)).toBe('submitted')
    const { carried } = await ledger.readWork()
    expect(carried.map(({ session }) => session)).toEqual(['session 2'])
  })

  test('closes no session by what it read before, and says so', async () => {
    let isStopped = false
    const stop = () => {
      if (!isStopped) world.now += stoppedMs
      isStopped = true
      return undefined
    }
    const answers = { eth_call: stop, eth_getBlockByNumber: stop }
    const { world, dial } = stillChain({ answers })
    expect(await dial(1, 1, 1n, 'transfer', denied)).toBe('uncertain')
    expect(isStopped).toBe(true)
    expect(await dial(1)).toBe('submitted')
  })

  test.for([
    ['while an offer waits for its batch', 0, 'acceptOffers', 0, undefined],
    ['while an offer is tried again', 50, 'acceptOffers', 1, undefined],
    ['while a refusal is tried again', 50, 'refuse', 1, denied],
  ] as const)(
    '%s, begins and closes nothing',
    async ([, pauseMs, method, failures, findDenial]) => {
      const { state, slept } = stopIn(pauseMs)
      const { ledger, dial } = stillChain({ slept })
      const isOver = failFirst(ledger, method, failures)
      expect(await dial(1, 1, 1n, 'transfer', findDenial)).toBe('uncertain')
      await isOver
      expect(state.isStopped).toBe(true)
      expect((await ledger.readWork()).carried).toEqual([])
      expect(await dial(1)).toBe('submitted')
    },
  )

  test('says nothing of a payment whose row the ledger has lost meanwhile', async () => {
    let sent = 0
    const { state, slept } = stopIn(50, async () => {
      // Another process pays for the session, and a failover loses that row.
      relayer.ledger = ledger
      expect(await dial(1)).toBe('submitted')
      sent = 1
      relayer.ledger = replica
    })
    const answers = { ...nothingSpent, eth_getTransactionCount: () => numberToHex(sent) }
    const { ledger, relayer, world, dial } = stillChain({ answers, slept })
    const address = relayer.signer.address.toLowerCase()
    const { ledger: replica } = createMemoryLedger({ relayer: address, now: () => world.now })
    const known = { answerCount: 1, screen: screenOf('x'), reason: 'void' }
    const other = { session: 'other', input: 'i', account: relayer.signer.address, ...known }
    for (const one of [ledger, replica])
      await one.refuse({ ...other, traces: { chain: 0, pool: 0, relayer: address } })
    relayer.ledger = { ...ledger }
    failFirst(relayer.ledger as WholeLedger, 'refuse')
    expect(await dial(1, 1, 1n, 'transfer', denied)).toBe('uncertain')
    expect(state.isStopped).toBe(true)
  })

  test('while the end of a session is tried again, closes nothing', async () => {
    const { state, slept } = stopIn(50)
    const { ledger, relayer, world } = stillChain({ answers: nothingSpent, slept })
    const isOver = failFirst(ledger, 'refuse')
    const account = relayer.signer.address
    const stepKey = { session: 'session 1', input: 'input', account }
    const intent = { from: account, intentId: numberToHex(1, { size: 22 }) }
    const end = { since: world.now, stepKey, answerCount: 1, intent, screen: screenOf('void') }
    expect(await createEndSession(relayer)({ ...end, reason: 'void' })).toEqual({
      kind: 'uncertain',
    })
    await isOver
    expect(state.isStopped).toBe(true)
    expect((await ledger.lookup(stepKey)).kind).toBe('undecided')
  })
})
