import type { Address } from 'viem'
import { describe, test } from 'vitest'
import { createMemory } from '../../../src/account/memory.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { createPins, isEasy, unlocked, withoutWish } from '../../../src/account/pin.ts'
import { createMemoryStore } from '../../support/memory-store.ts'

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
    createPins({
      secret: `0x${digit.repeat(64)}`,
      memory,
      newSalt: () => `salt ${++salts}`,
    })
  return { store, memory, clock, late, pins: make('5'), other: make('6') }
}

async function chosen() {
  const opened = open()
  await opened.pins.begin(account)
  await opened.pins.choose(account, own, 'first')
  return opened
}

test.for([
  ...['1111', '000000', '1234', '4321', '7890', '0987', '1212', '123123', '1984', '2004'],
  ...['0194', '00194'],
])('%s is easy to guess', (pin, { expect }) => {
  expect(isEasy(pin, phone)).toBe(true)
})

test.for(['4826', '1357', '0193', '190484', '12346'])('%s is not', (pin, { expect }) => {
  expect(isEasy(pin, phone)).toBe(false)
})

describe('a PIN', () => {
  test('is chosen once, by the first session', async ({ expect }) => {
    const { pins } = open()
    expect(await pins.begin(account)).toEqual({ hasToChoose: true })
    expect(await pins.verify(account, own, 'step')).toEqual({ kind: 'unset' })
    expect(await pins.choose(account, own, 'first')).toBe('done')
    expect(await pins.choose(account, '1357', 'first')).toBe('done')
    expect(await pins.choose(account, '1357', 'second')).toBe('kept')
    expect(await pins.begin(account)).toEqual({ hasToChoose: false })
    expect(await pins.verify(account, own, 'step')).toEqual({ kind: 'right' })
  })

  test('opens nothing under another secret, and its row does not have it', async ({ expect }) => {
    const { other, store, pins } = await chosen()
    expect(await other.verify(account, own, 'step')).toMatchObject({ kind: 'wrong' })
    await pins.verify(account, '975310', 'another')
    const { row } = await store.load(account)
    for (const secret of [own, '975310', '5'.repeat(64)]) expect(row).not.toContain(secret)
  })

  test('is blocked after three wrong ones, one after the other', async ({ expect }) => {
    const { pins } = await chosen()
    expect(await pins.verify(account, '1357', 'a')).toEqual({ kind: 'wrong', left: 2 })
    expect(await pins.verify(account, '1357', 'b')).toEqual({ kind: 'wrong', left: 1 })
    expect(await pins.verify(account, own, 'c')).toEqual({ kind: 'right' })
    expect(await pins.verify(account, '1357', 'd')).toEqual({ kind: 'wrong', left: 2 })
    expect(await pins.verify(account, '1357', 'e')).toEqual({ kind: 'wrong', left: 1 })
    expect(await pins.verify(account, '1357', 'f')).toEqual({ kind: 'blocked' })
    expect(await pins.verify(account, own, 'g')).toEqual({ kind: 'blocked' })
    expect(await pins.verify(account, '1357', 'e')).toEqual({ kind: 'wrong', left: 1 })
  })

  test('that is wrong is one try, however often its step is delivered', async ({ expect }) => {
    const { pins } = await chosen()
    const steps = Array.from({ length: 50 }, () => pins.verify(account, '1357', 'a'))
    const verdicts = await Promise.allSettled(steps)
    const told = verdicts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    expect(told.length).toBeGreaterThan(0)
    for (const verdict of told) expect(verdict).toEqual({ kind: 'wrong', left: 2 })
    expect(await pins.verify(account, '1357', 'b')).toEqual({ kind: 'wrong', left: 1 })
  })

  test('is guessed three times by a thousand sessions side by side', async ({ expect }) => {
    const { pins, memory } = await chosen()
    const guesses = Array.from({ length: 1_000 }, (_, index) =>
      pins.verify(account, `${index}`.padStart(4, '0'), `step ${index}`),
    )
    const kinds = (await Promise.allSettled(guesses)).map((each) =>
      each.status === 'fulfilled' ? each.value.kind : 'unanswered',
    )
    expect(kinds).not.toContain('right')
    const { pin } = await memory.read(account)
    expect(pin?.tries).toBe(3)
    expect(pin?.judged).toHaveLength(3)
    expect(kinds.filter((kind) => kind === 'wrong').length).toBeLessThanOrEqual(2)
    expect(await pins.verify(account, own, 'later')).toEqual({ kind: 'blocked' })
  })

  test('is not found by 200 guesses at once, before a store that answers late', async ({
    expect,
  }) => {
    const { pins, memory, late } = await chosen()
    late.isLate = true
    const guesses = [...Array.from({ length: 199 }, (_, index) => `${index + 1_000}`), own]
    const told = await Promise.allSettled(
      guesses.map((guess, index) => pins.verify(account, guess, `step ${index}`)),
    )
    const kinds = told.map((each) => (each.status === 'fulfilled' ? each.value.kind : 'unanswered'))
    expect(kinds).not.toContain('right')
    expect((await memory.read(account)).pin?.judged).toHaveLength(3)
  })

  test('that was right authorizes five minutes long, by the PIN of that moment', async ({
    expect,
  }) => {
    const { pins, memory, clock } = await chosen()
    const isWhat = (step: string) => pins.authorize(account, step)
    await pins.verify(account, own, 'a')
    expect(await isWhat('a')).toBe('valid')
    expect(await isWhat('another')).toBe('void')
    clock.now += 5 * 60_000
    expect(await isWhat('a')).toBe('valid')
    clock.now += 1
    expect(await isWhat('a')).toBe('void')
    await pins.verify(account, own, 'b')
    for (const step of ['x', 'y', 'z']) await pins.verify(account, '1357', step)
    expect(await isWhat('b')).toBe('blocked')
    await memory.change(account, unlocked)
    expect(await isWhat('b')).toBe('void')
    await pins.verify(account, own, 'c')
    await pins.verify(account, own, 'd')
    expect(await pins.change(account, own, 'a session', 'c')).toBe('done')
    expect(await isWhat('d')).toBe('void')
    expect(await pins.verify(account, own, 'd')).toEqual({ kind: 'right' })
    expect(await isWhat('d')).toBe('void')
    expect(await pins.change(account, '1357', 'a later session', 'd')).toBe('kept')
  })

  test('is changed, and no session changes it back', async ({ expect }) => {
    const { pins } = await chosen()
    await pins.verify(account, own, 'own')
    expect(await pins.change(account, '1357', 'second', 'own')).toBe('done')
    expect(await pins.verify(account, own, 'a')).toMatchObject({ kind: 'wrong' })
    await pins.verify(account, '1357', 'next')
    expect(await pins.change(account, '2468135', 'third', 'next')).toBe('done')
    expect(await pins.change(account, '1357', 'second', 'own')).toBe('done')
    expect(await pins.choose(account, own, 'first')).toBe('done')
    expect(await pins.verify(account, '2468135', 'b')).toEqual({ kind: 'right' })
  })

  test('that was forgotten is replaced after a day, also where it is blocked', async ({
    expect,
  }) => {
    const { pins, clock } = await chosen()
    for (const step of ['a', 'b', 'c']) await pins.verify(account, '1357', step)
    expect(await pins.forget(account, 'a session')).toBe('done')
    expect(await pins.choose(account, '975310', 'early')).toBe('kept')
    clock.now += dayMs - 1
    expect(await pins.begin(account)).toEqual({ hasToChoose: false })
    clock.now += 1
    expect(await pins.forget(account, 'another')).toBe('done')
    expect(await pins.begin(account)).toEqual({ hasToChoose: true })
    expect(await pins.choose(account, '975310', 'late')).toBe('done')
    expect(await pins.verify(account, '975310', 'd')).toEqual({ kind: 'right' })
    expect(await pins.begin(account)).toEqual({ hasToChoose: false })
  })

  test('that was called forgotten stays where the old one is typed, or an operator says so', async ({
    expect,
  }) => {
    const { pins, memory, clock } = await chosen()
    await pins.forget(account, 'a session')
    expect(await pins.verify(account, own, 'a')).toEqual({ kind: 'right' })
    clock.now += dayMs
    expect(await pins.begin(account)).toEqual({ hasToChoose: false })
    expect(await pins.forget(account, 'a session'), 'delivered again').toBe('done')
    clock.now += dayMs
    expect(await pins.begin(account)).toEqual({ hasToChoose: false })
    await pins.forget(account, 'another session')
    await memory.change(account, withoutWish)
    clock.now += dayMs
    expect(await pins.begin(account)).toEqual({ hasToChoose: false })
  })
})

