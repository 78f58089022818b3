import { expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { reconcile } from '../../../scripts/ops/reconcile/reconcile-deployment.ts'
import { ops } from '../../../scripts/ops.ts'
import { opened } from '../../support/opened.ts'
import { startSmsServer } from '../../support/sms-server.ts'
import { dial, give, openOperated } from './operating.ts'

const chain = opened(() => startChain())
const provider = opened(startSmsServer)

const phones = ['+254700000061', '+254700000062', '+254700000063']

type Asked = { id: number; params: unknown[] }
type Answer = { id: number; result: unknown }

let isFull = true

/** Asks as usual, but that the pool seems full. */
const askFull: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (!isFull || !`${input}`.startsWith(chain.anvil.url)) return response
  const asked = [JSON.parse(`${init?.body}`)].flat() as Asked[]
  const isOfPool = ({ id }: Answer) =>
    asked.some((one) => one.id === id && one.params.includes('pending'))
  const told = [await response.json()].flat() as Answer[]
  const answers = told.map((one) => (isOfPool(one) ? { ...one, result: '0xffff' } : one))
  return Response.json(asked.length > 1 ? answers : answers[0])
}

test('commands, metrics, messages, books and drain report each payment of a transaction separately', async () => {
  for (const phone of phones) await give(chain, phone)
  const deployment = openOperated(chain, provider.variables, { fetch: askFull })
  const { operate, operator } = deployment
  for (const [index, phone] of phones.entries()) {
    const text = `2*${phones[(index + 1) % 3]}*0.2${index}`
    const screen = await dial(deployment, { phone, sessionId: `queued ${index}`, text })
    expect(screen).toContain('Tx: queued')
  }
  await deployment.act('drain')
  isFull = false
  await deployment.round()
  await deployment.allDone()
  deployment.pass(60_000)
  await deployment.round()
  await deployment.settled()

  const { payments } = await deployment.payments('?state=confirmed')
  expect(payments).toHaveLength(3)
  const hash = payments[0]?.hash ?? ''
  expect(new Set(payments.map((one) => one.hash))).toEqual(new Set([hash]))
  const intents = payments.map(({ intent }) => intent).sort()
  const byHash = (await deployment.payments(`?hash=${hash}`)).payments
  expect(byHash.map(({ intent }) => intent).sort()).toEqual(intents)
  const ofHash = await operate(ops, ['why', hash])
  expect(ofHash.output).toMatch(/^The transaction carries 3 payments: ask why by an intent\.\n/)
  for (const { intent, account } of payments) {
    expect(ofHash.output).toContain(`of ${account}  intent ${intent}  ${hash}`)
    const { output } = await operate(ops, ['why', intent])
    expect(output).toContain(`Account ${account}; intent ${intent}; `)
    expect(output).toContain('Its transaction carries 3 payments.')
    expect([...(await deployment.payment(intent)).batch].sort()).toEqual(intents)
  }

  const counted = 'relay_payment_events_total{kind="transfer",event="executed"} 3'
  expect(await deployment.metrics()).toContain(counted)
  expect(provider.asked.map(({ to }) => to).sort()).toEqual([...phones, ...phones].sort())
  const found = await reconcile(operator, { fromBlock: 0, eachAccount: true })
  expect(found).toMatchObject({ differences: [], payments: 3, spendings: 3 })
  expect(await deployment.act('drain')).toMatchObject({ intake: { state: 'drained' }, open: 0 })
})
