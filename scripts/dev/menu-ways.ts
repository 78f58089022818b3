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
  type Lookups,
  type MenuContext,
  type MenuSettings,
  type NodeName,
  type SessionDraft,
  type Target,
  type Walking,
} from '../../src/ussd/menu/node.ts'
import type { Place } from '../../src/ussd/menu/prompt.ts'
import { getRecalledStart, hasRecalls } from '../../src/ussd/menu/recall.ts'
import { followAnswers, type SessionFacts } from '../../src/ussd/menu/walk.ts'
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

/** Is how a session starts, and what its look-ups say where that is not `sampleLookups`. */
export type KnownSession = SessionFacts & { lookups?: Partial<Lookups> }

/** Finds where answers lead, from the main menu if nothing else is said. */
export const walk = (
  answers: readonly string[],
  context: MenuContext,
  { lookups, ...facts }: KnownSession = { start: 'main' },
) => answerWalk(followAnswers(answers, context, facts), lookups).result

/** Answers what a walk, or the reading of one answer, asks. */
export function answerWalk<Result>(walk: Walking<Result>, lookups: Partial<Lookups> = {}): Result {
  const all: Lookups = { ...sampleLookups, ...lookups }
  let step = walk.next()
  while (!step.done) {
    const { name, args } = step.value
    step = walk.next((all[name] as (...args: unknown[]) => unknown)(...args))
  }
  return step.value
}

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

/** Describes a session with what it starts with. */
export const startAt = (start: NodeName = 'main'): KnownSession => ({
  start,
  ...(start === goOnName && { draft: cutDraft }),
  ...(isRecalled(start) && { draft: { ...sampleRecall, recall: sampleRecall } }),
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

/** Answers as if each PIN were right, and each amount could be paid. */
const sampleLookups: Lookups = {
  recipients: () => [],
  wallets: () => sampleWallets,
  recallable: () => [sampleRecall, sampleRecall, sampleRecall],
  rate: () => 'none',
  hasAccount: () => false,
  walletCode: (code) =>
    code === '00000000'
      ? { kind: 'found', wallet: sampleWallets[0] as Wallet, replaces: true }
      : { kind: 'unknown' },
  till: (till) => sampleTills.get(till) ?? null,
  withdrawal: (code) =>
    /^20481[67]$/.test(code) ? { intentId: '0x01', isPayable: code === '204816' } : null,
  pin: () => ({ kind: 'right' }),
  isAskedAgain: () => undefined,
  amount: () => ({ kind: 'possible' }),
  behindPin: () => undefined,
}

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
    unit: createCoinUnit('tRBTC'),
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
export function findPaths(context: MenuContext, known = startAt()): Paths {
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
        (answer) =>
          more && answerWalk(more.parseAnswer(answer, context), known.lookups).kind === 'accepted',
      )
      for (const answer of selected) if (more) lead(place.name, more.target, '*', [...way, answer])
      continue
    }
    for (const answer of goodAnswers) {
      const parsed = node.parseAnswer(answer, context, place.draft)
      const given = 'kind' in parsed ? parsed : answerWalk(parsed, known.lookups)
      if (given.kind !== 'accepted') continue
      const to = node.selectTarget?.({ ...place.draft, ...given.draft }) ?? node.targets[0]
      lead(place.name, to, '*', [...way, answer])
      repeat(place, node.repeatQuestion, '*', [...way, answer])
    }
  }
  return { places, effects, steps: [...steps.values()] }
}