describe('a number that was not dialled from', () => {
  test('for 90 days opens nothing until an operator says so', async ({ expect }) => {
    const { pins, memory, clock } = await chosen()
    clock.now += 90 * dayMs
    await pins.begin(account)
    expect(await pins.verify(account, own, 'a')).toEqual({ kind: 'right' })
    clock.now += 90 * dayMs + 1
    expect(await pins.begin(account)).toEqual({ hasToChoose: false })
    const dormant = { kind: 'dormant' }
    expect(await pins.verify(account, own, 'b')).toEqual(dormant)
    expect(await pins.forget(account, 'a session')).toBe('dormant')
    expect(await pins.change(account, '1357', 'change', 'a')).toBe('dormant')
    clock.now += dayMs
    await pins.begin(account)
    expect(await pins.verify(account, own, 'c')).toEqual(dormant)
    await memory.change(account, unlocked)
    expect(await pins.verify(account, own, 'd')).toEqual({ kind: 'right' })
  })

  test('is unblocked by an operator too', async ({ expect }) => {
    const { pins, memory } = await chosen()
    for (const step of ['a', 'b', 'c']) await pins.verify(account, '1357', step)
    await memory.change(account, unlocked)
    expect(await pins.verify(account, own, 'd')).toEqual({ kind: 'right' })
  })
})
