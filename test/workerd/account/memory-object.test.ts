import { env } from 'cloudflare:workers'
import { type AccountStub, createObjectMemory } from '../../../src/account/memory-object.ts'
import { memorySuite } from '../../ports/memory.suite.ts'

memorySuite('a Durable Object', () =>
  createObjectMemory((account) => env.ACCOUNTS.getByName(account) as unknown as AccountStub),
)
