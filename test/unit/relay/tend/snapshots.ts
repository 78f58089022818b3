import fc from 'fast-check'
import { type Hex, numberToHex } from 'viem'
import { poolRules } from '../../../../src/chain/chains.ts'
import {
  ledgerRules,
  type OpenNonce,
  type Payment,
  type Work,
} from '../../../../src/relay/ledger/port.ts'
import type { Terms } from '../../../../src/relay/relayer.ts'
import {
  type BlockStatus,
  type ChainSnapshot,
  chainAt,
  type Known,
  type LedgerSnapshot,
  type NonceFate,
  type Spending,
} from '../../../../src/relay/tend/facts.ts'

/** What a plan is made of. */
export type Snapshots = { ledger: LedgerSnapshot; chain: ChainSnapshot }

/** Few places, so that they are fought for. */
export const terms: Terms = {
  rules: { ...poolRules.rootstock, maxInFlight: 6, maxInBatch: 2 },
  fees: { minWei: 0n, maxWei: 1_000n },
}

const now = 100_000_000
const headNumber = 100
const headSeconds = 1_000_000
const minedCount = 4

const word = (value: number): Hex => numberToHex(value, { size: 32 })
const address = (value: number): Hex => numberToHex(value, { size: 20 })
const blockAt = (number: number) => ({ number, hash: word(0xb000 + number) })

/** A payment by its number, which is also the order of acceptance. */
const paymentOf = (
  number: number,
  given: { account: number; attempts: number; lateness: number; nonce?: number | undefined },
): Payment => ({
  session: `session ${number}`,
  state: given.nonce === undefined ? 'queued' : 'signed',
  nonce: given.nonce,
  attempts: given.attempts,
  execution: undefined,
  acceptedAt: now - 600_000 + number,
  order: {
    kind: 'transfer',
    spendsWei: 1n,
    request: {
      ...{ from: address(given.account), intentId: word(number), data: '0x' },
      ...{ gas: 1, deadline: headSeconds - given.lateness, signature: '0x' },
    },
  },
})

const known = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Known<Value>> =>
  fc.oneof(
    { weight: 5, arbitrary: value.map((one) => ({ kind: 'known' as const, value: one })) },
    { weight: 1, arbitrary: fc.constant({ kind: 'unknown' as const }) },
  )

const execution = { outcome: 'executed', reason: '', hash: word(1), block: blockAt(95) } as const

const spending: fc.Arbitrary<Spending | undefined> = fc.constantFrom(
  { kind: 'unspent' } as const,
  { kind: 'unspent' } as const,
  { kind: 'spent', by: execution } as const,
  { kind: 'spent', by: undefined } as const,
  { kind: 'unknown' } as const,
  undefined,
)

const place = fc.constantFrom<BlockStatus>('held', 'lost', 'unknown')

const person = fc.record({
  account: fc.integer({ min: 1, max: 3 }),
  attempts: fc.constantFrom(0, 0, 0, 1, 2, 8),
  // s after its deadline.
  lateness: fc.constantFrom(-7_000, -7_000, -7_000, -1, 0, 10, 5_000),
  spending,
})

const slot = fc.record({
  kind: fc.constantFrom('free', 'free', 'carries', 'carries', 'empty', 'bare', 'lost'),
  person,
  ageMs: fc.constantFrom(0, 2_000, 130_000, 200_000, 400_000),
  isSent: fc.boolean(),
  failures: fc.constantFrom(0, 0, 1, 3),
  copies: fc.integer({ min: 1, max: 10 }),
  fate: fc.constantFrom('mined', 'dropped', 'missing', 'unknown'),
})

type Slot = typeof slot extends fc.Arbitrary<infer Value> ? Value : never

/** Whether a payment is told to be on this nonce; where rows are lost, wrongly. */
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
  const executions = Object.fromEntries(
    sessions.flatMap((session) => (fate === 'mined' ? [[session, execution]] : [])),
  )
  return {
    kind: 'mined',
    report: { nonce, sessions, hash: word(0xa000), block: blockAt(95), executions },
  }
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
    poolCount: known(fc.constantFrom(0, 0, minedCount, minedCount + 1, minedCount + 3)),
    gasPriceWei: known(fc.constantFrom(60n, 900n)),
    deepCount: known(fc.integer({ min: 0, max: minedCount })),
    deepTimeSeconds: known(fc.constantFrom(headSeconds - 300, headSeconds - 5)),
    countAgain: known(fc.integer({ min: minedCount, max: minedCount + 2 })),
  })
  .map(({ slots, queue, mined, places, refused, ...answers }) => {
    const carried = slots.flatMap(({ kind, person: own }, nonce) =>
      isCarrier(kind) ? [paymentOf(nonce, { ...own, nonce })] : [],
    )
    const all = queue.map((own, index) => paymentOf(20 + index, own))
    const isStuck = ({ attempts }: Payment) => attempts >= ledgerRules.maxAttempts
    const [queued, stuck] = [all.filter((one) => !isStuck(one)), all.filter(isStuck)]
    const settled = mined.map(({ block, person: own }, index): Payment => {
      const payment = paymentOf(40 + index, { ...own, nonce: 0 })
      return { ...payment, state: 'mined', execution: { ...execution, block: blockAt(block) } }
    })
    const work: Work = {
      ...{
        now: now,
        head: blockAt(headNumber - 1),
        behindSince: undefined,
        nextNonce: slots.length,
      },
      ...{ trail: [], means: {}, nextMeans: 'balanceWei' as const },
      ...{
        nonces: slots.flatMap(openNonce),
        queued,
        stuck,
        carried,
        mined: settled,
        watching: true,
      },
    }
    const told = [
      ...queue.map((own, index) => [`session ${20 + index}`, own.spending] as const),
      ...slots.map((own, nonce) => [`session ${nonce}`, own.person.spending] as const),
    ]
    const head = {
      ...blockAt(headNumber),
      parentHash: word(0),
      timestampSeconds: headSeconds,
      transactions: [],
      fullness: undefined,
    }
    const chain: ChainSnapshot = {
      ...chainAt(head, minedCount),
      ...answers,
      blocks: [blockAt(95), blockAt(85), blockAt(80)],
      places: new Map(places.map(([number, one]) => [blockAt(number).hash, one])),
      fates: new Map(slots.map((own, nonce) => [nonce, fateOf(own, nonce)])),
      spent: new Map(told.flatMap(([session, one]) => (one === undefined ? [] : [[session, one]]))),
    }
    return { ledger: { work, refused: new Set(refused) }, chain }
  })
