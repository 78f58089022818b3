import { describe, expect, test } from 'vitest'
import {
  findPaths,
  menus,
  sampleContext,
  startAt,
  startsOf,
} from '../../../../scripts/dev/menu-ways.ts'
import { createRandom } from '../../../../scripts/dev/random.ts'
import { secret } from '../../../../scripts/dev/simulator/relay/programs.ts'
import { createMemory } from '../../../../src/account/memory.ts'
import { createSeal } from '../../../../src/account/secrets.ts'
import type { Wallet } from '../../../../src/account/wallets.ts'
import type { MenuSettings } from '../../../../src/ussd/menu/node.ts'
import { createMemoryStore } from '../../../support/memory-store.ts'
import type { Typed } from '../../../support/modelled-service.ts'
import { sampleOf, seed } from '../../../support/sample.ts'
import { giveTills, openWorld } from '../world.ts'

const pin = '482615'
const pinless = { settings: menus.lender.settings, messages: menus.lender.messages }
const withPin = {
  ...menus.strict,
  settings: { ...menus.strict.settings, pin: 'on', languages: ['en'] },
} as const
const readRate = async () => ({ currency: 'KES', micros: 12_000_000_000_000n })
const products: Readonly<Record<string, Product>> = {
  'without PINs': pinless,
  'with PINs': withPin,
  'with strict PINs': menus.strict,
  'with agents': menus.agents,
  'with local amounts': { ...menus.local, readRate },
  'with saved wallets': {
    ...withPin,
    wallets: [1, 2, 3].map((one) => ({ name: `W${one}`, address: `0x${`${one}`.repeat(40)}` })),
  },
}

type Product = {
  settings: MenuSettings
  messages: typeof menus.strict.messages
  readRate?: typeof readRate
  wallets?: readonly Wallet[]
}

/** Lists what leads to each end of a menu as it is declared, whatever entries it has. */
const waysOf = (product: Product) =>
  startsOf(product.settings).flatMap((start) => {
    const { wallets = [] } = product
    const known = { ...startAt(start), lookups: { wallets: () => wallets } }
    const { effects } = findPaths(sampleContext(product), known)
    const found = [...effects].map(([name, { way }]) => ({ name: `${start} ${name}`, start, way }))
    // Behind a new PIN its session goes on, with a mistake before the language that it chooses.
    const ways = found.flatMap((one) => {
      const behind = ['2', '0700000002', '0.001', pin]
      const way = [...(start === 'firstLanguage' ? ['8'] : []), ...one.way, ...behind]
      return one.name.endsWith('choosePin')
        ? [one, { ...one, name: `${one.name} pays`, way }]
        : [one]
    })
    // What a menu without agents and wallets has is walked there.
    if (product.settings.agents) return ways.filter(({ name }) => /withdrawal|purchase/i.test(name))
    return product.wallets ? ways.filter(({ way }) => way[0] === '7' && way[1] === '3') : ways
  })

type World = ReturnType<typeof openWorld>

/**
 * Opens a service in which the second caller owes a loan, and all have a PIN who begin at the menu.
 */
async function open(product: Product, start = 'main') {
  const store = createMemoryStore()
  const world = openWorld({ product, memory: store })
  const wallets = [...(product.wallets ?? [])]
  for (const caller of [0, 1]) {
    const memory = createMemory(() => store)
    await memory.change(world.accountOf(caller), (before) => ({ ...before, wallets }))
  }
  const hasPin = product.settings.pin !== 'off'
  const isNew = start !== 'main'
  if (product.settings.agents) await giveTills(world, 2)
  for (const caller of hasPin && !isNew ? [0, 1] : []) {
    const language = product.settings.languages.length > 1 ? ['1'] : []
    await world.sendAll({ caller, session: 'pin', answers: [] })
    await world.sendAll({ caller, session: 'pin', answers: [...language, pin, pin] })
  }
  if (!isNew) await world.sendAll({ caller: 1, session: 'l', answers: ['3', hasPin ? pin : '1'] })
  await world.settle()
  const paidBy = async (caller: number) => {
    const payments = await world.ledger.listPayments(world.accountOf(caller), 100)
    return payments.map(({ order: { kind, request } }) => ({ kind, data: request.data }))
  }
  return { ...world, paidBy }
}

