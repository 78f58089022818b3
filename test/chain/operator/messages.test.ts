import { expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { opened } from '../../support/opened.ts'
import { startSmsServer } from '../../support/sms-server.ts'
import { dial, give, openOperated } from './operating.ts'

const chain = opened(() => startChain())
const provider = opened(startSmsServer)

test('a message about a final outcome goes out even while no node answers', async () => {
  const phone = '+254700010000'
  await give(chain, phone)
  const changes = { PROFILE: 'lender', PIN: 'off', ...provider.variables }
  let isDead = false
  const deployment = openOperated(chain, changes, {
    // Nothing listens there.
    fetch: (input, init) =>
      fetch(isDead && `${input}`.startsWith(chain.anvil.url) ? 'http://127.0.0.1:9' : input, init),
  })
  await dial(deployment, { phone, sessionId: 'final', text: '2*+254700000002*0.01*1' })
  await deployment.settled()
  isDead = true
  deployment.pass(60_000)
  await deployment.round().catch(() => undefined)
  await deployment.settled()
  expect(deployment.events).toContainEqual(expect.objectContaining({ level: 'warn' }))
  expect(provider.asked).toHaveLength(2)
})
