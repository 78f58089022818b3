import { type Address, type Hex, stringToHex } from 'viem'
import { expect } from 'vitest'
import { createRandom, type Random } from '../../scripts/dev/random.ts'
import { ledgerParts } from '../../src/compose/ledger.ts'
import { encodeCall } from '../../src/loan/calls.ts'
import { kindNames } from '../../src/loan/kinds.ts'
import { loanStates } from '../../src/loan/loan-book.ts'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import type { SignedRequest } from '../../src/relay/forwarder/requests.ts'
import type { PaymentOffer } from '../../src/relay/ledger/acceptance.ts'
import type { LedgerRules } from '../../src/relay/ledger/draft.ts'
import type { Capacity, Slot } from '../../src/relay/ledger/payments/nonces.ts'
import type { AccountState } from '../../src/relay/ledger/records/chain.ts'
import type { PaymentLimits } from '../../src/relay/ledger/records/earlier.ts'
import type { Identity } from '../../src/relay/ledger/records/identity.ts'
import { reminderKinds } from '../../src/relay/ledger/rows.ts'
import { paymentStates } from '../../src/relay/ledger/transitions.ts'
import {
  type IntentExecution,
  type Order,
  type SignedTransaction,
  smsParties,
} from '../../src/relay/ledger/values.ts'
import { listPayments } from '../../src/relay/ledger/work.ts'
import { carol, lentTo, room, unlimited } from './payments.ts'

/** Describes one of the stores that play the same history. */
export type HistoryStore = {
  name: string
  ledger: WholeLedger
  /** Dumps all rows but the schema's number, one text a row. */
  rows: () => Promise<string[]>
}

type HistoryOptions = {
  seed: number
  steps: number
  rules: LedgerRules
  stores: readonly HistoryStore[]
  pass: (ms: number) => void
}

const accounts = ['1', '2', '3'].map((digit): Address => `0x${digit.repeat(40)}`)
const target: Address = `0x${'4'.repeat(40)}`
const sessions = 12
const blocks = 6

const id = (text: string): Hex => stringToHex(text, { size: 32 })

/** Lives one random history through on all stores side by side and compares all that they say. */
export async function liveHistory(options: HistoryOptions): Promise<void> {
  const { seed, steps, stores, rules } = options
  const random = createRandom(seed, 'ledger history')
  const nothing = { slot: undefined, made: 0 }
  const world: World = { random, rules, ...nothing }

  async function ask(method: keyof WholeLedger, ...args: unknown[]): Promise<unknown> {
    const answers = await Promise.all(
      stores.map(({ ledger }) => {
        const call = ledger[method] as (...args: unknown[]) => Promise<unknown>
        return call(...args).catch((error: Error) => ({ fault: error.message }))
      }),
    )
    return expectSame(answers, (name) => `${name} on ${method}, seed ${seed}`)
  }

  function expectSame([first, ...others]: unknown[], describe: (name?: string) => string) {
    for (const [index, other] of others.entries()) {
      expect(other, describe(stores[index + 1]?.name)).toEqual(first)
    }
    return first
  }

  for (let step = 0; step < steps; step++) {
    const work = (await ask('readWork')) as Awaited<ReturnType<WholeLedger['readWork']>>
    const [method, ...args] = drawCall(world, work)
    if (method === 'pass') options.pass(args[0] as number)
    else {
      const answer = await ask(method, ...args)
      noteSlot(world, method, args, answer)
    }
  }
  await expectSameRows('at the end')
  options.pass(rules.retentionMs + 1)
  await ask('prune')
  await expectSameRows('after pruning')
  options.pass(rules.historyMs + 1)
  await ask('prune')
  await expectSameRows('after forgetting')

  async function expectSameRows(when: string): Promise<void> {
    const rows = await Promise.all(stores.map(async (store) => (await store.rows()).sort()))
    expectSame(rows, (name) => `rows of ${name} ${when}, seed ${seed}`)
  }
}

type World = {
  random: Random
  rules: LedgerRules
  /** The nonce that was asked for last. */
  slot: (Parameters<WholeLedger['findSlot']>[0] & { replacedHash: Hex | undefined }) | undefined
  made: number
}

function noteSlot(world: World, method: keyof WholeLedger, args: unknown[], answer: unknown): void {
  const slot = answer as Slot | undefined
  if (method !== 'findSlot' || slot === undefined) return
  world.slot = {
    ...(args[0] as Parameters<WholeLedger['findSlot']>[0]),
    replacedHash: slot.pending?.hash,
  }
}

type Work = Awaited<ReturnType<WholeLedger['readWork']>>
type Method = keyof WholeLedger | 'pass'

