import { expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { TransportError } from '../../../src/chain/rpc.ts'
import type { DepositClaim } from '../../../src/relay/claim-deposit.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { receive } from '../../../src/ussd/menu/entries/receive.ts'
import { english } from '../../../src/ussd/messages/en.ts'
import { openModelledRelay } from '../../support/modelled-relay.ts'

/** A clock by which whatever is waited for longer than 5 s is over once `begun` is. */
function createShortClock(begun = Promise.resolve()) {
  const slept: number[] = []
  const clock = {
    ...systemClock,
    async sleep(ms: number, signal?: AbortSignal) {
      slept.push(ms)
      await (ms < 5_000 ? systemClock.sleep(ms, signal) : begun)
    },
  }
  return { clock, slept }
}

const one = { callers: 1, poolLoans: 1, capLoans: 1 }

test('a caller is answered within 8 s even if the ledger does not answer', async () => {
  const { clock, slept } = createShortClock()
  const product = menus.strict
  const { balance } = openModelledRelay({ ...one, clock, product, silent: 'readFirstValue' })
  expect(await balance(0)).toBe(`END ${english.unavailable}`)
  expect(Math.max(...slept)).toBeLessThan(8_000)
})

test('a claim of a deposit that a slow node may still credit is told as not known yet', async () => {
  const unknown = `END ${receive.words(english).claimed.unknown}`
  const claims: Record<string, () => Promise<DepositClaim>> = {
    'takes longer than the reply': () => new Promise(() => {}),
    'finds no node, but may have been sent by another delivery': async () => {
      throw new TransportError('no answer')
    },
  }
  for (const [name, claim] of Object.entries(claims)) {
    const begun = Promise.withResolvers<void>()
    const { clock, slept } = createShortClock(begun.promise)
    const claimDeposit = () => {
      const result = claim()
      begun.resolve()
      return result
    }
    const { sendAll } = openModelledRelay({
      ...{ ...one, clock },
      product: { ...menus.lender, claimDeposit },
    })
    const screen = await sendAll({ caller: 0, session: 's', answers: ['6', '1'] })
    expect(screen, name).toBe(unknown)
    expect(Math.max(...slept), name).toBeLessThan(8_000)
  }
})
