import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  findPaths,
  goodAnswers,
  type KnownSession,
  menusInAllLanguages,
  sampleContext,
  startAt,
  startsOf,
  walk,
} from '../../../../scripts/dev/menu-ways.ts'
import { type PhoneNumber, parseCaller } from '../../../../src/account/phone.ts'
import type { Wallet } from '../../../../src/account/wallets.ts'
import { createCoinUnit } from '../../../../src/loan/amounts.ts'
import { kindNames } from '../../../../src/loan/kinds.ts'
import { loan } from '../../../../src/ussd/menu/entries/loan.ts'
import { createMenu, menuParts } from '../../../../src/ussd/menu/main-menu.ts'
import {
  getNode,
  isEffect,
  type MenuContext,
  type MenuPart,
  type NodeName,
  type SessionDraft,
} from '../../../../src/ussd/menu/node.ts'
import { writePrompt } from '../../../../src/ussd/menu/prompt.ts'
import { recallWords } from '../../../../src/ussd/menu/recall.ts'
import type { MenuResult } from '../../../../src/ussd/menu/walk.ts'
import { demonstration } from '../../../../src/ussd/messages/demonstration.ts'
import { english } from '../../../../src/ussd/messages/en.ts'
import type { Recipient } from '../../../../src/ussd/recipient.ts'
import type { Activity, ScreenFacts } from '../../../../src/ussd/screen-facts.ts'
import { countSeptets, maxSeptets, toGsmAlphabet } from '../../../../src/ussd/screens/septets.ts'
import { longestKeys, longestWords } from '../longest-words.ts'

const amount = '20999999.123456 tRBTC'
const exactAmount = '20999999.123456789012345678 tRBTC'
const address = `0x${'1'.repeat(40)}` as const
const threeOf = <One>(one: One): One[] => [one, one, one]
const eightOf = <One>(one: One): One[] => Array.from({ length: 8 }, () => one)
const descriptions: Readonly<Record<Recipient['kind'], string>> = {
  ...{ address: 'WWWWWWWW 0x12345678...', till: '123456 WWWWWWWWWWWW' },
  ...{ phone: '+999 700 000 000 001', known: '9997...001' },
}
const wallets = threeOf<Wallet>({ name: 'W'.repeat(8), address, hours: 24 })
const longest = {
  /** Of 15 digits, the most that E.164 has. */
  caller: parseCaller('+999700000000001') as PhoneNumber,
  showAmount: () => amount,
  showExactAmount: () => exactAmount,
  showOwed: () => amount,
  describeRecipient: ({ kind }: Recipient) => descriptions[kind],
  minTransferWei: 1_000n,
  /** The currency's amounts are longer than a token's, and a token's symbol is. */
  unit: createCoinUnit('USDRIF'),
}

/** The same where amounts are typed in local money. */
const agreed = {
  ...{ currency: 'KES', cents: '99999999999', micros: '5000000000', readAt: 1_790_700_000_000 },
}
const localRate = { currency: 'KES', micros: BigInt(agreed.micros), readAt: agreed.readAt }

/** What is read for screens, as long as it comes. */
const longRate = { currency: 'KES', micros: 99_999_999_999_123_456n }
const debt = { owedWei: 10n ** 18n, dueAt: 1_790_700_000, isOverdue: true, rate: longRate }
const paid = { amountWei: 1n, agreed, counterparty: '0x12345678...' }
const failed = { kind: 'failed', reason: 'Limit of withdrawals reached' } as const
const reverted = {
  code: '123456',
  amountWei: 1n,
  agreed,
  state: 'reverted',
  assuredAt: undefined,
  isCash: true,
} as const
const paidOut = { at: 1_790_700_000_000, by: 's' }
const activity = {
  ownPayments: eightOf<Activity>({ kind: 'transfer', ...paid, state: failed }),
  received: eightOf<Activity>({ kind: 'received', ...paid, state: { kind: 'arriving' } }),
  till: {
    ...{ inWei: 1n, cashWei: 1n, outWei: 1n, floatWei: 1n },
    ...{ inLocal: agreed, cashLocal: agreed, outLocal: agreed },
    lastPayments: eightOf({ ...reverted, reference: 'W'.repeat(20), paidOut }),
  },
}
const facts: ScreenFacts = {
  loanLimit: 1n,
  recipients: threeOf({ kind: 'known', address, label: '9997...001' }),
  terms: { principalWei: 1n, feeWei: 1n, termSeconds: 1, dueAt: debt.dueAt },
  rate: longRate,
  withdrawal: { ...reverted, intentId: '0x01', paidOut },
  ...{ registration: 'unregistered', failure: 'unreported', earlier: { minutes: 10 } },
  recipientName: { kind: 'verified', text: `${'W'.repeat(15)} W.` },
  heldNames: {
    shown: { kind: 'own', text: `${'W'.repeat(15)} W.` },
    hours: 24,
    offered: `${'W'.repeat(15)} W.`,
  },
  recallable: Array.from({ length: 3 }, () => ({
    ...{ intentId: '0x03', amountWei: 1n, agreed },
    recipient: { kind: 'known', address, label: '0x12345678...' },
  })),
  isRecallSpent: true,
  ...{ debt, wallets, activity, address, pin: { kind: 'blocked' }, till: 'own' },
}