const oneOrNone = <Item>(random: Random, items: readonly Item[]): Item | undefined =>
  items[random.int(0, items.length)]

/** The sessions that a transaction is to carry: none, the one that is open, or two. */
const drawSessions = (random: Random, owner: string, session: string): readonly string[] =>
  random.pick([[], [owner], [owner], [...new Set([owner, session])]])

/** Holds what calls are drawn from: most fits the open work, some does not. */
function drawScene(world: World, work: Work) {
  const { random } = world
  const session = `s${random.int(0, sessions - 1)}`
  const account = accounts[Number(session.slice(1)) % accounts.length] ?? target
  const question = { session, account, input: random.pick(['a', 'a', 'b']), answerCount: 3 }
  const screen = { kind: 'end' as const, lines: [session, 'Thank you.'] }
  const any = oneOrNone(random, listPayments(work))
  const owner = any?.session ?? session
  const open = oneOrNone(random, work.nonces)
  const nonce = open?.nonce ?? random.int(0, work.nextNonce)
  const hash = open?.transactions[0]?.hash ?? id('unknown')
  const [first] = work.nonces
  const chainNonce = first?.nonce ?? work.nextNonce
  return {
    ...{ world, work, random, session, account, question, screen },
    ...{ any, owner, open, nonce, hash, chainNonce },
  }
}

type Scene = ReturnType<typeof drawScene>

function drawCall(world: World, work: Work): [method: Method, ...args: unknown[]] {
  const method = world.random.weighted(weights)
  return [method, ...draws[method](drawScene(world, work))]
}

/** Has mostly the one that each request is signed with. */
const signatures = ['0xabcd', '0xabcd', '0xef01'] as const

type Draws = {
  readonly [Name in Method]: (
    scene: Scene,
  ) => Readonly<Name extends keyof WholeLedger ? Parameters<WholeLedger[Name]> : [ms: number]>
}

