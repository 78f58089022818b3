import { gzipSync } from 'node:zlib'
import { compareAnswers } from '../asking.ts'
import { formHeaders, writeDelivery } from '../payer.ts'
import { serveBaseline } from '../served/workerd.ts'
import type { World } from '../world.ts'

/**
 * Measures screens that pay nothing: the menu, which asks nobody, and the balance, which asks the chain; and how
 * large the bundle is that serves them.
 */
export async function measureScreens(world: World): Promise<void> {
  const { chain, figures } = world
  const script = Buffer.from(world.build.script)
  figures.hold('bundle', 'KiB', script.length / 1024)
  figures.hold('bundle, gzip', 'KiB', gzipSync(script).length / 1024)
  const empty = await serveBaseline('empty')
  world.atEnd(empty.stop)
  const asked = await world.serveAfternoon('asked', 'asked')
  const relay = await world.serveRelay('plain')
  const own = { url: `${relay.url}/ussd`, pid: relay.pid, title: 'relay' }
  const pace = { requests: 20, headers: formHeaders }
  const menu = {
    title: 'menu',
    expects: 'CON Rootstock DeFi',
    body: () => writeDelivery(chain, ''),
  }
  const balance = {
    title: 'balance',
    expects: 'END Your Balance',
    body: () => writeDelivery(chain, '1'),
  }
  for (const { served, title, screen } of [
    { served: empty, title: 'empty Hono Worker (d)', screen: menu },
    { served: asked, title: 'afternoon (a)', screen: balance },
  ]) {
    const baseline = { url: `${served.url}/ussd`, pid: served.pid, title }
    await compareAnswers(world, { own, baseline }, { ...pace, ...screen })
  }
}
