import fc from 'fast-check'
import { type Address, type Hex, numberToHex } from 'viem'
import { poolRules } from '../../../../src/chain/chains.ts'
import { ledgerRules } from '../../../../src/relay/ledger/draft.ts'
import type { OpenNonce } from '../../../../src/relay/ledger/payments/nonces.ts'
import type { Payment } from '../../../../src/relay/ledger/payments/payment-states.ts'
import type { Work } from '../../../../src/relay/ledger/work.ts'
import type { Terms } from '../../../../src/relay/relayer.ts'
import {
  type BlockStatus,
  type ChainSnapshot,
  createChainSnapshot,
  type LedgerSnapshot,
  type NonceFate,
  type Spending,
} from '../../../../src/relay/rounds/facts.ts'
import { orderOf } from '../../../ports/payments.ts'

export type Snapshots = { ledger: LedgerSnapshot; chain: ChainSnapshot }

/** Has few nonces, so that payments compete for them. */
export const terms: Terms = {
  rules: { ...poolRules.rootstock, maxInFlight: 6, maxInBatch: 2 },
  fees: { minWei: 0n, maxWei: 1_000n },
}

const now = 100_000_000
const headNumber = 100
const headSeconds = 1_000_000
const minedCount = 4

const word = (value: number): Hex => numberToHex(value, { size: 32 })
const blockAt = (number: number) => ({ number, hash: word(0xb000 + number) })

export function paymentOf(
  session: string,
  account: Address,
  deadline: number,
  more: Partial<Payment>,
): Payment {
  const order = orderOf(session, account)
  return {
    ...{
      session,
      state: 'queued',
      nonce: undefined,
      attempts: 0,
      execution: undefined,
      reason: '',
    },
    ...{ acceptedAt: 0, order: { ...order, request: { ...order.request, deadline } } },
    ...more,
  }
}

/** Creates a ledger's open work; empty by default. */
export const workOf = (open: Partial<Work> & Pick<Work, 'now'>): Work => ({
  ...{ head: undefined, followedBlocks: [], accountState: {}, nextReading: 'reportedNonce' },
  ...{ behindSince: undefined, nextNonce: 0, watching: false },
  ...{ nonces: [], queued: [], stuck: [], carried: [], mined: [] },
  ...open,
})

const known = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 5 })

const execution = { outcome: 'executed', reason: '', hash: word(1), block: blockAt(95) } as const
const executed = orderOf('s').request

const spending: fc.Arbitrary<Spending | undefined> = fc.constantFrom(
  { kind: 'unspent' } as const,
  { kind: 'unspent' } as const,
  { kind: 'spent', by: { ...execution, executed } } as const,
  { kind: 'spent', by: undefined } as const,
  { kind: 'unknown' } as const,
  undefined,
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

function fateOf({ fate, kind }: Slot, nonce: number): NonceFate {
  if (fate === 'missing' || fate === 'unknown') return { kind: fate }
  const sessions = isCarrier(kind) ? [`session ${nonce}`] : []
  const own = { ...execution, signature: '0x', executed } as const
  const done = fate === 'mined' ? sessions.map((session) => [session, own] as const) : []
  const report = { nonce, sessions, hash: word(0xa000), block: blockAt(95) }
  return { kind: 'mined', report: { ...report, executions: Object.fromEntries(done) } }
}

/** Snapshots of a relayer with trouble of every kind: what is unknown is unknown by chance. */
export const snapshots: fc.Arbitrary<Snapshots> = fc
  .record({
    // Nonces from 0 on: some passed, some in the pool's reach, some beyond.
    slots: fc.array(slot, { minLength: 0, maxLength: 14 }),
    queue: fc.array(person, { maxLength: 8 }),
    mined: fc.array(fc.record({ block: fc.constantFrom(80, 80, 85, 95), person }), {
      maxLength: 4,
    }),
    places: fc.uniqueArray(fc.tuple(fc.constantFrom(80, 85, 95, headNumber - 1), place), {
      selector: ([number]) => number,
    }),
    refused: fc.uniqueArray(fc.integer({ min: minedCount, max: minedCount + 6 }), { maxLength: 2 }),
    poolNonce: known(fc.constantFrom(0, 0, minedCount, minedCount + 1, minedCount + 3)),
    gasPriceWei: known(fc.constantFrom(60n, 900n)),
    finalNonce: known(fc.integer({ min: 0, max: minedCount })),
    deepTimeSeconds: known(fc.constantFrom(headSeconds - 300, headSeconds - 5)),
    rereadNonce: known(fc.integer({ min: minedCount, max: minedCount + 2 })),
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
      queued: all.filter((one) => !isStuck(one)),
      stuck: all.filter(isStuck),
      mined: mined.map(({ block, person: own }, index) => {
        const found = { ...execution, block: blockAt(block) }
        return payment(40 + index, own, { nonce: 0, state: 'mined', execution: found })
      }),
    })
    const told = [
      ...queue.map((own, index) => [`session ${20 + index}`, own.spending] as const),
      ...slots.map((own, nonce) => [`session ${nonce}`, own.person.spending] as const),
    ]
    const head = {
      ...{ ...blockAt(headNumber), parentHash: word(0), timestampSeconds: headSeconds },
      ...{ transactions: [], fullness: undefined, leastPriceWei: undefined },
    }
    const chain: ChainSnapshot = {
      ...createChainSnapshot(head, minedCount),
      ...answers,
      blocks: [blockAt(95), blockAt(85), blockAt(80)],
      statuses: new Map(places.map(([number, one]) => [blockAt(number).hash, one])),
      nonceFates: new Map(slots.map((own, nonce) => [nonce, fateOf(own, nonce)])),
      spendings: new Map(
        told.flatMap(([session, one]) => (one === undefined ? [] : [[session, one]])),
      ),
    }
    return { ledger: { work, refused: new Set(refused) }, chain }
  })
