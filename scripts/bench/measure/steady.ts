import { startLoad } from '../load.ts'
import { type Payer, type PaymentRound, payRound } from '../payer.ts'
import { type NodeProxy, startNodeProxy } from '../served/node-proxy.ts'
import { median, quantile } from '../statistics.ts'
import type { World } from '../world.ts'
import { countDuring, tellBilled, tellNodeCalls } from './billed.ts'

const perSecond = 5
const nodeMs = 150
const how = `${perSecond} payments/s, node of ${nodeMs} ms`

/**
 * Payments as people make them, at a pace and not as fast as they are answered, before a node that is
 * as far away as Rootstock's public ones: relay and baselines at the same time, each with a node proxy
 * and a load generator of its own. What is counted a payment does not depend on the machine's speed.
 */
export async function measureSteady(world: World): Promise<void> {
  const { chain, figures } = world
  const payments = world.isFull ? 300 : 40
  const relay = await lane(world, 'relay', (nodeUrl) =>
    world.serveRelay('counting', { how: 'counting', nodeUrl }),
  )
  const asked = await lane(world, 'asked', (nodeUrl) => world.serveAfternoon('asked', nodeUrl))
  const fixed = await lane(world, 'fixed', (nodeUrl) => world.serveAfternoon('fixed', nodeUrl))
  const lanes = [relay, asked, fixed]
  const warmUp = { payments: 64, pace: { callers: 8 } }
  await Promise.all(lanes.map(({ payer, load }) => payRound({ chain, load }, payer, warmUp)))
  for (const { proxy } of lanes) {
    proxy.set({ delayMs: nodeMs })
    proxy.takeCounts()
  }

  const rounds: Partial<Record<Lane['name'], PaymentRound>> = {}
  const pay = async ({ name, payer, load }: Lane) => {
    const pace = { perSecond }
    rounds[name] = await payRound({ chain, load }, payer, { payments, pace })
  }
  const others = Promise.all([pay(asked), pay(fixed)])
  const counted = await countDuring({ relay: relay.payer, proxy: relay.proxy, payments }, () =>
    pay(relay),
  )
  await others

  const relayMs = tellReplies(world, relay, rounds.relay)
  for (const lane of [asked, fixed]) {
    const ratio = relayMs / tellReplies(world, lane, rounds[lane.name])
    const title = `reply p50, ${how}: relay against ${lane.title}`
    figures.hold(`payments.p50Ratio.${lane.name}.steady`, title, 'ratio', [ratio])
  }
  tellBilled(figures, 'steady', how, counted)
  tellNodeCalls(figures, 'relay', `${how}: relay`, counted)
  for (const { name, title, proxy } of [asked, fixed]) {
    tellNodeCalls(figures, name, `${how}: ${title}`, { payments, nodeCalls: proxy.takeCounts() })
  }
}

type Lane = {
  name: 'relay' | 'asked' | 'fixed'
  title: string
  payer: Payer
  proxy: NodeProxy
  load: World['load']
}

const titles = { relay: 'relay', asked: 'afternoon (a)', fixed: "afternoon, fees fixed (a')" }

async function lane(
  { atEnd, chain }: World,
  name: Lane['name'],
  serve: (nodeUrl: string) => Promise<Payer>,
): Promise<Lane> {
  const proxy = await startNodeProxy(chain.url)
  atEnd(proxy.stop)
  const load = startLoad()
  atEnd(load.stop)
  return { name, title: titles[name], payer: await serve(proxy.url), proxy, load }
}

/** Gives the median, in ms. */
function tellReplies(
  { figures }: World,
  { name, title }: Lane,
  round: PaymentRound | undefined,
): number {
  if (round === undefined) throw new Error(`no round of ${name}`)
  const { replyMs } = round
  const say = (what: string) => `reply ${what}, ${how}: ${title}`
  // The node's own time is most of it, so it says much the same on every machine.
  const tell = name === 'relay' ? figures.hold : figures.add
  const p50 = median(replyMs)
  tell(`payments.p50.${name}.steady`, say('p50'), 'ms', [p50])
  figures.add(`payments.p95.${name}.steady`, say('p95'), 'ms', [quantile(replyMs, 0.95)])
  figures.add(`payments.p99.${name}.steady`, say('p99'), 'ms', [quantile(replyMs, 0.99)])
  return p50
}
