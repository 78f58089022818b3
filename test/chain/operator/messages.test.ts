import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { opened } from '../../support/opened.ts'
import { startSmsServer } from '../../support/sms-server.ts'
import { dial, give, openOperated } from './operating.ts'

const folder = mkdtempSync(join(tmpdir(), 'messages-'))
const chain = opened(() => startChain())
const phone = '+254700010000'

beforeAll(async () => void (await give(chain, phone)))
afterAll(() => rmSync(folder, { recursive: true }))

describe('messages to phones', () => {
  const provider = opened(startSmsServer)
  const node = { isDead: false }
  const memory = createMemoryStore()

  function open(database: string) {
    const { account, url } = provider
    const { apiKey, username } = account
    const changes = { SMS_API_KEY: apiKey, SMS_USERNAME: username, SMS_URL: url }
    return openOperated(chain, changes, {
      ...{ database, memory: () => memory },
      fetch: (input, init) => {
        const isNode = `${input}`.startsWith(chain.anvil.url)
        // Nothing listens there.
        return fetch(isNode && node.isDead ? 'http://127.0.0.1:9' : input, init)
      },
    })
  }

  test('about final outcomes go out even while no node answers', async () => {
    provider.asked.length = 0
    const deployment = open(join(folder, 'final.sqlite'))
    await dial(deployment, { phone, sessionId: 'final', text: '2*+254700000002*0.01' })
    await deployment.settled()
    node.isDead = true
    deployment.pass(60_000)
    await deployment.round().catch(() => undefined)
    await deployment.settled()
    node.isDead = false
    expect(deployment.events).toContainEqual(expect.objectContaining({ level: 'warn' }))
    expect(provider.asked).toHaveLength(2)
  })

  test('are not sent again from a ledger that was set back', async () => {
    provider.asked.length = 0
    const [database, former] = [join(folder, 'told.sqlite'), join(folder, 'set-back.sqlite')]
    const deployment = open(database)
    await dial(deployment, { phone, sessionId: 'set back', text: '2*+254700000002*0.02' })
    await deployment.settled()
    copyFileSync(database, former)
    for (const one of [deployment, open(former)]) {
      one.pass(60_000)
      await one.round()
      await one.settled()
      expect(provider.asked).toHaveLength(2)
      const known = one === deployment ? { 'sms.sent': 2 } : { 'sms.known': 2 }
      const { counts } = await one.ledger.readVitals()
      expect(counts).toMatchObject({ 'transfer.executed': 1, ...known })
    }
  })
})
