import { describe, expect, onTestFinished, test } from 'vitest'
import { type RedisServer, startRedisServer } from '../../scripts/dev/redis/redis-server.ts'
import { type DenoRelays, startDenoRelays } from '../../scripts/dev/relays/deno-relays.ts'
import { readClaim } from '../../scripts/dev/relays/oracle.ts'
import { type RigOptions, startRig } from '../../scripts/dev/relays/rig.ts'
import { createRpcCall } from '../../scripts/dev/rpc.ts'
import { pay } from '../support/faults/open-rig.ts'

const dayMs = 86_400_000
const minPrice = 60_000_000n

async function startServer(options: Parameters<typeof startRedisServer>[0] = {}) {
  const server = await startRedisServer(options)
  onTestFinished(server.stop)
  return server
}

/** Starts relays that keep their rows in this Redis, or in one of their own. */
async function startRelays(options: Partial<RigOptions>, redis?: RedisServer) {
  const started: DenoRelays[] = []
  const own = await startRig({
    blockMs: 100,
    ...options,
    async relays(given) {
      const relays = await startDenoRelays(redis === undefined ? given : { ...given, redis })
      started.push(relays)
      return relays
    },
  })
  onTestFinished(own.stop)
  const [relays] = started
  if (relays === undefined) throw new Error('no relay has been started')
  return { own, relays }
}

describe('a Redis that lost rows', () => {
  test('between two deliveries of one session, on two days, pays once and shows the same screen', async () => {
    const { own, relays } = await startRelays({ callers: 1 })
    const chain = createRpcCall(own.chain.anvil.url)
    const midnight = (Math.floor(Date.now() / dayMs) + 1) * dayMs
    const setClocks = async (ms: number) => {
      await chain('evm_setNextBlockTimestamp', [Math.floor(ms / 1000)])
      await chain('evm_mine', [])
      relays.setLater(ms - Date.now())
    }
    await setClocks(midnight - 60_000)
    await own.relay.restart('lost')
    const delivery = pay(own.nextCaller().phone)
    const reply = await own.deliver(delivery)
    expect(readClaim(reply)).toBe('submitted')
    await own.settle()

    await setClocks(midnight + 60_000)
    await own.relay.restart('lost')
    expect(await own.deliver(delivery)).toEqual(reply)
    expect(await own.deliver(delivery)).toEqual(reply)
    await own.settle()
    expect(await own.judge()).toMatchObject({ executed: 1, faults: [] })
  })

  test('that its replica did not have yet: unknown bytes are never outbid, and a move to a copy pays nothing twice', async () => {
    const primary = await startServer()
    const replica = await startServer({ replicaOf: primary.port })
    const { own, relays } = await startRelays({ callers: 4, workers: 2 }, primary)
    own.rootstock.setBlockTime(undefined)
    const [first, lost, next] = [own.nextCaller(), own.nextCaller(), own.nextCaller()]
    expect(readClaim(await own.deliver(pay(first.phone)))).toBe('submitted')
    // The network between the two breaks; what is written from here on reaches the primary only.
    await expect
      .poll(() => replica.call('EVAL', "return #redis.call('KEYS', '*:row:payments:*')", 0))
      .toBe(1)
    await replica.call('REPLICAOF', 'NO', 'ONE')
    const reply = await own.deliver(pay(lost.phone))
    expect(readClaim(reply)).toBe('submitted')
    const sent = () => own.rootstock.pool.pending().map(({ nonce }) => nonce)
    await expect.poll(sent).toEqual([0, 1])
    const [, unknown] = own.rootstock.pool.pending()

    await primary.kill()
    relays.failOver(replica)
    // While no node answers, nothing shows the loss: of nobody it is said that nothing was sent.
    own.faults.script({ fault: { kind: 'status', status: 503 } })
    expect(readClaim(await own.deliver(pay(lost.phone), 1))).toBe('uncertain')
    own.faults.clear()
    expect(readClaim(await own.deliver(pay(next.phone), 1))).toBe('submitted')
    await expect.poll(sent).toEqual([0, 1, 2])
    expect(own.rootstock.pool.pending()[1]).toEqual(unknown)
    own.rootstock.setBlockTime(100)
    await own.settle()
    expect(await own.deliver(pay(lost.phone), 1)).toEqual(reply)
    await own.settle()

    // The database moves by a copy, while a payment is open and no process runs.
    own.rootstock.setBlockTime(undefined)
    const open = own.nextCaller()
    const opened = await own.deliver(pay(open.phone))
    expect(readClaim(opened)).toBe('submitted')
    await Promise.all([relays.kill(0), relays.kill(1)])
    const copy = await startServer({ replicaOf: replica.port })
    await copy.call('REPLICAOF', 'NO', 'ONE')
    await replica.kill()
    relays.failOver(copy)
    await Promise.all([relays.revive(0), relays.revive(1)])
    expect(await own.deliver(pay(open.phone))).toEqual(opened)
    own.rootstock.setBlockTime(100)
    await own.settle()
    expect(await own.deliver(pay(open.phone), 1)).toEqual(opened)
    expect(await own.judge()).toMatchObject({ executed: 4, faults: [] })
  })

  test.for([
    { what: 'the row of one nonce', keys: 'ledger:*:row:nonces:*:1' },
    { what: 'the bytes of one nonce', keys: 'ledger:*:row:transactions:*' },
  ])(
    'namely $what stops new payments, as health tells, and nothing is bumped over',
    async ({ keys }) => {
      const redis = await startServer()
      // With these blocks a nonce waits 30 s before it is outbid: longer than all this takes.
      const { own, relays } = await startRelays({ callers: 4, workers: 2, blockMs: 3_000 }, redis)
      own.rootstock.setBlockTime(undefined)
      const deliveries = Array.from({ length: 3 }, () => pay(own.nextCaller().phone))
      const replies = []
      for (const delivery of deliveries) replies.push(await own.deliver(delivery))
      const sent = () => own.rootstock.pool.pending().map(({ nonce }) => nonce)
      await expect.poll(sent).toEqual([0, 1, 2])
      const before = own.rootstock.pool.pending()

      expect(
        await redis.call(
          'EVAL',
          `local lost = 0
           for _, name in ipairs(redis.call('KEYS', ARGV[1])) do
             if string.find(redis.call('GET', name), '"nonce":1,', 1, true) then
               lost = lost + redis.call('DEL', name)
             end
           end
           return lost`,
          0,
          keys,
        ),
      ).toBe(1)
      // By now anything new would outbid what waits. No block comes, by which rounds would read the
      // price anew.
      own.rootstock.setMinGasPrice(minPrice * 2n)
      const known = (await redis.call('KEYS', 'ledger:*:row:meta:observations')) as string[]
      expect(await redis.call('DEL', ...known)).toBe(1)
      await relays.wake()
      const health = async () => (await fetch(`${relays.urls[1]}/healthz`)).text()
      await expect.poll(health).toContain('Rows are missing that others name: ')
      expect(readClaim(await own.deliver(pay(own.nextCaller().phone), 1))).toBe('refused')
      for (const [index, delivery] of deliveries.entries()) {
        expect(await own.deliver(delivery, 1)).toEqual(replies[index])
      }
      expect(own.rootstock.pool.pending().slice(0, 3)).toEqual(before)
    },
  )
})
