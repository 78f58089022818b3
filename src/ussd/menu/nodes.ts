import { type Language, languages } from '../../account/language.ts'
import { type PhoneNumber, spelledPhone } from '../../account/phone.ts'
import { isEasy, isPin } from '../../account/pin.ts'
import { type AmountFault, parseAmount } from '../../loan/amounts.ts'
import type { FactName, Facts } from '../facts.ts'
import type { Intent } from '../intent.ts'
import type { LabelName, Messages, PinPurpose } from '../messages/texts.ts'
import {
  type KnownRecipient,
  parseRecipient,
  type Recipient,
  type RecipientRules,
} from '../recipient.ts'
import { activityLines } from './activity.ts'

/** What a session ends with that was answered to its end. */
export type SessionOutcome =
  | { kind: 'balance' | 'help' | 'claim' }
  | { kind: 'language'; language: Language }
  | PinAction
  | Intent

/** What a caller wants of the PIN. */
export type PinAction = { kind: 'choosePin' | 'changePin'; pin: string } | { kind: 'forgetPin' }

/** What an operator decides of the menu. */
export type MenuSettings = {
  /** `demo` keeps to the letter of the demonstration. */
  profile: 'demo' | 'lender'
  /** Whether a transfer and a loan are shown, and agreed to, before they are made. */
  confirms: boolean
  /** Whether a PIN is asked for before money moves; `strict`: and before anything of the account is shown. */
  pin: 'off' | 'on' | 'strict'
  /** Whom callers in trouble call. Undefined: nobody. */
  helpNumber: string | undefined
  /** What callers may choose from; the first is where none is chosen. The demonstration has none. */
  languages: readonly Language[]
}

/** What a menu needs to know besides the text. */
export type MenuContext = RecipientRules & {
  menu: Menu
  /** Another delivery of the same text may be shown in another language, on more pages or fewer. */
  hasLanguages: boolean
  /** Whom digits stand for in this session. Undefined: it was not read yet. */
  known: readonly KnownRecipient[] | undefined
  say: Messages
  /** An amount as screens show it, with its currency. */
  amountOf: (wei: bigint) => string
  /** A recipient as screens show it who is about to be sent something. */
  recipientOf: (recipient: Recipient) => string
  /** What a transfer has to be at least, also as screens show it. */
  least: { wei: bigint; text: string }
}

/** What was answered so far in this session. */
export type SessionDraft = {
  recipient?: Recipient
  amountWei?: bigint | 'all'
  /** One that is about to be set. */
  pin?: string
}

/** A place in the menu: a list to choose from, or a question to answer in one's own words. */
export type MenuNode = List | MenuQuestion

/** What is shown of a place, by what is read for it. */
type Words<Known = Facts> = (context: MenuContext, draft: SessionDraft, facts: Known) => string

export type List<Known = Facts> = {
  kind: 'list'
  title: Words<Known>
  /** What stands instead of the title below why a PIN is asked for again, where a PIN confirms it. */
  again?: Words<Known>
  entries: readonly Entry<Known>[]
  /** Where a bare `0` leads. */
  back?: NodeName
  /** What the line of `0` says, where it is not the usual word. */
  backLabel?: LabelName
  /** What is read to show it: {@link knowing}. */
  facts?: readonly FactName[]
}

/** One line of a list. Digit and label stand here together, and nowhere else. */
export type Entry<Known = Facts> = {
  digit: string
  label: LabelName
  leads: Destination
  /** What is asked instead where the ledger knows something that the caller should: an answer goes on from there. */
  orAsks?: NodeName
  /** What stands behind the label, where there is something to say. */
  note?: (context: MenuContext, facts: Known) => string | undefined
}

export type MenuQuestion<Known = Facts> = {
  kind: 'question'
  prompt: Words<Known>
  /** What stands below why it is asked again, where that is another prompt. */
  again?: Words<Known>
  answer: (typed: string, context: MenuContext, draft: SessionDraft) => Given
  /** The answer is a PIN: the caller's own, which is judged, or a new one. No digest is made of it, and no row or log has it. */
  secret?: 'own' | 'new'
  /** What is asked instead of its effect, as in {@link Entry}. */
  orAsks?: NodeName
  /** What is read to show it, as in {@link List}. */
  facts?: readonly FactName[]
  /** All that an answer may lead to; the first one where `next` does not choose. */
  leads: readonly [Destination, ...Destination[]]
  next?: (draft: SessionDraft) => Destination
  back?: NodeName
}

