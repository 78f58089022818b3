import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { serveApp } from '../../support/deployment.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { opened } from '../../support/opened.ts'
import { startSmsServer } from '../../support/sms-server.ts'
import { look } from './incidents.ts'
import { dial, give, openOperated } from './operating.ts'

const folder = mkdtempSync(join(tmpdir(), 'messages-'))
const chain = opened(() => startChain())
const phone = '+254700010000'

beforeAll(async () => void (await give(chain, phone)))
afterAll(() => rmSync(folder, { recursive: true }))

/** A deployment whose minutes pass when it is told to. */
async function openWorld(
  changes: Record<string, string>,
  database: string,
  memory = createMemoryStore(),
) {
  const node = { isDead: false }
  const deployment = openOperated(chain, changes, {
    database,
    memory: () => memory,
    fetch: (input, init) => {
      const isNode = `${input}`.startsWith(chain.anvil.url)
      // Nothing listens there.
      return fetch(isNode && node.isDead ? 'http://127.0.0.1:9' : input, init)
    },
  })
  const served = await serveApp(deployment)
  /** Minutes in which nothing is dialled: the cron begins a round in each. */
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      deployment.pass(60_000)
      await deployment.round()
      await deployment.settled()
    }
  }
  return { deployment, node, url: () => served.url, pass, stop: served.close }
}

type World = Awaited<ReturnType<typeof openWorld>>

const sendTo = ({ deployment }: World, sessionId: string, to: string) =>
  dial(deployment, { phone, sessionId, text: `2*${to}*0.01` })

describe('messages to phones', () => {
  const friend = '+254700000002'

  async function openTelling() {
    const provider = await startSmsServer()
    const { apiKey, username } = provider.account
    const settings = { SMS_API_KEY: apiKey, SMS_USERNAME: username, SMS_URL: provider.url }
    return { provider, settings }
  }

  const countsOf = async ({ deployment }: World) => (await deployment.ledger.vitals()).counts

  test('from a provider that is down harm nothing else, and those that were not lost come once it is back', async () => {
    const { provider, settings } = await openTelling()
    const database = join(folder, 'messages.sqlite')
    const world = await openWorld(settings, database)
    provider.answer(() => 'nothing')
    for (const session of ['one', 'two']) {
      expect(await sendTo(world, session, friend)).toMatch(/^END Transfer Submitted\n/)
    }
    await world.deployment.settled()
    expect(provider.asked).toEqual([])
    await world.pass(1)
    expect(await countsOf(world)).toMatchObject({ 'transfer.executed': 2, 'sms.unknown': 1 })
    world.deployment.pass(3_000)
    const shown = await look(world)
    expect(shown).toMatchObject({ ready: { status: 200 }, alerts: [], doctor: [] })
    provider.answer(undefined)
    await world.pass(3)
    const counts = await countsOf(world)
    expect(counts).toMatchObject({ 'sms.unknown': 1, 'sms.sent': 3 })
    expect(new Set(provider.asked.map(({ to }) => to))).toEqual(new Set([phone, friend]))
    expect(provider.asked).toHaveLength(4)
    const body = await world.deployment.metrics()
    expect(body).toContain('relay_sms_total{fate="unknown"} 1\n')
    expect(body).toContain('relay_sms_total{fate="sent"} 3\n')
    expect(body).not.toContain('label="sms"')
    const told = JSON.stringify(world.deployment.events)
    const kept = readFileSync(database, 'latin1')
    for (const number of [phone, friend]) {
      expect(kept).not.toContain(number.slice(1))
      expect(told).not.toContain(number.slice(1))
    }
    await Promise.all([world.stop(), provider.close()])
  })

  test('of what is final already go out while no node answers', async () => {
    const { provider, settings } = await openTelling()
    const world = await openWorld(settings, join(folder, 'final.sqlite'))
    await sendTo(world, 'final', friend)
    await world.deployment.settled()
    world.node.isDead = true
    world.deployment.pass(60_000)
    await world.deployment.round().catch(() => undefined)
    await world.deployment.settled()
    expect(world.deployment.events).toContainEqual(expect.objectContaining({ level: 'warn' }))
    expect(provider.asked).toHaveLength(2)
    await Promise.all([world.stop(), provider.close()])
  })

  test('that have left are not sent again from a ledger that was set back', async () => {
    const { provider, settings } = await openTelling()
    const [database, former] = [join(folder, 'told.sqlite'), join(folder, 'set-back.sqlite')]
    const memory = createMemoryStore()
    const world = await openWorld(settings, database, memory)
    await sendTo(world, 'set back', friend)
    await world.deployment.settled()
    copyFileSync(database, former)
    await world.pass(1)
    expect(provider.asked).toHaveLength(2)
    const setBack = await openWorld(settings, former, memory)
    await setBack.pass(1)
    expect(await countsOf(setBack)).toMatchObject({ 'transfer.executed': 1, 'sms.known': 2 })
    expect(provider.asked).toHaveLength(2)
    await Promise.all([world.stop(), setBack.stop(), provider.close()])
  })
})
