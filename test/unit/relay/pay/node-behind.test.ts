import { test } from 'vitest'
import { until } from '../../../../scripts/dev/wait.ts'
import { ledgerRules } from '../../../../src/relay/ledger/port.ts'
import { ledgerThrough } from '../../../../src/relay/ledger/steps.ts'
import { systemClock } from '../../../../src/runtime/clock.ts'
import { createMemoryLedger } from '../../../ports/ledger-memory.ts'
import { openModelledService } from '../../../support/modelled-service.ts'

test('a node that is too far behind to judge a payment is asked again a second later, and not all the time', async ({
  expect,
}) => {
  const memory = createMemoryLedger({
    rules: { ...ledgerRules, maxInFlight: 4, watchBlocks: 50, meansMs: 100_000 },
    relayer: `0x${'11'.repeat(20)}`,
    now: Date.now,
  })
  const ledger = ledgerThrough((method, args) =>
    (memory.ledger[method] as (...args: unknown[]) => Promise<unknown>)(...args),
  )
  const pauses: number[] = []
  const clock = {
    ...systemClock,
    sleep(ms: number, signal?: AbortSignal) {
      pauses.push(ms)
      return systemClock.sleep(ms, signal)
    },
  }
  const { deliver, accountOf, chain, showOnly } = openModelledService({
    ...{ ledger, clock, callers: 2, poolLoans: 9, capLoans: 9 },
  })
  const before = chain.head()
  // The second sends on what the first sent: a node without the first refuses what the second has done.
  for (const [caller, text] of [
    [0, '2*0700000001*0.015'],
    [1, '2*0700000000*0.03'],
  ] as const) {
    expect(await deliver(caller, 's', text)).toMatch(/^END Transfer Submitted/)
    const { number, hash } = chain.mine(Date.now())
    const [payment] = await ledger.payments(accountOf(caller), 1)
    const block = { number, hash }
    const execution = { outcome: 'executed' as const, reason: '', hash, block }
    const nonce = payment?.nonce ?? -1
    await ledger.mined({ nonce, session: payment?.session, hash, block, execution })
  }
  const newest = chain.head()
  showOnly(before)
  const earlier = pauses.length
  const paid = deliver(1, 'later', '2*0700000000*0.001')
  await until(() => pauses.slice(earlier).includes(1_000))
  showOnly(newest)
  expect(await paid).toMatch(/^END Transfer Submitted/)
  expect(pauses.slice(earlier).filter((ms) => ms < 1_000).length).toBeLessThanOrEqual(1)
})
