import fc from 'fast-check'
import { type Address, type Hex, numberToHex, zeroAddress } from 'viem'
import { poolRules } from '../../../../src/chain/chains.ts'
import type { Receipt } from '../../../../src/chain/node.ts'
import type { MinedReport } from '../../../../src/relay/ledger/carrying.ts'
import { ledgerRules } from '../../../../src/relay/ledger/draft.ts'
import type { OpenNonce } from '../../../../src/relay/ledger/payments/nonces.ts'
import type { Payment } from '../../../../src/relay/ledger/payments/payment-states.ts'
import type { BlockId } from '../../../../src/relay/ledger/values.ts'
import type { Work } from '../../../../src/relay/ledger/work.ts'
import { assureOutcomes } from '../../../../src/relay/rounds/assure.ts'
import { carryPayments } from '../../../../src/relay/rounds/carry.ts'
import type { Action } from '../../../../src/relay/rounds/execute.ts'
import type { BlockStatus, RoundFacts, StageTerms } from '../../../../src/relay/rounds/facts.ts'
import { followChain } from '../../../../src/relay/rounds/follow.ts'
import type { Asking, Question, Spending } from '../../../../src/relay/rounds/questions.ts'
import { resendTransactions } from '../../../../src/relay/rounds/resend.ts'
import { settleOutcomes } from '../../../../src/relay/rounds/settle.ts'
import { executionIn, orderOf } from '../../../ports/payments.ts'

/** Holds a round's facts, and what node and ledger answer. What is not known is not answered. */
export type Snapshots = { work: Work; facts: RoundFacts; answers: Answers }

type Answers = {
  /** Maps nonces to what they did. */
  mined?: ReadonlyMap<number, MinedReport | 'missing' | undefined>
  spendings?: ReadonlyMap<string, Spending | undefined>
  receipt?: Receipt | 'unproved' | undefined
  settledWei?: bigint | undefined
  /** Lists the recorded blocks, the highest first. */
  blocks?: readonly BlockId[]
  /** Lists heights at which the node shows no block. */
  hidden?: readonly number[]
  latestNonce?: number | undefined
  pendingNonce?: number | undefined
  finalNonce?: number | undefined
  gasPriceWei?: bigint | undefined
  /** Gives the time of the block that makes outcomes final. */
  deepSeconds?: number | undefined
}

export const stages = {
  follow: followChain,
  settle: settleOutcomes,
  assure: assureOutcomes,
  resend: resendTransactions,
  carry: carryPayments,
}

export type Stage = keyof typeof stages

/** Has few nonces, so that payments compete for them. */
export const terms: StageTerms = {
  rules: { ...poolRules.rootstock, maxInFlight: 6, maxInBatch: 2 },
  fees: { maxWei: 1_000n },
  forwarder: { chainId: 31, address: zeroAddress },
}

/** Returns what a stage does by these answers. */
export function decide(stage: Stage, given: Snapshots, by = terms): readonly Action[] {
  const { work, facts } = given
  const asking: Asking<{ actions: readonly Action[] }> =
    stage === 'follow' ? followChain(work, by) : stages[stage](work, facts, by)
  let step = asking.next([])
  while (!step.done) step = asking.next(step.value.map((question) => answer(question, given)))
  return step.value.actions
}

function answer(question: Question, { facts, answers }: Snapshots): unknown {
  const { name, args, event } = question
  const { blocks = [], hidden = [], latestNonce, deepSeconds } = answers
  switch (name) {
    case 'getHead':
      return facts.head
    case 'getBlock': {
      const [number] = args
      const isDeep = event === 'expire.failed'
      if (hidden.includes(number) || (isDeep && deepSeconds === undefined)) return undefined
      return { ...facts.head, ...linkedAt(number), timestampSeconds: deepSeconds ?? 1 }
    }
    case 'getNextNonce':
      if (args[0] === 'pending') return answers.pendingNonce
      return event === undefined ? (latestNonce ?? facts.chainNonce) : latestNonce
    case 'getNextNonceBefore':
      return answers.finalNonce
    case 'getGasPrice':
      return answers.gasPriceWei
    case 'readMined':
      return answers.mined?.get(args[0].nonce)
    case 'getReceipt':
      return answers.receipt
    case 'readSettled':
      return answers.settledWei
    case 'readSpending':
      return answers.spendings?.get(args[0].session)
    case 'listBlocks':
      return blocks.filter(({ number }) => number > args[0])
    case 'listSigned':
      return []
    case 'getBalance':
    case 'readPayee':
      throw new Error(`no stage asks ${name} here`)
  }
}

