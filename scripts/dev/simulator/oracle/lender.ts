import type { Address } from 'viem'
import { maxPinTries } from '../../../../src/account/pin.ts'
import type { Payment } from '../../../../src/relay/ledger/payments/payment-states.ts'
import { getFirstPin } from '../draw/lender.ts'
import type { Delivery, History } from '../history.ts'
import type { MemoryEvent } from '../lender/kept-memory.ts'
import type { Report } from './circumstances.ts'

export function judgeLender(history: History, found: Report): void {
  if (!history.plan.setup.isLender) return
  for (const [caller, account] of history.callers.entries()) {
    const memory = history.memory.filter((event) => event.account === account)
    const deliveries = history.deliveries.filter((delivery) => delivery.account === account)
    const pins = pinsOf({ memory, deliveries }, caller)
    const holder = { account, memory, deliveries, pins }
    judgeGuesses(holder, found)
    judgeSets(holder, found)
    judgePaid(history, holder, found)
  }
}

/** An account with the calls of its memory, its deliveries, and the PINs that it had. */
type Holder = {
  account: Address
  memory: readonly MemoryEvent[]
  deliveries: readonly Delivery[]
  pins: readonly PinAt[]
}

/** A PIN typed at a step of a session, however often it is delivered, and who may judge it. */
type Guess = ReturnType<typeof guessesOf>[number]

function guessesOf(deliveries: readonly Delivery[]) {
  const steps = Map.groupBy(
    deliveries.filter(({ dial }) => dial.pin?.own !== undefined),
    ({ session, dial }) => `${session} ${dial.pin?.step}`,
  )
  return [...steps.values()].map((all) => {
    const [first] = all
    const step = first?.dial.pin?.step ?? ''
    // Later answers of the session judge the PIN too, where no delivery of its own step has.
    const later = deliveries.filter(
      ({ session, dial }) => session === first?.session && dial.text.startsWith(`${step}*`),
    )
    return {
      own: first?.dial.pin?.own,
      by: new Set([...all, ...later].map(({ actor }) => actor.name)),
      verdict: all.map(verdictOf).find((verdict) => verdict !== undefined),
    }
  })
}

/** Screens that are shown only after a right PIN. */
const followsRight = /^(refused|\w+\.submitted|repeated|notSentYet|paidBefore|pin\.cho)/

/** Reads from a delivery's screen whether the typed PIN was right. */
function verdictOf({ said, dial }: Delivery): 'right' | 'wrong' | undefined {
  if (said?.key === 'pin.wrong') return dial.pin?.step === dial.text ? 'wrong' : undefined
  return said !== undefined && followsRight.test(said.key) ? 'right' : undefined
}

/** Judges that each guess takes a try by its own write, and at most three are judged in a row. */
function judgeGuesses({ pins, memory, deliveries }: Holder, found: Report): void {
  const guesses = guessesOf(deliveries)
  const ownOf = (kind: MemoryEvent['kind'], { by }: Guess) =>
    memory.filter((event) => event.kind === kind && by.has(event.by))
  const taken: { at: number; verdict: 'right' | 'wrong' | 'anew' }[] = memory
    .filter(({ kind, pin }, index) => kind === 'save' && pin?.salt !== before(memory, index)?.salt)
    .map(({ at }) => ({ at, verdict: 'anew' as const }))
  for (const { at, by } of memory) if (by === 'operator') taken.push({ at, verdict: 'anew' })
  for (const guess of guesses) {
    const saves = ownOf('save', guess)
    // A right PIN leaves no wrong one behind; who died before the answer may have typed one.
    const cleared = saves.filter(({ at, pin }) => {
      const mayBeRight = guess.verdict === undefined && pinAt(pins, at)?.typed === guess.own
      return (mayBeRight || guess.verdict === 'right') && pin?.tries === 0
    })
    for (const { at } of cleared) taken.push({ at, verdict: 'right' })
    const [first] = saves
    if (guess.verdict === 'wrong' && first !== undefined) {
      taken.push({ at: first.at, verdict: 'wrong' })
    }
    if (guess.verdict !== 'right' || first !== undefined) continue
    const read = new Set(ownOf('load', guess).map(({ version }) => version))
    const same = guesses.filter(
      (other) => ownOf('load', other).filter(({ version }) => read.has(version)).length > 1,
    )
    if (same.length <= maxPinTries) continue
    found('guesses', `a PIN is right without a try, as ${same.length} at once would have been`)
  }
  let inRow = 0
  for (const { verdict } of taken.toSorted((a, b) => a.at - b.at)) {
    inRow = verdict === 'wrong' ? inRow + 1 : 0
    if (inRow > maxPinTries) found('guesses', `${inRow} wrong PINs are judged one after the other`)
  }
}

