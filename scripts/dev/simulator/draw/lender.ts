import { createRandom } from '../../random.ts'
import type { Money } from '../money.ts'
import { type Dial, type Item, inOrder, type Plan, tills, writeText } from '../plan.ts'
import { minuteMs, secondMs } from '../units.ts'
import { createDial, type Draw, type DrawAt } from './dials.ts'

const firstPins = ['482615', '739164', '5938', '26495']
const laterPins = ['8053', '917264', '63820']

export const getFirstPin = (caller: number): string => firstPins[caller % firstPins.length] ?? ''

/** Types a PIN behind what is asked for. */
export function typePin(asked: string, own: string) {
  const text = `${asked}*${own}`
  return { text, pin: { own, step: text } }
}

/** Lists where a PIN is typed and what follows, so that it is guessed where nothing else counts. */
const asking = ['8*2', '8*2', '4*1', '3'] as const

/** Makes a plan one of a lender's: PINs are typed, guessed, changed, forgotten and blocked. */
export function drawLender(plan: Plan, drawAt: DrawAt): Plan {
  const { seed, setup } = plan
  const typed = plan.items.map((item) =>
    item.kind === 'dial' ? withPin(atTill(plan, item)) : item,
  )
  const phases = [...new Set(plan.items.map(({ phase }) => phase))]
  const drawn = phases.flatMap((phase) =>
    acts.flatMap(({ name, share, draw }) => {
      const random = createRandom(seed, `${name} ${phase}`)
      if (!random.chance(share)) return []
      const context = drawAt(random, phase)
      const caller = random.int(0, Math.min(3, setup.callers - 1))
      const from = random.int(0, 2 * minuteMs)
      const wanted = { kind: 'nothing' } as const
      const dial: Act['dial'] = (at, part, text, more) => {
        const session = `${name} ${phase} ${part}`
        return createDial(context, { at, session, caller, text, wanted, ...more })
      }
      return draw({ ...context, caller, from, dial })
    }),
  )
  return { ...plan, items: inOrder([...typed, ...drawn]) }
}

/** Turns half of the transfers to a caller with a till into withdrawals and bills. */
function atTill<Item extends Dial>({ seed, setup }: Plan, dial: Item): Item {
  const { wanted, session, caller } = dial
  if (wanted.kind !== 'transfer' || wanted.to >= tills.length) return dial
  if (!createRandom(seed, `till ${session} ${caller}`).chance(0.5)) return dial
  const kind = tills[wanted.to]?.kind === 'agent' ? 'withdrawal' : 'purchase'
  const asked = { ...wanted, kind } as const
  return { ...dial, wanted: asked, text: writeText(asked, setup) }
}

const withPin = <Item extends Dial>(dial: Item): Item =>
  dial.wanted.kind === 'nothing'
    ? dial
    : { ...dial, ...typePin(dial.text, getFirstPin(dial.caller)) }

type Act = Draw & {
  caller: number
  from: number
  dial: (at: number, session: string, text: string, more?: Partial<Dial>) => Item
}

const acts: readonly { name: string; share: number; draw: (act: Act) => Item[] }[] = [
  { name: 'guesses', share: 0.35, draw: drawGuesses },
  { name: 'left open', share: 0.35, draw: drawLeftOpen },
  { name: 'forgotten', share: 0.15, draw: drawForgotten },
]

/** Somebody tries PINs, many at a time or one after the other, and may try the right one. */
function drawGuesses({ random, setup, caller, from, dial }: Act): Item[] {
  const count = random.int(2, 12)
  const spreadMs = random.pick([0, 100, 500, 20 * secondMs])
  const rightAt = random.chance(0.6) ? random.int(0, count - 1) : undefined
  return Array.from({ length: count }, (_, index) => {
    const pin = index === rightAt ? getFirstPin(caller) : `${3507 + index}`
    const guess = guessOf(random.pick(asking), pin, setup)
    const at = from + random.int(0, spreadMs)
    const again = random.chance(0.2)
      ? [dial(at + random.int(0, 2 * secondMs), `${index}`, ...guess)]
      : []
    return [dial(at, `${index}`, ...guess), ...again]
  }).flat()
}

function guessOf(
  place: (typeof asking)[number],
  own: string,
  money: Money,
): [text: string, more: Partial<Dial>] {
  const all: Record<typeof place, Dial['wanted']> = {
    '8*2': { kind: 'nothing' },
    '4*1': { kind: 'repayment', amountWei: 'all' },
    '3': { kind: 'loan' },
  }
  const wanted = all[place]
  const { text, pin } = typePin(place === '3' ? writeText(wanted, money) : place, own)
  return [text, { wanted, pin }]
}

/** Sessions stay open at what follows their PIN, which is then changed or blocked, and go on. */
function drawLeftOpen({ random, setup, caller, from, phase, dial }: Act): Item[] {
  const own = getFirstPin(caller)
  const [chosen, other] = [laterPins[caller % 3] ?? '', laterPins[(caller + 1) % 3] ?? '']
  const changing = typePin('8*2', own)
  const to = (caller + 1) % setup.callers
  const wanted = { kind: 'transfer', to, amountWei: (3n * setup.stepWei) / 10n } as const
  const { text: sending, pin } = typePin(writeText(wanted, setup), own)
  const sent = { wanted, pin }
  const opened = from + 15 * secondMs
  const ended = opened + random.pick([0, 5, 40, 240]) * secondMs + random.int(0, secondMs)
  const resumed = ended + random.pick([0, 2, 30, 200]) * secondMs + random.int(0, 3 * secondMs)
  const isChanged = random.chance(0.6)
  const end = isChanged
    ? [dial(ended, 'change', `${changing.text}*${chosen}*${chosen}`, changesPin(own, chosen))]
    : [0, 1, 2].map((turn) => {
        const at = ended + turn * random.int(0, 3 * secondMs)
        return dial(at, `block ${turn}`, ...guessOf('8*2', `${3602 + turn}`, setup))
      })
  const unlocked = resumed + random.int(-30, 30) * secondMs
  return [
    dial(from, 'first', sending, sent),
    dial(opened, 'sending', sending, sent),
    dial(opened, 'changing', changing.text, changing),
    ...end,
    dial(resumed, 'sending', `${sending}*2`, sent),
    dial(resumed, 'changing', `${changing.text}*${other}*${other}`, changesPin(own, other)),
    ...(random.chance(0.3) && !isChanged
      ? [{ phase, at: Math.max(0, unlocked), kind: 'unlock' as const, caller }]
      : []),
  ]
}

const changesPin = (own: string, sets: string): Partial<Dial> => ({
  pin: { own, step: `8*2*${own}`, sets },
})

/** Declares a PIN forgotten and chooses another: too early, or after the pause of a day. */
function drawForgotten({ random, caller, from, phase, dial }: Act): Item[] {
  const chosen = laterPins[caller % 3] ?? ''
  const at = from + random.int(0, 2 * minuteMs)
  return [
    dial(phase === 0 ? from : at, 'wish', '8*3*1'),
    dial(phase === 0 ? at : from, 'choice', `${chosen}*${chosen}`, { pin: { sets: chosen } }),
  ]
}
