import { gzipSync } from 'node:zlib'
import { bundleBaseline, serveBaseline, serveProduct, type Workerd } from '../served/workerd.ts'
import { takeTurns } from '../turns.ts'
import type { World } from '../world.ts'

/** How large the bundle is, and how long a fresh workerd takes until it has answered once. */
export async function measureStartUp({ build, chain, figures, isFull }: World): Promise<void> {
  const script = Buffer.from(build.script)
  figures.hold('startUp.bytes', 'bundle', 'KiB', [script.length / 1024])
  figures.hold('startUp.gzip', 'bundle, gzip', 'KiB', [gzipSync(script).length / 1024])

  const baseline = await bundleBaseline('empty')
  const variables = chain.variables('plain')
  const serve: Record<'relay' | 'empty', () => Promise<Workerd>> = {
    relay: () => serveProduct({ build, variables }),
    empty: () => serveBaseline({ baseline, variables: {} }),
  }
  const taken = await takeTurns(['relay', 'empty'], isFull ? 9 : 3, async (name) => {
    const from = performance.now()
    const served = await serve[name]()
    const body = new URLSearchParams({ phoneNumber: '+254700000001', sessionId: 'first', text: '' })
    const answer = await fetch(`${served.url}/ussd`, { method: 'POST', body })
    if (!(await answer.text()).startsWith('CON'))
      throw new Error(`the first answer of the ${name} is bad`)
    const ms = performance.now() - from
    await served.stop()
    return ms
  })
  figures.add(
    'startUp.relay',
    'from the start of workerd to the first screen: relay',
    'ms',
    taken.relay,
  )
  figures.add(
    'startUp.empty',
    'from the start of workerd to the first screen: empty Hono Worker (d)',
    'ms',
    taken.empty,
  )
}