const before = (memory: readonly MemoryEvent[], index: number): MemoryEvent['pin'] =>
  memory[index - 1]?.pin

/** An account's PIN from a time on; `typed` is undefined if no delivery set it. */
type PinAt = { from: number; typed: string | undefined; isBlocked: boolean }

function pinsOf({ memory, deliveries }: Omit<Holder, 'account' | 'pins'>, caller: number): PinAt[] {
  let typed: string | undefined
  let salt: string | undefined
  return memory
    .filter(({ kind }) => kind === 'save')
    .map(({ at, by, pin }) => {
      if (pin?.salt !== salt) {
        const setter = deliveries.find(({ actor }) => actor.name === by)
        typed = by === 'setup' ? getFirstPin(caller) : setter?.dial.pin?.sets
        salt = pin?.salt
      }
      return { from: at, typed, isBlocked: (pin?.tries ?? 0) >= maxPinTries }
    })
}

/** Lists the PINs that an account had within a time. */
const within = (pins: readonly PinAt[], from: number, to: number): PinAt[] =>
  pins.filter((pin, index) => pin.from <= to && (pins[index + 1]?.from ?? to + 1) > from)

const pinAt = (pins: readonly PinAt[], at: number): PinAt | undefined =>
  pins.findLast(({ from }) => from <= at)

/** A PIN is set by who types the one of that moment, or where there is none or it was forgotten. */
function judgeSets({ pins, memory, deliveries }: Holder, found: Report): void {
  for (const [index, { kind, at, by, pin }] of memory.entries()) {
    const was = before(memory, index)
    if (kind !== 'save' || by === 'setup' || pin?.salt === was?.salt) continue
    // A day after a reset was requested, the holder of the phone may choose a PIN, even if blocked.
    if (was === undefined || (was.replaceableAt ?? at + 1) <= at) continue
    const setter = deliveries.find(({ actor }) => actor.name === by)
    const own = setter?.dial.pin?.own
    if (own === undefined) {
      found('pin', `${by} chooses another PIN, which it may not`)
      continue
    }
    const held = within(pins, setter?.startedAt ?? at, at - 1)
    if (held.at(-1)?.typed !== own)
      found('pin', `${by} sets a PIN by one that is not the present one`)
    else if (held.every(({ isBlocked }) => isBlocked))
      found('pin', `${by} sets a PIN of a blocked account`)
  }
}

/** Requires that a paying delivery sees earlier answers; what changes meanwhile it may miss. */
function judgePaid(history: History, { pins, account }: Holder, found: Report): void {
  for (const { payment, deliveries } of paidBy(history, account)) {
    const paying = deliveries.filter(
      ({ startedAt, dial, said }) =>
        // A delivery that is answered with a question pays nothing.
        startedAt <= payment.acceptedAt && dial.pin?.own !== undefined && said?.claim !== 'none',
    )
    const isRight = paying.some(({ startedAt, dial }) =>
      within(pins, startedAt, payment.acceptedAt).some(
        ({ typed, isBlocked }) => typed === dial.pin?.own && !isBlocked,
      ),
    )
    if (!isRight)
      found('pin', `${payment.order.request.intentId} is paid by a PIN that is not the present one`)
  }
}

function paidBy(history: History, account: Address) {
  const all = new Map<string, { payment: Payment; deliveries: Delivery[] }>()
  for (const payments of history.payments) {
    for (const payment of payments.values()) {
      if (payment.order.request.from.toLowerCase() !== account) continue
      const { intentId } = payment.order.request
      const deliveries = history.deliveries.filter((delivery) => delivery.intentId === intentId)
      all.set(`${intentId} ${payment.acceptedAt}`, { payment, deliveries })
    }
  }
  return [...all.values()]
}
