import { afterEach, expect } from 'vitest'
import { type Rig, type RigOptions, startRig, stranger } from '../../../scripts/dev/relays/rig.ts'
import { rootstockRules } from '../../../scripts/dev/rootstock-pool/rules.ts'
import { opened } from '../opened.ts'

export const blockMs = 100
export const minPrice = rootstockRules.minGasPriceWei

/** Creates the delivery that pays the stranger. */
export const pay = (phone: string, amount = '0.25') => ({
  phone,
  sessionId: `pays ${amount}`,
  text: `2*${stranger}*${amount}`,
})

/** Opens a rig with Rootstock's pool for a file's tests; after each the oracle judges. */
export function openRig(options: Partial<RigOptions> = {}) {
  const rig = opened(async () => withHelpers(await startRig({ blockMs, callers: 120, ...options })))
  afterEach(async ({ task }) => {
    if (task.result?.state === 'pass') await rig.settled()
  })
  return rig
}

function withHelpers(rig: Rig) {
  const { pool, setBlockTime, setMinGasPrice } = rig.rootstock
  const newPayment = () => pay(rig.nextCaller().phone)
  const waiting = () => [...pool.pending(), ...pool.queued()]
  return {
    ...rig,
    waiting,
    /** Waits for this many: a transaction is sent beside the reply that names it. */
    async sent(count: number) {
      await expect.poll(() => waiting().length).toBe(count)
      return waiting()
    },
    /** Starts with an empty ledger and a key that sent nothing before: no rows can be lost. */
    async beginAnew() {
      await rig.relay.restart('lost')
      await rig.chain.anvil.ask('anvil_setNonce', [rig.chain.relayer, '0x0'])
    },
    /** Stops automatic blocks until the test has ended. */
    holdBlocks: () => setBlockTime(undefined),
    newPayment,
    payMany: (count: number) =>
      Promise.all(Array.from({ length: count }, () => rig.deliver(newPayment()))),
    /** Makes payments in turn, each on its own nonce. */
    async payInTurn(count: number) {
      const replies: Awaited<ReturnType<typeof rig.deliver>>[] = []
      for (let made = 0; made < count; made++) replies.push(await rig.deliver(newPayment()))
      return replies
    },
    logged: (event: string) => rig.relay.log.filter((line) => line.event === event),
    /** Ends faults, lets blocks come until nothing is open, and judges everything told. */
    async settled() {
      rig.faults.clear()
      await rig.faults.accept()
      setMinGasPrice(minPrice)
      setBlockTime(blockMs)
      await rig.settle()
      expect((await rig.judge()).faults).toEqual([])
    },
  }
}
