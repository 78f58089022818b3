import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { openInspector } from '../../../../scripts/dev/workerd.ts'

const heapUsage = z.object({
  usedSize: z.number(),
  embedderHeapUsedSize: z.number(),
  backingStorageSize: z.number(),
})

/**
 * MiB that live in the Worker's isolate once V8 has collected: what it keeps, and nothing else.
 * workerd collects only while the isolate works, so `wake` has to give it something to do.
 */
export async function livingMiB(inspectorUrl: string, wake: () => Promise<void>): Promise<number> {
  const { send, close } = await openInspector(inspectorUrl)
  async function ask(method: string): Promise<unknown> {
    let answer: unknown
    void send(method).then((result) => {
      answer = result
    })
    while (answer === undefined) await wake()
    return answer
  }
  try {
    await ask('HeapProfiler.enable')
    for (let round = 0; round < 3; round += 1) await ask('HeapProfiler.collectGarbage')
    return heapUsage.parse(await ask('Runtime.getHeapUsage')).usedSize / 1024 ** 2
  } finally {
    await close()
  }
}

/**
 * Has V8 collect every second, and notes what lives in the Worker's isolate then; gives the most,
 * in MiB. Until it is stopped the inspector takes nobody else.
 */
export async function watchLiving(inspectorUrl: string) {
  const { send, close, closed } = await openInspector(inspectorUrl)
  let mostMiB = 0
  const note = (answer: unknown) => {
    const { usedSize, embedderHeapUsedSize, backingStorageSize } = heapUsage.parse(answer)
    const used = usedSize + embedderHeapUsedSize + backingStorageSize
    mostMiB = Math.max(mostMiB, used / 1024 ** 2)
  }
  void send('HeapProfiler.enable')
  const asking = setInterval(() => {
    void send('HeapProfiler.collectGarbage')
    void send('Runtime.getHeapUsage').then(note)
  }, 1_000)
  void closed.then(() => clearInterval(asking))
  return async (): Promise<number> => {
    await close()
    return mostMiB
  }
}

/** MiB of memory that processes hold, whether what is in it lives or waits for a collection. */
export function residentMiB(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
  )
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}
