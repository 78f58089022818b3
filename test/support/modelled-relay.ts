import { ledgerRules } from '../../src/relay/ledger/port.ts'
import { ledgerThrough } from '../../src/relay/ledger/steps.ts'
import { createMemoryLedger } from '../ports/ledger-memory.ts'
import {
  type ModelledOptions,
  type ModelledService,
  openModelledService,
} from './modelled-service.ts'

export type ModelledRelay = ModelledService & {
  /** Puts all that waits into a block, and tells the ledger what became of it there. */
  settle(): Promise<void>
  /** The balance in the words of the menu. */
  balance(caller: number): Promise<string>
}

/** The USSD service over a ledger in memory, before the simulator's chain. Nothing waits for real time. */
export function openModelledRelay(options: Omit<ModelledOptions, 'ledger'>): ModelledRelay {
  const memory = createMemoryLedger({
    rules: { ...ledgerRules, maxInFlight: 4, watchBlocks: 50, meansMs: 100_000 },
    relayer: `0x${'11'.repeat(20)}`,
    now: options.clock?.now ?? Date.now,
  })
  const ledger = ledgerThrough((method, args) =>
    (memory.ledger[method] as (...args: unknown[]) => Promise<unknown>)(...args),
  )
  const service = openModelledService({ ...options, ledger })
  let dials = 0

  return {
    ...service,
    async settle() {
      const { number, hash } = service.chain.mine(Date.now())
      const block = { number, hash }
      const { carried } = await ledger.work()
      for (const { nonce, session } of carried) {
        if (nonce === undefined) continue
        const execution = { outcome: 'executed' as const, reason: '', hash, block }
        await ledger.mined({ nonce, session, hash, block, execution })
      }
    },
    async balance(caller) {
      dials += 1
      return await service.deliver(caller, `balance ${dials}`, '1')
    },
  }
}