/** Draws arguments for each method; a forgotten method does not compile. */
const draws: Draws = {
  pass: ({ world }) => [drawTime(world)],
  acceptOffers({ world, work, random }) {
    const drawOne = () => drawOffer(drawScene(world, work))
    const offers = Array.from({ length: random.int(1, 3) }, drawOne)
    const transaction = drawTransaction(world)
    const isOpen = random.chance(0.9)
    return [offers, () => (isOpen ? () => transaction : undefined)]
  },
  findKnownRefusal({ random, account }) {
    return [account, drawLimits(random), { kind: random.pick(kindNames), spendsWei: 1n }]
  },
  refuse({ random, question, screen }) {
    const obstacle = oneOrNone(random, ['crowded'] as const)
    return [{ ...question, screen, reason: 'blocked', obstacle }]
  },
  judgeRate({ random }) {
    const micros = random.pick([100n, 120n, 200n, 5_000n])
    const currency = random.pick(['KES', 'KES', 'KES', 'GHS'])
    return [{ currency, micros, maxChangePercent: 25, isAgreed: random.chance(0.2) }]
  },
  acceptRate: ({ random }) => [drawName(random), random.pick([100n, 5_000n])],
  recordWalletChange({ random, account }) {
    const action = random.pick(['redeem-wallet', 'cancel-wallet'] as const)
    const sealed = oneOrNone(random, ['0x51'])
    return [{ id: `wallet:${drawName(random)}`, action, account, wallet: target, sealed }]
  },
  adopt({ world, random, session, account, question, screen }) {
    const order = orderOf(world, session, account)
    const execution = drawExecution(random, order.request)
    return [{ ...question, order, screen, execution }]
  },
  findSlot: ({ random, owner, session, nonce, chainNonce }) => [
    { nonce, chainNonce, sessions: drawSessions(random, owner, session) },
  ],
  fill({ world, nonce, chainNonce }) {
    const { slot = { nonce, chainNonce, sessions: [], replacedHash: undefined } } = world
    return [{ ...slot, transaction: drawTransaction(world) }]
  },
  replace({ world, nonce, hash }) {
    return [{ nonce, replacedHash: hash, transaction: drawTransaction(world) }]
  },
  recordSend: ({ random, hash }) => [
    hash,
    random.pick(['taken', 'taken', 'taken', 'unknown', 'price_too_low']),
  ],
  beginSend: ({ random, nonce, hash }) => [{ nonce, hash, mayLeave: random.chance(0.7) }],
  endUnsent: ({ owner }) => [owner, 'Recipient not allowed'],
  recordMined({ random, open, nonce, hash }) {
    const { block } = drawExecution(random)
    const { sessions = [] } = open ?? {}
    const executed = sessions.filter(() => random.chance(0.8))
    const executions = Object.fromEntries(
      executed.map((session) => [
        ...[session, { ...drawExecution(random), block, signature: random.pick(signatures) }],
      ]),
    )
    return [{ nonce, sessions, hash, block, executions }]
  },
  confirm: ({ any, owner, session }) => [
    [owner, session],
    any?.execution?.block.hash ?? id('block 1'),
  ],
  assure: ({ random, any, session }) => [
    any?.session ?? session,
    any?.execution?.block.hash ?? id('block 1'),
    { block: random.int(0, 3), wei: BigInt(random.int(0, 60)) },
  ],
  reopen: ({ random }) => [drawExecution(random).block.hash],
  settle: ({ random, owner }) => [owner, random.pick(signatures), drawExecution(random)],
  recordHead({ random, chainNonce }) {
    return [oneOrNone(random, [[{ ...drawExecution(random).block, count: chainNonce }]])]
  },
  recordAccountState({ random, work, chainNonce }) {
    const accountState = random.pick<AccountState>([
      { chainNonce },
      { reportedNonce: chainNonce },
      { balanceWei: BigInt(random.int(0, 9)) },
      { gasPriceWei: 60n, chainNonce },
    ])
    const head = (random.chance(0.8) ? work.head : undefined) ?? drawExecution(random).block
    return [head.hash, accountState, oneOrNone(random, ['balanceWei', 'gasPriceWei'] as const)]
  },
  listBlocks: ({ random }) => [random.int(-1, blocks)],
  listPayments: ({ random, account }) => [account, random.int(1, 4)],
  identify: ({ random }) => [identityOf(random)],
  lookup: ({ question }) => [question],
  findFormerAccount: ({ account }) => [account],
  renumber({ random, account }) {
    const accounts = random.chance(0.5) ? [[account, target] as const] : []
    const [numbering, kept] = [random.pick(['a', 'b']), oneOrNone(random, [1])]
    return [{ id: drawName(random), numbering, accounts, kept }]
  },
  saveFirstValue: ({ random, question }) => [
    { ...question, name: random.pick(['terms', 'equal']), value: `${random.int(1, 3)}` },
  ],
  recordEarlier: ({ question }) => [question, { data: '0x1234' }],
  readFirstValue: ({ random, question }) => [question, random.pick(['terms', 'equal'])],
  findPayment: ({ owner }) => [owner],
  expire: ({ random, owner }) => [owner, random.pick([1, 2, 4_000_000_001])],
  recordDisplaced: ({ nonce }) => [nonce],
  abandon: ({ nonce }) => [nonce],
  recordObservations({ random }) {
    const head = oneOrNone(random, [{ number: random.int(1, blocks), timestampSeconds: 1 }])
    const node = oneOrNone(random, ['answered', 'silent'] as const)
    return [{ facts: { head }, node, round: random.pick(['done', 'failed']) }]
  },
  recordAlerts({ random }) {
    const found = ['stuck', 'budget'].filter(() => random.chance(0.5))
    return [found.map((name) => ({ name, says: 'Look.' })), { mustNotify: random.chance(0.8) }]
  },
  takeNotices: ({ random }) => [random.int(1, 3)],
  listDueReminders: ({ random }) => [random.int(1, 3)],
  takeReminder: ({ random, account }) => [
    { account, owedWei: random.pick([0n, 5n, 5n]), dueAt: random.int(0, 500_000) },
  ],
  recordReminderFate({ random, account }) {
    const [kind, dueAt] = [random.pick(reminderKinds), random.int(0, 500_000)]
    const reminder = { account, kind, dueAt, owedWei: 5n, sealed: 'sealed' }
    return [reminder, random.pick(['sent', 'later'])]
  },
  takeSms: ({ random }) => [random.int(1, 3)],
  recordSmsFate({ random, session }) {
    const name = { session, party: random.pick(smsParties), attempts: random.int(1, 2) }
    return [name, random.pick(['sent', 'unknown', 'later', 'untried'])]
  },
  deleteNotice: ({ work }) => [`stuck:${work.now}:raised`],
  setIntake({ random }) {
    const kind = random.pick(['open', 'open', 'paused', 'draining'] as const)
    return [kind, drawName(random), oneOrNone(random, ['a', 'b'])]
  },
  exportKept: ({ random }) => [{ part: random.int(0, 4), from: 0 }],
  importKept({ random, account, work }) {
    const removed_at = oneOrNone(random, [work.now]) ?? null
    const to = { account, name: 'Duka', kind: 'bill' as const, added_at: work.now, removed_at }
    const alias = { account: account.toLowerCase(), former: account, kept_at: work.now }
    const entry = { id: drawName(random), at: 5, action: 'pause', detail: {} }
    const reason = oneOrNone(random, ['SIM swap'])
    const holds = random.chance(0.2) ? [{ account, held_at: work.now, reason }] : []
    const till = { till: random.pick(['12344', '54320']), ...to }
    return [drawName(random), { audit: [entry], holds, tills: [till], aliases: [alias] }]
  },
  recordAction({ random, nonce }) {
    return [{ id: drawName(random), action: 'outbid', detail: { nonce: `${nonce}` } }]
  },
  setHold({ random, account }) {
    const reason = oneOrNone(random, ['SIM swap', 'lost phone'])
    return [account, random.chance(0.2), drawName(random), reason]
  },
  recall: ({ random, account: sender, session }) => [
    {
      ...{ sender, intentId: id(`intent ${session}`), withinMs: 600_000, everyMs: 1_000 },
      holdings: {
        block: random.int(0, 100),
        wei: BigInt(random.int(0, 100)),
        owedWei: 0n,
        spent: [],
      },
      sealed: random.chance(0.5) ? 'sealed' : undefined,
    },
  ],
  endRecall: ({ random, account, session }) => [account, id(`intent ${session}`), drawName(random)],
  listRecalled: ({ account }) => [account],
  listHeldFor: ({ account, random }) => [account, random.int(0, 9)],
  listRecallable: ({ account: sender, random }) => [
    { sender, withinMs: random.pick([0, 600_000]), everyMs: random.pick([0, 600_000]) },
  ],
  setTill({ random, account }) {
    const till = { account, name: 'Duka', kind: 'agent', number: 'sealed' } as const
    const to = random.chance(0.6) ? till : undefined
    return [{ id: drawName(random), till: random.pick(['12344', '54320']), to }]
  },
  listTills: () => [],
  findTill: () => ['12344'],
  findTillNumber: ({ account }) => [account],
  findWithdrawals: ({ account }) => [account, '123456'],
  payOut: ({ account, session }) => [account, id(`intent ${session}`), session],
  listTakings: ({ account }) => [account, 3],
  readStanding: ({ account }) => [account],
  readPerson({ random, account }) {
    return [{ account, contract: target, position: { part: random.int(0, 3), from: 0 } }]
  },
  erase: ({ random, account }) => [{ id: drawName(random), account, contract: target, from: 0 }],
  traceSession: ({ session }) => [session],
  listPastAlerts: () => [],
  readLoanBook: () => [target],
  listLoans: ({ random }) => [{ contract: target, state: random.pick(loanStates), limit: 3 }],
  bookLoans({ random, account }) {
    const [from, next] = [oneOrNone(random, [1, 2]), random.int(1, 2)]
    return [{ contract: target, from, next, logs: [lentTo(account, 60)] }]
  },
  takeEvents: ({ random }) => [random.int(1, 3)],
  markEventsTold: ({ random, account }) => [account.toLowerCase(), random.int(0, 9)],
  listEvents: ({ random }) => [random.int(0, 9), 3],
  listAudit: ({ random }) => [{ limit: random.int(1, 5) }],
  readPage: ({ work, random, account }) => [drawQuery(random, account, work.now)],
  findPayments: ({ random, account, hash }) => [
    random.pick([account, hash.slice(0, 12), '123456']),
    3,
  ],
  tracePayment: ({ session }) => [id(`intent ${session}`)],
  readVitals({ random }) {
    const identity = { chainId: 31, fingerprints: { FORWARDER_ADDRESS: 'old' } }
    return [oneOrNone(random, [{ identity, probes: true }])]
  },
  readWork: () => [],
  listSigned: () => [],
  prune: () => [],
}

