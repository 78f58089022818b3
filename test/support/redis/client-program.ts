import { ledgerParts } from '../../../src/compose/ledger.ts'
import type { KeyStore } from '../../../src/keys/api-keys.ts'
import { createRedisKeys } from '../../../src/keys/api-keys-redis.ts'
import type { WholeLedger } from '../../../src/operator/kept/steps.ts'
import type { LedgerRules } from '../../../src/relay/ledger/draft.ts'
import type { DueQueue } from '../../../src/relay/ledger/schedule.ts'
import { createRedisDueQueue } from '../../../src/relay/ledger/stores/due-queue-redis.ts'
import { createRedisLedger } from '../../../src/relay/ledger/stores/redis.ts'
import type { RedisAddress, RedisDatabase } from '../../../src/runtime/redis.ts'
import { signByName } from '../../ports/payments.ts'
import { openPatientRedis } from './patient-redis.ts'

/** A call of a port; `name` says whose ledger it is, or whose queue. */
export type PortCall = { name: string; args: unknown[] } & (
  | { port: 'ledger'; method: keyof WholeLedger; rules?: Partial<LedgerRules> }
  | { port: 'queue'; method: keyof DueQueue }
  | { port: 'keys'; method: keyof KeyStore }
)

/** What a process is told that has a client of its own: once where to ask, then call by call. */
export type ClientMessage =
  | { kind: 'open'; address: RedisAddress; rules: LedgerRules; relayer: string; roundMs: number }
  | { kind: 'call'; id: number; call: PortCall }

export type ClientReply = { id: number } & ({ result: unknown } | { fault: string })

// A process of its own with a client of its own: `process-client.ts` starts it.
type Opened = {
  database: RedisDatabase
  rules: LedgerRules
  relayer: string
  roundMs: number
  /** By their names: a process has one of each. */
  ledgers: Map<string, WholeLedger>
}
let opened: Opened | undefined

process.on('message', (message: ClientMessage) => {
  if (message.kind === 'open') {
    const { address, rules, relayer, roundMs } = message
    opened = { database: openPatientRedis(address), rules, relayer, roundMs, ledgers: new Map() }
    return
  }
  // A failure is a reply too.
  void answer(message).then((reply) => process.send?.(reply))
})

async function answer({
  id,
  call,
}: Extract<ClientMessage, { kind: 'call' }>): Promise<ClientReply> {
  try {
    if (opened === undefined) throw new Error('nothing is open')
    const adapter = adapterOf(opened, call) as Record<string, (...args: unknown[]) => unknown>
    const args = call.args.map((arg) => (arg === 'signByName' ? signByName : arg))
    return { id, result: await adapter[call.method]?.(...args) }
  } catch (error) {
    return { id, fault: String(error) }
  }
}

function adapterOf(opened: Opened, { name, ...call }: PortCall) {
  const { database, ledgers, ...options } = opened
  switch (call.port) {
    case 'ledger': {
      const own = { ...ledgerParts, ...options, rules: { ...options.rules, ...call.rules } }
      const ledger = ledgers.get(name) ?? createRedisLedger({ ...own, database, name })
      ledgers.set(name, ledger)
      return ledger
    }
    case 'queue':
      return createRedisDueQueue({ database, name, newToken: () => crypto.randomUUID() })
    case 'keys':
      return createRedisKeys(database)
  }
}