/** What an answer adds to the draft, or why it is refused. `unread`: what it means is to be read first. */
export type Given =
  | { kind: 'given'; draft: SessionDraft }
  | { kind: 'mistake'; why: string }
  | { kind: 'unread'; phone?: PhoneNumber }

export type Destination = NodeName | EffectName

export type Menu = Readonly<Record<NodeName, MenuNode>>

export type NodeName =
  | ('main' | 'recipient' | 'amount' | 'confirmPhone' | 'confirmAddress' | 'repeat')
  | ('agree' | 'repay' | 'repayAmount' | 'activity' | 'receive')
  | ('wallet' | 'walletAmount' | 'confirmCashOut' | 'repeatCashOut' | 'settings' | 'language')
  | ('pinToSend' | 'pinToCashOut' | 'pinToRepay' | 'pinToRepayPart' | 'pinToSeeBalance')
  | ('pinToSeeActivity' | 'pinToChange' | 'newPin' | 'newPinAgain' | 'changedPin')
  | ('changedPinAgain' | 'forgotten')

export type EffectName =
  | ('balance' | 'transfer' | 'transferAgain' | 'loan' | 'repayAll' | 'repayPart')
  | ('help' | 'claim' | 'cashOut' | 'cashOutAgain')
  | Language
  | ('choosePin' | 'changePin' | 'forgetPin')

/** What ends a session, made of what was answered before. */
export const effects: Readonly<Record<EffectName, (draft: SessionDraft) => SessionOutcome>> = {
  balance: () => ({ kind: 'balance' }),
  transfer: transferOf,
  transferAgain: (draft) => ({ ...transferOf(draft), isRepeat: true }),
  loan: () => ({ kind: 'loan' }),
  repayAll: () => ({ kind: 'repayment', amountWei: 'all' }),
  repayPart: (draft) => ({ kind: 'repayment', amountWei: answered(draft.amountWei) }),
  help: () => ({ kind: 'help' }),
  claim: () => ({ kind: 'claim' }),
  cashOut: cashOutOf,
  cashOutAgain: (draft) => ({ ...cashOutOf(draft), isRepeat: true }),
  en: () => ({ kind: 'language', language: 'en' }),
  sw: () => ({ kind: 'language', language: 'sw' }),
  fr: () => ({ kind: 'language', language: 'fr' }),
  es: () => ({ kind: 'language', language: 'es' }),
  choosePin: ({ pin }) => ({ kind: 'choosePin', pin: answered(pin) }),
  changePin: ({ pin }) => ({ kind: 'changePin', pin: answered(pin) }),
  forgetPin: () => ({ kind: 'forgetPin' }),
}

/** A place that goes by what is read for it: it has what it names, and nothing else. */
function knowing<Name extends FactName>(
  facts: readonly Name[],
  place: List<Pick<Facts, Name>>,
): List
function knowing<Name extends FactName>(
  facts: readonly Name[],
  place: MenuQuestion<Pick<Facts, Name>>,
): MenuQuestion
function knowing(facts: readonly FactName[], place: MenuNode): MenuNode {
  return { ...place, facts }
}

/**
 * The whole menu. What is here and nothing else makes the flow, its drawing and what its tests walk through.
 * Digits never depend on anything: a setting leaves lines out.
 */
export function createMenu(settings: MenuSettings): Menu {
  return {
    main: mainMenu(settings),
    recipient: recipientQuestion(settings),
    amount: {
      kind: 'question',
      prompt: ({ say, recipientOf }, draft) =>
        say.enterAmount(recipientOf(answered(draft.recipient))),
      answer: atLeast,
      ...afterAmount(settings),
      back: 'recipient',
    },
    ...confirmations(settings),
    ...cashOuts(settings),
    ...repayments(settings),
    ...pinPlaces,
    activity: knowing(['activity'], {
      kind: 'list',
      title: ({ say, amountOf }, _, { activity }) =>
        [say.labels.activity, ...activityLines(say.activity, activity, amountOf)].join('\n'),
      entries: [],
      back: 'main',
    }),
    receive: knowing(['address'], {
      kind: 'list',
      title: ({ say, caller }, _, { address }) => say.receive(spelledPhone(caller), address),
      entries: [{ digit: '1', label: 'claim', leads: 'claim' }],
      back: 'main',
    }),
    ...settingsOf(settings),
  }
}