function drawOffer({ world, random, session, account, question, screen, chainNonce }: Scene) {
  const order = orderOf(world, session, account)
  const reserves = oneOrNone(random, [share])
  return {
    ...{ ...question, order: { ...order, reserves }, screens: { carried: screen, queued: screen } },
    ...{ gasPriceWei: 100n, chainNonce },
    ...{ poolNonce: chainNonce + random.pick([0, 0, 1]), version: oneOrNone(random, [0, 1]) },
    ...{ capacity: drawCapacity(random), limits: drawLimits(random) },
    ...{ unlessEqual: random.chance(0.2), lendable: drawLendable(random) },
  }
}

function drawTime({ random, rules: { displacedMs, retentionMs } }: World): number {
  return random.weighted([
    [random.int(1, 20_000), 11],
    [displacedMs, 2],
    [retentionMs + 1, retentionMs > 0 ? 0.2 : 0],
  ] as const)
}

const identityOf = (random: Random): Identity => ({
  chainId: 31,
  fingerprints: {
    FORWARDER_ADDRESS: random.pick(['old', 'old', 'new']),
    ACCOUNT_KEY_SECRET: random.pick(['a', 'a', 'b']),
  },
})

const drawName = (random: Random): string => `entry ${random.int(1, 1_000)}`

