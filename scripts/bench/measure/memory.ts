import { z } from 'zod'
import { type Inspector, openInspector } from '../inspector.ts'
import { formHeaders, payRound } from '../payer.ts'
import type { World } from '../world.ts'

const sessionCount = 10_000

/** At a time: as many as there are callers, who may have three open payments each. */
const portion = 500

const heap = z.object({ usedSize: z.number() })

/** What lives in the Worker's isolate, objects included, before and after many sessions that pay. */
export async function measureMemory(world: World): Promise<void> {
  const { chain, load, figures } = world
  const relay = await world.serveRelay('inspected', { how: 'inspected' })
  const pay = (payments: number) =>
    payRound({ chain, load }, relay, { payments, pace: { callers: 32 } })
  await pay(100)
  const count = sessionCount
  const inspector = await openInspector(relay.inspectorUrl)
  try {
    const before = await livingKiB(inspector, relay.url)
    for (let paid = 0; paid < count; paid += portion) await pay(portion)
    const after = await livingKiB(inspector, relay.url)
    const over = `over ${count.toLocaleString('en')} sessions`
    figures.add('memory.before', 'living in the isolate, before', 'MiB', [before / 1024])
    figures.add(`memory.${count}.after`, `living in the isolate, ${over}`, 'MiB', [after / 1024])
    figures.add(`memory.${count}.each`, `growth a session, ${over}`, 'KiB', [
      (after - before) / count,
    ])
  } finally {
    inspector.close()
  }
}

/** KiB that V8 finds alive. workerd collects only while the isolate works, so it gets something to do. */
async function livingKiB({ send }: Inspector, url: string): Promise<number> {
  let isDone = false
  const working = (async () => {
    const body = 'phoneNumber=%2B254700000001&sessionId=memory&text='
    while (!isDone)
      await (await fetch(`${url}/ussd`, { method: 'POST', headers: formHeaders, body })).text()
  })()
  try {
    await send('HeapProfiler.enable')
    for (let round = 0; round < 3; round += 1) await send('HeapProfiler.collectGarbage')
    return heap.parse(await send('Runtime.getHeapUsage')).usedSize / 1024
  } finally {
    isDone = true
    await working
  }
}
