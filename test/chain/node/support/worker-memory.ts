import { readFileSync } from 'node:fs'
import { z } from 'zod'

const heapUsage = z.object({ result: z.object({ usedSize: z.number() }) })

/**
 * MiB that live in the Worker's isolate once V8 has collected: what it keeps, and nothing else.
 * workerd collects only while the isolate works, so `wake` has to give it something to do.
 */
export async function livingMiB(inspectorUrl: string, wake: () => Promise<void>): Promise<number> {
  const socket = new WebSocket(new URL('/core:user:ussd-relay', inspectorUrl))
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error('the inspector does not answer'))
  })
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

/** MiB of memory that processes hold, whether what is in it lives or waits for a collection. */
export function residentMiB(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
  )
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}
