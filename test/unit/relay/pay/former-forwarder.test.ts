import { expect, test } from 'vitest'
import { openWorld } from '../../ussd/world.ts'

test('a process that knows a ledger pays nothing with it after the forwarder has changed', async () => {
  const { play, ledger } = openWorld()
  await play('before: 1 -> END Your Balance…')
  const moved = { chainId: 31, fingerprints: { FORWARDER_ADDRESS: 'the next one' } }
  expect(await ledger.identify(moved)).toEqual({ kind: 'same' })
  // It is asked again after a minute: nothing is open, so the ledger may be its own once more.
  await play(`
    after: 2*0700000001*0.005*1 -> END Payments are paused. Nothing was sent. Please try again later.
    after: 2*0700000001*0.005*1 -> same
    paid 0
    61 s
    later: 2*0700000001*0.005*1 -> END Transfer Submitted…`)
})
