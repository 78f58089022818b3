import type { Hex } from 'viem'
import type { Language } from '../../account/language.ts'
import type { NameChoice } from '../../account/names.ts'
import type { PhoneNumber } from '../../account/phone.ts'
import type { PinVerdict } from '../../account/pin.ts'
import type { Wallet, WalletCodeResult } from '../../account/wallets.ts'
import type { Unit } from '../../loan/amounts.ts'
import { type PaymentKind, paymentKinds } from '../../loan/kinds.ts'
import type { LocalWorth, Rate } from '../../loan/local-worth.ts'
import type { Till } from '../../operator/kept/tills.ts'
import type { RecallTimes } from '../../relay/ledger/values.ts'
import type { Messages } from '../messages/en.ts'
import type { DraftRecall, KnownRecipient, Recipient, RecipientRules } from '../recipient.ts'
import type { ScreenFactName, ScreenFacts } from '../screen-facts.ts'
import type { AmountFormats } from '../screens/amount-formats.ts'

export type SessionDraft = {
  recipient?: Recipient
  /** `all` is the whole balance, or the whole debt in a repayment. */
  amountWei?: bigint | 'all'
  /** Holds the amount as it was typed in local money; undefined if it was not. */
  agreed?: LocalWorth | undefined
  pin?: string
  /** Tells that a new PIN has just been set, which the menu behind it says. */
  isPinSet?: boolean
  /** Is what a new caller chose before a PIN, which is asked for in it. */
  language?: Language
  /** Identifies the payer at the company that sent the bill, such as a customer number. */
  reference?: string | undefined
  wallet?: DraftWallet | undefined
  withdrawal?: DraftWithdrawal
  name?: NameChoice
  recall?: DraftRecall
}

/** Names the withdrawal of a code at the caller's till, as it was when the code was typed. */
export type DraftWithdrawal = { code: string; intentId: Hex; isPayable: boolean }

/** Describes a wallet that a code adds, maybe in the place of another, or whose change is wrong. */
type DraftWallet = Wallet & { code?: string; replaces?: boolean }

/** Describes how a session ends: with what, and with the answers that led there. */
type Outcome<Kind extends string> = Kind extends string ? { kind: Kind } & SessionDraft : never

/** Describes the payment that a caller asks for. A session makes one at most. */
export type Intent = Outcome<PaymentKind>

export type AccountAction = Outcome<
  /** Sets, replaces or forgets a PIN. */
  | 'choosePin'
  | 'changePin'
  | 'forgetPin'
  /** Changes the names that a caller cashes out to. */
  | 'addWallet'
  | 'cancelWallet'
  /** Says that an agent paid out the cash of a withdrawal. */
  | 'payOut'
  /** Chooses which name of the caller payers see. */
  | 'name'
  /** Has a payment held back that its sender calls a mistake, or ends that for its receiver. */
  | 'recall'
  | 'keep'
>

export type SessionOutcome =
  | Outcome<'balance' | 'help' | 'claim' | 'language'>
  | AccountAction
  | Intent

export type MenuSettings = {
  /** Selects the screens; those of `demo` follow the demonstration byte for byte. */
  profile: 'demo' | 'lender'
  /** Shows a transfer or a loan for confirmation before it is made. */
  confirms: boolean
  /** Asks for a PIN before a payment; `strict` also before balance or activity are shown. */
  pin: 'off' | 'on' | 'strict'
  /** Lists the offered languages, the default first; none in the demonstration. */
  languages: readonly Language[]
  helpNumber?: string | undefined
  /** Is where callers live: dates and times are told in it; UTC if undefined. */
  timeZone?: string | undefined
  /** Names the service on its first screen, and before its messages. */
  serviceName?: string | undefined
  /** Is what callers dial; a message to a phone that never did says so. */
  shortCode?: string | undefined
  /** Names the currency (ISO 4217) in which amounts are typed while its rate is fresh. */
  localCurrency?: string | undefined
  /** Tells that the pool counts a token, which arrives at an address that anybody may sweep. */
  isOverToken?: boolean
  /** Lets callers choose how much of what they may borrow they do. */
  choosesLoan?: boolean
  /** Limits what a payment at an agent may be of that is final after one block; 0n if none is. */
  finalUpToWei?: bigint
  /** Offers withdrawals of cash at agents, and payments to tills and bills. */
  agents?: boolean
  /** Shows payers the names of recipients, behind the PIN; holders agree in their settings. */
  recipientNames?: boolean
  recalls: RecallTimes
  /** Is how long a question holds whose answer pays, except in the demonstration. */
  sessionSeconds: number
  /** Is for how long a gateway may deliver a request again. */
  redeliverySeconds: number
}

