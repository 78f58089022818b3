import { measureClaims } from './measure/claims.ts'
import { measureHeads } from './measure/heads.ts'
import { measureJsonRpc } from './measure/json-rpc.ts'
import { measureMemory } from './measure/memory.ts'
import { measurePayments, type PaymentPlan } from './measure/payments.ts'
import { measureProfile } from './measure/profile.ts'
import { measureRedis } from './measure/redis.ts'
import { measureRootstock } from './measure/rootstock.ts'
import { measureScreens } from './measure/screens.ts'
import { measureStartUp } from './measure/start-up.ts'
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
  { name: 'profile', isLong: false, measure: measureProfile },
  { name: 'steady', isLong: false, measure: measureSteady },
  { name: 'screens', isLong: false, measure: measureScreens },
  { name: 'json-rpc', isLong: false, measure: measureJsonRpc },
  { name: 'heads', isLong: false, measure: measureHeads },
  { name: 'memory', isLong: false, measure: measureMemory },
  { name: 'claims', isLong: false, measure: measureClaims },
  { name: 'start-up', isLong: false, measure: measureStartUp },
  { name: 'redis', isLong: false, measure: measureRedis },
  { name: 'rootstock', isLong: false, measure: measureRootstock },
]
