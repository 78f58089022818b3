import { createRandom, type Random } from '../../random.ts'
import { type Dial, type Item, inOrder, type Plan, tills, writeText } from '../plan.ts'
import { minuteMs, secondMs } from '../units.ts'
import { createDial, type Draw, type DrawAt } from './dials.ts'
import type { Setup } from './setup.ts'

const firstPins = ['482615', '739164', '5938', '26495']
const laterPins = ['8053', '917264', '63820']

export const getFirstPin = (caller: number): string => firstPins[caller % firstPins.length] ?? ''

/** Lists where a PIN is typed and what follows, so that it is guessed where nothing else counts. */
const asking = ['8*2', '8*2', '4*1', '3'] as const

/** Makes a plan one of a lender's: PINs are typed, guessed, changed, forgotten and blocked. */
export function drawLender(plan: Plan, drawAt: DrawAt): Plan {
  const { seed } = plan
  // A session id that is used again has two rates, which nothing on the chain tells apart.
  const isLocal =
    plan.setup.pauseDays === undefined && createRandom(seed, 'local currency').chance(0.4)
  const setup = { ...plan.setup, isLocal }
  const typed = drawNumbered(
    plan.items.map((item) => (item.kind === 'dial' ? withPin(atTill(seed, item)) : item)),
    drawAt(createRandom(seed, 'numbered'), 0),
  )
  const phases = [...new Set(plan.items.map(({ phase }) => phase))]
  const drawn = phases.flatMap((phase) =>
    acts.flatMap(({ name, share, draw }) => {
      const random = createRandom(seed, `${name} ${phase}`)
      if (!random.chance(share)) return []
      const context = { ...drawAt(random, phase), setup }
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
  return { ...plan, setup, items: inOrder([...typed, ...drawn]) }
}

/** Turns half of the transfers to a caller with a till into withdrawals and bills. */
function atTill<Item extends Dial>(seed: number, dial: Item): Item {
  const { wanted, session, caller } = dial
  if (wanted.kind !== 'transfer' || wanted.to >= tills.length) return dial
  if (!createRandom(seed, `till ${session} ${caller}`).chance(0.5)) return dial
  const kind = tills[wanted.to]?.kind === 'agent' ? 'withdrawal' : 'purchase'
  const asked = { ...wanted, kind } as const
  return { ...dial, wanted: asked, text: writeText(asked) }
}

function withPin<Item extends Dial>(dial: Item): Item {
  const { wanted, text, caller } = dial
  if (wanted.kind === 'nothing') return dial
  const own = getFirstPin(caller)
  const typed = `${text}*${own}`
  return { ...dial, text: typed, pin: { own, step: typed } }
}

/** Has a gateway that numbers its answers deliver some sessions, each answer alone. */
function drawNumbered(items: readonly Item[], { random, nextId }: Draw): Item[] {
  if (!random.chance(0.4)) return [...items]
  const gapMs = random.pick([300, 3 * secondMs, 9 * secondMs])
  const numbered = new Map<string, boolean>()
  const begun = new Set<string>()
  return inOrder(items).flatMap((item): Item[] => {
    if (item.kind !== 'dial') return [item]
    const { phase, session, caller, text, at } = item
    const name = `${phase} ${session} ${caller}`
    const isNumbered = numbered.get(name) ?? random.chance(0.6)
    numbered.set(name, isNumbered)
    if (!isNumbered) return [item]
    const answers = text.split('*')
    const last = { ...item, step: answers.length + 1, at: at + answers.length * gapMs }
    if (begun.has(`${name} ${text}`)) return [last]
    begun.add(`${name} ${text}`)
    const { pin: _, ...dial } = item
    const earlier = answers.flatMap((_answer, count) => {
      const [wanted, step] = [{ kind: 'nothing' } as const, count + 1]
      const turn = at + count * gapMs
      const late = random.chance(0.3) ? [turn + random.int(0, 20 * secondMs)] : []
      const one = (text: string, when: number) => ({
        ...dial,
        wanted,
        step,
        text,
        at: Math.max(0, when),
        id: nextId(),
      })
      // Another answer with the same number: no gateway has one, and of no such two both are read.
      const other = [...answers.slice(0, Math.max(0, count - 1)), '0.0007'].join('*')
      const others = count > 0 && random.chance(0.1) ? [turn + random.int(-200, 200)] : []
      return [
        ...[turn, ...late].map((when) => one(answers.slice(0, count).join('*'), when)),
        ...others.map((when) => one(other, when)),
      ]
    })
    return [...earlier, last]
  })
}

type Act = Draw & {
  caller: number
  from: number
  dial: (at: number, session: string, text: string, more?: Partial<Dial>) => Item
}

const acts: readonly { name: string; share: number; draw: (act: Act) => Item[] }[] = [
  { name: 'guesses', share: 0.35, draw: drawGuesses },
  { name: 'left open', share: 0.35, draw: drawLeftOpen },
  { name: 'forgotten', share: 0.15, draw: drawForgotten },
  { name: 'looks', share: 0.7, draw: drawLooks },
  { name: 'late', share: 0.3, draw: drawLate },
  { name: 'over', share: 0.3, draw: drawOver },
]

/** Somebody tries PINs, many at a time or one after the other, and may try the right one. */
function drawGuesses({ random, caller, from, dial }: Act): Item[] {
  const count = random.int(2, 12)
  const spreadMs = random.pick([0, 100, 500, 20 * secondMs])
  const rightAt = random.chance(0.6) ? random.int(0, count - 1) : undefined
  return Array.from({ length: count }, (_, index) => {
    const pin = index === rightAt ? getFirstPin(caller) : `${3507 + index}`
    const guess = guessOf(random.pick(asking), pin)
    const at = from + random.int(0, spreadMs)
    const again = random.chance(0.2)
      ? [dial(at + random.int(0, 2 * secondMs), `${index}`, ...guess)]
      : []
    return [dial(at, `${index}`, ...guess), ...again]
  }).flat()
}

function guessOf(place: (typeof asking)[number], own: string): [text: string, more: Partial<Dial>] {
  const text = `${place}*${own}`
  const wanted: Record<typeof place, Dial['wanted']> = {
    '8*2': { kind: 'nothing' },
    '4*1': { kind: 'repayment', amountWei: 'all' },
    '3': { kind: 'loan' },
  }
  return [text, { wanted: wanted[place], pin: { own, step: text } }]
}

/** Sessions stay open at what follows their PIN, which is then changed or blocked, and go on. */
function drawLeftOpen({ random, setup, caller, from, phase, dial }: Act): Item[] {
  const own = getFirstPin(caller)
  const [chosen, other] = [laterPins[caller % 3] ?? '', laterPins[(caller + 1) % 3] ?? '']
  const changing = `8*2*${own}`
  const to = (caller + 1) % setup.callers
  const wanted = { kind: 'transfer', to, amountWei: 3n * 10n ** 14n } as const
  const sending = `${writeText(wanted)}*${own}`
  const sent = { wanted, pin: { own, step: sending } }
  const opened = from + 15 * secondMs
  const ended = opened + random.pick([0, 5, 40, 240]) * secondMs + random.int(0, secondMs)
  const resumed = ended + random.pick([0, 2, 30, 200]) * secondMs + random.int(0, 3 * secondMs)
  const isChanged = random.chance(0.6)
  const end = isChanged
    ? [dial(ended, 'change', `${changing}*${chosen}*${chosen}`, changesPin(own, chosen))]
    : [0, 1, 2].map((turn) => {
        const at = ended + turn * random.int(0, 3 * secondMs)
        return dial(at, `block ${turn}`, ...guessOf('8*2', `${3602 + turn}`))
      })
  const unlocked = resumed + random.int(-30, 30) * secondMs
  return [
    dial(from, 'first', sending, sent),
    dial(opened, 'sending', sending, sent),
    dial(opened, 'changing', changing, { pin: { own, step: changing } }),
    ...end,
    dial(resumed, 'sending', `${sending}*2`, sent),
    dial(resumed, 'changing', `${changing}*${other}*${other}`, changesPin(own, other)),
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

/** Answers reach the relay late, perhaps after an equal payment of another session. */
function drawLate({ random, setup, caller, from, dial }: Act): Item[] {
  const { text, answers, typed } = chooseTransfer(random, setup, caller)
  const late = from + random.pick([100, 175, 185, 250, 672, 4_000]) * secondMs
  const again = late + random.pick([5, 100, 200, 700]) * secondMs
  const equal = from + random.int(1, 60) * secondMs
  return [
    dial(from, 'late', text),
    ...(random.chance(0.7) ? [dial(equal, 'equal', ...typed(1))] : []),
    ...(random.chance(0.4) ? [dial(late - 20 * secondMs, 'late', text)] : []),
    dial(late, 'late', ...typed(1)),
    ...(random.chance(0.3) ? [dial(late + secondMs, 'late', ...typed(1))] : []),
    random.chance(0.5)
      ? dial(again, 'late', ...typed(2))
      : dial(again, 'late', `${answers(1)}*2`, typed(1)[1]),
  ]
}

/** Texts follow their session's payment at once, or much later, as of an id that comes back. */
function drawOver({ random, setup, caller, from, dial }: Act): Item[] {
  const { text, answers, typed } = chooseTransfer(random, setup, caller)
  const others = ['', '1', '5', text, `${answers(1)}*7`, `${text}*0`]
  const same = typed(1)
  const after = Array.from({ length: random.int(1, 4) }, () => {
    const at = from + random.pick([20, 100, 400, 590, 610, 900, 10_000]) * secondMs
    const turn = random.int(0, 8)
    if (turn < 4) return dial(at, 'over', ...same)
    if (turn < 5) return dial(at, 'over', `${answers(1)}*2`, same[1])
    return dial(at, 'over', random.pick(others))
  })
  return [dial(from, 'over', ...same), ...after]
}

/** Chooses a small transfer; `typed` confirms it so many times by the caller's first PIN. */
function chooseTransfer(random: Random, setup: Setup, caller: number) {
  const to = (caller + 1) % setup.callers
  const wanted = { kind: 'transfer', to, amountWei: BigInt(random.int(1, 3)) * 10n ** 14n } as const
  const own = getFirstPin(caller)
  const text = writeText(wanted)
  const answers = (count: number) => [text, ...Array(count).fill(own)].join('*')
  const typed = (count: number): [text: string, more: Partial<Dial>] => {
    const step = answers(count)
    return [step, { wanted, pin: { own, step } }]
  }
  return { text, answers, typed }
}

/** Who has a till looks at what came, often while it comes. */
function drawLooks({ random, dial }: Act): Item[] {
  return Array.from({ length: random.int(1, 6) }, (_, look) => {
    const caller = random.int(0, tills.length - 1)
    return dial(random.int(0, 6 * minuteMs), `${look}`, lookText, { caller })
  })
}

/** Is dialled to see one's activity. */
export const lookText = '5'
