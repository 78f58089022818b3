import { gzipSync } from 'node:zlib'
import { serveProduct } from '../served/workerd.ts'
import type { World } from '../world.ts'

/** Measures how large the bundle is, and how long a fresh workerd takes until it has answered once. */
export async function measureStartUp({ build, chain, figures }: World): Promise<void> {
  const script = Buffer.from(build.script)
  figures.hold('bundle', 'KiB', script.length / 1024)
  figures.hold('bundle, gzip', 'KiB', gzipSync(script).length / 1024)
  const variables = await chain.makeVariables('plain')
  const times: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const from = performance.now()
    const served = await serveProduct(build, { variables })
    const body = new URLSearchParams({ phoneNumber: '+254700000001', sessionId: 'first', text: '' })
    const answer = await fetch(`${served.url}/ussd`, { method: 'POST', body })
    if (!(await answer.text()).startsWith('CON')) throw new Error('the first answer is bad')
    times.push(performance.now() - from)
    await served.stop()
  }
  figures.add('from the start of workerd to the first screen', 'ms', ...times)
}
