import { beforeEach, expect, test } from 'vitest'
import { ledgerParts } from '../../../../../src/compose/ledger.ts'
import type { DueQueue } from '../../../../../src/relay/ledger/schedule.ts'
import { createRedisDueQueue } from '../../../../../src/relay/ledger/stores/due-queue-redis.ts'
import { createRedisLedger } from '../../../../../src/relay/ledger/stores/redis.ts'
import {
  accept,
  executionIn,
  fillNonce,
  orderOf,
  question,
  screenOf,
} from '../../../../ports/payments.ts'
import { describeOnRedis, ledgerOptions } from '../../../../support/redis/on-redis.ts'

const leaseMs = 3_000
const { roundMs } = ledgerOptions

let now = 1_700_000_000_000
const clock = () => now
let queues = 0
let name = ''
/** Share one queue; the second one is in another process. */
let one: DueQueue
let other: DueQueue

const takes = async (queue: DueQueue) => (await queue.take(leaseMs)) !== undefined

/** Takes what has to be there. */
async function takeOne(queue: DueQueue) {
  const token = await queue.take(leaseMs)
  if (token === undefined) throw new Error('nothing was due')
  return token
}

describeOnRedis(clock, ({ database, beginElsewhere }) => {
  const elsewhere = beginElsewhere()
  beforeEach(() => {
    queues += 1
    name = `31:0x${queues}`
    one = createRedisDueQueue({ database: database(), name, newToken: () => crypto.randomUUID() })
    const own = name
    const through = (method: keyof DueQueue) => [
      method,
      (...args: unknown[]) => elsewhere({ port: 'queue', name: own, method, args }),
    ]
    const methods = ['arm', 'take', 'renew', 'release'] as const
    other = Object.fromEntries(methods.map(through)) as DueQueue
  })

  test('gives a due task to one process', async () => {
    await one.arm(500)
    expect(await takes(one)).toBe(false)
    now += 500
    const taken = await Promise.all([one, other, one, other].map(takes))
    expect(taken.filter(Boolean)).toEqual([true])
  })

  test('keeps the earlier of two times', async () => {
    await one.arm(500)
    await one.arm(900)
    now += 500
    expect(await takes(one)).toBe(true)
  })

  test('is due again when the process that took it died', async () => {
    await one.arm(0)
    const dead = await takeOne(one)
    now += leaseMs - 1
    expect(await takes(other)).toBe(false)
    now += 1
    const held = await takeOne(other)
    // Not dead, only slow: what it says of its task counts no more.
    expect(await one.renew(dead, leaseMs)).toBe(false)
    await one.release(dead, undefined)
    now += leaseMs
    expect(await takes(one)).toBe(true)
    expect(held).not.toBe(dead)
  })

  test('stays with the process that renews the lease', async () => {
    await one.arm(0)
    const held = await takeOne(one)
    now += leaseMs - 1
    expect(await one.renew(held, leaseMs)).toBe(true)
    now += leaseMs - 1
    expect(await takes(other)).toBe(false)
  })

  test('is done until it is scheduled again', async () => {
    await one.arm(0)
    await one.release(await takeOne(one), undefined)
    now += 1_000_000
    expect(await takes(one)).toBe(false)
    await other.arm(0)
    expect(await takes(one)).toBe(true)
  })

  test("is due again at its holder's time", async () => {
    await one.arm(0)
    await one.release(await takeOne(one), 700)
    now += 699
    expect(await takes(one)).toBe(false)
    now += 1
    expect(await takes(one)).toBe(true)
  })

  test('keeps a time that was set while a process worked', async () => {
    await one.arm(0)
    const held = await takeOne(one)
    await other.arm(400)
    await other.arm(600)
    now += 400
    expect(await takes(other)).toBe(false)
    await one.release(held, undefined)
    expect(await takes(other)).toBe(true)
  })

  test('is scheduled within seconds by a broadcast that no node accepted', async () => {
    const options = { ...ledgerOptions, database: database(), name }
    let hurried = 0
    const soon = () => {
      hurried += 1
    }
    const ledger = createRedisLedger({
      ...ledgerParts,
      ...options,
      roundMs: 20_000,
      onUrgentRound: soon,
    })
    const transaction = { hash: '0x12', raw: '0x34', gasPriceWei: 1n } as const
    await fillNonce(ledger, { nonce: 0, chainNonce: 0, sessions: [] }, transaction)
    await ledger.recordSend(transaction.hash, 'taken')
    now += 20_000
    expect(await takes(one)).toBe(false)
    expect(hurried).toBe(0)
    await ledger.recordSend(transaction.hash, 'unknown')
    expect(hurried).toBe(1)
    now += 4_999
    expect(await takes(one)).toBe(false)
    now += 1
    expect(await takes(one)).toBe(true)
  })

  test.for(['record', 'adopt'] as const)('is due with the step that takes a %s', async (method) => {
    const ledger = createRedisLedger({
      ...ledgerParts,
      ...ledgerOptions,
      database: database(),
      name,
    })
    if (method === 'record') await accept(ledger, 's')
    const step = { ...question('s'), answerCount: 1, screen: screenOf('s'), order: orderOf('s') }
    if (method === 'adopt') await ledger.adopt({ ...step, execution: executionIn(1) })
    now += roundMs - 1
    expect(await takes(one)).toBe(false)
    now += 1
    expect(await takes(one)).toBe(true)
  })
})
