import { quantile } from '../../dev/count.ts'
import { type PaymentRound, payRound } from '../payer.ts'
import type { World } from '../world.ts'
import { addBilledFigures, addQuestionFigure, countRound } from './billed.ts'
import { payers } from './payments.ts'

const perSecond = 5
const payments = 40
const busyPayments = 192
const nodeMs = 150
const how = `${perSecond} payments/s, node of ${nodeMs} ms`

/** Measures relay and baseline at a pace, before a node as far away as Rootstock's public ones. */
export async function measureSteady(world: World): Promise<void> {
  const { chain, figures } = world
  const proxy = await world.serveProxy()
  const other = await world.serveProxy()
  const relay = await world.serveRelay('counting', { how: 'counting', nodeUrl: proxy.url })
  const counted = { chain, payer: relay, proxy }
  const afternoon = await world.serveAfternoon('steady', other.url)
  for (const payer of [relay, afternoon]) await payRound(chain, payer, 64, { callers: 8 })
  for (const node of [proxy, other]) node.script({ fault: { kind: 'delay_reply', ms: nodeMs } })
  const asked = other.seen()
  const [beside, { result, each }] = await Promise.all([
    payRound(chain, afternoon, payments, { perSecond }),
    countRound(counted, payments, { perSecond }),
  ])
  const middle = ({ replyMs }: PaymentRound) => quantile(replyMs, 0.5)
  const pair = `relay against ${payers.afternoon}`
  figures.hold(`reply p50, ${how}: relay`, 'ms', middle(result))
  figures.hold(`reply p50, ${how}: ${pair}`, 'ratio', middle(result) / middle(beside))
  figures.add(`reply p95, ${how}: relay`, 'ms', quantile(result.replyMs, 0.95))
  addQuestionFigure(figures, `${how}: ${payers.afternoon}`, (other.seen() - asked) / payments)
  addBilledFigures(figures, how, each)
  addQuestionFigure(figures, `${how}: relay`, each.questions)
  const before = proxy.counts()
  const busy = await countRound(counted, busyPayments, { callers: 64 })
  for (const [method, count] of proxy.counts()) {
    const asked = (count - (before.get(method) ?? 0)) / busyPayments
    if (asked > 0) figures.add(`${method}, 64 callers: relay`, 'each payment', asked)
  }
  addBilledFigures(figures, '64 callers', busy.each)
  addQuestionFigure(figures, '64 callers: relay', busy.each.questions)
}