const now = 100_000_000
export const headNumber = 100
const headSeconds = 1_000_000
const minedCount = 4

const word = (value: number): Hex => numberToHex(value, { size: 32 })
const blocks = new Map<number, BlockId>()

export function blockAt(number: number): BlockId {
  const block = blocks.get(number) ?? executionIn(number).block
  blocks.set(number, block)
  return block
}

const linkedAt = (number: number) => ({
  ...blockAt(number),
  parentHash: blockAt(number - 1).hash,
})

/** Creates the facts of a round that has followed these blocks, the head first. */
export function factsOf(chainNonce: number, headSeconds: number, ...heights: number[]): RoundFacts {
  const followedBlocks = heights.map((number) => ({ ...blockAt(number), count: 0 }))
  const head = {
    ...{ ...linkedAt(headNumber), timestampSeconds: headSeconds },
    ...{ transactions: [], fullness: undefined, leastPriceWei: undefined },
  }
  return {
    ...{ head, isNewHead: true, followedBlocks, chainNonce, reportedNonce: undefined },
    ...{ statuses: new Map(), spendings: new Map(), payees: new Map(), refused: new Set() },
  }
}

export function paymentOf(
  session: string,
  account: Address,
  deadline: number,
  more: Partial<Payment>,
): Payment {
  const order = orderOf(session, account)
  return {
    ...{ session, state: 'queued', nonce: undefined, attempts: 0, execution: undefined },
    ...{ reason: '', assuredAt: undefined, isBacked: false },
    ...{ acceptedAt: 0, order: { ...order, request: { ...order.request, deadline } } },
    ...more,
  }
}

/** Creates a ledger's open work; empty by default. */
export const workOf = (open: Partial<Work> & Pick<Work, 'now'>): Work => ({
  ...{ head: undefined, followedBlocks: [], accountState: {}, nextReading: 'reportedNonce' },
  ...{ behindSince: undefined, nextNonce: 0, watching: false },
  ...{ possibleLossAt: undefined, differences: undefined },
  ...{ nonces: [], waiting: [], stuck: [], carried: [], mined: [] },
  ...open,
})

const known = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 5 })

const execution = { outcome: 'executed', reason: '', hash: word(1), block: blockAt(95) } as const
const executed = orderOf('s').request

/** Draws what is known of an intent: `silent` if the node did not answer, `unasked` if nothing. */
const spending: fc.Arbitrary<Spending | 'silent' | 'unasked'> = fc.constantFrom(
  { kind: 'unspent' } as const,
  { kind: 'unspent' } as const,
  { kind: 'spent', by: { ...execution, executed } } as const,
  { kind: 'spent', by: undefined } as const,
  'silent' as const,
  'unasked' as const,
)

const place = fc.constantFrom<BlockStatus>('canonical', 'lost', 'unknown')

const person = fc.record({
  account: fc.integer({ min: 1, max: 3 }),
  attempts: fc.constantFrom(0, 0, 0, 1, 2, 8),
  // s after its deadline.
  lateness: fc.constantFrom(-7_000, -7_000, -7_000, -1, 0, 10, 5_000),
  spending,
})

type Person = typeof person extends fc.Arbitrary<infer Value> ? Value : never

const slot = fc.record({
  kind: fc.constantFrom('free', 'free', 'carries', 'carries', 'empty', 'bare', 'lost'),
  ...{ person, ageMs: fc.constantFrom(0, 2_000, 130_000, 200_000, 400_000), isSent: fc.boolean() },
  ...{ failures: fc.constantFrom(0, 0, 1, 3), copies: fc.integer({ min: 1, max: 10 }) },
  fate: fc.constantFrom('mined', 'dropped', 'missing', 'unknown'),
})

type Slot = typeof slot extends fc.Arbitrary<infer Value> ? Value : never

/** Tells whether a payment counts as on this nonce, even wrongly after lost rows. */
const isCarrier = (kind: string) => ['carries', 'bare', 'lost'].includes(kind)

function openNonce({ kind, ageMs, isSent, copies, failures }: Slot, nonce: number): OpenNonce[] {
  if (kind === 'free' || kind === 'lost') return []
  const bytes = Array.from({ length: kind === 'bare' ? 0 : copies }, (_, copy) => ({
    ...{ hash: word(0xa000 + nonce * 20 + copy), raw: '0x' as const },
    ...{ gasPriceWei: BigInt(100 * (copies - copy)) },
    ...{ recordedAt: now - ageMs, sentAt: isSent ? now - ageMs : undefined },
    failures,
  }))
  const sessions = isCarrier(kind) ? [`session ${nonce}`] : []
  return [{ nonce, sessions, transactions: bytes }]
}