function recipientQuestion({ profile }: MenuSettings): MenuQuestion {
  const question: MenuQuestion<unknown> = {
    kind: 'question',
    prompt: ({ say }) => say.enterRecipient,
    answer: (typed, context) => {
      const known = /^[1-9]$/.test(typed) ? knownBy(Number(typed), context) : undefined
      if (known !== undefined) return known
      const parsed = parseRecipient(typed, context)
      switch (parsed.kind) {
        case 'recipient':
          return { kind: 'given', draft: { recipient: parsed.recipient } }
        case 'unlisted':
          return { kind: 'unread', phone: parsed.phone }
        case 'fault':
          return { kind: 'mistake', why: context.say.badRecipient[parsed.fault] }
      }
    },
    leads: ['amount'],
    back: 'main',
  }
  if (profile === 'demo') return question
  return knowing(['recipients'], {
    ...question,
    prompt({ say }, _, { recipients }) {
      if (recipients === 'unread') return `${say.unread.recipients}\n${say.enterRecipient}`
      if (recipients.length === 0) return say.enterRecipient
      const known = recipients.map(({ label }, index) => `${index + 1}. ${label}`)
      return [...known, say.orRecipient].join('\n')
    },
  })
}

function knownBy(digit: number, { known }: MenuContext): Given | undefined {
  if (known === undefined) return { kind: 'unread' }
  const recipient = known[digit - 1]
  return recipient && { kind: 'given', draft: { recipient } }
}

function afterAmount({ confirms }: MenuSettings): Pick<MenuQuestion, 'leads' | 'next'> {
  if (!confirms) return { leads: ['transfer'] }
  return {
    leads: ['confirmPhone', 'confirmAddress'],
    next: ({ recipient }) =>
      answered(recipient).kind === 'address' ? 'confirmAddress' : 'confirmPhone',
  }
}

function mainMenu({ profile, confirms, pin, helpNumber, languages: offered }: MenuSettings): List {
  const isStrict = pin === 'strict'
  const lenderEntries: readonly Entry<unknown>[] = [
    { digit: '5', label: 'activity', leads: isStrict ? 'pinToSeeActivity' : 'activity' },
    { digit: '6', label: 'receive', leads: 'receive' },
    { digit: '7', label: 'cashOut', leads: 'wallet' },
  ]
  const repay = { digit: '4', label: 'repay', leads: 'repay' } as const
  const first: readonly Entry<unknown>[] = [
    { digit: '1', label: 'balance', leads: isStrict ? 'pinToSeeBalance' : 'balance' },
    { digit: '2', label: 'send', leads: 'recipient' },
    { digit: '3', label: 'borrow', leads: confirms ? 'agree' : 'loan' },
  ]
  const last: readonly Entry<unknown>[] = [
    ...(offered.length > 1 || pin !== 'off'
      ? [{ digit: '8', label: 'settings', leads: 'settings' } satisfies Entry]
      : []),
    ...(helpNumber === undefined
      ? []
      : [{ digit: '9', label: 'help', leads: 'help' } satisfies Entry]),
  ]
  const title: Words<unknown> = ({ say, caller }) => say.mainTitle(caller)
  if (profile === 'demo') return { kind: 'list', title, entries: [...first, repay, ...last] }
  return knowing(['debt', 'failure'], {
    kind: 'list',
    title: (context, draft, { failure }) =>
      `${failure === 'untold' ? `${context.say.hasFailed}\n` : ''}${title(context, draft, {})}`,
    entries: [...first, { ...repay, note: debtNote }, ...lenderEntries, ...last],
  })
}

function debtNote({ say, amountOf }: MenuContext, { debt }: Pick<Facts, 'debt'>) {
  if (debt === 'unread') return say.unread.note
  return debt.owedWei > 0n ? amountOf(debt.owedWei) : undefined
}

/** A list of one intent, which the PIN confirms in the place of its digit. */
function confirmedBy(pin: MenuSettings['pin'], purpose: PinPurpose, list: List): MenuNode {
  const [entry] = list.entries
  return pin === 'off' || entry === undefined ? list : pinFor(purpose, { ...list, ...entry })
}

