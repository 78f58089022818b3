import * as z from 'zod/mini'
import type { RedisDatabase } from '../../../runtime/redis.ts'
import type { DueQueue } from '../schedule.ts'
import { armLua, dueLua } from './lua.ts'
import { getKeyPrefix } from './redis.ts'

type RedisDueQueueOptions = {
  database: RedisDatabase
  /** Names the ledger, whose own commits arm it when they add work. */
  name: string
  newToken: () => string
}

/** Creates the queue of a ledger's due rounds, in the same Redis as its rows. */
export function createRedisDueQueue({ database, name, newToken }: RedisDueQueueOptions): DueQueue {
  const script = database.script(armLua + dueLua)
  const run = async (method: string, token: string, ms: number | undefined): Promise<boolean> => {
    const reply = await script(
      [getKeyPrefix(name)],
      [method, token, ms === undefined ? '' : `${ms}`],
    )
    return z.int().parse(reply) === 1
  }

  return {
    async arm(inMs) {
      await run('arm', '', inMs)
    },
    async take(leaseMs) {
      const token = newToken()
      return (await run('take', token, leaseMs)) ? token : undefined
    },
    renew: (token, leaseMs) => run('renew', token, leaseMs),
    async release(token, againInMs) {
      await run('done', token, againInMs)
    },
  }
}