/**
 * Delivers what a way types, the dial first, until the session ends: what a phone shows of each.
 */
async function dial(send: World['sendAll'], caller: number, way: readonly string[]) {
  const shown: { typed: Typed; screen: string }[] = []
  for (const count of [...way.keys(), way.length]) {
    const typed = { caller, session: 's', answers: way.slice(0, count) }
    const screen = withoutHash(await send(typed))
    shown.push({ typed, screen })
    if (screen.startsWith('END ')) break
  }
  return shown
}

/** A transaction has another hash where another second has begun. */
const withoutHash = (screen: string): string => screen.replace(/0x[0-9a-f]{10}\.{3}/, '0x...')

describe.for(Object.entries(products))(
  'a gateway that numbers its answers, %s',
  ([title, product]) => {
    const all = waysOf(product).flatMap((way) => [0, 1].map((caller) => ({ ...way, caller })))
    const ways = sampleOf(8, all, title)

    /** Tells what a gateway that sends all that was typed is shown, and what is paid. */
    async function told({ start, way, caller }: (typeof ways)[number]) {
      const { sendAll, paidBy } = await open(product, start)
      const shown = await dial(sendAll, caller, way)
      return { shown, paid: await paidBy(caller) }
    }

    test.for(ways)(
      'reads $name of caller $caller like a gateway that sends all answers',
      async (one) => {
        const { shown, paid } = await told(one)
        const { sendLast, paidBy } = await open(product, one.start)
        expect(await dial(sendLast, one.caller, one.way)).toEqual(shown)
        expect(await paidBy(one.caller)).toEqual(paid)
      },
    )

    test.for(ways)(
      'pays $name of caller $caller as confirmed, with deliveries twice and late',
      async (one) => {
        const { name, start, caller } = one
        const random = createRandom(seed, `${name} ${caller}`)
        const { shown, paid } = await told(one)
        const { sendLast, paidBy } = await open(product, start)
        for (const [number, { typed, screen }] of shown.entries()) {
          const twice = await Promise.all([sendLast(typed), sendLast(typed)])
          expect(twice[1]).toBe(twice[0])
          expect(withoutHash(`${twice[0]}`), `${typed.answers}`).toBe(screen)
          const late = random.pick(shown.slice(0, number + 1))
          if (screen.startsWith('END ')) break
          expect(await sendLast(late.typed), `${late.typed.answers} again`).toBe(late.screen)
        }
        for (const { typed } of shown.toSorted(() => random.next() - 0.5)) await sendLast(typed)
        expect(await paidBy(caller)).toEqual(paid)
      },
    )

    test.for(ways)('pays nothing for $name of caller $caller out of order', async (one) => {
      const { name, start, caller } = one
      const { shown } = await told(one)
      const lost = createRandom(seed, `${name} ${caller} lost`).int(0, shown.length - 2)
      const { sendLast, paidBy } = await open(product, start)
      const before = await paidBy(caller)
      for (const { typed } of shown.slice(0, lost)) await sendLast(typed)
      const closed = /^END (This session has ended|Esta sesi|Cette session|Kipindi hiki)/
      expect(await sendLast((shown[lost + 1] as (typeof shown)[0]).typed)).toMatch(closed)
      for (const { typed } of [...shown, ...shown]) await sendLast(typed)
      expect(await paidBy(caller)).toEqual(before)
    })
  },
)