/** Asks for the caller's PIN, below what it is for; `again`: in fewer words, below why. */
function pinFor(
  purpose: PinPurpose,
  {
    title,
    again,
    leads,
    orAsks,
    back = 'main',
    backLabel,
    facts,
  }: Omit<List, 'kind' | 'entries'> & Pick<Entry, 'leads' | 'orAsks'>,
): MenuQuestion {
  const below =
    (words: Words): Words =>
    (context, draft, read) => {
      const { say } = context
      const backWord = backLabel === undefined ? say.back : say.labels[backLabel]
      const above = words(context, draft, read)
      const lines = [...(above === '' ? [] : [above]), say.pin.enter[purpose]]
      return [...lines, `0. ${backWord}`].join('\n')
    }
  return {
    kind: 'question',
    secret: 'own',
    prompt: below(title),
    answer: (typed, { say }) =>
      isPin(typed) ? { kind: 'given', draft: {} } : { kind: 'mistake', why: say.pin.form },
    leads: [leads],
    back,
    ...(again && { again: below(again) }),
    ...(orAsks && { orAsks }),
    ...(facts && { facts }),
  }
}

/** A new PIN, and once more the same, since no one sees what is typed. */
function newPinBy(
  first: NodeName,
  again: NodeName,
  leads: EffectName,
  back: Pick<MenuQuestion, 'back'>,
): [first: MenuQuestion, again: MenuQuestion] {
  return [
    {
      kind: 'question',
      secret: 'new',
      prompt: ({ say }) =>
        back.back === undefined ? say.pin.choose : `${say.pin.choose}\n0. ${say.back}`,
      answer: (typed, { say, caller }) => {
        if (!isPin(typed)) return { kind: 'mistake', why: say.pin.form }
        return isEasy(typed, caller)
          ? { kind: 'mistake', why: say.pin.easy }
          : { kind: 'given', draft: { pin: typed } }
      },
      leads: [again],
      ...back,
    },
    {
      kind: 'question',
      secret: 'new',
      prompt: ({ say }) => `${say.pin.again}\n0. ${say.back}`,
      answer: (typed, { say }, { pin }) =>
        typed === pin ? { kind: 'given', draft: {} } : { kind: 'mistake', why: say.pin.differs },
      leads: [leads],
      back: first,
    },
  ]
}

const [newPin, newPinAgain] = newPinBy('newPin', 'newPinAgain', 'choosePin', {})
const [changedPin, changedPinAgain] = newPinBy('changedPin', 'changedPinAgain', 'changePin', {
  back: 'settings',
})
const none: Words = () => ''

/** Where PINs are chosen, and asked for where no list is confirmed. */
const pinPlaces = {
  ...{ newPin, newPinAgain, changedPin, changedPinAgain },
  pinToSend: pinFor('send', {
    title: sendingTitle,
    ...{ leads: 'transfer', orAsks: 'repeat', back: 'confirmAddress' },
  }),
  pinToCashOut: pinFor('cashOut', {
    title: (context, draft) => context.say.confirmCashOut(...shownTransfer(context, draft)),
    ...{ leads: 'cashOut', orAsks: 'repeatCashOut', back: 'confirmAddress' },
  }),
  pinToRepay: pinFor('repay', {
    title: ({ say }) => `${say.labels.repay}: ${say.labels.all}`,
    ...{ leads: 'repayAll', back: 'repay' },
  }),
  pinToRepayPart: pinFor('repay', {
    title: ({ say, amountOf }, { amountWei }) => {
      const amount = answered(amountWei)
      return `${say.labels.repay}: ${amount === 'all' ? say.labels.all : amountOf(amount)}`
    },
    ...{ leads: 'repayPart', back: 'repayAmount' },
  }),
  pinToSeeBalance: pinFor('see', { title: none, leads: 'balance' }),
  pinToSeeActivity: pinFor('see', { title: none, leads: 'activity' }),
  pinToChange: pinFor('change', { title: none, leads: 'changedPin', back: 'settings' }),
  forgotten: {
    kind: 'list',
    title: ({ say }) => say.pin.forgotten,
    entries: [{ digit: '1', label: 'newPin', leads: 'forgetPin' }],
    back: 'settings',
  },
} as const satisfies Partial<Menu>

