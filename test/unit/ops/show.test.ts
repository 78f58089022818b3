import { expect, test } from 'vitest'
import {
  describeCaller,
  describeFound,
  describePayment,
  describeStatus,
  describeTrace,
  explainPayment,
} from '../../../scripts/ops/show.ts'
import { createCoinUnit, createTokenUnit } from '../../../src/loan/amounts.ts'
import { writeAuditEntry } from '../../../src/operator/holds.ts'
import { describeReceive } from '../../../src/operator/remedies.ts'
import type { PaymentSummary } from '../../../src/operator/schemas/payments.ts'
import type { StatusAnswer } from '../../../src/operator/schemas/status.ts'
import { describeNode } from '../../../src/operator/status.ts'
import { account, accountFound, at, payment, paymentDetails } from '../../support/answers.ts'

const unit = createCoinUnit('tRBTC')
const dollar = createTokenUnit('USD', { address: `0x${'dd'.repeat(20)}`, decimals: 18 })

const hash = `0x${'ab'.repeat(32)}`

const status: StatusAnswer = {
  you: { name: 'amina', role: 'read' },
  ...{ now: at, version: '1', schema: '2', network: 'Rootstock Testnet', chainId: 31 },
  ...{ currency: 'tRBTC', unit, backedWei: '0' },
  intake: { state: 'open' },
  health: {
    ...{ status: 'failing', failing: ['relayer_funds'] },
    checks: [
      { name: 'node', state: 'ok', says: 'Block 9 is 3 s old' },
      { name: 'relayer_funds', state: 'failing', says: 'It has nothing', refuses: true },
    ],
    lastRefused: { reason: 'relayer_poor', at },
  },
  alerts: [
    { name: 'relayer_low', says: 'Relayer 0x1 is low.', raisedAt: at, overSince: null },
    { name: 'node_down', says: 'It is silent.', raisedAt: at, overSince: at },
  ],
  relayers: [
    {
      ...{ address: `0x${'22'.repeat(20)}`, balanceWei: '0', lastsFor: 0, lastsAtWorst: 0 },
      ...{ gasPriceWei: '1', maxGasPriceWei: '2' },
      ...{ wantedWei: '800000000000000', wantedAtWorstWei: '10000000000000000' },
      ...{ nonces: { ledger: 7, chain: 5 }, inFlight: 2, queued: 1 },
      ...{ oldestAt: at, lastMinedAt: null },
    },
  ],
  contracts: { loan: account, forwarder: account, state: null, at: null, pool: null },
  guards: [
    { name: 'pin', isOn: true, by: 'PIN=strict' },
    { name: 'preflight', isOn: false, by: 'PREFLIGHT=off' },
  ],
  ...{ head: null, nodes: [], callsToday: null },
  ...{ gatewayFaults: {}, paymentsByHour: [] },
  lately: { hour: { since: at, counts: {} }, today: { since: at, counts: {} } },
  blocks: [
    { number: 9, fullness: 0.504 },
    { number: 8, fullness: null },
    { number: 7, fullness: 1 },
  ],
}

test('the status begins with what needs a person, and its remedy', () => {
  expect(describeStatus(status)).toEqual([
    `ALERT since ${at}: Relayer 0x1 is low.`,
    `Ended at ${at}: the alert of ${at}: It is silent.`,
    `Payments are refused: relayer_funds is failing, the last at ${at}.`,
    'relayer_funds is failing: It has nothing. Top up the relayer (`npm run ops -- relayers top-up`): nothing is lost.',
    `Relayer 0x${'22'.repeat(20)} has 0 tRBTC, enough for 0 payments at today's price, 0 at worst; nonce 7 here, 5 in the chain; 2 in flight, 1 queued since ${at}. Top up to 0.0008 tRBTC for 50 payments (0.01 tRBTC at worst). Waiting payments are kept.`,
    'The contracts have not been looked at yet.',
    'Guards on: pin (PIN=strict). Off: preflight (PREFLIGHT=off).',
    'No head has been seen yet.',
    'The last blocks were full to 50 %, 100 %, the latest first.',
  ])
})

