import { describe, expect, test } from 'vitest'
import { type DenoRelays, startDenoRelays } from '../../scripts/dev/relays/deno-relays.ts'
import { readClaim } from '../../scripts/dev/relays/oracle.ts'
import { openRig } from '../support/faults/open-rig.ts'

let relays: DenoRelays | undefined

describe('an instance that died', () => {
  const rig = openRig({
    ...{ workers: 2, callers: 4 },
    relays: async (options) => {
      relays = await startDenoRelays(options)
      return relays
    },
  })

  test('between record and broadcast is taken over by the other one', async () => {
    const delivery = rig.newPayment()
    // What the first process sends stays on the way for longer than this test takes.
    const held = rig.faults.script({
      fault: { kind: 'delay_request', ms: 600_000 },
      methods: ['eth_sendRawTransaction'],
      times: 1,
    })
    rig.note(delivery)
    const dying = relays?.deliver(delivery, 0).catch(() => undefined)
    await expect.poll(() => held.hits()).toBe(1)
    await relays?.kill(0)
    await dying
    expect(readClaim(await rig.deliver(delivery, 1))).toBe('submitted')
    await rig.settle()
    expect(await rig.judge()).toMatchObject({ executed: 1, faults: [] })
  })
})
