import { test as always, describe, expect } from 'vitest'
import { readClaim } from '../../../scripts/dev/relays/oracle.ts'
import { sleep } from '../../../scripts/dev/wait.ts'
import { deriveRelayerAccount } from '../../../src/relay/signer.ts'
import { openRig, pay } from '../../support/faults/open-rig.ts'
import { drawHalf, sampleOf } from '../../support/sample.ts'

const rig = openRig({ callers: 60, workers: 2 })
const test = drawHalf(always)

/** Delivers until it is known what became of a payment that a Worker may still work on. */
async function awaitClaim(delivery: ReturnType<typeof pay>): Promise<string> {
  for (;;) {
    const claim = readClaim(await rig.deliver(delivery))
    if (claim !== 'uncertain') return claim
  }
}

describe('a Worker that is killed', () => {
  test('with payments in every state leaves them to the next one', async () => {
    rig.holdBlocks()
    const callers = Array.from({ length: 18 }, () => rig.nextCaller())
    const replies: Awaited<ReturnType<typeof rig.deliver>>[] = []
    // One after the other: none shares a nonce, so that some have to wait for one.
    for (const { phone } of callers) replies.push(await rig.deliver(pay(phone)))
    expect(replies.map(readClaim)).toEqual(callers.map(() => 'submitted'))
    expect(replies.some(({ text }) => text.includes('Tx: queued'))).toBe(true)
    await rig.relay.restart('kept')
    await rig.rootstock.evictAll()
    await rig.relay.wake()
    await rig.settled()
    for (const [index, { phone }] of callers.entries()) {
      expect(await rig.deliver(pay(phone))).toEqual(replies[index])
    }
  })

  test.for(sampleOf(2, [0, 5, 10, 20, 40, 80], 'killed after'))(
    '%d ms after a delivery leaves one payment or none, and the next delivery shows which',
    async (ms) => {
      // A busy machine may be too late to pay, and says so: then another payment shows that it is
      // made.
      let claim = 'refused'
      while (claim === 'refused') {
        const delivery = rig.newPayment()
        rig.note(delivery)
        const dying = rig.relay.deliver(delivery).catch(() => undefined)
        await sleep(ms)
        await rig.relay.restart('kept')
        await dying
        claim = await awaitClaim(delivery)
        await rig.settled()
      }
      expect(claim).toBe('submitted')
    },
  )
})

describe('two relays with one key and a ledger each', () => {
  always('that get the same deliveries pay each once', async () => {
    const other = await rig.another()
    try {
      const before = (await rig.judge()).executed
      const deliveries = Array.from({ length: 6 }, () => rig.newPayment())
      const replies = await Promise.all(
        deliveries.flatMap((delivery) => {
          // Neither ledger knows what the other's screen said.
          rig.note(delivery)
          return [rig.relay, other].map(async (relay) => {
            let reply = await relay.deliver(delivery)
            // A busy machine has no answer in time: the gateway delivers again.
            while (readClaim(reply) === 'uncertain') reply = await relay.deliver(delivery)
            return reply
          })
        }),
      )
      expect(replies.map(readClaim)).toEqual(replies.map(() => 'submitted'))
      // A ledger waits up to ten minutes for the receipt of a nonce that the other one's bytes have
      // used. What the chain has passed is in no later block.
      const listMinable = async () => {
        const { address } = deriveRelayerAccount(rig.chain.bindings.RELAYER_MNEMONIC ?? '', 31, 0)
        const count = await rig.chain.anvil.ask('eth_getTransactionCount', [address, 'latest'])
        const rows = await other.openRows()
        return rows.filter(({ nonce }) => Number(nonce ?? Infinity) >= Number(count))
      }
      await expect.poll(listMinable).toEqual([])
      await rig.settle()
      expect(await rig.judge()).toMatchObject({ executed: before + 6, faults: [] })
    } finally {
      await other.stop()
    }
  })
})