/** The same where nothing can be read, as far as a screen is shown at all. */
const unavailable: ScreenFacts = {
  ...{ ...facts, debt: 'unavailable', recipients: 'unavailable', wallets: 'unavailable' },
  ...{ rate: 'none', registration: 'unavailable', activity: 'unavailable' },
  recipientName: 'none',
  heldNames: 'unavailable',
  recallable: [],
  isRecallSpent: false,
  withdrawal: 'unavailable',
}

/** The same where the main menu offers to repeat payments, and one is asked about. */
const repeated: ScreenFacts = {
  ...facts,
  earlier: { minutes: 10, local: agreed },
  recipients: threeOf({
    ...({ kind: 'known', address, label: '9997...001' } as const),
    ...{ amountWei: 1n, local: agreed },
  }),
}

/** The same where what is typed on the way is worth as much as screens can say. */
const dear: ScreenFacts = {
  ...facts,
  rate: { currency: 'KES', micros: 99_999_999_999_000_000_000n },
}

/** What a fact says that has nothing to say. What is not here always says something. */
const nothing: Partial<ScreenFacts> = {
  ...{
    debt: { owedWei: 0n, dueAt: 0, isOverdue: false, rate: 'none' },
    recipients: [],
    wallets: [],
  },
  ...{ registration: 'registered', activity: { ownPayments: [], received: [] } },
  withdrawal: {
    ...{ amountWei: 1n, state: 'confirmed', assuredAt: undefined, intentId: '0x01' },
    ...{ isCash: true, agreed: undefined, paidOut: undefined },
  },
  ...{ failure: 'none', pin: { kind: 'open' } },
  heldNames: { shown: undefined, hours: 0, offered: undefined },
}

/** Answers that some question takes and others do not, and what is typed by mistake. */
const typed = [
  ...['', '0', '00', '98', '1', '2', '3', '4', '5', '8', '9', '42', 'x', '#', '0700000002'],
  ...[longest.caller, `0x${'0'.repeat(40)}`, '0.0', '0.0000000000000000001', '99999999'],
  ...[
    '0.0000000000000001',
    '20999999.123456789012345678',
    '99999999999',
    '999999999.99',
    ...goodAnswers,
  ],
]

/** What was answered on the way to an outcome: it has that in it, by the same names. */
const answeredIn = (outcome: MenuResult) => outcome as SessionDraft

const fitting = new Set<string>()

/** Requires that a handset shows so much of a text, without a question mark of its own. */
function expectToFit(text: string, where = text): void {
  // The same screen comes up thousands of times, by other ways.
  if (fitting.has(text)) return
  fitting.add(text)
  expect(text, where).toMatch(/\S/)
  expect(text, where).not.toMatch(/(please|tafadhali|veuillez|por favor).*\1/is)
  const shown = toGsmAlphabet(text)
  expect(countSeptets(shown), text).toBeLessThanOrEqual(maxSeptets)
  expect(shown.split('?').length, text).toBe(text.split('?').length)
}

/** All screens of a place by what was read: a list has pages. */
function pagesAt(
  name: NodeName,
  way: readonly string[],
  context: MenuContext,
  known: KnownSession,
): (read: Partial<ScreenFacts>) => string[] {
  const result = walk(way, context, known)
  const draft = result.kind === 'ask' ? result.place.draft : answeredIn(result)
  const pageOf = (read: Partial<ScreenFacts>, page: number) =>
    writePrompt({ name, draft, page }, context, read)
  return (read) => {
    const pages: string[] = []
    // A page beyond the last shows the last.
    let page = pageOf(read, 0)
    for (; page !== pages.at(-1); page = pageOf(read, pages.length)) pages.push(page)
    return pages
  }
}

/** Every menu that an operator can have, with the longest name that the configuration takes. */
const everyMenu = Object.entries(menusInAllLanguages).map(([name, { settings, messages }]) => {
  const serviceName = settings.profile === 'demo' ? undefined : 'W'.repeat(20)
  return [name, { settings: { ...settings, serviceName }, messages }] as const
})
const all = everyMenu.flatMap(([name, menu]) => {
  const isLocal = menu.settings.localCurrency !== undefined
  const context = sampleContext(menu, longest)
  return (['none', ...(isLocal ? [localRate] : [])] as const).flatMap((rate) => {
    const money = rate === 'none' ? '' : ' in local money'
    return startsOf(menu.settings).map((start) => {
      const known = { ...startAt(start), lookups: { rate: () => rate, wallets: () => wallets } }
      const title = `${name} from ${start}${money}`
      return [title, menu, context, findPaths(context, known), known] as const
    })
  })
})