function reportOf({ fate, kind }: Slot, nonce: number): MinedReport | 'missing' | undefined {
  if (fate === 'unknown') return undefined
  if (fate === 'missing') return fate
  const sessions = isCarrier(kind) ? [`session ${nonce}`] : []
  const own = { ...execution, signature: '0x', executed } as const
  const done = fate === 'mined' ? sessions.map((session) => [session, own] as const) : []
  const report = { nonce, sessions, hash: word(0xa000), block: blockAt(95) }
  return { ...report, executions: Object.fromEntries(done) }
}

/** Snapshots of a relayer with trouble of every kind: what is unknown is unknown by chance. */
export const snapshots: fc.Arbitrary<Snapshots> = fc
  .record({
    // Nonces from 0 on: some passed, some in the pool's reach, some beyond.
    slots: fc.array(slot, { maxLength: 14, size: 'max' }),
    queue: fc.array(person, { maxLength: 8 }),
    mined: fc.array(fc.record({ block: fc.constantFrom(80, 80, 85, 95), person }), {
      maxLength: 4,
    }),
    places: fc.uniqueArray(fc.tuple(fc.constantFrom(80, 85, 95, headNumber - 1), place), {
      selector: ([number]) => number,
    }),
    refused: fc.uniqueArray(fc.integer({ min: minedCount, max: minedCount + 6 }), { maxLength: 2 }),
    pendingNonce: known(fc.constantFrom(0, 0, minedCount, minedCount + 1, minedCount + 3)),
    gasPriceWei: known(fc.constantFrom(60n, 900n)),
    finalNonce: known(fc.integer({ min: 0, max: minedCount })),
    deepSeconds: known(fc.constantFrom(headSeconds - 300, headSeconds - 5)),
    latestNonce: known(fc.integer({ min: minedCount, max: minedCount + 2 })),
  })
  .map(({ slots, queue, mined, places, refused, ...answers }) => {
    // A payment's number is the order of acceptance.
    const payment = (number: number, own: Person, more: Partial<Payment> = {}) => {
      const [account, deadline] = [
        numberToHex(own.account, { size: 20 }),
        headSeconds - own.lateness,
      ]
      const accepted = { attempts: own.attempts, acceptedAt: now - 600_000 + number }
      return paymentOf(`session ${number}`, account, deadline, { ...accepted, ...more })
    }
    const carried = slots.flatMap(({ kind, person: own }, nonce) =>
      isCarrier(kind) ? [payment(nonce, own, { nonce, state: 'signed' })] : [],
    )
    const all = queue.map((own, index) => payment(20 + index, own))
    const isStuck = ({ attempts }: Payment) => attempts >= ledgerRules.maxAttempts
    const work = workOf({
      ...{ now, head: blockAt(headNumber - 1), nextNonce: slots.length, watching: true, carried },
      nonces: slots.flatMap(openNonce),
      waiting: all.filter((one) => !isStuck(one)),
      stuck: all.filter(isStuck),
      mined: mined.map(({ block, person: own }, index) => {
        const found = { ...execution, block: blockAt(block) }
        return payment(40 + index, own, { nonce: 0, state: 'mined', execution: found })
      }),
    })
    const spendings = new Map(
      [...queue.map(({ spending }, index) => [20 + index, spending] as const)]
        .concat(slots.map(({ person: { spending } }, nonce) => [nonce, spending] as const))
        .flatMap(([number, one]) => {
          if (one === 'unasked') return []
          return [[`session ${number}`, one === 'silent' ? undefined : one]]
        }),
    )
    const deep = headNumber - terms.rules.confirmations + 1
    const heights = Array.from({ length: headNumber - deep + 1 }, (_, index) => headNumber - index)
    const facts: RoundFacts = {
      ...factsOf(minedCount, headSeconds, ...heights),
      statuses: new Map(places.map(([number, one]) => [blockAt(number).hash, one])),
      ...{ spendings, refused: new Set(refused), gasPriceWei: answers.gasPriceWei },
      // As by an earlier plan of the round: a stage that sees no free nonce does not ask.
      poolNonce: answers.pendingNonce,
    }
    const reports = slots.map((own, nonce) => [nonce, reportOf(own, nonce)] as const)
    const blocks = [blockAt(95), blockAt(85), blockAt(80)]
    return { work, facts, answers: { ...answers, spendings, blocks, mined: new Map(reports) } }
  })
