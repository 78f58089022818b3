import type { Address } from 'viem'
import { languages } from '../../src/account/language.ts'
import { type PhoneNumber, parseCaller } from '../../src/account/phone.ts'
import type { Wallet } from '../../src/account/wallets.ts'
import { createCoinUnit } from '../../src/loan/amounts.ts'
import type { Till } from '../../src/operator/kept/tills.ts'
import { goOnName } from '../../src/ussd/menu/entries/go-on.ts'
import { createMenu } from '../../src/ussd/menu/main-menu.ts'
import {
  type Effect,
  getNode,
  isEffect,
  type MenuContext,
  type MenuSettings,
  type NodeName,
  type SessionDraft,
  type Target,
} from '../../src/ussd/menu/node.ts'
import type { Place } from '../../src/ussd/menu/prompt.ts'
import { getRecalledStart, hasRecalls } from '../../src/ussd/menu/recall.ts'
import { followAnswers, maxAnswers, type SessionFacts } from '../../src/ussd/menu/walk.ts'
import { demonstration } from '../../src/ussd/messages/demonstration.ts'
import { english, type Messages } from '../../src/ussd/messages/en.ts'
import { messagesIn, selectMessages } from '../../src/ussd/messages/languages.ts'
import { languageLabels, toLongAddress } from '../../src/ussd/messages/texts.ts'
import type { DraftRecall } from '../../src/ussd/recipient.ts'

const everyMs = 7 * 86_400_000

/** Sets the times that a menu has by default. */
export const usualTimes = {
  sessionSeconds: 180,
  redeliverySeconds: 600,
  recalls: { withinMs: 0, everyMs },
} as const

/** Lets a sender call a payment a mistake for half an hour. */
export const recallTimes = { withinMs: 30 * 60_000, everyMs } as const

const lender = {
  ...usualTimes,
  ...({ profile: 'lender', confirms: true, languages, helpNumber: '0700 000 099' } as const),
}
const demo = { ...usualTimes, profile: 'demo', confirms: false, pin: 'off', languages: [] } as const

const localCurrency = 'KES'

type Menus = Readonly<Record<string, { settings: MenuSettings; messages: Messages }>>

/** Lists every menu that an operator can have, with its words. */
export const menus = {
  demo: { settings: demo, messages: demonstration },
  lender: { settings: { ...lender, pin: 'off' }, messages: english },
  strict: { settings: { ...lender, pin: 'strict' }, messages: english },
  local: { settings: { ...lender, pin: 'off', agents: true, localCurrency }, messages: english },
  agents: { settings: { ...lender, pin: 'on', agents: true }, messages: english },
  dollar: {
    settings: {
      ...lender,
      pin: 'on',
      agents: true,
      localCurrency,
      isOverToken: true,
      choosesLoan: true,
    },
    messages: english,
  },
} as const satisfies Menus

const { demo: _, ...others } = menus
const strictLocal = { ...menus.strict.settings, agents: true, localCurrency }
const ofLender = {
  ...others,
  'local strict': { settings: { ...strictLocal, recalls: recallTimes } },
  named: { settings: { ...menus.dollar.settings, recipientNames: true, recalls: recallTimes } },
  recalls: { settings: { ...menus.lender.settings, recalls: recallTimes } },
}

export const menusInAllLanguages: Menus = {
  ...menus,
  ...Object.fromEntries(
    languages.flatMap((language) =>
      Object.entries(ofLender).map(([name, { settings }]) => [
        `${name} in ${languageLabels[language]}`,
        { settings, messages: messagesIn[language] },
      ]),
    ),
  ),
}

/** Finds where answers lead, from the main menu if nothing else is said. */
export const walk = (
  answers: readonly string[],
  context: MenuContext,
  known: SessionFacts = { start: 'main', verdicts: new Map() },
) => followAnswers(answers, context, known).result

/** Has first the digit of a wallet that was saved: no list that leads to money has it. */
export const goodAnswers: readonly string[] = [
  '3',
  ...['+254700000002', '0x1111111111111111111111111111111111111111', '0.001', 'all'],
  '482615',
  ...['90', '91', '92'],
  'Amina Wanjiru',
  ...['12344', '54320', 'A1', '00000000', '204816', '204817'],
]

const nobody: Address = `0x${'1'.repeat(40)}`

/** Tills that are typed: an agent's, and that of bills. */
export const sampleTills: ReadonlyMap<string, Till> = new Map([
  ['12344', { till: '12344', account: nobody, name: 'Mama Duka', kind: 'agent' }],
  ['54320', { till: '54320', account: nobody, name: 'Water', kind: 'bill' }],
])

/** Lists saved wallets; the third one was changed lately. */
const sampleWallets: readonly Wallet[] = ['Shop', 'Home', 'Savings'].map((name, index) => ({
  name,
  address: `0x${`${index + 1}`.repeat(40)}`,
  ...(index === 2 && { hours: 23 }),
}))

/** Describes a session in which each PIN is right. */
export const allRight = (start: NodeName = 'main'): SessionFacts => ({
  start,
  ...(start === goOnName && { draft: cutDraft }),
  ...(isRecalled(start) && { draft: { ...sampleRecall, recall: sampleRecall } }),
  verdicts: new Map(
    Array.from({ length: maxAnswers }, (_, index) => [index + 1, { kind: 'right' }] as const),
  ),
})