test('the status names refused gateways, and one amount that may be lent, with its time', () => {
  const counts = { 'gateway.hubtel/wrong_secret': 2, 'gateway.hubtel/delivery': 5 }
  const wei = { liquidityWei: `${2n * 10n ** 18n}`, owedWei: '0', balancesWei: '0' }
  const pool = { ...wei, capLeftWei: `${3n * 10n ** 18n}`, principalWei: '1', isPaused: false, at }
  const changed: StatusAnswer = {
    ...status,
    contracts: { loan: account, forwarder: account, state: 'ready', at, pool },
    lately: { ...status.lately, hour: { since: at, counts } },
    gatewayFaults: { 'hubtel/wrong_secret': at },
  }
  const lines = describeStatus(changed).join('\n')
  expect(lines).toContain(
    `\n2 of the requests to hubtel in the last hour, the last at ${at}, came without the secret`,
  )
  expect(lines).toContain('\nPool: 2 tRBTC free')
  expect(lines).toContain(` in accounts, as of ${at}; 2 tRBTC may be lent today.`)
  const paused = describeStatus({ ...changed, intake: { state: 'paused' } }).join('\n')
  expect(paused).toContain('; nothing may be lent today.')
})

test('a node whose head stands still or lags is not described as able alone', () => {
  const times = { heightAt: '2026-01-01T19:50:00.000Z', unknownHeaderAt: null, p95Ms: 1 }
  const counts = { answers: 1, failures: 0, believed: 0, callsToday: 1 }
  const node = { label: 'node 1', height: 9, heightSince: at, state: 'able', ...times, ...counts }
  const nodeAt = (changes: object) => ({ ...node, ...changes }) as StatusAnswer['nodes'][number]
  const describe = (changes: object, ...others: object[]) =>
    describeNode(nodeAt(changes), { nodes: [nodeAt(changes), ...others.map(nodeAt)] })
  expect(describe({})).toBe(`able, but without a new block since ${at}`)
  expect(describe({ heightSince: times.heightAt })).toBe('able')
  expect(describe({ heightSince: times.heightAt }, { height: 12 })).toBe(
    'able, but 3 blocks behind',
  )
  expect(describe({ state: 'suspended' })).toBe('suspended')
})

const mined = { hash, block: 9, explorer: 'https://explorer.example/tx' }
const there = 'in block 9 (https://explorer.example/tx)'

test.for<[changes: Partial<PaymentSummary>, says: string]>([
  [{}, 'is arriving: it waits for its turn.'],
  [{ ...mined, state: 'confirmed', outcome: 'executed' }, `was done ${there}.`],
  [
    { ...mined, state: 'reverted', reason: 'Existing loan active' },
    `failed ${there}: Existing loan active. Nothing has moved.`,
  ],
  [
    { state: 'expired' },
    'failed: it was not carried before its deadline. Nothing has moved, and nothing will.',
  ],
])('a payment has one line, and its state one sentence: %o', ([changes, says]) => {
  expect(describePayment(payment, unit)).toBe(
    `${at}  queued     Transfer 0.25 tRBTC  of ${payment.account}  intent ${payment.intent}`,
  )
  expect(explainPayment({ ...payment, ...changes }, unit)).toBe(
    `The transfer of 0.25 tRBTC, accepted ${at}, ${says}`,
  )
})

const wei = '250000000000000000'

test('an account is shown with what was lent to it, with what is held of payments to it, and the last reminder of its loan', () => {
  const sums = { lentWei: wei, owedWei: wei, repaidWei: '0', overdueDays: 0, earlier: 0 }
  const loan = { borrower: account, state: 'owed', issuedAt: at, dueAt: at, ...sums } as const
  const recalled = [{ intent: payment.intent, sender: account, wei, until: at }]
  const found = { ...accountFound, loan, recalled }
  const loanPayment = { ...payment, kind: 'loan', direction: 'out', recipient: null } as const
  const payments = [loanPayment, { ...payment, recipient: account, direction: 'out' as const }]
  const lines = describeCaller(
    { by: 'number', caller: { ...found, payments, reminded: 'soon' } },
    unit,
  )
  expect(lines).toContainEqual(expect.stringMatching(/^Lent: The loan of 0\.25 tRBTC, /))
  expect(lines).toContainEqual(expect.stringMatching(/^Sent to 0x\w{40}: The transfer of /))
  expect(lines).toContain(
    `Held until ${at}, its sender calls it a mistake: 0.25 tRBTC of ${payment.intent}`,
  )
  expect(lines.join()).toContain('owed; last reminder tried: 3 days before it is due.')
})

