import { describe, expect } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { openModelledService } from '../support/modelled-service.ts'
import { type LedgerHarness, testOn } from './on-ledger.ts'
import { executionIn, orderOf } from './payments.ts'

const callers = 10
const plenty = 1_000
const lent = /^END Loan Requested\nTx: /
const refused = 'END No loan can be given at the moment. Please try again later.'

/** Tests that shared limits are used up and never exceeded, on any store. */
export function sharedLimitsSuite(name: string, create: () => Promise<LedgerHarness>): void {
  const test = testOn(create)
  describe(`what all accounts share, on ${name}`, () => {
    const everybody = Array.from({ length: callers }, (_, caller) => caller)

    test.for([
      ['the pool', { poolLoans: 1, capLoans: plenty }],
      ['the daily cap', { poolLoans: plenty, capLoans: 1 }],
    ] as const)('is lent once where %s has one loan for ten', async ([, left]) => {
      const { ledger, relayer } = await create()
      const { deliver, accountOf } = openModelledService({ ledger, relayer, callers, ...left })
      const screens = await Promise.all(everybody.map((caller) => deliver(caller, 's', '3')))
      expect(screens.filter((screen) => lent.test(screen))).toHaveLength(1)
      expect(screens.filter((screen) => screen === refused)).toHaveLength(callers - 1)
      const paid = everybody.map((caller) => ledger.listPayments(accountOf(caller), 1))
      expect((await Promise.all(paid)).flat()).toHaveLength(1)
      // And the same to each of them, asked again.
      const again = await Promise.all(everybody.map((caller) => deliver(caller, 's', '3')))
      expect(again).toEqual(screens)
    })

    test('is lent in order until it is used up, block by block', async ({ ledger, relayer }) => {
      // No time passes, however slow the machine is: the pool is read once, before the first block.
      const now = Date.now()
      const clock = { ...systemClock, now: () => now }
      const room = { callers, poolLoans: 3, capLoans: plenty }
      const { deliver, chain } = openModelledService({ ledger, relayer, clock, ...room })
      const screens: string[] = []
      for (const caller of everybody) {
        screens.push(await deliver(caller, 's', '3'))
        // A block that shows a loan releases what was reserved for it, and never twice.
        if (caller % 2 === 1) chain.mine(Date.now())
      }
      expect(screens.map((screen) => lent.test(screen))).toEqual(
        everybody.map((caller) => caller < 3),
      )
    })

    test('does not include a balance that a block has spent', async ({ ledger, relayer }) => {
      const room = { callers, poolLoans: plenty, capLoans: plenty }
      const { deliver, chain, showOnly } = openModelledService({ ledger, relayer, ...room })
      const before = chain.head()
      const pay = (session: string) => deliver(0, session, '2*0700000001*0.015')
      expect(await pay('first')).toMatch(/^END Transfer Submitted/)
      const block = chain.mine(Date.now())
      const { nonces, carried } = await ledger.readWork()
      const [payment] = nonces
      const [{ session, order } = { session: '', order: orderOf('s') }] = carried
      const { hash = '0x' } = payment?.transactions[0] ?? {}
      const { request: executed } = order
      const { signature } = executed
      const execution = executionIn(0, { hash: block.hash, block, signature, executed })
      const report = { nonce: payment?.nonce ?? -1, sessions: [session], hash, block }
      await ledger.recordMined({ ...report, executions: { [session]: execution } })
      showOnly(before)
      expect(await pay('second')).toBe(
        'END Your balance is too low: 0.005 tRBTC. Nothing was sent. Dial again to send less.',
      )
    })
  })
}
