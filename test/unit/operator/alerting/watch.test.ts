import { expect, test } from 'vitest'
import { updateAlerts } from '../../../../src/operator/alerting/watch.ts'
import type { AlertMessage } from '../../../../src/operator/alerting/webhook.ts'
import { createMemoryLedger } from '../../../ports/ledger-memory.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { conditionWith, subject, now as unlistedAt } from '../condition.ts'

test('an alert that the webhook refuses is sent again with the same id until it is accepted', async () => {
  const clock = createHandClock()
  const { ledger } = createMemoryLedger({ now: clock.now })
  const [posted, logged]: [AlertMessage[], string[]] = [[], []]
  const fetch = async (_: unknown, init?: RequestInit) => {
    posted.push(JSON.parse(`${init?.body}`))
    return new Response(null, { status: posted.length < 3 ? 503 : 200 })
  }
  const webhook = { webhook: { url: 'https://hooks.example', secret: 'a-secret' }, fetch, clock }
  const log = ({ event }: { event: string }) => void logged.push(event)
  for (let look = 0; look < 8; look += 1) {
    const { alerts, nextNoticeAt } = await ledger.readVitals()
    const isDue = nextNoticeAt !== undefined && nextNoticeAt <= clock.now()
    const known = conditionWith({ unlistedAt, alerts, nextNoticeAt: isDue ? 0 : undefined })
    await updateAlerts(ledger, known, { deployment: subject, log, webhook })
    clock.forward(120_000)
  }
  expect(posted.map(({ id }) => id)).toEqual(Array(3).fill(posted[0]?.id))
  expect(logged).toEqual(['alert.raised', 'alert.untold', 'alert.untold'])
})
