import { privateKeyToAccount } from 'viem/accounts'
import { test } from 'vitest'
import { poolRules } from '../../../../src/chain/chains.ts'
import { createNode } from '../../../../src/chain/node.ts'
import { ledgerRules } from '../../../../src/relay/ledger/port.ts'
import { ledgerThrough } from '../../../../src/relay/ledger/steps.ts'
import { createSigner } from '../../../../src/relay/signer.ts'
import { tend } from '../../../../src/relay/tend/round.ts'
import { systemClock } from '../../../../src/runtime/clock.ts'
import { createMemoryLedger } from '../../../ports/ledger-memory.ts'

test('a round goes on where nothing can be pruned', async ({ expect }) => {
  const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)
  const relayer = account.address
  const rules = { ...ledgerRules, maxInFlight: 4, watchBlocks: 50 }
  const { ledger } = createMemoryLedger({ rules, relayer, now: () => 1 })
  const events: string[] = []
  const round = tend({
    ledger: ledgerThrough((method, args) => {
      if (method === 'prune') return Promise.reject(new Error('the database refused'))
      return (ledger[method] as (...args: unknown[]) => Promise<unknown>)(...args)
    }),
    node: createNode(() => Promise.reject(new Error('nothing is asked of it'))),
    signer: createSigner(account, 31),
    forwarder: { chainId: 31, address: relayer },
    rules: poolRules.rootstock,
    fees: { minWei: 0n, maxWei: 1n },
    clock: systemClock,
    log: ({ event }) => void events.push(event),
    newToken: () => 'token',
    reasonOf: () => '',
  })
  expect(await round).toBe('idle')
  expect(events).toEqual(['prune.failed'])
})