test('the day of an account with a till has what its phone shows, and codes what they are', () => {
  const local = (cents: string) => ({ currency: 'KES', cents })
  const till = {
    ...{ inWei: wei, inLocal: local('322500'), cashWei: '200000000000000000', waiting: 1 },
    ...{ cashLocal: local('258000'), outWei: '0', outLocal: null, since: at },
  }
  const paid = { ...payment, recipient: account, direction: 'in', code: '070394' } as const
  const payments = [
    { ...paid, kind: 'purchase' as const },
    { ...paid, kind: 'withdrawal' as const },
  ]
  const lines = describeCaller({ by: 'till', caller: { ...accountFound, till, payments } }, unit)
  expect(lines).toContain(
    `Since ${at} it took KES 3,225 (0.25 tRBTC) at its till, and paid out KES 2,580 (0.2 tRBTC) of that in cash; 1 withdrawal waits for cash. The account sent 0 tRBTC in all.`,
  )
  expect(lines.join()).toContain(', code 070394: The bill of')
  expect(lines.join()).toContain(', code 070394 (not said to be paid out): The withdrawal of')
})

test('support is told where a wallet sends an account money, what waits there, and who credits it', () => {
  const address = `0x${'cc'.repeat(20)}`
  const describe = (changes: object, by: 'number' | 'address', of = dollar) =>
    describeReceive({ ...accountFound, receiveAddress: address, ...changes }, by, of)
  const sends = `A wallet sends it money at ${address} (6. Receive).`
  expect(describe({}, 'number')).toBe(`${sends} Whether anything waits there is not known now.`)
  expect(describe({ waitingWei: '0' }, 'number')).toBe(`${sends} Nothing waits there.`)
  expect(describe({ waitingWei: '5000000' }, 'number')).toBe(
    `${sends} 5.00 USD has arrived and waits: its caller credits it by 6. Receive, 1., or \`npm run ops -- account sweep --least 5.00\` does, with the number on its input, once in 6 hours.`,
  )
  expect(describe({ waitingWei: wei }, 'number', unit)).toBe(
    `${sends} 0.25 tRBTC has arrived and waits: its caller credits it by 6. Receive, 1., or \`npm run ops -- account deposit\` does, if it is more than the gas costs.`,
  )
  expect(describe({ receiveAddress: null }, 'number')).toMatch(/not known now/)
  expect(describe({}, 'address')).toMatch(
    /^No account of this address was ever used\. It may be .* Receive shows .* the caller’s number\.$/,
  )
  expect(describe({ balanceWei: '1' }, 'address')).toContain(sends)
  expect(describe({ balanceWei: null }, 'address')).toContain(sends)
})

test('a search without a hit says where a payment from a wallet stands', () => {
  const [says] = describeFound({ accounts: [], payments: [] }, unit)
  expect(says).toMatch(/^Nothing was found\. A number without its country code is found only once/)
  expect(says).toMatch(/may be of a payment from a wallet: look up its receiver’s number/)
})

test('a loan is shown with what it lends', () => {
  const loan = { ...payment, kind: 'loan', spendsWei: '0', lentWei: '10000000000000000' } as const
  expect(describePayment(loan, unit)).toContain('  Loan 0.01 tRBTC  of ')
})

test('a payment is shown first as it was agreed in local money', () => {
  const agreed = {
    currency: 'KES',
    cents: '100050',
    micros: '12900000000000',
    readAt: Date.parse(at),
  }
  const local = { ...payment, agreed }
  const amount = 'KES 1,000.50 (0.25 tRBTC)'
  expect(describePayment(local, unit)).toContain(`  Transfer ${amount}  of `)
  const recall = { state: 'till', wei: null, until: at, everyDays: 7 } as const
  const details = { ...paymentDetails, agreed, recall }
  const [first, ...lines] = describeTrace(details, unit)
  const rate = `KES 1,000.50 at KES 12,900,000 for 1 tRBTC, read ${at}`
  expect(first).toContain(`The transfer of ${amount}, accepted `)
  expect(lines).toContain(`Agreed: ${rate}.`)
  expect(lines.join()).toContain('wrong number: an account with a till is never part of a hold.')
  const price = { currency: 'KES', micros: agreed.micros }
  const [now] = describeTrace({ ...details, agreed: null, price }, unit)
  expect(now).toContain('The transfer of 0.25 tRBTC (now KES 3,225,000), accepted ')
})

test('an audit entry names a wrong number as phones do, and writes out an amount and a price', () => {
  const write = (action: string, detail: Record<string, string>) =>
    writeAuditEntry({ action, detail, by: 'operator' }, unit)
  const held = write('recall', { account: account, wei: '250000000000000000' })
  const amount = '0.25 tRBTC'
  const by = 'shared token'
  expect(held).toEqual({ action: 'Wrong number? held', detail: { account: account, amount }, by })
  expect(write('end-recall', {}).action).toBe('Wrong number? ended')
  const rate = write('rate', { currency: 'KES', micros: '12900000000000' })
  expect(rate).toEqual({ action: 'rate', detail: { price: 'KES 12,900,000' }, by })
})
