import fc from 'fast-check'
import { expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { createMemory } from '../../../src/account/memory.ts'
import { unlocked } from '../../../src/account/pin.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { holds } from '../../support/properties.ts'
import { friend, openWorld } from './world.ts'

const pinPool = ['482615', '739164', '204857']
const send = `2*${friend}*0.001`
const dayMs = 24 * 60 * 60 * 1_000

type Move =
  | { kind: 'type'; session: number; pick: number }
  | { kind: 'again'; session: number }
  | { kind: 'unblock' }
  | { kind: 'wait'; ms: number }

const session = fc.nat(3)
const ms = fc.constantFrom(60_000, 290_000, 301_000, dayMs, 91 * dayMs)
const drawn = (weight: number, arbitrary: fc.Arbitrary<Move>) => ({ weight, arbitrary })
const moves = fc.array(
  fc.oneof(
    drawn(20, fc.record({ kind: fc.constant('type'), session, pick: fc.nat(99) })),
    drawn(3, fc.record({ kind: fc.constant('again'), session })),
    drawn(1, fc.constant({ kind: 'unblock' })),
    drawn(3, fc.record({ kind: fc.constant('wait'), ms })),
  ),
  { minLength: 20, maxLength: 60 },
)

const nothingSent = 'END This session has ended. Nothing was sent. Please dial again.'

/** What a strict PIN stands before. */
const showsOwn = (screen: string): boolean => /^END Your Balance|^CON My Activity/.test(screen)

const asksForPin = (screen: string): boolean => /Enter (your (present )?)?PIN/.test(screen)

/** A session as the caller sees it, and when its last right PIN was typed. */
type Session = {
  name: string
  texts: string[]
  screen: string
  right?: { at: number; age: number }
}

/** What a caller knows of the account: of the product it reads screens alone. */
type World = {
  pin: string | undefined
  tries: number
  age: number
  dialedAt: number
  isDormant: boolean
}

async function play(drawn: readonly Move[]): Promise<number> {
  const clock = createHandClock()
  const memory = createMemoryStore(clock.now)
  const settings = { ...menus.strict.settings, pin: 'strict' as const }
  const product = { ...menus.strict, settings }
  const relay = openWorld({ poolLoans: 99, capLoans: 99, clock, memory, product })
  const world: World = { pin: undefined, tries: 0, age: 0, dialedAt: 0, isDormant: false }
  const sessions = new Map<number, Session>()
  let dials = 0
  let acts = 0
  for (const move of drawn) {
    if (move.kind === 'wait') {
      clock.forward(move.ms)
      continue
    }
    if (move.kind === 'unblock') {
      await createMemory(() => memory).change(relay.accountOf(0), unlocked)
      Object.assign(world, { tries: 0, age: world.age + 1, isDormant: false })
      continue
    }
    let session = sessions.get(move.session)
    if (session === undefined || session.screen.startsWith('END')) {
      if (move.kind === 'again' && session !== undefined) {
        await deliver(session)
        continue
      }
      session = { name: `session ${++dials}`, texts: [], screen: '' }
      sessions.set(move.session, session)
      await deliver(session)
    }
    if (move.kind === 'again') await deliver(session)
    else await answer(session, answerTo(session, move.pick))
  }
  return acts

  /** The same bytes as before: no try, and nothing done. */
  async function deliver(session: Session): Promise<void> {
    const before = await relay.paid(0)
    const screen = await relay.deliver(0, session.name, session.texts.join('*'))
    expect(await relay.paid(0)).toBe(before)
    if (session.screen === '') session.screen = screen
    if (showsOwn(screen)) authorized(session)
  }

  async function answer(session: Session, given: string): Promise<void> {
    for (const one of given.split('*')) {
      if (session.screen.startsWith('END')) return
      const isGuess = asksForPin(session.screen) && pinPool.includes(one)
      if (isGuess) guess(session, one)
      const before = await relay.paid(0)
      session.texts.push(one)
      session.screen = await relay.deliver(0, session.name, session.texts.join('*'))
      const isPaid = (await relay.paid(0)) > before
      const isChosen = /^END Your PIN is set/.test(session.screen)
      const left = /Tries left: (\d)/.exec(session.screen)?.[1]
      if (showsOwn(session.screen)) authorized(session)
      if (isGuess && session.right?.at === clock.now()) expect(session.screen).not.toBe(nothingSent)
      if (isGuess && left !== undefined) expect(3 - world.tries, 'tries left').toBe(Number(left))
      if (isPaid || (isChosen && world.pin !== undefined && session.right !== undefined))
        authorized(session)
      if (isChosen) Object.assign(world, { pin: one, tries: 0, age: world.age + 1 })
    }
  }

  /** What a caller may well answer to a screen: mostly what leads on. */
  function answerTo({ screen, texts }: Session, pick: number): string {
    const other = pinPool[pick % pinPool.length] as string
    if (asksForPin(screen)) return pick % 4 === 0 ? other : (world.pin ?? other)
    if (/Choose a PIN/.test(screen)) return pick < 75 || world.pin === undefined ? other : '0'
    if (/Type the same PIN/.test(screen)) return texts.at(-1) ?? other
    const choices = [
      [50, send],
      [60, '1'],
      [70, '5'],
      [88, '8*2'],
      [100, '8*3*1'],
    ] as const
    if (/^CON Rootstock DeFi/.test(screen))
      return choices.find(([below]) => pick < below)?.[1] ?? send
    return pick < 80 ? '2' : '00'
  }

  function guess(session: Session, typed: string): void {
    if (world.tries >= 3) return
    if (typed === world.pin) {
      world.tries = 0
      session.right = { at: clock.now(), age: world.age }
    } else {
      world.tries += 1
      if (world.tries === 3) world.age += 1
    }
  }

  function authorized({ right }: Session): void {
    acts += 1
    expect(right?.age, 'the PIN is still the one that was typed').toBe(world.age)
    expect(world.tries, 'the PIN is not blocked').toBeLessThan(3)
    expect(clock.now() - (right?.at ?? 0), 'ms since it was typed').toBeLessThanOrEqual(300_000)
  }
}

test('nothing is paid or set but by the PIN of now, whatever sessions are left open meanwhile', async () => {
  let acts = 0
  await holds(
    fc.asyncProperty(moves, async (drawn) => {
      acts += await play(drawn)
    }),
    { sampled: 60, full: 5_000 },
  )
  expect(acts, 'payments and changes that were seen').toBeGreaterThan(10)
})
