import { expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { startLoopbackServer, textOf } from '../../../scripts/dev/loopback-server.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { ops } from '../../../scripts/ops.ts'
import { eventsAnswer } from '../../../src/operator/schemas/kept.ts'
import { opened } from '../../support/opened.ts'
import { dial, give, openOperated } from './operating.ts'

const chain = opened(() => startChain())
const recipient = '0x00000000000000000000000010000000000a11ce'

/** Pays from a number with events on; waits until the payment is final. */
async function pay(phone: string, url: string) {
  const events = { EVENTS_URL: url, EVENTS_SECRET: 'the-secret-of-the-lender' }
  const deployment = openOperated(chain, events)
  const account = await give(chain, phone)
  const screen = await dial(deployment, { phone, sessionId: phone, text: `2*${recipient}*0.25` })
  expect(screen).toContain('END Transfer Submitted')
  await deployment.allDone()
  await until(async () => {
    await deployment.round()
    return (await deployment.payments()).payments[0]?.state === 'confirmed'
  })
  const told = await deployment.operator.ask('/operator/events', eventsAnswer)
  const names = told.events.map(({ name }) => name)
  expect(names).toEqual(['payment.accepted', 'payment.done'])
  expect(told.events.every((event) => event.account === account.toLowerCase())).toBe(true)
  return { deployment, told }
}

test('the lender’s own system is told of a payment and its outcome, and of no number', async () => {
  const posted: string[] = []
  const server = await startLoopbackServer(async (request, response) => {
    posted.push(await textOf(request))
    response.end()
  })
  const phone = '+254700000001'
  const { deployment, told } = await pay(phone, server.url)
  await until(async () => {
    await deployment.round()
    await deployment.settled()
    return posted.join().includes('payment.done')
  })
  expect(posted.flatMap((text) => JSON.parse(text).events)).toEqual(told.events)
  expect(posted.join()).not.toContain(phone.slice(1))
  const [first, last] = told.events
  const { output } = await deployment.operate(ops, ['events', '--after', `${first?.seq}`])
  expect(output).toMatch(RegExp(`^${last?.seq}  2\\S+  0x\\w{40}  payment\\.done  intent 0x`))
  expect(output).toContain(`\nLater ones: --after ${last?.seq}\n`)
  await server.close()
})

test('a system that is down delays no payment, and its events wait', async () => {
  const { deployment } = await pay('+254700000002', 'http://127.0.0.1:9')
  await deployment.settled()
  expect(deployment.events.map(({ event }) => event)).toContain('events.untold')
  deployment.pass(3_700_000)
  await deployment.round()
  const { alerts } = await deployment.status()
  expect(alerts.map(({ name }) => name)).toContain('events_untold')
})
