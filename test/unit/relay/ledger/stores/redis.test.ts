import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type RedisBridge, startRedisBridge } from '../../../../../scripts/dev/redis/bridge.ts'
import { ledgerParts } from '../../../../../src/compose/ledger.ts'
import type { WholeLedger } from '../../../../../src/operator/kept/steps.ts'
import { createLedgerPort } from '../../../../../src/relay/ledger/port.ts'
import { createRedisLedger, getKeyPrefix } from '../../../../../src/relay/ledger/stores/redis.ts'
import { maxReadAgeMs } from '../../../../../src/relay/ledger/values.ts'
import { openRedis, type RedisDatabase } from '../../../../../src/runtime/redis.ts'
import { ledgerSuite } from '../../../../ports/ledger.suite.ts'
import { besideLedgerSuites } from '../../../../ports/ledger-store.suite.ts'
import {
  accept,
  adoptionOf,
  alice,
  bob,
  carol,
  executionIn,
  id,
  offer,
  offerOf,
  orderOf,
  question,
  queue,
  refusingOf,
  screenOf,
  settle,
} from '../../../../ports/payments.ts'
import { describeOnRedis, inTurns, ledgerOptions } from '../../../../support/redis/on-redis.ts'
import { openPatientRedis } from '../../../../support/redis/patient-redis.ts'
import { sampleOf } from '../../../../support/sample.ts'

const { rules, relayer } = ledgerOptions

let now = Date.now()
const clock = () => now
let ledgers = 0

const newName = () => {
  ledgers += 1
  // What is paid from here goes by the same time.
  now = Date.now()
  return `31:0x${ledgers}`
}

const pass = (ms: number) => {
  now += ms
}

