import { expect, test } from 'vitest'
import type { HealthData } from '../../../src/operator/health.ts'
import type { Vitals } from '../../../src/operator/kept/steps.ts'
import { describeStatus } from '../../../src/operator/status.ts'
import { judgeStatus } from '../../../src/pages/console/condition.ts'
import { conditionWith, now, subject } from '../operator/condition.ts'

const you = { name: 'amina', role: 'money' } as const
const judge = (condition: HealthData & { vitals: Vitals }) =>
  judgeStatus({ ...describeStatus(subject, condition, null), you })

const silent = { silentSince: now - 60_000, roundAt: now }
const spike = { gasPriceWei: { value: 2_000_000_000n, at: now } }
const paused = { intake: { kind: 'paused', since: now - 60_000 } } as const

test('a service without a fault takes payments, and needs nobody', () => {
  expect(judge(conditionWith())).toEqual({
    ...{ tone: 'good', title: 'Payments are taken. Nothing needs you.', troubles: [], notes: [] },
  })
})

test('a failing check and its alert are one trouble, with its cause and remedy', () => {
  const { tone, title, troubles } = judge(conditionWith({}, silent))
  expect([tone, title]).toEqual(['bad', 'Payments are refused.'])
  expect(troubles).toEqual([
    {
      says: expect.stringMatching(/^No node has answered for 60 s/),
      remedy: expect.stringMatching(/^Repair the node/),
      since: expect.any(String),
    },
  ])
})

test('a relayer without money is told of once, with the command and its amount', () => {
  const { tone, troubles } = judge(conditionWith({}, { balanceWei: { value: 0n, at: now } }))
  expect(tone).toBe('bad')
  expect(troubles).toMatchObject([{ says: expect.stringMatching(/`.*relayers top-up [\d.]+`/) }])
})

test('a closed intake is the first trouble, then what refuses payments, then other faults', () => {
  const rate = { currency: 'KES', micros: '1', at: now, refused: { micros: '9', at: now } }
  const { tone, title, troubles } = judge(conditionWith({ ...paused, rate }, spike))
  expect([tone, title]).toEqual(['wait', 'Payments are refused.'])
  expect(troubles.map(({ says, remedy }) => `${says} ${remedy}`)).toEqual([
    expect.stringMatching(/^The intake is paused.*`npm run ops -- resume`$/),
    expect.stringMatching(/^A node asks 2000000000 wei/),
    expect.stringMatching(/^Since .* the price feed says KES/),
  ])
  const open = judge(conditionWith({ rate }))
  expect(open.title).toBe('Payments are taken, and 1 thing needs you.')
})

test('a gateway without the secret is a trouble while payments are taken', () => {
  const counts = { 'gateway.africas-talking/wrong_secret': 1 }
  const lately = { hour: { since: now, counts }, today: { since: now, counts } }
  const gatewayFaults = { 'africas-talking/wrong_secret': now }
  const { title, troubles } = judge(conditionWith({ lately, gatewayFaults }))
  expect(title).toBe('Payments are taken, and 1 thing needs you.')
  const says =
    /^1 of the requests to africas-talking .* without the secret.*Compare it with the address and/
  expect(troubles).toMatchObject([{ says: expect.stringMatching(says) }])
})

test('what is over, or not known, needs nobody', () => {
  const alert = { name: 'stuck', says: 'It was stuck.', raisedAt: now - 9, calmSince: now }
  const { tone, notes } = judge(conditionWith({ alerts: [alert] }, { head: undefined }))
  expect(tone).toBe('good')
  expect(notes).toEqual([
    expect.stringMatching(/^Ended at .*: It was stuck\.$/),
    'No round has asked a node yet.',
  ])
})
