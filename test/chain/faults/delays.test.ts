import { describe, expect, test } from 'vitest'
import { readClaim } from '../../../scripts/dev/relays/oracle.ts'
import { openRig } from '../../support/faults/open-rig.ts'
import { inTime } from '../../support/in-time.ts'

/** Limits the time of a caller's answer, whatever the node does. */
const answeredWithinMs = 8_000

const rig = openRig()

/** Pays as a fresh caller, and returns the answer. */
async function payOnce() {
  const delivery = rig.newPayment()
  return { delivery, reply: await rig.deliver(delivery) }
}

describe('a node that is slower than every time limit', () => {
  test.for(['eth_call', 'eth_getTransactionCount', 'eth_gasPrice'])(
    'for %s leaves time to say that nothing is known yet',
    async (method) => {
      // What the ledger knows of the chain would be asked of no node for some seconds.
      await rig.beginAnew()
      const scripted = rig.faults.script({
        fault: { kind: 'delay_request', ms: 9_000 },
        methods: [method],
      })
      const { delivery, reply } = await inTime(answeredWithinMs, payOnce)
      expect(scripted.hits()).toBeGreaterThan(0)
      scripted.end()
      const later = await rig.deliver(delivery)
      // An empty ledger that has not seen the key's nonces, of which the same request may ask, does
      // not know what it has lost: it says so, and closes nothing.
      expect([readClaim(reply), readClaim(later)]).toEqual(['uncertain', 'submitted'])
    },
  )
})

describe('a node that is not there', () => {
  test('is reported at once, and payments work again when it is back', async () => {
    // A ledger that has seen nothing of the chain would not know what it has lost.
    expect(readClaim((await payOnce()).reply)).toBe('submitted')
    await rig.faults.refuse()
    const { delivery, reply } = await inTime(2_000, payOnce)
    expect(readClaim(reply)).toBe('refused')
    await rig.faults.accept()
    expect(await rig.deliver(delivery)).toEqual(reply)
    expect(readClaim(await rig.deliver(rig.newPayment()))).toBe('submitted')
  })
})
