import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { PaymentRecord } from '../../../../src/operator/kept/takings.ts'
import type { PaymentState } from '../../../../src/relay/ledger/transitions.ts'
import { getProgress } from '../../../../src/relay/progress.ts'
import {
  describeReceived,
  matchReceived,
  writeActivityLine,
} from '../../../../src/ussd/menu/entries/activity.ts'
import { english } from '../../../../src/ussd/messages/en.ts'
import { readFinalBalance } from '../../../../src/ussd/place-screen.ts'

const from = `0x${'a1'.repeat(20)}` as const
const hash = `0x${'11'.repeat(32)}` as const
const otherHash = `0x${'22'.repeat(32)}` as const
const confirmations = 12
const outcomes = { mined: 'executed', confirmed: 'executed', reverted: 'failed' } as const

const receive = (depth: number) => ({ from, amountWei: 5n, hash, block: 100, depth })
const pay = (state: PaymentState, changes: Partial<PaymentRecord> = {}) =>
  ({
    account: from.toUpperCase().replace('X', 'x'),
    intentId: '0x01',
    spendsWei: '5',
    state,
    outcome: { ...outcomes, queued: null, signed: null, expired: null }[state],
    hash,
    ...changes,
  }) as PaymentRecord

const [other, final] = [{ hash: otherHash }, { assuredAt: 1 }]

test.for<[string, 'arriving' | 'done', number, PaymentRecord[]]>([
  ['in a payment that no round saw as final', 'arriving', 99, [pay('mined')]],
  ['in a payment that is confirmed', 'done', 1, [pay('confirmed')]],
  ['in a payment whose block no round has seen', 'arriving', 99, [pay('signed', { hash: null })]],
  [
    'after an equal one that is done',
    'arriving',
    99,
    [pay('confirmed', { hash: otherHash }), pay('signed', { hash: null })],
  ],
  ['by other bytes than its payment was sent with', 'arriving', 99, [pay('signed', other)]],
  ['by other bytes, that was final at once', 'done', 1, [pay('signed', { ...other, ...final })]],
  ['again, that was final', 'done', 1, [pay('signed', { hash: null, ...final })]],
  ['mined again, that was final', 'done', 1, [pay('mined', { ...other, ...final })]],
  ['after a final one that is settled', 'arriving', 1, [pay('confirmed', { ...other, ...final })]],
  [
    'beside an equal final one that is mined',
    'arriving',
    99,
    [pay('mined', { ...other, ...final }), pay('signed', { hash: null })],
  ],
  ['beside an equal one that is final', 'arriving', 1, [pay('mined', final), pay('mined')]],
  ['after a final one that expired', 'arriving', 1, [pay('expired', { ...other, ...final })]],
  [
    'after an equal one that ended in no block',
    'done',
    12,
    [pay('expired', { hash: null }), pay('reverted', { hash: null })],
  ],
  ['of another amount than the open payment', 'done', 12, [pay('signed', { spendsWei: '6' })]],
  ['that is no payment of the ledger, in a new block', 'arriving', 11, []],
  ['that is no payment of the ledger, in a deep block', 'done', 12, []],
])('a received transfer %s is told as %s', ([, word, depth, payments]) => {
  const [match] = matchReceived([receive(depth)], { payments, confirmations })
  expect(match?.progress).toBe(word)
})

test('of two equal transfers, of which one is final, one arrives, each with its receipt', () => {
  const payments = [pay('mined', final), pay('mined', { intentId: '0x02' })]
  const tell = (events: ReturnType<typeof receive>[]) =>
    describeReceived(events, { payments, confirmations }, new Map(), 31).map(
      ({ state, receipt }) => `${state.kind} ${receipt}`,
    )
  expect(tell([receive(9), receive(9)])).toEqual(['arriving 100-0002', 'done 100-0001'])
  // What is not in a block that was read may be either.
  expect(tell([receive(9)])).toEqual(['arriving undefined'])
  expect(tell([receive(9), receive(9), receive(9)])).toEqual([
    'arriving undefined',
    'done undefined',
    'arriving undefined',
  ])
})