describe('an answer of a gateway that numbers its answers', () => {
  const to = '0700000002'
  const sending = ['2', to, '0.001', pin]
  const typed = (count: number, answers: readonly string[] = sending): Typed => ({
    caller: 0,
    session: 's',
    answers: answers.slice(0, count),
  })
  const closed = 'END This session has ended. Nothing was sent. Please dial again.'

  test('counts if it is the first with its number: another one ends the session and pays nothing', async () => {
    for (const other of ['0.002', '0', '7', '8']) {
      const { sendLast, paidBy } = await open(withPin)
      for (const count of [0, 1, 2]) await sendLast(typed(count))
      const otherTyped = typed(3, ['2', to, other])
      if (other === '8') {
        expect(await sendLast(typed(3))).toMatch(/^CON Send 0\.001/)
        expect(await sendLast(otherTyped)).toBe(closed)
      } else {
        // At once, the first may learn by its own reading that the other one has ended the session.
        expect(await Promise.all([sendLast(typed(3)), sendLast(otherTyped)])).toContain(closed)
      }
      for (const count of [3, 4, 4]) expect(await sendLast(typed(count))).toMatch(/^(CON|END This)/)
      expect(await sendLast(typed(4))).toBe(closed)
      expect(await paidBy(0)).toEqual([])
    }
  })

  test('ends the session without the one before it, and pays nothing when that comes late', async () => {
    for (const lost of [0, 1, 2, 3]) {
      const { sendLast, paidBy } = await open(withPin)
      for (let count = 0; count < lost; count++) await sendLast(typed(count))
      expect(await sendLast(typed(lost + 1))).toBe(closed)
      for (let count = lost; count <= 4; count++) await sendLast(typed(count))
      expect(await sendLast(typed(4))).toBe(closed)
      expect(await paidBy(0)).toEqual([])
    }
  })

  test('costs one try if it is a wrong PIN, however often it is delivered and continued from', async () => {
    const { sendLast, paidBy } = await open(withPin)
    const slips = ['2', to, '0.001', '111222', '48261', pin]
    for (const count of [0, 1, 2, 3]) await sendLast(typed(count, slips))
    for (const _ of [1, 2, 3])
      expect(await sendLast(typed(4, slips))).toMatch(/2 tries|2 left|\b2\b/)
    await sendLast(typed(5, slips))
    expect(await sendLast(typed(6, slips))).toMatch(/^END Transfer Submitted\n/)
    expect(await paidBy(0)).toHaveLength(1)
  })

  test('is stored encrypted, and holds no PIN even then', async () => {
    const settings = { ...withPin.settings, recipientNames: true }
    const { sendLast, rows } = await open({ ...withPin, settings })
    const slips = ['2', to, '0.001', '48261x', '111222', '8', pin]
    const changing = ['8', '2', pin, '1234', '739164', '739165', '739164']
    const naming = ['8', '5', pin, '1', 'Njeri 1', 'amina wanjiru', '1']
    for (const [session, answers] of Object.entries({ s: slips, n: naming, c: changing })) {
      for (const count of answers.keys()) await sendLast({ ...typed(count, answers), session })
      const end = await sendLast({ ...typed(7, answers), session })
      if (session === 'n') expect(end).toContain('END Done. Payers see it')
    }
    const texts = rows()
      .filter((row) => row.startsWith('shown '))
      .map((row) => Object.fromEntries(JSON.parse(row.slice('shown '.length))))
      .filter(({ name }) => name === 'text')
    expect(texts).toHaveLength(23)
    const seal = createSeal(secret, 'text')
    const opened = await Promise.all(
      texts.map((one) => seal.decrypt(JSON.parse(one.value), `${one.session}:${one.step}`)),
    )
    expect(opened).toContain(JSON.stringify(['2', to, '0.001']))
    expect(opened.join()).not.toMatch(/48261|1112|1234|73916|njeri|wanjiru/i)
    expect(opened.join()).toContain('"Amina W"')
    // A time in ms may have the digits of the start of a PIN.
    const written = rows()
      .join()
      .replace(/\b\d{13}\b/g, '')
    expect(written).not.toMatch(/0700000002|482615|73916/)
  })
})
