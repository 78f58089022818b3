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

/** One part of a run. A full run has more rounds of it, and longer ones. */
export type Measurement = {
  name: string
  measure: (world: World) => Promise<void>
}

/** Many short rounds: their ratios wobble less than those of few long ones. */
const quickPlan: PaymentPlan = [
  { callers: 1, payments: 30, rounds: 7 },
  { callers: 16, payments: 96, rounds: 7 },
  { callers: 64, payments: 192, rounds: 7 },
  { callers: 256, payments: 384, rounds: 1 },
]
const fullPlan: PaymentPlan = quickPlan.map((part) => ({ ...part, rounds: part.rounds * 3 }))

/** All of them, in the order in which they are measured. */
export const measurements: readonly Measurement[] = [
  {
    name: 'payments',
    async measure(world) {
      const payers = {
        relay: await world.serveRelay('plain'),
        asked: await world.serveAfternoon('asked'),
        fixed: await world.serveAfternoon('fixed'),
      }
      await measurePayments({ ...world, payers }, world.isFull ? fullPlan : quickPlan)
    },
  },
  { name: 'profile', measure: measureProfile },
  { name: 'steady', measure: measureSteady },
  { name: 'screens', measure: measureScreens },
  { name: 'memory', measure: measureMemory },
  { name: 'claims', measure: measureClaims },
  { name: 'start-up', measure: measureStartUp },
  { name: 'redis', measure: measureRedis },
  { name: 'heads', measure: measureHeads },
  // It makes many blocks, which slow the chain.
  { name: 'json-rpc', measure: measureJsonRpc },
  // It takes the chain's blocks over.
  { name: 'rootstock', measure: measureRootstock },
]
