import { askInTurn } from '../asking.ts'
import { delivery, formHeaders } from '../payer.ts'
import { bundleBaseline, serveBaseline } from '../served/workerd.ts'
import type { World } from '../world.ts'

/** Screens that pay nothing: the menu, which asks nobody, and the balance, which asks the chain. */
export async function measureScreens(world: World): Promise<void> {
  const { chain } = world
  const relay = await world.serveRelay('plain')
  const asked = await world.serveAfternoon('asked')
  const baseline = await bundleBaseline('empty')
  const empty = await serveBaseline({ baseline, variables: {} })
  world.atEnd(empty.stop)
  const at = <Served extends { url: string; pid: number }>(
    { url, pid }: Served,
    title: string,
  ) => ({
    url: `${url}/ussd`,
    pid,
    title,
  })
  const both = { relay: at(relay, 'relay'), asked: at(asked, 'afternoon (a)') }
  const all = { ...both, empty: at(empty, 'empty Hono Worker (d)') }
  const common = { headers: formHeaders }
  for (const pace of [
    { callers: 1, requests: 20, slices: 3, rounds: world.isFull ? 15 : 7, holdsCpu: true },
    // In a quick run a glance.
    { callers: 16, requests: 50, slices: 2, rounds: world.isFull ? 15 : 2, holdsCpu: false },
  ]) {
    await askInTurn(world, all, {
      ...common,
      ...{ key: 'screens.menu', title: 'menu', ...pace, expects: 'CON Rootstock DeFi' },
      body: () => delivery(chain, ''),
      against: ['empty'],
    })
    await askInTurn(world, both, {
      ...common,
      ...{
        key: 'screens.balance',
        title: 'balance',
        ...pace,
        expects: 'END Your Balance',
      },
      body: () => delivery(chain, '1'),
      against: ['asked'],
    })
  }
}