function drawQuery(
  random: Random,
  account: Address,
  now: number,
): Parameters<WholeLedger['readPage']>[0] {
  return {
    ...{ state: oneOrNone(random, paymentStates), account: oneOrNone(random, [account]) },
    ...{ before: oneOrNone(random, [now - random.int(0, 100_000)]), archived: random.chance(0.2) },
    limit: random.int(1, 6),
  }
}

const drawCapacity = (random: Random): Capacity =>
  random.chance(0.3)
    ? {
        ...room,
        open: random.int(0, 8),
        waiting: random.int(0, 3),
        isPriceTooHigh: random.chance(0.2),
      }
    : room

const drawLimits = (random: Random): PaymentLimits => ({
  openPayments: random.chance(0.3) ? random.int(1, 4) : unlimited.openPayments,
  transfersADay: oneOrNone(random, [1, 6]),
  sentADayWei: oneOrNone(random, [1n, 4n * 10n ** 18n]),
})

const often: Partial<Record<keyof WholeLedger, number>> = {
  ...{ acceptOffers: 24, recordMined: 8, confirm: 8 },
  ...{ findSlot: 6, fill: 6, recordSend: 4, reopen: 3 },
  ...{ recordDisplaced: 1, abandon: 1, expire: 1, prune: 1, adopt: 1, refuse: 1 },
}

const weights: [Method, number][] = [
  ['pass', 10],
  ...(Object.keys(ledgerParts.steps) as (keyof WholeLedger)[]).map(
    (method): [keyof WholeLedger, number] => [method, often[method] ?? 2],
  ),
]

function orderOf({ random }: World, session: string, account: Address): Order {
  return {
    request: {
      ...{ from: account, intentId: id(`intent ${session}`), gas: 150_000 },
      deadline: random.pick([4_000_000_000, 4_000_000_000, 1]),
      ...{ data: '0x1234', signature: '0xabcd' },
    },
    kind: random.pick(kindNames),
    spendsWei: 10n ** 18n,
    reserves: oneOrNone(random, [share]),
    attached: random.chance(0.3) ? { till: { account, reference: 'A1' } } : undefined,
    reminder: oneOrNone(random, ['sealed']),
    sms: smsParties.filter(() => random.chance(0.5)).map((party) => ({ party, sealed: 'sealed' })),
  }
}

const share = { poolWei: 10n, capWei: 11n, outWei: 12n }

function drawLendable(random: Random): PaymentOffer['lendable'] {
  const block = random.int(0, blocks)
  const there = { poolWei: BigInt(random.int(5, 60)), capWei: 50n, outWei: 55n }
  return oneOrNone(random, [{ ...there, block }])
}

function drawTransaction(world: World): SignedTransaction {
  const name = `tx ${world.made++}`
  const gasPriceWei = BigInt(world.random.int(1, 2_000))
  return { hash: id(name), raw: id(`raw ${name}`), gasPriceWei }
}

const accepted = { from: carol, intentId: '0x1d', gas: 1, deadline: 1, data: '0x1234' } as const

/** Lists calls that the chain may have executed instead of the accepted one, after lost rows. */
const otherCalls = [
  encodeCall({ kind: 'transfer', to: carol, amountWei: 7n }),
  encodeCall({ kind: 'cashOut', to: carol, amountWei: 8n }),
  encodeCall({ kind: 'loan', principalWei: 9n, feeWei: 0n, termSeconds: 1 }),
  encodeCall({ kind: 'repayment', amountWei: 'all' }),
]

function drawExecution(
  random: Random,
  request: SignedRequest = { ...accepted, signature: '0xabcd' },
): IntentExecution {
  const number = random.int(1, blocks)
  const block = { number, hash: id(`block ${number} ${random.pick(['a', 'a', 'b'])}`) }
  const outcome = random.pick(['executed', 'failed'] as const)
  const executed = random.chance(0.7) ? request : { ...request, data: random.pick(otherCalls) }
  return { outcome, reason: outcome === 'failed' ? 'No' : '', hash: id('spent'), block, executed }
}
