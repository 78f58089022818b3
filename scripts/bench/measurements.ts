import { measureClaims } from './measure/claims.ts'
import { measureHeads } from './measure/heads.ts'
import { measureJsonRpc } from './measure/json-rpc.ts'
import { measureManyBlocks } from './measure/many-blocks.ts'
import { measureMemory } from './measure/memory.ts'
import { measurePayments, type PaymentPlan } from './measure/payments.ts'
import { measureProfile } from './measure/profile.ts'
import { measureReads } from './measure/reads.ts'
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
  /** Only a full run has it. */
  isLong?: boolean
  /** It starts a redis-server. */
  needsRedis?: boolean
}

/**
 * Many short turns, each about as long for the relay as for a baseline: the machine's own speed changes
 * from second to second, and a ratio is of two turns that stand beside each other.
 */
const quickPlan: PaymentPlan = [
  { callers: 1, payments: { relay: 16, baseline: 24 }, rounds: 2 },
  { callers: 16, payments: { relay: 48, baseline: 96 }, rounds: 2 },
  { callers: 64, payments: { relay: 48, baseline: 96 }, rounds: 3, pairs: 15 },
]
const fullPlan: PaymentPlan = [
  ...quickPlan.map(({ rounds, pairs = 0, ...part }) => ({
    ...part,
    rounds: rounds * 3,
    pairs: pairs * 3,
  })),
  { callers: 256, payments: { relay: 256, baseline: 256 }, rounds: 3 },
]

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
  { name: 'memory', measure: measureMemory, isLong: true },
  { name: 'claims', measure: measureClaims },
  { name: 'start-up', measure: measureStartUp },
  { name: 'redis', measure: measureRedis, needsRedis: true },
  { name: 'heads', measure: measureHeads },
  { name: 'json-rpc', measure: measureJsonRpc },
  { name: 'many-blocks', measure: measureManyBlocks, isLong: true },
  { name: 'reads', measure: measureReads },
  // It takes the chain's blocks over.
  { name: 'rootstock', measure: measureRootstock },
]
