import { drawPlan } from '../../../scripts/dev/simulator/draw/draw-plan.ts'
import { getFirstPin } from '../../../scripts/dev/simulator/draw/lender.ts'
import { coinMoney } from '../../../scripts/dev/simulator/money.ts'
import { type Item, type Plan, writeText } from '../../../scripts/dev/simulator/plan.ts'
import { runPlan } from '../../../scripts/dev/simulator/run.ts'
import { poolRules } from '../../../src/chain/chains.ts'

/**
 * Returns the minutes from "Submitted" to "done" of so many withdrawals, by Rootstock's rules
 * and its usual time between blocks, without faults.
 */
export async function measureMinutesToFinal(count: number): Promise<number[]> {
  const minutes: number[] = []
  for (let seed = 1; seed <= count; seed++) {
    const { history } = await runPlan(planWithdrawal(seed))
    const [first] = history.deliveries
    const told = history.statements.find(({ to }) => to === 'confirmed')
    if (first?.repliedAt === undefined || told === undefined) throw new Error('nothing was told')
    minutes.push((told.at - first.repliedAt) / 60_000)
  }
  return minutes.sort((one, other) => one - other)
}

function planWithdrawal(seed: number): Plan {
  const { setup } = drawPlan(seed)
  const limits = { openPayments: 3, transfersADay: undefined, sentADayWei: undefined }
  const wanted = { kind: 'withdrawal', to: 0, amountWei: 10n ** 15n } as const
  const own = getFirstPin(1)
  const text = `${writeText(wanted, coinMoney)}*${own}`
  const dial: Item = {
    ...{ phase: 0, at: 1_000 * (seed % 60), kind: 'dial', id: 1, session: 's', caller: 1 },
    ...{ worker: 0, wanted, text, pin: { own, step: text } },
  }
  const rules = poolRules.rootstock
  const ground = { rules, blockMs: rules.blockMs, isRegular: false, inclusion: 1, slots: 16 }
  const calm = { rates: {}, slowness: 1, skewsMs: setup.skewsMs.map(() => 0), troubledMs: 10_000 }
  const shared = { isLender: true, callers: 2, preflight: true, isRoomy: false }
  return {
    seed,
    setup: {
      ...{ ...setup, ...coinMoney, ...ground, ...calm, ...shared, maxGasPriceWei: 1_000_000_000n },
      ...{ pauseDays: undefined, outageDays: undefined, limits: { ...limits, dialsAMinute: 60 } },
    },
    items: [dial],
  }
}
