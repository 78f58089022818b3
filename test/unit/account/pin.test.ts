import fc from 'fast-check'
import type { Address } from 'viem'
import { expect, test } from 'vitest'
import { type AccountMemory, createMemory } from '../../../src/account/memory.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import {
  type Authorization,
  cancelPinRequest,
  createPins,
  isEasyPin,
  type PinChange,
  type Pins,
  type PinVerdict,
  unlockPin,
} from '../../../src/account/pin.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { holds } from '../../support/properties.ts'

const account: Address = '0x1111111111111111111111111111111111111111'
const phone = parseCaller('+254700000194') as PhoneNumber
const dayMs = 24 * 60 * 60 * 1_000
const own = '482615'

function open() {
  const clock = { now: 1_000_000 }
  const store = createMemoryStore(() => clock.now)
  const late = { isLate: false }
  const memory = createMemory(() => ({
    async load(account) {
      const kept = await store.load(account)
      // All that are asked at a time have the same answer before any of them goes on.
      if (late.isLate) await new Promise((resolve) => setImmediate(resolve))
      return kept
    },
    save: store.save,
  }))
  let salts = 0
  const make = (digit: string) =>
    createPins({ secret: `0x${digit.repeat(64)}`, memory, createSalt: () => `salt ${++salts}` })
  return { store, memory, clock, late, pins: make('5'), other: make('6') }
}

async function chosen() {
  const opened = open()
  await opened.pins.beginSession(account)
  await opened.pins.choose(account, own, 'first')
  return opened
}

test.for([
  ...['1111', '000000', '1234', '4321', '7890', '0987', '1212', '123123', '1984', '2004'],
  ...['0194', '00194', '2580', '0852'],
])('%s is easy to guess', (pin) => {
  expect(isEasyPin(pin, phone)).toBe(true)
})

test.for(['4826', '1357', '0193', '190484', '12346'])('%s is not easy to guess', (pin) => {
  expect(isEasyPin(pin, phone)).toBe(false)
})

test('a PIN does not match under another secret, and its row does not contain it', async () => {
  const { other, store, pins } = await chosen()
  expect(await other.verify(account, own, 'step')).toMatchObject({ kind: 'wrong' })
  await pins.verify(account, '975310', 'another')
  const { row } = await store.load(account)
  for (const secret of [own, '975310', '5'.repeat(64)]) expect(row).not.toContain(secret)
})

const words = ['482615', '739164']
const sessionNames = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

type Op = Record<'pin' | 'step' | 'session', string> & {
  kind: Exclude<keyof Pins, 'hashPin'> | 'unlock' | 'keep'
}

/** What an account is, as the rules have it: a step of it is a line each, and time a number. */
type Model = {
  pin?: string
  tries: number
  /** Grows with whatever ends what was authorized. */
  age: number
  judged: Record<string, { told: PinVerdict; at: number; age: number }>
  sessions: string[]
  replaceableAt?: number | undefined
  isDormant: boolean
  dialedAt?: number
}

/** What a model tells of an operation; it is changed by it. */
function told(model: Model, { kind, pin, step, session }: Op, now: number): unknown {
  const { judged, sessions } = model
  const isReplaceable = model.pin !== undefined && (model.replaceableAt ?? now + 1) <= now
  const valid = (): Authorization => {
    if (model.isDormant || model.pin === undefined) return model.isDormant ? 'dormant' : 'void'
    if (model.tries === 3) return 'blocked'
    const { told, at, age } = judged[step] ?? {}
    const isOwn = told?.kind === 'right' && age === model.age
    return isOwn && now - (at ?? 0) <= 5 * 60_000 ? 'valid' : 'void'
  }
  const once = (may: boolean, act: () => void): PinChange => {
    if (model.pin !== undefined && sessions.includes(session)) return 'done'
    if (model.isDormant || !may) return model.isDormant ? 'dormant' : 'unchanged'
    act()
    sessions.push(session)
    model.age += 1
    return 'done'
  }
  const set = () => Object.assign(model, { pin, tries: 0, replaceableAt: undefined })
  switch (kind) {
    case 'beginSession': {
      const hasToChoose = model.pin === undefined || isReplaceable
      const since = now - (model.dialedAt ?? now - dayMs)
      if (since >= dayMs) model.dialedAt = now
      if (since > 90 * dayMs) model.isDormant = true
      if (model.isDormant) return 'dormant'
      return hasToChoose ? 'newPin' : 'main'
    }
    case 'readState': {
      if (model.isDormant) return { kind: 'dormant' }
      const from = model.replaceableAt ?? 0
      const hours = Math.ceil((from - now) / 3_600_000)
      return { kind: model.tries === 3 ? 'blocked' : 'open', ...(hours > 0 && { hours, from }) }
    }
    case 'verify': {
      if (model.isDormant) return { kind: 'dormant' }
      if (model.pin === undefined) return { kind: 'unset' }
      if (judged[step] !== undefined) return judged[step].told
      if (model.tries === 3) return { kind: 'blocked' }
      model.tries = pin === model.pin ? 0 : model.tries + 1
      if (model.tries === 0) model.replaceableAt = undefined
      if (model.tries === 3) model.age += 1
      const wrong = { kind: 'wrong', left: 3 - model.tries } as const
      const isLast = model.tries === 3
      const missed = isLast ? ({ kind: 'blocked' } as const) : wrong
      const verdict: PinVerdict = model.tries === 0 ? { kind: 'right' } : missed
      judged[step] = { told: verdict, at: now, age: model.age }
      return verdict
    }
    case 'readAuthorization':
      return valid()
    case 'choose':
      return once(model.pin === undefined || isReplaceable, set)
    case 'change':
      return once(model.pin === undefined || valid() === 'valid', set)
    case 'requestReset':
      return once(model.pin !== undefined, () => {
        model.replaceableAt ??= now + dayMs
      })
    case 'unlock':
      Object.assign(model, { tries: 0, isDormant: false, age: model.age + 1 })
      return 'unlocked'
    case 'keep':
      model.replaceableAt = undefined
      return 'kept'
  }
}