export type MenuContext = RecipientRules &
  AmountFormats & {
    menu: Menu
    /** Tells that a redelivery may be in another language, which breaks pages elsewhere. */
    hasLanguages: boolean
    messages: Messages
    /** Returns the messages of another language. */
    speak: (language: Language) => Messages
    unit: Unit
    describeRecipient: (recipient: Recipient) => string
    minTransferWei: bigint
  }

export type MenuNode = MenuList | MenuQuestion

export type WriteText = (context: MenuContext, draft: SessionDraft, facts: ScreenFacts) => string

export type Label = (messages: Messages) => string

type NodeOptions = {
  /** Replaces the title or the prompt after a mistake. */
  retryText?: WriteText
  facts?: readonly ScreenFactName[]
  /** Names the payment that follows. Its refusal is shown here already, if it is known. */
  paymentKind?: PaymentKind
  /** Tells that answers give an amount, which is asked for again if it cannot be paid. */
  asksAmount?: true
  back?: NodeName
}

export type MenuList = NodeOptions & {
  kind: 'list'
  title: WriteText
  /** Replaces the title where the list needs fewer pages with it. */
  briefTitle?: WriteText
  entries: readonly Entry[]
  /** Shows the entries below the title's first line, if more lines follow than a page has. */
  entriesFirst?: true
  /** Shows the entries last, below the way back, if one page holds all. */
  entriesLast?: true
  backLabel?: Label
  dynamicEntries?: DynamicEntries
}

/** Adds entries below the fixed ones of a list; they depend on the account. */
export type DynamicEntries = {
  writeLines: (context: MenuContext, facts: ScreenFacts) => readonly string[]
  parseAnswer: (typed: string, context: MenuContext) => Walking<AnswerResult>
  target: NodeName
}

export type Entry = {
  digit: string
  label: Label
  draft?: SessionDraft
  target: Target
  /** Names the question that replaces the payment if the caller made an equal one before. */
  repeatQuestion?: NodeName | undefined
  note?: (context: MenuContext, facts: ScreenFacts) => string | undefined
  /** Tells whether a screen lists it; its digit is taken all the same. */
  isShown?: (facts: ScreenFacts) => boolean
}

/** Creates an entry whose label is a word of its part. */
export const createEntry = <Word extends string>(
  digit: string,
  words: (messages: Messages) => Record<NoInfer<Word>, string>,
  word: Word,
  target: Target,
): Entry => ({ digit, label: (messages) => words(messages)[word], target })

export type MenuQuestion = NodeOptions & {
  kind: 'question'
  prompt: WriteText
  parseAnswer: (
    typed: string,
    context: MenuContext,
    draft: SessionDraft,
  ) => AnswerResult | Walking<AnswerResult>
  /** Marks the answer as a PIN, which is never stored, logged or part of a step's key. */
  secret?: 'currentPin' | 'newPin'
  /** Returns what alone is stored of an answer, which it is again read from. */
  shorten?: (typed: string) => string | undefined
  repeatQuestion?: NodeName
  /** Lists where answers can lead: to the first target, unless `selectTarget` returns another. */
  targets: readonly [Target, ...Target[]]
  selectTarget?: (draft: SessionDraft) => Target
}

export type QuestionTargets = Pick<MenuQuestion, 'targets' | 'selectTarget'>

/** Lists what a walk asks on its way. All deliveries of a session get the same answer. */
export type Lookups = {
  /** Lists the recipients that digits select. */
  recipients: () => readonly KnownRecipient[]
  wallets: () => readonly Wallet[]
  /** Lists the payments that the session may call a mistake. */
  recallable: () => readonly DraftRecall[]
  /** Tells the session's rate; `none` if amounts are typed in the unit. */
  rate: () => Rate | 'none'
  hasAccount: (phone: PhoneNumber) => boolean
  walletCode: (code: string) => WalletCodeResult
  till: (till: string) => Till | null
  /** Finds the withdrawal of a code at the caller's till. */
  withdrawal: (code: string) => Omit<DraftWithdrawal, 'code'> | null
  /** Judges a PIN, the last of these answers. */
  pin: (answers: readonly string[], pin: string) => PinVerdict
  /** Tells whether a question was asked again after these answers; undefined if none has to be. */
  isAskedAgain: (answers: readonly string[]) => boolean | undefined
  /** Judges the amount of a payment, which these answers led to. */
  amount: (
    answers: readonly string[],
    kind: PaymentKind,
    draft: SessionDraft,
    messages: Messages,
  ) => AmountVerdict
  /** Sets the PIN that was chosen, and tells where the session goes on; undefined if it cannot. */
  behindPin: (
    chosen: SessionDraft,
  ) => { start: NodeName; draft?: SessionDraft | undefined } | undefined
}

