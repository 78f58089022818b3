import { describe, expect, test } from 'vitest'
import { times } from '../../support/sample.ts'
import { dial, newSession, untilBalance } from '../support/caller.ts'
import {
  accountOf,
  balanceOnChain,
  fund,
  processed,
  relayerNonce,
} from '../support/ground-truth.ts'

const submitted = /^END Transfer Submitted\nTo: 0x00000000\.\.\.\nTx: 0x[0-9a-f]{10}\.\.\.\n/

describe('a payment', () => {
  test('happens once, however often and however closely it is delivered', async () => {
    const caller = '+254700000101'
    await fund(caller, '1')
    const session = newSession()
    // Of its own: what earlier tests paid may still be on its way.
    const own = '0x00000000000000000000000010000000000a11cf'
    const deliver = () => dial(caller, `2*${own}*0.25`, session)

    const replies = await Promise.all(Array.from({ length: 20 }, deliver))
    await untilBalance(caller, '0.75')
    const later = await Promise.all(Array.from({ length: 20 }, deliver))

    expect(new Set([...replies, ...later].map(({ text }) => text)).size).toBe(1)
    expect(replies[0]?.text).toMatch(submitted)
    expect(await processed(await accountOf(caller))).toHaveLength(1)
    expect(await balanceOnChain(own)).toBe('0.25')
  })

  test('of many callers at once makes as many payments, with consecutive nonces', async () => {
    const length = times({ sampled: 60, full: 200 })
    const callers = Array.from({ length }, (_, index) => `+2547000${20000 + index}`)
    const nonceBefore = await relayerNonce()
    const borrowed = await Promise.all(callers.map(borrow))
    const wrong = borrowed.filter((text) => !text.startsWith('END Loan Requested\nTx: 0x'))
    expect(wrong).toEqual([])
    for (const caller of callers) await untilBalance(caller, '0.01')
    const made = await Promise.all(
      callers.map(async (caller) => (await processed(await accountOf(caller))).length),
    )
    expect(made).toEqual(callers.map(() => 1))
    // What had to wait on a busy machine left with others, up to twelve on a nonce.
    expect((await relayerNonce()) - nonceBefore).toBeGreaterThanOrEqual(length / 12)
  })
})

/** Borrows, and tries again if a busy machine has refused the attempt. */
async function borrow(caller: string): Promise<string> {
  for (let session = newSession(); ; ) {
    const { text } = await dial(caller, '3', session)
    if (text.startsWith('END Service not available. Nothing was sent.')) session = newSession()
    // The same delivery again: it may have been taken, and nothing may happen twice.
    else if (!/^END (It is not known yet|Not sent so far)/.test(text)) return text
  }
}
