import { createRandom } from '../../random.ts'
import { getFirstPrice, type Money } from '../money.ts'
import { type Dial, type Item, type Plan, writeText } from '../plan.ts'
import { minuteMs, secondMs } from '../units.ts'
import { createDial, type DialItem, type Draw, type DrawAt, dialAgain } from './dials.ts'
import { getFirstPin, typePin } from './lender.ts'

/** Draws what the money of a lender's plan brings along: moving prices, looks, and deposits. */
export function drawTraffic(plan: Plan, drawAt: DrawAt): Item[] {
  const { seed, setup } = plan
  const phases = [...new Set(plan.items.map(({ phase }) => phase))]
  return phases.flatMap((phase) => {
    const draw = drawAt(createRandom(seed, `money ${phase}`), phase)
    const dials = plan.items.filter((one): one is DialItem => one.phase === phase && 'text' in one)
    return [
      ...(setup.isLocal ? [...drawPrices(draw), ...drawLooks(draw, dials)] : []),
      ...(setup.unit.token ? drawDeposits(draw) : []),
    ]
  })
}

/** Moves the price a few times; sometimes the feed has none. */
const drawPrices = ({ random, setup, phase, spanMs }: Draw): Item[] =>
  Array.from({ length: random.int(1, 4) }, () => {
    const percent = random.chance(0.15) ? 0 : random.int(90, 110)
    const micros = (getFirstPrice(setup.unit) * BigInt(percent)) / 100n
    return { phase, at: random.int(0, spanMs + 2 * minuteMs), kind: 'rate', micros }
  })

const nothing = { kind: 'nothing' } as const

/** Looks at the activity of who paid, or of a till, some time after. */
const drawLooks = (draw: Draw, dials: readonly DialItem[]): Item[] =>
  dials.slice(0, 12).flatMap(({ caller, at: paidAt }, index) => {
    const { random, phase } = draw
    if (!random.chance(0.3)) return []
    const at = paidAt + random.int(0, 4 * minuteMs)
    const session = `look ${phase} ${index}`
    const by = random.pick([caller, caller, 0])
    return [createDial(draw, { at, session, caller: by, text: '5', wanted: nothing })]
  })

/** Draws tokens that wallets send to the addresses of callers, and what credits them. */
function drawDeposits(draw: Draw): Item[] {
  const { random, setup, phase, spanMs } = draw
  const quantum = 10n ** BigInt((setup.unit.token?.decimals ?? 6) - 6)
  return Array.from({ length: random.int(1, 3) }, (_, index) => {
    const caller = random.int(0, Math.min(3, setup.callers) - 1)
    const at = random.int(0, spanMs)
    const named = (what: string) => ({ session: `${what} ${phase} ${index}`, caller })
    const soon = () => at + random.int(2, 90) * secondMs
    // What is below a quantum stays where it is.
    const sends = BigInt(random.int(1, 8_000_000)) * quantum + quantum / 3n
    const arrival = createDial(draw, { at, ...named('inlet'), text: '6', wanted: nothing, sends })
    const credits = ['credit', 'again'].slice(0, random.pick([1, 1, 2])).flatMap((what) => {
      const credit = createDial(draw, { at: soon(), ...named(what), ...creditWith(caller, setup) })
      return random.chance(0.3) ? [credit, dialAgain(draw, credit, soon())] : [credit]
    })
    const sweep = { phase, at: soon(), kind: 'sweep' as const, caller }
    return [arrival, ...credits, ...(random.chance(0.3) ? [sweep] : [])]
  }).flat()
}

function creditWith(caller: number, money: Money): Pick<Dial, 'text' | 'wanted' | 'pin'> {
  const wanted = { kind: 'deposit' } as const
  return { wanted, ...typePin(writeText(wanted, money), getFirstPin(caller)) }
}
