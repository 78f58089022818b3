import { measurePayments, type PaymentPlan } from './measure/payments.ts'
import { measureRootstock } from './measure/rootstock.ts'
import { measureSteady } from './measure/steady.ts'
import type { World } from './world.ts'

/** One part of a run. A full run is a quick one with the long parts and more rounds. */
export type Measurement = {
  name: string
  /** Only in a full run. */
  isLong: boolean
  measure: (world: World) => Promise<void>
}

const quickPlan: PaymentPlan = [
  { callers: 1, payments: 50, rounds: 5 },
  { callers: 16, payments: 160, rounds: 3 },
  { callers: 64, payments: 300, rounds: 5 },
  { callers: 256, payments: 512, rounds: 2 },
]
const fullPlan: PaymentPlan = quickPlan.map((part) => ({ ...part, rounds: part.rounds * 3 }))

/** All of them, in the order in which they are measured. */
export const measurements: readonly Measurement[] = [
  {
    name: 'payments',
    isLong: false,
    async measure(world) {
      const payers = {
        relay: await world.serveRelay('plain'),
        asked: await world.serveAfternoon('asked'),
        fixed: await world.serveAfternoon('fixed'),
      }
      await measurePayments({ ...world, payers }, world.isFull ? fullPlan : quickPlan)
    },
  },
  { name: 'steady', isLong: false, measure: measureSteady },
  { name: 'rootstock', isLong: false, measure: measureRootstock },
]