/** What is shown before a payment is made. No digit here is the one that leads here. */
const confirmations = ({
  pin,
}: MenuSettings): Pick<Menu, 'confirmPhone' | 'confirmAddress' | 'repeat' | 'agree'> => ({
  confirmPhone: confirmedBy(
    pin,
    'send',
    knowing(['worth', 'registration'], {
      kind: 'list',
      title: (context, draft, { worth, registration }) => {
        const { say } = context
        const [amount, to] = shownTransfer(context, draft)
        return [
          say.sending(amount),
          ...(worth === 'none' ? [] : [say.about(worth.text)]),
          say.sendingTo(to),
          ...(registration === 'registered' ? [] : [say.unregistered[registration]]),
          say.noFee,
        ].join('\n')
      },
      entries: [{ digit: '1', label: 'confirmSend', leads: 'transfer', orAsks: 'repeat' }],
      back: 'amount',
      backLabel: 'change',
      again: sendingTitle,
    }),
  ),
  confirmAddress: {
    kind: 'list',
    title: (context, draft) => `${sendingTitle(context, draft)}\n${context.say.creditsAccount}`,
    entries:
      pin === 'off'
        ? [
            { digit: '1', label: 'credit', leads: 'transfer', orAsks: 'repeat' },
            { digit: '2', label: 'cashOutNow', leads: 'cashOut', orAsks: 'repeatCashOut' },
          ]
        : [
            { digit: '1', label: 'credit', leads: 'pinToSend' },
            { digit: '2', label: 'cashOutNow', leads: 'pinToCashOut' },
          ],
    back: 'amount',
  },
  repeat: knowing(['earlierMinutes'], {
    kind: 'list',
    title: repeatedTitle,
    entries: [{ digit: '2', label: 'sendAgain', leads: 'transferAgain' }],
    back: 'amount',
    backLabel: 'change',
  }),
  agree: confirmedBy(
    pin,
    'agree',
    knowing(['terms'], {
      kind: 'list',
      title: ({ say, amountOf }, _, { terms: { principalWei, feeWei, dueAt } }) =>
        say.loanTerms(amountOf(principalWei), amountOf(principalWei + feeWei), say.date(dueAt)),
      entries: [{ digit: '1', label: 'agree', leads: 'loan' }],
      back: 'main',
    }),
  ),
})

/** What leaves for a wallet outside is always shown first: nobody can bring it back. */
const cashOuts = ({
  pin,
}: MenuSettings): Pick<Menu, 'wallet' | 'walletAmount' | 'confirmCashOut' | 'repeatCashOut'> => ({
  wallet: {
    kind: 'question',
    prompt: ({ say }) => say.enterWallet,
    answer: (typed, context) => {
      const parsed = parseRecipient(typed, context)
      if (parsed.kind === 'fault') {
        return { kind: 'mistake', why: context.say.badRecipient[parsed.fault] }
      }
      return parsed.kind === 'unlisted' || parsed.recipient.kind === 'phone'
        ? { kind: 'mistake', why: context.say.noWallet }
        : { kind: 'given', draft: { recipient: parsed.recipient } }
    },
    leads: ['walletAmount'],
    back: 'main',
  },
  walletAmount: {
    kind: 'question',
    prompt: ({ say, recipientOf }, draft) =>
      say.enterAmount(recipientOf(answered(draft.recipient))),
    answer: atLeast,
    leads: ['confirmCashOut'],
    back: 'wallet',
  },
  confirmCashOut: confirmedBy(pin, 'cashOut', {
    kind: 'list',
    title: (context, draft) => context.say.confirmCashOut(...shownTransfer(context, draft)),
    entries: [{ digit: '1', label: 'cashOutNow', leads: 'cashOut', orAsks: 'repeatCashOut' }],
    back: 'walletAmount',
    backLabel: 'change',
  }),
  repeatCashOut: knowing(['earlierMinutes'], {
    kind: 'list',
    title: repeatedTitle,
    entries: [{ digit: '3', label: 'sendAgain', leads: 'cashOutAgain' }],
    // Two places lead here, each with a question of its own for the amount.
    back: 'main',
  }),
})

function repayments({ profile, pin }: MenuSettings): Pick<Menu, 'repay' | 'repayAmount'> {
  const repay: List<unknown> = {
    kind: 'list',
    title: ({ say }) => say.labels.repay,
    entries: [
      { digit: '1', label: 'all', leads: pin === 'off' ? 'repayAll' : 'pinToRepay' },
      { digit: '2', label: 'part', leads: 'repayAmount' },
    ],
    back: 'main',
  }
  return {
    repay: profile === 'demo' ? repay : knowing(['debt'], { ...repay, title: owedTitle }),
    repayAmount: {
      kind: 'question',
      prompt: ({ say }) => say.enterRepayment,
      answer: (typed, { say }) => amountIn(typed, say.badAmount),
      leads: [pin === 'off' ? 'repayPart' : 'pinToRepayPart'],
      back: 'repay',
    },
  }
}