test('a payment that is on its way is told before any block has it, and once', () => {
  const coming = [
    pay('signed', { kind: 'transfer', hash: null, acceptedAt: 7 }),
    pay('signed', { kind: 'transfer', hash: null, spendsWei: '6' }),
    pay('signed', { kind: 'cashOut', hash: null, spendsWei: '7' }),
    pay('expired', { kind: 'transfer', hash: null, spendsWei: '8' }),
  ]
  const described = describeReceived(
    [{ ...receive(1), amountWei: 6n }],
    { payments: coming, confirmations },
    new Map(),
    31,
  )
  expect(described.map(({ amountWei, state, at }) => [amountWei, state.kind, at])).toEqual([
    [5n, 'arriving', 7],
    [6n, 'arriving', Number.MAX_SAFE_INTEGER],
  ])
})

test('a received transfer is told as its payment was agreed, and one that none is in the unit', () => {
  const agreed = { currency: 'KES', cents: '100000', micros: '1', readAt: 1 }
  const finality = { payments: [pay('confirmed', { agreed })], confirmations }
  const described = describeReceived(
    [receive(99), { ...receive(99), hash: otherHash }],
    finality,
    new Map(),
    31,
  )
  const [known, unknown] = described.map((one) => writeActivityLine(english, one, () => '5 tRBTC'))
  expect(known).toMatch(
    /^Received KES 1,000 \(5 tRBTC\) from 0x\w+\.\.\.: done \(100-0001, 1 Jan\)$/,
  )
  expect(unknown).toMatch(/^Received 5 tRBTC from /)
  const equal = pay('confirmed', { agreed: { ...agreed, cents: '100001' } })
  const twice = { ...finality, payments: [...finality.payments, equal] }
  const [either] = describeReceived([receive(99)], twice, new Map(), 31)
  expect(either?.agreed).toBeUndefined()
  expect(either?.receipt).toBeUndefined()
})

const words: Readonly<Record<PaymentState, ReturnType<typeof getProgress>>> = {
  queued: 'arriving',
  signed: 'arriving',
  mined: 'arriving',
  confirmed: 'done',
  reverted: 'failed',
  expired: 'failed',
}

test.for(Object.entries(words))('a payment that is %s is told as %s', ([state, word]) => {
  expect(getProgress({ state: state as PaymentState, assuredAt: null })).toBe(word)
  expect(getProgress({ state: state as PaymentState, assuredAt: 1 })).toBe('done')
})

describe.for(['transfer', 'withdrawal', 'purchase', 'cashOut'] as const)('of a balance', (kind) => {
  test.for(['told', 'not told'] as const)(`what a ${kind} brings is arriving: %s`, async (how) => {
    const payments = [pay('mined', { kind, outcome: 'executed' })]
    const context = {
      ...{ settings: { profile: 'lender' }, confirmations },
      ledger: { findPayments: async () => payments, listRecalled: async () => [] },
      loan: {
        readBalance: async () => 12n,
        listReceived: () => (how === 'told' ? Promise.resolve([receive(1)]) : Promise.reject(how)),
      },
    } as unknown as Parameters<typeof readFinalBalance>[0]
    const arrivingWei = kind === 'cashOut' ? 0n : 5n
    const finalWei = 12n - arrivingWei
    expect(await readFinalBalance(context, from)).toEqual({ finalWei, arrivingWei, heldWei: 0n })
  })
})

test('no other place gives a state its word', () => {
  const files = globSync(['src/**/*.{ts,tsx}', 'scripts/ops/*.ts'])
  const lines = files
    .filter((file) => !file.endsWith('relay/progress.ts'))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  const states = Object.keys(words).join('|')
  const mapped = new RegExp(`'(${states})'.*'(arriving|done)'`)
  expect(lines.length).toBeGreaterThan(10_000)
  expect(lines.filter((line) => mapped.test(line))).toEqual([])
})
