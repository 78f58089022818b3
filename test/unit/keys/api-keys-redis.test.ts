import type { KeyStore } from '../../../src/keys/api-keys.ts'
import { createRedisKeys } from '../../../src/keys/api-keys-redis.ts'
import { keyStoreSuite } from '../../ports/key-store.suite.ts'
import { describeOnRedis, inTurns } from '../../support/redis/on-redis.ts'

let now = 1_700_000_000_000
const clock = () => now

describeOnRedis(clock, ({ server, database, beginElsewhere }) => {
  const elsewhere = beginElsewhere()
  const open = () => createRedisKeys(database())
  const methods = ['find', 'take', 'create', 'list', 'revoke', 'count'] as const
  const fromTwoProcesses = () =>
    inTurns<KeyStore>(open(), methods, (method, args) =>
      elsewhere({ port: 'keys', name: '', method, args }),
    )

  const harness = (open: () => KeyStore) => async () => {
    await server().empty()
    const pass = (ms: number) => {
      now += ms
    }
    return { store: open(), now: () => now, pass }
  }

  keyStoreSuite('Redis', harness(open))
  keyStoreSuite('Redis, asked by two processes', harness(fromTwoProcesses))
})
