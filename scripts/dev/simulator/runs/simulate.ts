import process from 'node:process'
import { pathToFileURL } from 'node:url'
import type { Payment } from '../../../../src/relay/ledger/payments/payment-states.ts'
import { type Counts, countBy } from '../../count.ts'
import { drawPlan } from '../draw/draw-plan.ts'
import { timesUp } from '../events.ts'
import type { History } from '../history.ts'
import { Status } from '../model/contracts.ts'
import { judge } from '../oracle/all.ts'
import { rules, type Violation } from '../oracle/rules.ts'
import { runPlan } from '../run.ts'
import { startGasPriceWei } from '../setting.ts'

/** `met` counts what histories with money that was final early had besides. */
type Judged = { violations: readonly Violation[]; seen: Counts; excused: Counts; met: Counts }

const statuses = Object.keys(Status)

async function simulate(seed: number): Promise<Judged> {
  const { history } = await runPlan(drawPlan(seed))
  const { violations, excused } = judge(history)
  const results = history.processed.map(({ processed }) => statuses[processed.status] ?? '')
  const isAssured = ({ assuredAt }: Payment) => assuredAt !== undefined
  const payments = history.payments.flatMap((all) => [...all.values()])
  const seen = {
    seeds: 1,
    deliveries: history.deliveries.length,
    ...countBy(results),
    assured: payments.filter(isAssured).length,
  }
  const met = seen.assured > 0 ? countBy([...new Set(namesOf(history))]) : {}
  return { violations, seen, excused, met }
}

/** Names what a history has besides its dials. */
function* namesOf({ plan: { setup, items } }: History): Generator<string> {
  const { maxGasPriceWei, unproved, outageDays, finalAtOnce } = setup
  for (const item of items) {
    if (item.kind === 'dial') continue
    const isTimes = item.kind === 'price' || item.kind === 'lasting_price'
    const isOver = isTimes && timesUp(startGasPriceWei, item.times) > maxGasPriceWei
    if (item.kind === 'withdrawal' && item.isMove) yield 'move'
    else yield isOver ? 'price over the cap' : item.kind
  }
  if (Number(unproved) > 0) yield 'unproved receipts'
  if (outageDays) yield `${outageDays} days of outage`
  if (finalAtOnce.limitWei > 0n) yield 'final at once'
}

/** Returns the transcript of a seed, with the broken rules at its end. */
export async function tell(seed: number): Promise<readonly string[]> {
  const { transcript, history } = await runPlan(drawPlan(seed), true)
  const { violations } = judge(history)
  return [...transcript, ...violations.map(({ rule, words }) => `Broken: ${rules[rule]} ${words}`)]
}

export type Message = { seed: number } & (Judged | { failure: string })

// The campaign starts this file with the first seed, the step between seeds, and the end.
if (import.meta.url === pathToFileURL(`${process.argv[1]}`).href) {
  const [first = 1, step = 1, end = 1] = process.argv.slice(2).map(Number)
  for (let seed = first; seed < end; seed += step) {
    const lived = await simulate(seed).catch((error) => ({ failure: `${error.stack}` }))
    process.send?.({ seed, ...lived } satisfies Message)
  }
  process.disconnect()
}
