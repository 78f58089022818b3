import { startLoad } from '../load.ts'
import { type PaymentRound, payRound } from '../payer.ts'
import { startNodeProxy } from '../served/node-proxy.ts'
import { median, quantile } from '../statistics.ts'
import type { World } from '../world.ts'
import { countDuring, tellBilled, tellNodeCalls } from './billed.ts'
import { payers } from './payments.ts'

const perSecond = 5
const payments = 40
const nodeMs = 150
const how = `${perSecond} payments/s, node of ${nodeMs} ms`

type Name = 'relay' | 'asked' | 'fixed'
type Lane = Awaited<ReturnType<typeof openLane>>

/**
 * Measures payments as people make them, at a pace and not as fast as they are answered, before a node
 * that is as far away as Rootstock's public ones: relay and baselines at the same time, each with a node
 * proxy and a load generator of its own. What is counted a payment does not depend on the machine's speed.
 */
export async function measureSteady(world: World): Promise<void> {
  const { chain, figures } = world
  const relay = await openLane(world, 'relay')
  const others = [await openLane(world, 'asked'), await openLane(world, 'fixed')]
  const pay = ({ payer, load }: Lane, count: number, pace: Parameters<typeof payRound>[3]) =>
    payRound({ chain, load }, payer, count, pace)
  await Promise.all([relay, ...others].map((lane) => pay(lane, 64, { callers: 8 })))
  for (const { proxy } of [relay, ...others]) {
    proxy.delay(nodeMs)
    proxy.takeCounts()
  }
  const otherRounds = Promise.all(others.map((lane) => pay(lane, payments, { perSecond })))
  const { result, counted } = await countDuring(relay, payments, () =>
    pay(relay, payments, { perSecond }),
  )
  const relayMs = tellReplies(world, 'relay', result)
  for (const [index, round] of (await otherRounds).entries()) {
    const { name, proxy } = others[index] ?? relay
    const ratio = relayMs / tellReplies(world, name, round)
    figures.hold(`reply p50, ${how}: relay against ${payers[name]}`, 'ratio', ratio)
    tellNodeCalls(figures, `${how}: ${payers[name]}`, payments, proxy.takeCounts())
  }
  tellBilled(figures, how, counted)
  tellNodeCalls(figures, `${how}: relay`, payments, counted.nodeCalls)
}

async function openLane(world: World, name: Name) {
  const proxy = await startNodeProxy(world.chain.url, world.atEnd)
  const load = startLoad()
  world.atEnd(load.stop)
  const payer =
    name === 'relay'
      ? await world.serveRelay('counting', { how: 'counting', nodeUrl: proxy.url })
      : await world.serveAfternoon(`${name}, steady`, name, proxy.url)
  return { name, payer, proxy, load }
}

/** Gives the median, in ms. The node's own time is most of it: it is much the same on every machine. */
function tellReplies({ figures }: World, name: Name, { replyMs }: PaymentRound): number {
  const tell = name === 'relay' ? figures.hold : figures.add
  const p50 = median(replyMs)
  tell(`reply p50, ${how}: ${payers[name]}`, 'ms', p50)
  figures.add(`reply p95, ${how}: ${payers[name]}`, 'ms', quantile(replyMs, 0.95))
  return p50
}
