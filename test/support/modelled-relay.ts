import type { Hex } from 'viem'
import type { Product } from '../../scripts/dev/simulator/relay/programs.ts'
import { ledgerParts } from '../../src/compose/ledger.ts'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import { createLedgerPort } from '../../src/relay/ledger/port.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createMemoryLedger } from '../ports/ledger-memory.ts'
import { createMemoryStore } from './memory-store.ts'
import { type ModelledOptions, openModelledService } from './modelled-service.ts'

/** Opens the USSD service over a ledger in memory and the simulator's chain, without real time. */
export function openModelledRelay({
  product,
  clock = systemClock,
  silent,
  memory = createMemoryStore(clock.now),
  ...options
}: Omit<ModelledOptions, 'ledger' | 'product'> & {
  product?: Omit<Product, 'memory' | 'waitUntil'>
  /** Names the ledger's methods that never answer. */
  silent?: keyof WholeLedger
  memory?: ReturnType<typeof createMemoryStore>
}) {
  const kept = createMemoryLedger({ now: clock.now })
  const ledger = createLedgerPort(ledgerParts.steps, (method, args) =>
    method === silent
      ? new Promise<never>(() => {})
      : (kept.ledger[method] as (...args: unknown[]) => Promise<unknown>)(...args),
  )
  const running: Promise<unknown>[] = []
  const waitUntil = (work: Promise<unknown>) => void running.push(work)
  const service = openModelledService({
    ...{ ...options, ledger, clock },
    ...(product && { product: { ...product, memory, waitUntil } }),
  })
  let dials = 0

  async function finish(
    { number, hash }: { number: number; hash: Hex },
    outcome: 'executed' | 'failed',
    reason: string,
  ): Promise<void> {
    const block = { number, hash }
    const { nonces, carried } = await ledger.readWork()
    for (const { nonce, sessions, transactions } of nonces) {
      const payments = carried.filter(({ session }) => sessions.includes(session))
      const executions = Object.fromEntries(
        payments.map(({ session, order }) => {
          const { request: executed } = order
          const { signature } = executed
          return [session, { outcome, reason, hash, block, signature, executed }]
        }),
      )
      const [own] = transactions
      await ledger.recordMined({ nonce, sessions, hash: own?.hash ?? '0x', block, executions })
      for (const session of sessions) await ledger.confirm([session], hash)
    }
  }

  return {
    ...service,
    ledger,
    memoryCalls: memory.asked,
    /** Dumps the rows of ledger and memory, one text a row. */
    rows: () => [...kept.rows(), ...memory.rows()],
    memoryRows: memory.rows,
    paid: async (caller: number) =>
      (await ledger.listPayments(service.accountOf(caller), 10_000)).length,
    /** Puts all that waits into a final block, and tells the ledger the outcomes. */
    settle: () => finish(service.chain.mine(clock.now()), 'executed', ''),
    /** Tells the ledger that all that waits has failed in a final block, which the chain lacks. */
    fail: (reason: string) =>
      finish({ number: 1_000, hash: `0x${'fa'.repeat(32)}` }, 'failed', reason),
    async deliver(caller: number, session: string, text: string) {
      const screen = await service.deliver(caller, session, text)
      await Promise.all(running.splice(0))
      return screen
    },
    async balance(caller: number) {
      dials += 1
      return await service.deliver(caller, `balance ${dials}`, '1')
    },
  }
}
