import { z } from 'zod'
import { openInspector } from '../../dev/workerd.ts'
import { payRound } from '../payer.ts'
import type { World } from '../world.ts'

const counts = [5_000, 20_000]
/** Pays so many, and waits for the last one's confirmation, before the next begin. */
const part = 500

const usage = z.object({ usedSize: z.number() })

/** Measures what lives in the isolate, of Worker and objects, after so many payments. */
export async function measureMemory(world: World): Promise<void> {
  const relay = await world.serveRelay('many', { how: 'inspected' })
  const heaps: number[] = []
  for (let paid = 0; paid < Math.max(...counts); ) {
    await payRound(world.chain, relay, part, { callers: 64 })
    paid += part
    if (counts.includes(paid)) heaps.push(await readLiveHeap(relay.inspectorUrl ?? ''))
  }
  const [few = 0, many = 0] = heaps
  for (const [index, heap] of heaps.entries())
    world.figures.add(`live heap after ${counts[index]} payments`, 'MiB', heap)
  world.figures.add(
    `live heap: ${counts.toReversed().join(' payments against ')}`,
    'ratio',
    many / few,
  )
}

async function readLiveHeap(inspectorUrl: string): Promise<number> {
  const { send, close } = await openInspector(inspectorUrl)
  try {
    await send('HeapProfiler.collectGarbage')
    return usage.parse(await send('Runtime.getHeapUsage')).usedSize / 2 ** 20
  } finally {
    await close()
  }
}
