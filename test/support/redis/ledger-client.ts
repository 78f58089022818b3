import { openRedis, type RedisAddress } from '../../../src/redis.ts'
import type { Ledger, LedgerRules } from '../../../src/relay/ledger.ts'
import { createRedisLedger } from '../../../src/relay/ledger-redis.ts'

/** What a process is told that has a client of its own: once whose ledgers, then call by call. */
export type ClientMessage =
  | { kind: 'open'; address: RedisAddress; rules: LedgerRules; tendMs: number }
  | { kind: 'call'; id: number; name: string; method: keyof Ledger; args: unknown[] }

export type ClientReply = { id: number } & ({ result: unknown } | { fault: string })

// A process of its own with a client of its own: `process-client.ts` starts it.
let ledgerOf: ((name: string) => Ledger) | undefined

process.on('message', (message: ClientMessage) => {
  if (message.kind === 'open') {
    const { address, rules, tendMs } = message
    const database = openRedis(address)
    ledgerOf = (name) => createRedisLedger({ database, name, rules, tendMs })
    return
  }
  // A failure is a reply too.
  void call(message).then((reply) => process.send?.(reply))
})

async function call({
  id,
  name,
  method,
  args,
}: Extract<ClientMessage, { kind: 'call' }>): Promise<ClientReply> {
  try {
    const ledger = ledgerOf?.(name)
    if (ledger === undefined) throw new Error('no ledger is open')
    const run = ledger[method] as (...args: unknown[]) => Promise<unknown>
    return { id, result: await run(...args) }
  } catch (error) {
    return { id, fault: String(error) }
  }
}