/** What of it is kept, but for salts and digests. */
const keptOf = ({ pin, isDormant, dialedAt }: AccountMemory) => [
  ...[pin?.tries ?? 0, pin?.replaceableAt, pin?.sessions.toSorted(), isDormant === true, dialedAt],
  pin?.judged.map(({ step, left }) => `${step} ${left}`).toSorted(),
]
const leftOf = (verdict: PinVerdict) =>
  verdict.kind === 'right' ? null : verdict.kind === 'wrong' ? verdict.left : 0
function modelled({ pin, tries, replaceableAt, sessions, isDormant, dialedAt, ...rest }: Model) {
  const judged = Object.entries(rest.judged).map(([step, { told }]) => `${step} ${leftOf(told)}`)
  const own = [tries, replaceableAt, pin && sessions.toSorted(), isDormant, dialedAt]
  return [...own, pin && judged.toSorted()]
}

function ordersOf<Each>(all: readonly Each[]): Each[][] {
  if (all.length < 2) return [[...all]]
  const restsWithout = (one: Each) => ordersOf(all.filter((each) => each !== one))
  return all.flatMap((one) => restsWithout(one).map((rest) => [one, ...rest]))
}

const op: fc.Arbitrary<Op> = fc.record({
  kind: fc.constantFrom(
    ...(['verify', 'verify', 'verify', 'verify', 'readAuthorization', 'change', 'change'] as const),
    ...(['choose', 'requestReset', 'unlock', 'keep', 'readState'] as const),
  ),
  ...{ pin: fc.constantFrom(...words), step: fc.constantFrom('a', 'entered') },
  session: fc.constantFrom(...sessionNames),
})

function asked(of: ReturnType<typeof open>, { kind, pin, step, session }: Op): Promise<unknown> {
  const { pins, memory } = of
  const ways: Record<Op['kind'], () => Promise<unknown>> = {
    beginSession: () => pins.beginSession(account),
    verify: () => pins.verify(account, pin, step),
    readAuthorization: () => pins.readAuthorization(account, step),
    readState: () => pins.readState(account),
    choose: () => pins.choose(account, pin, session),
    change: () => pins.change(account, pin, session, step),
    requestReset: () => pins.requestReset(account, session),
    unlock: () => memory.change(account, unlockPin).then(() => 'unlocked'),
    keep: () => memory.change(account, cancelPinRequest).then(() => 'kept'),
  }
  return ways[kind]()
}

test('concurrent requests have the same results as in some order one after the other', async () => {
  // So few that each step that was judged is remembered.
  const ways = fc.record({
    waitMs: fc.constantFrom(0, 0, 300_000, 300_001, 300_001, dayMs, 90 * dayMs, 90 * dayMs + 1),
    isEntered: fc.boolean(),
    isBlocked: fc.constantFrom(false, false, true),
    ops: fc.array(op, { minLength: 1, maxLength: 3 }),
  })
  const first: Op = { kind: 'choose', pin: own, step: '', session: 'first' }
  await holds(
    fc.asyncProperty(fc.array(ways, { maxLength: 4 }), async (drawn) => {
      const opened = open()
      const { memory, clock, late } = opened
      late.isLate = true
      // What came at once may leave more than one account that looks the same.
      let models: Model[] = [{ tries: 0, age: 0, judged: {}, sessions: [], isDormant: false }]
      let entered = ''
      await atOnce([first, { ...first, pin: words[1] as string, session: 'second' }])
      for (const [index, { waitMs, isEntered, isBlocked, ops }] of drawn.entries()) {
        clock.now += waitMs
        await atOnce([{ ...first, kind: 'beginSession' }])
        if (isEntered) {
          entered = `entered ${index}`
          const pin = models[0]?.pin ?? own
          await atOnce([{ kind: 'verify', pin, step: entered, session: '' }])
        }
        if (isBlocked) {
          const guess = { kind: 'verify', pin: '1357', session: '' } as const
          await atOnce(['x', 'y', 'z'].map((step) => ({ ...guess, step })))
        }
        await atOnce(ops.map((op) => ({ ...op, step: op.step === 'entered' ? entered : op.step })))
      }

      async function atOnce(ops: Op[]) {
        const answers = await Promise.all(ops.map((each) => asked(opened, each)))
        const seen = JSON.stringify([answers, keptOf(await memory.read(account))])
        const orders = ordersOf(ops.map((each, index) => ({ each, index })))
        const ends = models.flatMap((model) =>
          orders.map((order) => {
            const after = structuredClone(model)
            const said: unknown[] = []
            for (const { each, index } of order) said[index] = told(after, each, clock.now)
            return { after, all: JSON.stringify([said, modelled(after)]) }
          }),
        )
        expect(ends.map(({ all }) => all)).toContain(seen)
        const fitting = ends.filter(({ all }) => all === seen).map(({ after }) => after)
        models = [...new Map(fitting.map((each) => [JSON.stringify(each), each])).values()]
      }
    }),
    { sampled: 300, full: 10_000 },
  )
})
