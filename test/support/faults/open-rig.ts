import { afterEach, expect } from 'vitest'
import {
  type AnvilRig,
  type RigOptions,
  startAnvilRig,
  startRig,
  stranger,
} from '../../../scripts/dev/relays/rig.ts'
import { rootstockRules } from '../../../scripts/dev/rootstock-pool/rules.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { opened } from '../opened.ts'

export const blockMs = 100
export const minPrice = rootstockRules.minGasPriceWei

/** What a phone dials to pay the stranger. */
export const pay = (phone: string, amount = '0.25') => ({
  phone,
  sessionId: `pays ${amount}`,
  text: `2*${stranger}*${amount}`,
})

/** A rig with Rootstock's pool for the tests of a file, after each of which the oracle finds nothing wrong. */
export const openRig = (options: RigOptions = {}) =>
  judged(async () => {
    const rig = await startRig({ blockMs, callers: 120, ...options })
    const { pool, setBlockTime, setMinGasPrice } = rig.rootstock
    const release = async () => {
      setMinGasPrice(minPrice)
      setBlockTime(blockMs)
    }
    return {
      ...withHelpers(rig, release),
      rootstock: rig.rootstock,
      /** The relayer's transactions that wait. */
      waiting: () => [...pool.pending(), ...pool.queued()],
      /** From now on no block comes by itself, until the test has ended. */
      holdBlocks: () => setBlockTime(undefined),
    }
  })

/** The same on an anvil as it is. */
export const openAnvilRig = (variables: Record<string, string>) =>
  judged(async () => {
    const rig = await startAnvilRig({ callers: 60, variables })
    const call = rpcTo(rig.chain.anvil.url)
    const release = async () => {
      await call('evm_setAutomine', [true])
      await call('evm_mine')
    }
    return { ...withHelpers(rig, release), call }
  })

function judged<Opened extends { settled: () => Promise<void>; stop: () => unknown }>(
  start: () => Promise<Opened>,
): Opened {
  const rig = opened(start)
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') await rig.settled()
  })
  return rig
}

function withHelpers(rig: AnvilRig, release: () => Promise<unknown>) {
  const newPayment = () => pay(rig.nextCaller().phone)
  return {
    ...rig,
    /** A payment of a caller whom nobody had before. */
    newPayment,
    /** Makes so many of them at once. */
    payMany: (count: number) =>
      Promise.all(Array.from({ length: count }, () => rig.deliver(newPayment()))),
    logged: (event: string) => rig.relay.log.filter((line) => line.event === event),
    /** Ends faults, lets blocks come until nothing is open, and has the oracle look at everything told. */
    async settled() {
      rig.faults.clear()
      await rig.faults.accept()
      await release()
      await rig.settle()
      expect((await rig.judge()).faults).toEqual([])
    },
  }
}