test('no screen can lack a fact', () => {
  expectTypeOf<ScreenFacts>().toEqualTypeOf<Required<ScreenFacts>>()
  expectTypeOf<undefined>().not.toExtend<ScreenFacts[keyof ScreenFacts]>()
})

test('no two places have the same name, and each leads to places that exist', () => {
  for (const [, { settings }] of everyMenu) {
    const menu = createMenu(settings)
    const names = menuParts.flatMap((part) => Object.keys(part.createNodes(settings)))
    expect(menu.size).toBe(names.length + 1)
    for (const [name, node] of menu) {
      const ways = node.kind === 'list' ? node.entries.map(({ target }) => target) : node.targets
      for (const to of [node.back ?? 'main', ...ways])
        expect(isEffect(to) || menu.has(to), `${name} leads to ${to}`).toBe(true)
    }
  }
})

const transferred = ['recipient', 'amountWei'] as const

/** What was answered on each way to an effect; nothing for the others. */
const answersOf: Readonly<Record<string, readonly (keyof SessionDraft)[]>> = {
  ...{ transfer: transferred, cashOut: transferred, withdrawal: transferred },
  ...{ purchase: transferred, repayment: ['amountWei'], choosePin: ['pin'], changePin: ['pin'] },
  ...{ language: ['language'], addWallet: ['wallet'], cancelWallet: ['wallet'] },
  ...{ payOut: ['withdrawal'], name: ['name'], recall: ['recall'], keep: ['recall'] },
}

const effectNames = ['balance', 'claim', 'help', 'forgetPin', ...Object.keys(answersOf)]

test('every place and every effect is reached in some menu', () => {
  const reached = all.flatMap(([, , , ways]) => [...ways.places.keys(), ...ways.effects.keys()])
  const declared = all.flatMap(([, , { menu }]) => [...menu.keys()])
  const known = [...declared, ...effectNames, ...kindNames]
  expect(new Set(reached)).toEqual(new Set(known))
})

const one = {
  words: () => ({ label: 'One more entry' }),
  digit: '97',
  findTarget: () => ({ name: 'help' }),
  createNodes: () => ({}),
} satisfies MenuPart

test.for(everyMenu)(
  'one more entry in the menu of %s is shown below the others',
  ([, { settings, messages }]) => {
    const context = sampleContext({ settings, messages }, longest)
    const more = { ...context, menu: createMenu(settings, [...menuParts, one]) }
    const pagesIn = (of: MenuContext) => pagesAt('main', [], of, startAt())(facts)
    const linesIn = (pages: string[]) =>
      pages.flatMap((page) => page.split('\n').filter((line) => !/^(98|0)\. /.test(line)))
    const pages = pagesIn(more)
    expect(linesIn(pages)).toEqual([...linesIn(pagesIn(context)), `${one.digit}. One more entry`])
    for (const page of pages) expectToFit(page)
    const hasNine = settings.profile === 'lender'
    expect(pages.findIndex((page) => /^97\. /m.test(page)) > 0).toBe(hasNine)
    for (const way of [[one.digit], ...(hasNine ? [['98', one.digit]] : [])]) {
      expect(walk(way, more, startAt())).toEqual({ kind: 'help' })
      expect(walk(way, context, startAt())).toMatchObject({ kind: 'ask' })
    }
  },
)

const digitsOf: Readonly<Record<string, RegExp>> = {
  main: /^([1-9]|10|[2-8]\d|9[3-7])$/,
  recalled: /^9[12]$/,
}