/** Says whether an amount can be paid; `all` is meant where a debt is less by its rounding. */
export type AmountVerdict = { kind: 'possible' | 'all' } | Mistake

/** Yields what it asks, and gets the answers. */
export type Walking<Result> = Generator<
  { [Name in keyof Lookups]: { name: Name; args: Parameters<Lookups[Name]> } }[keyof Lookups],
  Result,
  unknown
>

export function* need<Name extends keyof Lookups>(
  name: Name,
  ...args: Parameters<Lookups[Name]>
): Walking<ReturnType<Lookups[Name]>> {
  return (yield { name, args } as never) as ReturnType<Lookups[Name]>
}

/** Tells the caller what is wrong with an answer. */
export type Mistake = { kind: 'mistake'; text: string }

/** Adds values to the draft, or says why an answer adds none. */
export type AnswerResult = { kind: 'accepted'; draft: SessionDraft } | Mistake

export const acceptAnswer = (draft: SessionDraft): AnswerResult => ({ kind: 'accepted', draft })
/** Accepts an amount, which takes the place of one that was typed before in local money. */
export const acceptAmount = (amountWei: bigint | 'all', agreed?: LocalWorth): AnswerResult =>
  acceptAnswer({ amountWei, agreed })
/** Is the amount of all that there is, or is owed. */
export const wholeAmount: SessionDraft = { amountWei: 'all', agreed: undefined }
export const rejectAnswer = (text: string): AnswerResult => ({ kind: 'mistake', text })

export type NodeName = string

/** Ends the session, with an outcome of this kind. */
export type Effect = { name: SessionOutcome['kind'] }

export type Target = NodeName | Effect

export type Menu = ReadonlyMap<NodeName, MenuNode>

/** Adds nodes with their words, and the entry of the main menu that leads to them if it has one. */
export type MenuPart = {
  digit?: string
  /** Returns where the entry leads; undefined if the settings leave the entry out. */
  findTarget?: (settings: MenuSettings) => Target | undefined
  /** Writes a note in parentheses after the label. The demonstration shows none. */
  note?: NonNullable<Entry['note']>
  facts?: readonly ScreenFactName[]
  dynamicEntries?: (settings: MenuSettings) => DynamicEntries | undefined
  createNodes: (settings: MenuSettings) => Readonly<Record<NodeName, MenuNode>>
  words: (messages: Messages) => { label: string }
}

/** Lists the texts of one kind of payment, from formatted amounts, recipients and hashes. */
export type PaymentWords = {
  label: string
  /** Writes the screen of a submitted payment; `code` is shown to the agent as well. */
  submitted: (amount: string, to: string, tx: string, code: string) => string
  activityLine: (amount: string, to: string) => string
  /**
   * Writes the message that an account was credited; without it the activity line is sent. `code`
   * is what a phone dials that never did.
   */
  creditedMessage?: (amount: string, to: string, code?: string) => string
}

export type PaymentPart = Omit<MenuPart, 'words'> & {
  words: (messages: Messages) => PaymentWords
}

export function getNode(menu: Menu, name: NodeName): MenuNode {
  const node = menu.get(name)
  if (node === undefined) throw new Error(`the menu has no node ${name}`)
  return node
}

/** Tells whether an answer at a node may make a payment. */
export function leadsToPayment(menu: Menu, name: NodeName): boolean {
  const node = getNode(menu, name)
  const targets = node.kind === 'list' ? node.entries.map(({ target }) => target) : node.targets
  return targets.some((target) => isEffect(target) && isIntent({ kind: target.name }))
}

export const isIntent = (outcome: { kind: string }): outcome is Intent =>
  Object.hasOwn(paymentKinds, outcome.kind)

export const isEffect = (target: Target): target is Effect => typeof target === 'object'

/** Returns a value that an earlier question asked for. @throws {Error} no question did */
export function requireAnswer<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a node of the menu is reached without its answers')
  return value
}
