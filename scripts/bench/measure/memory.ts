import { z } from 'zod'
import { quantile } from '../../dev/count.ts'
import { openInspector } from '../../dev/workerd.ts'
import { payRound } from '../payer.ts'
import type { World } from '../world.ts'

const counts = [5_000, 20_000] as const

/** Pays so many, and waits for the last one's confirmation, before the next begin. */
const part = 500

/** Sets how many parts before a count are read too: the row cache gives up half of it at once. */
const readParts = 8

const usage = z.object({ usedSize: z.number() })

/** Measures what lives in the isolate, of Worker and objects, after so many payments. */
export async function measureMemory({ chain, figures, serveRelay }: World): Promise<void> {
  const relay = await serveRelay('many', { how: 'inspected' })
  const heaps = new Map(counts.map((count) => [count, [] as number[]]))
  for (let paid = part; paid <= Math.max(...counts); paid += part) {
    await payRound(chain, relay, part, { callers: 64 })
    const near = counts.find((count) => paid > count - readParts * part && paid <= count)
    if (near !== undefined) heaps.get(near)?.push(await readLiveHeap(relay.inspectorUrl ?? ''))
  }
  for (const [count, read] of heaps) figures.add(`live heap, ${count} payments`, 'MiB', ...read)
  const [few = 0, many = 0] = [...heaps.values()].map((read) => quantile(read, 0.5))
  figures.add(`live heap: ${counts.toReversed().join(' payments against ')}`, 'ratio', many / few)
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