function owedTitle(
  { say, amountOf }: MenuContext,
  _: SessionDraft,
  { debt }: Pick<Facts, 'debt'>,
): string {
  const owed = () => {
    if (debt === 'unread') return say.unread.debt
    return debt.owedWei === 0n ? say.noLoan : say.debt(amountOf(debt.owedWei), say.date(debt.dueAt))
  }
  return `${say.labels.repay}\n${owed()}`
}

const settingEntries = {
  language: { digit: '1', label: 'language', leads: 'language' },
  changePin: { digit: '2', label: 'changePin', leads: 'pinToChange' },
  forgotPin: { digit: '3', label: 'forgotPin', leads: 'forgotten' },
} as const satisfies Record<string, Entry>

/** What a caller may choose for all screens. A language has its digit wherever it is offered. */
function settingsOf({
  languages: offered,
  pin,
}: MenuSettings): Pick<Menu, 'settings' | 'language'> {
  return {
    settings: {
      kind: 'list',
      title: ({ say }) => say.labels.settings,
      entries: [
        ...(offered.length > 1 ? [settingEntries.language] : []),
        ...(pin === 'off' ? [] : [settingEntries.changePin, settingEntries.forgotPin]),
      ],
      back: 'main',
    },
    language: {
      kind: 'list',
      title: ({ say }) => say.labels.language,
      entries: languages
        .map((language, index) => ({ digit: `${index + 1}`, label: language, leads: language }))
        .filter(({ label }) => offered.includes(label)),
      back: 'settings',
    },
  }
}

export const isEffect = (destination: Destination): destination is EffectName =>
  destination in effects

/** What a place asks about that would be made once more. */
export const repeatedAt = ({ name, draft }: { name: NodeName; draft: SessionDraft }): Intent =>
  name === 'repeatCashOut' ? cashOutOf(draft) : transferOf(draft)

function transferOf({ recipient, amountWei }: SessionDraft): Extract<Intent, { kind: 'transfer' }> {
  return { kind: 'transfer', recipient: answered(recipient), amountWei: answered(amountWei) }
}

function cashOutOf({ recipient, amountWei }: SessionDraft): Extract<Intent, { kind: 'cashOut' }> {
  const to = answered(recipient)
  if (to.kind !== 'address') throw new Error('a phone number is no wallet')
  return { kind: 'cashOut', to: to.address, amountWei: answered(amountWei) }
}

function atLeast(typed: string, { say, least }: MenuContext): Given {
  const given = amountIn(typed, say.badAmount)
  const amount = given.kind === 'given' ? given.draft.amountWei : undefined
  const isLess = typeof amount === 'bigint' && amount < least.wei
  return isLess ? { kind: 'mistake', why: say.tooLittle(least.text) } : given
}

/** What is sent to whom. */
function sendingTitle(context: MenuContext, draft: SessionDraft): string {
  const { say } = context
  const [amount, to] = shownTransfer(context, draft)
  return `${say.sending(amount)}\n${say.sendingTo(to)}`
}

function repeatedTitle(
  context: MenuContext,
  draft: SessionDraft,
  { earlierMinutes }: Pick<Facts, 'earlierMinutes'>,
): string {
  return context.say.repeated(...shownTransfer(context, draft), Math.max(1, earlierMinutes))
}

function shownTransfer(
  { amountOf, recipientOf }: MenuContext,
  { recipient, amountWei }: SessionDraft,
): [amount: string | 'all', to: string] {
  const amount = answered(amountWei)
  return [amount === 'all' ? amount : amountOf(amount), recipientOf(answered(recipient))]
}

/** What is typed for all that there is, in any language: screens round down, so no number says it. */
const allWords: readonly string[] = ['all', 'zote', 'tout', 'todo']

function amountIn(typed: string, badAmount: Readonly<Record<AmountFault, string>>): Given {
  if (allWords.includes(typed.toLowerCase())) return { kind: 'given', draft: { amountWei: 'all' } }
  const parsed = parseAmount(typed)
  return parsed.kind === 'amount'
    ? { kind: 'given', draft: { amountWei: parsed.wei } }
    : { kind: 'mistake', why: badAmount[parsed.fault] }
}

/** What the way to a place has asked for, or what was read for it. */
function answered<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a place of the menu is reached without its answers')
  return value
}