/** Is what a cut session asked to confirm. */
const cutDraft: SessionDraft = {
  recipient: { kind: 'phone', phone: parseCaller('+254700000002') as PhoneNumber },
  amountWei: 10n ** 15n,
}

const isRecalled = (start: NodeName) =>
  (['on', 'strict'] as const).some((pin) => start === getRecalledStart({ pin }))

/** Is a payment that its sender calls a mistake. */
const sampleRecall = {
  intentId: '0x03',
  recipient: { kind: 'known', address: nobody, label: '2547...002' },
  amountWei: 10n ** 15n,
  until: 1_798_000_000_000,
} as const satisfies DraftRecall

export const startsOf = (settings: MenuSettings): readonly NodeName[] => [
  'main',
  ...(settings.pin === 'off' ? [] : ['firstLanguage']),
  ...(createMenu(settings).has(goOnName) ? [goOnName] : []),
  ...(hasRecalls(settings) ? [getRecalledStart(settings)] : []),
]

type Paths = {
  places: ReadonlyMap<NodeName, { way: readonly string[]; place: Place }>
  effects: ReadonlyMap<string, { effect: Effect; way: readonly string[] }>
  /** Lists the steps between places; `*` stands for free text. */
  steps: readonly { from: NodeName; to: Target; typed: string }[]
}

export const nameOf = (to: Target): string => (isEffect(to) ? to.name : to)

/** Creates a menu's context with typical amounts and numbers. */
export function sampleContext(
  { settings, messages }: { settings: MenuSettings; messages: Messages },
  shown: Partial<MenuContext> = {},
): MenuContext {
  return {
    chainId: 31,
    caller: parseCaller('+254700000001') as PhoneNumber,
    reserved: [],
    messages,
    speak: (language) => selectMessages(settings, language),
    menu: createMenu(settings),
    minTransferWei: 0n,
    hasLanguages: settings.languages.length > 1,
    knownRecipients: [],
    wallets: sampleWallets,
    walletCodes: new Map([
      ['00000000', { kind: 'found', wallet: sampleWallets[0] as Wallet, replaces: true }],
    ]),
    withdrawals: new Map([
      ['204816', { intentId: '0x01', isPayable: true }],
      ['204817', { intentId: '0x02', isPayable: false }],
    ]),
    recallable: [sampleRecall, sampleRecall, sampleRecall],
    rate: 'none',
    unit: createCoinUnit('tRBTC'),
    tills: sampleTills,
    showAmount: () => '0.001 tRBTC',
    showExactAmount: () => '0.001 tRBTC',
    showOwed: () => '0.001 tRBTC',
    describeRecipient: (recipient) =>
      recipient.kind === 'address'
        ? toLongAddress(recipient.address)
        : recipient.kind === 'till'
          ? recipient.label
          : '+254 700 000 002',
    ...shown,
  }
}

/** Walks through a menu as it is declared until nothing new is found. */
export function findPaths(context: MenuContext, known = allRight()): Paths {
  const places = new Map<NodeName, { way: readonly string[]; place: Place }>()
  const effects = new Map<string, { effect: Effect; way: readonly string[] }>()
  const steps = new Map<string, Paths['steps'][number]>()
  const open: { way: readonly string[]; place: Place }[] = []
  const seen = new Set<string>()
  const arrive = (way: readonly string[], place: Place) => {
    const kind = `${place.name} ${place.draft.recipient?.kind}`
    if (seen.has(kind)) return
    seen.add(kind)
    if (!places.has(place.name)) places.set(place.name, { way, place })
    open.push({ way, place })
  }
  const lead = (from: NodeName, to: Target, typed: string, way: readonly string[]) => {
    steps.set(`${from} ${nameOf(to)} ${typed}`, { from, to, typed })
    if (isEffect(to) && !effects.has(to.name)) effects.set(to.name, { effect: to, way })
    const result = walk(way, context, known)
    if (result.kind === 'ask') arrive(way, result.place)
  }
  const repeat = (
    { name: from, draft }: Place,
    to: NodeName | undefined,
    typed: string,
    way: readonly string[],
    answers: Place['draft'] = {},
  ) => {
    if (to === undefined) return
    steps.set(`${from} ${to}`, { from, to, typed })
    arrive(way, { name: to, draft: { ...draft, ...answers }, page: 0 })
  }
  arrive([], { name: known.start, draft: known.draft ?? {}, page: 0 })
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { way, place } = next
    const node = getNode(context.menu, place.name)
    if (node.kind === 'list') {
      for (const { digit, target, repeatQuestion, draft: answers } of node.entries) {
        lead(place.name, target, digit, [...way, digit])
        repeat(place, repeatQuestion, digit, [...way, digit], answers)
      }
      const { dynamicEntries: more } = node
      const selected = goodAnswers.filter(
        (answer) => more?.parseAnswer(answer, context)?.kind === 'accepted',
      )
      for (const answer of selected) if (more) lead(place.name, more.target, '*', [...way, answer])
      continue
    }
    for (const answer of goodAnswers) {
      const given = node.parseAnswer(answer, context, place.draft)
      if (given.kind !== 'accepted') continue
      const to = node.selectTarget?.({ ...place.draft, ...given.draft }) ?? node.targets[0]
      lead(place.name, to, '*', [...way, answer])
      repeat(place, node.repeatQuestion, '*', [...way, answer])
    }
  }
  return { places, effects, steps: [...steps.values()] }
}