describeOnRedis(clock, ({ server, bridge, database, beginElsewhere }) => {
  const elsewhere = beginElsewhere()
  const open = (name: string, over: Partial<typeof rules> = {}): WholeLedger =>
    openOver(database(), name, { rules: { ...rules, ...over } })

  /** Opens a ledger with another connection to the database. */
  const openOver = (database: RedisDatabase, name = newName(), over: object = {}): WholeLedger =>
    createRedisLedger({
      ...{ ...ledgerParts, ...ledgerOptions, database, name, steadyMs: clock },
      ...over,
    })

  /** Starts a bridge for one test, with this clock or the database's. */
  async function bridgeBy(now?: () => number): Promise<RedisBridge> {
    const own = await startRedisBridge({ redisPort: server().port, now })
    onTestFinished(own.stop)
    return own
  }

  /** Opens a ledger that two processes call in turn. */
  const fromTwoProcesses = (name: string): WholeLedger =>
    inTurns(open(name), Object.keys(ledgerParts.steps) as (keyof WholeLedger)[], (method, args) =>
      elsewhere({ port: 'ledger', name, method, args }),
    )

  const twoProcesses = async () => ({ ledger: fromTwoProcesses(newName()), rules, pass })
  const oneProcess = async () => ({ ledger: open(newName()), rules, pass })

  besideLedgerSuites('Redis, asked by two processes', twoProcesses)

  const ways = [
    ['asked by two processes', twoProcesses, { isDoubled: false }],
    ['over a network that sends everything once', oneProcess, { isDoubled: false }],
    ['over a network that sends everything twice', oneProcess, { isDoubled: true }],
  ] as const
  // A run draws one of them; a full run has all.
  describe.for(sampleOf(1, ways, 'way'))('%s', ([, create, { isDoubled }]) => {
    beforeAll(() => {
      if (isDoubled) bridge().script({ fault: { kind: 'double' } })
    })
    afterAll(() => bridge().clear())

    ledgerSuite('Redis', create)
  })

  describe('the ledger on Redis', () => {
    /** Creates an offer of this intent with this deadline. */
    const offerBy = (session: string, intent = session, deadline = 1) => {
      const request = { ...orderOf(session).request, intentId: id(intent), deadline }
      return offerOf(session, alice, { order: { request, spendsWei: 1n } })
    }

    /** Has a payment made that is final. */
    async function pay(ledger: WholeLedger, session: string, nonce: number): Promise<void> {
      await offer(ledger, offerBy(session))
      await settle(ledger, session, nonce)
    }

    const wide = { maxInFlight: 100 }

    test('hands out each nonce once, whichever process asks', async () => {
      const name = newName()
      const ledger = open(name, wide)
      const far = createLedgerPort(ledgerParts.steps, (method, args) =>
        elsewhere({ port: 'ledger', name, method, args, rules: wide }),
      )
      const nonces = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          accept(index % 2 === 0 ? ledger : far, `session ${index}`),
        ),
      )
      const wanted = Array.from({ length: 60 }, (_, index) => index)
      expect(nonces.sort((a = -1, b = -1) => a - b)).toEqual(wanted)
    })

    test('repeats its answer to an offer whose first answer was lost', async () => {
      const ledger = open(newName())
      await ledger.lookup(question('s'))
      bridge().script({ fault: { kind: 'drop_reply' }, argument: 'commit', times: 1 })
      await expect(offer(ledger, offerOf('s'))).rejects.toThrow('no answer')
      bridge().clear()
      const ageMs = expect.any(Number) as number
      const answered = { kind: 'answered', screen: screenOf('s'), ageMs }
      expect((await offer(ledger, offerOf('s'))).verdicts).toEqual([answered])
      expect(await accept(ledger, 'next')).toBe(1)
    })

    test('accepts in one command while no other process writes, and loads once one has', async () => {
      const name = newName()
      // A payment of an earlier test may still be watched over the other one.
      const own = await bridgeBy(clock)
      const openOwn = () => openOver(openPatientRedis(own), name, { rules: { ...rules, ...wide } })
      const [ledger, other] = [openOwn(), openOwn()]
      const [dave, erin] = [id('dave'), id('erin')].map((hex) => hex.slice(0, 42) as Address)
      await accept(ledger, 'a')
      const count = async (session: string, account?: Address) => {
        await ledger.lookup(question(session, account))
        const before = own.commands()
        const nonce = await accept(ledger, session, account)
        return { nonce, commands: own.commands() - before }
      }
      expect(await count('b', bob)).toEqual({ nonce: 1, commands: 1 })
      expect(await accept(other, 'c', carol)).toBe(2)
      expect(await count('d', dave)).toEqual({ nonce: 3, commands: 4 })
      // It looks first for a while, and trusts what it knows again then.
      expect(await count('e', erin)).toEqual({ nonce: 4, commands: 2 })
      pass(1_001)
      await ledger.lookup(question('f', dave))
      expect((await count('f', bob)).commands).toBe(1)
      expect((await ledger.readWork()).nonces.map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3, 4, 5])
    })

    test('writes by a time that the database had a moment ago, and by no other', async () => {
      let steady = 0
      const ledger = openOver(database(), newName(), { steadyMs: () => steady })
      const start = now
      const decide = async (session: string, steadyMs: number, databaseMs: number) => {
        await ledger.lookup(question(session))
        steady += steadyMs
        pass(databaseMs)
        await ledger.refuse(refusingOf(session))
        const trace = await ledger.traceSession(session)
        return [(trace?.decidedAt ?? 0) - start, now - start]
      }
      expect(await decide('a little behind', 0, 1_000)).toEqual([0, 1_000])
      expect(await decide('too far behind', 0, 1_001)).toEqual([2_001, 2_001])
      steady += 2_000
      expect(await decide('ahead', 1, 0)).toEqual([2_001, 2_001])
    })

    test('a commit that arrives long after its load is made anew, by the time of then', async () => {
      let lateMs = 0
      const delayed: RedisDatabase = {
        script(source) {
          const run = database().script(source)
          return async (keys, args) => {
            if (args[1] === 'commit') pass(lateMs)
            if (args[1] === 'commit') lateMs = 0
            return run(keys, args)
          }
        },
      }
      const ledger = openOver(delayed, newName(), { steadyMs: undefined })
      await accept(ledger, 's')
      const refuse = async (session: string, arrivesAfterMs: number) => {
        const { now: asOf } = await ledger.readWork()
        lateMs = arrivesAfterMs
        const traces = { chain: 1, pool: 1 }
        return ledger.refuse({ ...refusingOf(session), reason: 'held', traces, asOf })
      }
      expect(await refuse('in time', maxReadAgeMs)).toEqual({ kind: 'refused' })
      expect(await refuse('late', maxReadAgeMs + 1)).toEqual({ kind: 'unsure' })
    })

    test('says nothing of lost rows by what a node told before it fell silent', async () => {
      const ledger = open(newName(), { canLoseTail: true })
      await accept(ledger, 's')
      const refuse = (session: string, node: 'answered' | 'silent') => {
        const [traces, observations] = [
          { chain: 1, pool: 1 },
          { node, facts: {}, round: undefined },
        ]
        return ledger.refuse({ ...refusingOf(session), reason: 'held', traces, observations })
      }
      expect(await refuse('silent', 'silent')).toMatchObject({ kind: 'unsure' })
      expect(await refuse('told', 'answered')).toMatchObject({ kind: 'refused' })
    })

    test('continues after the database has lost its scripts', async () => {
      const ledger = open(newName())
      await accept(ledger, 's')
      await server().call('SCRIPT', 'FLUSH')
      expect(await ledger.lookup(question('s'))).toMatchObject({ kind: 'answered' })
    })

    test("uses the database's clock", async () => {
      const ledger = openOver(openPatientRedis(await bridgeBy()))
      const [before] = (await server().call('TIME')) as string[]
      expect(Math.abs((await ledger.readWork()).now / 1000 - Number(before))).toBeLessThan(5)
    })

    test('records no second payment of an intent, and nothing of a refused one', async () => {
      const ledger = open(newName())
      await offer(ledger, offerBy('a'))
      await expect(offer(ledger, offerBy('b', 'a'))).rejects.toThrow('recorded already')
      expect((await ledger.readWork()).carried).toHaveLength(1)
      expect((await offer(ledger, offerBy('b'))).nonce).toBe(1)
    })

    test('keeps only its identity and its next nonce', async () => {
      const name = newName()
      const ledger = open(name)
      await ledger.identify({ chainId: 31, fingerprints: { KEY: 'a' } })
      await ledger.refuse(refusingOf('refused'))
      await pay(ledger, 'a', 0)
      await pay(ledger, 'b', 1)
      const left = async () => {
        const found = (await server().call('KEYS', `${getKeyPrefix(name)}*`)) as string[]
        return found.map((key) => key.slice(getKeyPrefix(name).length)).sort()
      }
      const counters = [
        ...[':row:meta:compared', ':row:meta:counts'],
        ':row:meta:identity.KEY',
        ':row:meta:identity.chain',
        ':row:meta:schema',
        `:row:relayers:${relayer}`,
        ...[':tasks', ':version'],
      ]
      pass(rules.retentionMs + 1)
      await ledger.prune()
      const history = (await left()).filter((key) => key.startsWith(':row:history:'))
      expect(history).toHaveLength(2)
      expect((await left()).sort()).toEqual([...counters, ...history, ':list:history.age:'].sort())
      pass(rules.historyMs)
      await ledger.prune()
      expect(await left()).toEqual(counters)
    })

    test('refuses rows of another schema, and does not change them', async () => {
      const name = newName()
      await open(name).identify({ chainId: 31, fingerprints: {} })
      const row = `${getKeyPrefix(name)}:row:meta:schema`
      for (const other of ['2', '7']) {
        await server().call('SET', row, `1 {"name":"schema","value":"${other}"}`)
        await expect(open(name).setIntake('paused', 'an operator')).rejects.toThrow(
          `the ledger has schema ${other}, and this version knows 6: deploy one that knows ${other}`,
        )
      }
      expect(await server().call('EXISTS', `${getKeyPrefix(name)}:row:meta:intake`)).toBe(0)
    })

    test('looks up and prunes over a slow network: the clock moves between reads', async () => {
      // A script that the server knows already would run by the server's own clock.
      await server().call('SCRIPT', 'FLUSH')
      let clock = 1_700_000_000_000
      const far = await bridgeBy(() => (clock += 20))
      const ledger = openOver(openPatientRedis(far))
      await ledger.refuse(refusingOf('refused'))
      await pay(ledger, 'a', 0)
      const asked = far.commands()
      await ledger.lookup(question('next'))
      expect(far.commands() - asked).toBe(1)
      clock += rules.retentionMs + 1
      const before = far.commands()
      await ledger.prune()
      // The lists, what they name, what that names, and the commit.
      expect(far.commands() - before).toBeLessThanOrEqual(6)
      expect(await ledger.findPayment('a')).toBeUndefined()
      expect(await ledger.lookup(question('refused'))).toMatchObject({ kind: 'undecided' })
    })

    test('refuses to start on a database that drops rows when it is full', async () => {
      const name = newName()
      await server().call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
      await expect(open(name).readWork()).rejects.toThrow(/drops rows .*allkeys-lru.*noeviction/)
      await server().call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
      expect(await open(name).readWork()).toMatchObject({ nonces: [] })
    })

    test('stops payments where a list names a row that is missing', async () => {
      const name = newName()
      const ledger = open(name)
      await offer(ledger, offerBy('a'))
      await offer(ledger, offerBy('b'))
      await server().call('DEL', `${getKeyPrefix(name)}:row:payments:a`)
      expect((await ledger.listPayments(alice, 9)).map(({ session }) => session)).toEqual(['b'])
      expect((await ledger.readVitals()).missing).toEqual(['payments:a'])
    })

    test('shows a round only the oldest part of a long queue, in order', async () => {
      const ledger = open(newName())
      const sessions = Array.from({ length: 205 }, (_, index) => `session ${1000 + index}`)
      // A commit has as many as fit: what one made together stays in its order too.
      for (let first = 0; first < sessions.length; first += 41) {
        pass(1)
        const offers = sessions.slice(first, first + 41).map((session) => offerBy(session))
        await queue(ledger, ...offers)
      }
      const { waiting: queued } = await ledger.readWork()
      expect(queued.map(({ session }) => session)).toEqual(sessions.slice(0, 200))
    })

    /** Accepts a payment that waits for a nonce until 2096. */
    const enqueue = async (ledger: WholeLedger, session: string) => {
      await queue(ledger, offerBy(session, session, 4_000_000_000))
    }

    /** Counts the rows that some work reads. */
    const readBy = async (work: () => Promise<unknown>) => {
      const read = async () => {
        const found = `${await server().call('INFO', 'commandstats')}`
        return Number(/cmdstat_get:calls=(\d+)/.exec(found)?.[1])
      }
      const before = await read()
      await work()
      return (await read()) - before
    }

    test('reads no row of a long queue when a payment leaves it', async () => {
      const ledger = open(newName())
      for (const digit of '0123456789abcdef') await enqueue(ledger, digit)
      expect(await readBy(() => ledger.expire('0', 5_000_000_000))).toBeLessThan(30)
      expect((await ledger.readWork()).waiting).toHaveLength(15)
    })

    test('reads only the sums in a new process', async () => {
      const name = newName()
      const long = { maxInFlight: 64 }
      const ledger = open(name, long)
      for (let nonce = 0; nonce < 64; nonce++) await offer(ledger, offerBy(`session ${nonce}`))
      for (const digit of '0123456789abcdef') await enqueue(ledger, digit)
      const begun = open(name, long)
      expect(await readBy(() => offer(begun, offerOf('next', carol)))).toBeLessThan(60)
    })

    test('keeps its forwarder while a spent intent is adopted', async () => {
      const name = newName()
      const ledger = open(name)
      const identity = (FORWARDER_ADDRESS: string) => ({
        chainId: 31,
        fingerprints: { FORWARDER_ADDRESS },
      })
      await ledger.identify(identity('old'))
      const slow = openPatientRedis(await bridgeBy(clock))
      let isAdopted = false
      const between: RedisDatabase = {
        script: (source) => {
          const run = slow.script(source)
          return async (keys, args) => {
            // Between the load and the commit of the move.
            if (args[1] === 'commit' && !isAdopted) {
              isAdopted = true
              await ledger.adopt(adoptionOf('a', executionIn(9)))
            }
            return run(keys, args)
          }
        },
      }
      const answer = await openOver(between, name).identify(identity('new'))
      expect(answer).toEqual({ kind: 'different', names: ['FORWARDER_ADDRESS'] })
    })

    test('shows no part of its question when the database refuses', async () => {
      const ledger = openOver(openRedis({ url: bridge().url, token: 'wrong-token' }))
      const refused = ledger.lookup(question('secret-session'))
      await expect(refused).rejects.toThrow(/^the database refused: WRONGPASS [a-z ]+$/)
    })

    test('refuses a malformed answer', async () => {
      const ledger = open(newName())
      // Other ledgers of this file may ask at the same time.
      bridge().script({ fault: { kind: 'html' }, times: 100 })
      await expect(ledger.readWork()).rejects.toThrow('a malformed answer')
      bridge().clear()
      bridge().script({ fault: { kind: 'delay_reply', ms: 5_000 }, times: 100 })
      await expect(openOver(openRedis(bridge(), 100)).readWork()).rejects.toThrow('gave no answer')
      bridge().clear()
    })
  })
})
