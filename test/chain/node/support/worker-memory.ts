import { readFileSync } from 'node:fs'
import { z } from 'zod'

const heapUsage = z.object({
  result: z.object({
    usedSize: z.number(),
    embedderHeapUsedSize: z.number(),
    backingStorageSize: z.number(),
  }),
})

/** Opens the inspector of the Worker's isolate, which takes one client at a time. */
async function openInspector(inspectorUrl: string): Promise<WebSocket> {
  const socket = new WebSocket(new URL('/core:user:ussd-relay', inspectorUrl))
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error('the inspector does not answer'))
  })
  return socket
}

/**
 * MiB that live in the Worker's isolate once V8 has collected: what it keeps, and nothing else.
 * workerd collects only while the isolate works, so `wake` has to give it something to do.
 */
export async function livingMiB(inspectorUrl: string, wake: () => Promise<void>): Promise<number> {
  const socket = await openInspector(inspectorUrl)
  let calls = 0
  async function send(method: string): Promise<unknown> {
    calls += 1
    const id = calls
    let answer: unknown
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(`${data}`) as { id?: number }
      if (message.id === id) answer = message
    })
    socket.send(JSON.stringify({ id, method }))
    while (answer === undefined) await wake()
    return answer
  }
  try {
    await send('HeapProfiler.enable')
    for (let round = 0; round < 3; round += 1) await send('HeapProfiler.collectGarbage')
    const { result } = heapUsage.parse(await send('Runtime.getHeapUsage'))
    return result.usedSize / 1024 ** 2
  } finally {
    socket.close()
  }
}

/**
 * Has V8 collect every second, and notes what lives in the Worker's isolate then; gives the most,
 * in MiB. Until it is stopped the inspector takes nobody else.
 */
export async function watchLiving(inspectorUrl: string) {
  const socket = await openInspector(inspectorUrl)
  const ask = (method: string) => socket.send(JSON.stringify({ id: 1, method }))
  let mostMiB = 0
  socket.addEventListener('message', ({ data }) => {
    const { data: usage } = heapUsage.safeParse(JSON.parse(`${data}`))
    if (usage === undefined) return
    const { usedSize, embedderHeapUsedSize, backingStorageSize } = usage.result
    const used = usedSize + embedderHeapUsedSize + backingStorageSize
    mostMiB = Math.max(mostMiB, used / 1024 ** 2)
  })
  ask('HeapProfiler.enable')
  const asking = setInterval(() => {
    ask('HeapProfiler.collectGarbage')
    ask('Runtime.getHeapUsage')
  }, 1_000)
  const closed = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()))
  void closed.then(() => clearInterval(asking))
  return async (): Promise<number> => {
    socket.close()
    await closed
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
