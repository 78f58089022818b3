import * as z from 'zod/mini'
import type { RedisDatabase } from '../../../runtime/redis.ts'
import type { DueQueue } from './due-queue.ts'
import { armLua, dueLua } from './lua.ts'
import { getKeyPrefix } from './redis.ts'

const maxTakenTasks = 10

type RedisDueQueueOptions = {
  database: RedisDatabase
  /** Names the ledger, whose own commits arm the task when they add work. */
  name: string
  newToken: () => string
}

/** Creates the queue of a ledger's due tasks, in the same Redis as its rows. */
export function createRedisDueQueue({ database, name, newToken }: RedisDueQueueOptions): DueQueue {
  const script = database.script(armLua + dueLua)
  const run = async (method: string, task: string, token: string, ms: number | undefined) => {
    const args = [method, task, token, ms === undefined ? '' : `${ms}`, `${maxTakenTasks}`]
    return script([getKeyPrefix(name)], args)
  }

  return {
    async arm(task, inMs) {
      await run('arm', task, '', inMs)
    },
    async take(leaseMs) {
      const token = newToken()
      const tasks = z.array(z.string()).parse(await run('take', '', token, leaseMs))
      return tasks.map((task) => ({ task, token }))
    },
    async renew({ task, token }, leaseMs) {
      return z.int().parse(await run('renew', task, token, leaseMs)) === 1
    },
    async release({ task, token }, againInMs) {
      await run('done', task, token, againInMs)
    },
  }
}