describe.for(all)('in the menu of %s', ([, menu, context, ways, known]) => {
  test('no list uses a digit twice, a digit of pages, or the digit that led to the list', () => {
    for (const [name, { way }] of ways.places) {
      const node = getNode(context.menu, name)
      if (node.kind !== 'list') continue
      const digits = node.entries.map(({ digit }) => digit)
      expect(new Set(digits).size).toBe(digits.length)
      // The main menu has digits of two figures too; 11 to 19 pay someone again, and 90 to 92
      // answer what stands where a session begins.
      for (const digit of digits) expect(digit).toMatch(digitsOf[name] ?? /^[1-9]$/)
      const leadsToMoney = node.entries.some(
        ({ target }) => isEffect(target) && kindNames.some((kind) => kind === target.name),
      )
      if (name !== 'main' && leadsToMoney) expect(digits).not.toContain(way.at(-1))
    }
  })

  test.for([...ways.effects])('%s is reached as declared', ([, { effect, way }]) => {
    const outcome = walk(way, context, known)
    expect(outcome).toMatchObject({ kind: effect.name })
    const lacking = (answersOf[effect.name] ?? []).filter(
      (each) => answeredIn(outcome)[each] === undefined,
    )
    expect(lacking).toEqual([])
  })

  test.for([...ways.places])('%s fits a screen, and handles every answer', ([name, { way }]) => {
    const pages = pagesAt(name, way, context, known)
    const waits = { ...facts, pin: { kind: 'blocked', hours: 24, from: 0 } } as const
    for (const page of [facts, dear, unavailable, waits, repeated].flatMap(pages)) expectToFit(page)
    const [right, wrong] = [{ kind: 'right' }, { kind: 'wrong', left: 2 }]
    const possible = { kind: 'possible' }
    /** Answers differently behind the way to this place. */
    const say = (name: 'pin' | 'amount', verdict: object): KnownSession => {
      const judge = (answers: readonly string[]) =>
        answers.length === way.length + 1 ? verdict : { pin: right, amount: possible }[name]
      return { ...known, lookups: { ...known.lookups, [name]: judge } }
    }
    const { lowBalance, lowDebt } = menu.messages
    const held = recallWords(menu.messages).untilLine(amount, '23:59 UTC, 30 Sep 2026')
    const most = loan.words(menu.messages).most(amount)
    const texts = [lowBalance(amount), lowDebt(amount), most, `${lowBalance(amount)}\n${held}`]
    const low = texts.map((text) => say('amount', { kind: 'mistake', text }))
    const answers = typed.flatMap((answer) =>
      [known, say('pin', wrong), ...low].map((so) => [answer, so] as const),
    )
    const shown = new Set<string>()
    for (const [answer, so] of answers) {
      const result = walk([...way, answer], context, so)
      if (result.kind !== 'ask') continue
      // Where no PIN or amount is judged, all six lead to the same screens.
      const { name: to, page, mistake } = result.place
      const place = [answer, to, page, mistake].join('|')
      if (shown.has(place)) continue
      shown.add(place)
      for (const read of [facts, dear, unavailable]) {
        expectToFit(writePrompt(result.place, context, read), `${name} after ${answer}`)
      }
    }
    const top = known.draft === undefined ? [] : ['0']
    expect(walk([...way, '00'], context, known)).toEqual(walk(top, context, known))
  })

  test('an answer that a place does not take leaves all its choices on the screen', () => {
    for (const [name, { way }] of ways.places) {
      const first = walk(way, context, known)
      if (first.kind !== 'ask') continue
      const choicesAt = ({ place }: typeof first) =>
        [facts, dear, unavailable].map((read) => {
          const digits = writePrompt(place, context, read).match(/^(?!98)\d+(?=\. )/gm)
          return new Set(digits)
        })
      const choices = choicesAt(first)
      for (const answer of typed.filter((each) => each !== '98')) {
        const next = walk([...way, answer], context, known)
        if (next.kind !== 'ask' || next.place.name !== name) continue
        const left = choicesAt(next)
        const gone = choices.flatMap((all, index) =>
          [...all].filter((one) => !left[index]?.has(one)),
        )
        if (gone.length > 0) expect(gone, `${name} after ${answer}`).toEqual([])
      }
    }
  })

  test('no place is shown without its facts, and each names the facts that cannot be read', () => {
    for (const [name, { way }] of ways.places) {
      const { facts: named = [] } = getNode(context.menu, name)
      const pages = pagesAt(name, way, context, known)
      const shown = (read: Partial<ScreenFacts>) => pages(read).join('\n')
      for (const fact of named) {
        const { [fact]: _, ...others } = facts
        expect(() => shown(others), `${name} without ${fact}`).toThrow(fact)
        if (unavailable[fact] !== 'unavailable') continue
        const without = shown({ ...facts, [fact]: 'unavailable' })
        expect(without, `${name} without ${fact}`).not.toBe(shown({ ...facts, ...nothing }))
        expect([shown(facts), shown({ ...facts, [fact]: nothing[fact] })]).not.toContain(without)
      }
    }
  })

  test('all its words fit a screen with the longest values', () => {
    const isEnglish = menu.messages === english || menu.messages === demonstration
    for (const [key, words] of longestWords(menu.messages)) {
      expectToFit(words)
      expect(words, key).toMatch(/^(\S|\S[^\n]*\S)(\n(\S|\S[^\n]*\S))*$/)
      expect(words, key).not.toMatch(/undefined|null|NaN|\[object/)
      // A language is named in itself.
      if (isEnglish && !key.startsWith('labels.')) expect(words, key).toMatch(/^[\x20-\x7e\n]*$/)
    }
  })
})

test('longest values are of words that there are, since a renamed one has those of an amount', () => {
  const said = new Set(longestWords(english).map(([key]) => key))
  expect(longestKeys.filter((key) => !said.has(key))).toEqual([])
})
