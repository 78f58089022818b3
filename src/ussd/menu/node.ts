import type { Address } from 'viem'
import type { Language } from '../../account/language.ts'
import type { PhoneNumber } from '../../account/phone.ts'
import type { Wallet, WalletCodeResult } from '../../account/wallets.ts'
import type { LoanCall, LoanTerms } from '../../loan/calls.ts'
import type { PaymentKind } from '../../loan/kinds.ts'
import type { Rate } from '../../loan/local-worth.ts'
import type { LoanReader } from '../../loan/reader.ts'
import type { Till } from '../../relay/ledger/port.ts'
import type { ContractCall } from '../../relay/pay/delivery.ts'
import type { Messages } from '../messages/en.ts'
import type { KnownRecipient, Recipient, RecipientRules } from '../recipient.ts'
import type { ScreenFactName, ScreenFacts } from '../screen-facts.ts'

export type SessionDraft = {
  recipient?: Recipient
  /** `all` is the whole balance, or the whole debt in a repayment. */
  amountWei?: bigint | 'all'
  pin?: string
  /** Identifies the payer's account at the company that a bill is from. */
  reference?: string | undefined
}

/** Describes the payment that a caller asks for; a session makes one at most. */
export type Intent = { kind: PaymentKind } & Pick<
  SessionDraft,
  'recipient' | 'amountWei' | 'reference'
>

export type SessionOutcome =
  | { kind: 'balance' | 'help' | 'claim' }
  | { kind: 'language'; language: Language }
  | PinAction
  | Intent

export type PinAction = { kind: 'choosePin' | 'changePin'; pin: string } | { kind: 'forgetPin' }

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
  /** Names the currency (ISO 4217) in which amounts are typed while its rate is fresh. */
  localCurrency?: string | undefined
  /** Offers withdrawals of cash at agents, and payments to tills and bills. */
  agents?: boolean
}

export type MenuContext = RecipientRules & {
  menu: Menu
  /** Tells that a redelivery may be in another language, whose pages break elsewhere. */
  hasLanguages: boolean
  /** Lists the recipients that digits select; undefined until they are looked up. */
  knownRecipients: readonly KnownRecipient[] | undefined
  wallets: readonly Wallet[] | undefined
  walletCodes?: ReadonlyMap<string, WalletCodeResult>
  /** The session's rate; `none` if amounts are typed in the chain's currency. */
  rate: Rate | 'none' | undefined
  /** Maps typed numbers to tills; null for a number that no till has. */
  tills?: ReadonlyMap<string, Till | null>
  messages: Messages
  currency: string
  showAmount: (wei: bigint) => string
  describeRecipient: (recipient: Recipient) => string
  leastTransfer: { wei: bigint; text: string }
}

export type MenuNode = List | MenuQuestion

export type WriteText = (context: MenuContext, draft: SessionDraft, facts: ScreenFacts) => string

export type Label = (messages: Messages) => string

export type List = {
  kind: 'list'
  title: WriteText
  /** Replaces the title after a mistake. */
  retryText?: WriteText
  entries: readonly Entry[]
  back?: NodeName
  backLabel?: Label
  dynamicEntries?: DynamicEntries
  facts?: readonly ScreenFactName[]
  /** Names the payment that follows, so that a known refusal is shown here. */
  leadsToPay?: PaymentKind
}

/** Adds entries that depend on the account below the fixed entries of a list. */
export type DynamicEntries = {
  lines: (context: MenuContext, facts: ScreenFacts) => readonly string[]
  /** Returns undefined if the answer selects none of these entries. */
  answer: (typed: string, context: MenuContext) => AnswerResult | undefined
  leadsTo: NodeName
}

export type Entry = {
  digit: string
  label: Label
  draft?: SessionDraft
  leadsTo: Destination
  /** Names the question that replaces the payment if the caller made an equal one before. */
  repeatQuestion?: NodeName
  note?: (context: MenuContext, facts: ScreenFacts) => string | undefined
}

export type MenuQuestion = {
  kind: 'question'
  prompt: WriteText
  /** Replaces the prompt after a mistake. */
  retryText?: WriteText
  answer: (typed: string, context: MenuContext, draft: SessionDraft) => AnswerResult
  /** Marks the answer as a PIN, which is never stored, logged or part of a step's key. */
  secret?: 'own' | 'new'
  repeatQuestion?: NodeName
  facts?: readonly ScreenFactName[]
  leadsToPay?: PaymentKind
  /** Lists the possible destinations; an answer leads to the first unless `next` selects one. */
  leadsTo: readonly [Destination, ...Destination[]]
  next?: (draft: SessionDraft) => Destination
  back?: NodeName
}

/** Asks the caller of `followAnswers` to look up what an answer means, and to follow it again. */
export type LookupRequest = { kind: 'lookup' } & (
  | { subject: 'recipients' | 'wallets' | 'rate' }
  | { subject: 'phone'; phone: PhoneNumber }
  | { subject: 'code'; code: string }
  | { subject: 'till'; till: string }
)

/** Tells the caller which mistake an answer made. */
export type Mistake = { kind: 'mistake'; text: string }

/** Adds values to the draft, or says why an answer adds none. */
export type AnswerResult = { kind: 'accepted'; draft: SessionDraft } | Mistake | LookupRequest

export const acceptAnswer = (draft: SessionDraft): AnswerResult => ({ kind: 'accepted', draft })
export const rejectAnswer = (text: string): AnswerResult => ({ kind: 'mistake', text })

export type NodeName = string

export type Effect = { name: string; outcome: (draft: SessionDraft) => SessionOutcome }

export type Destination = NodeName | Effect

export type Menu = ReadonlyMap<NodeName, MenuNode>

/** Adds a line to the main menu, with the places behind that line and their words. */
export type MenuPart = {
  digit: string
  /** Returns undefined if the settings leave the line out. */
  leadsTo: (settings: MenuSettings) => Destination | undefined
  /** Writes a note behind the label; the demonstration shows none. */
  note?: NonNullable<Entry['note']>
  facts?: readonly ScreenFactName[]
  dynamicEntries?: (settings: MenuSettings) => DynamicEntries | undefined
  places: (settings: MenuSettings) => Readonly<Record<NodeName, MenuNode>>
  words: (messages: Messages) => { label: string }
}

/** Words one kind of payment; its functions take formatted amounts, recipients and hashes. */
export type PaymentWords = {
  label: string
  enterPin: string
  /** Words the screen of a submitted payment; `code` is shown to the agent as well. */
  submitted: (amount: string, to: string, tx: string, code: string) => string
  failed: string
  line: (amount: string, to: string) => string
  /** Words the message to the recipient; without it the message has the activity line. */
  credited?: (amount: string, to: string) => string
}

export type PaymentPart = Omit<MenuPart, 'words'> & {
  words: (messages: Messages) => PaymentWords
  createOrder: (options: OrderOptions, intent: Intent, account: Address) => Promise<PaymentOrder>
}

export type OrderOptions = {
  loan: Pick<LoanReader, 'readBalance' | 'lendable' | 'withdrawable'>
  leastTransferWei: bigint
  /** Returns the terms that the caller was shown, else the contract's current terms. */
  readTerms: () => Promise<LoanTerms>
  findAddress: (recipient: Recipient) => Promise<Address>
  describeAddress: (recipient: Recipient) => string
}

/** Describes a payment for the contract, and for the caller's screen and messages. */
export type PaymentOrder = Pick<ContractCall, 'spendsWei' | 'shared' | 'till'> & {
  call: LoanCall
  amountWei: bigint | 'all'
  /** Names the recipient; empty for a loan or a repayment. */
  to: string
}

export function getNode(menu: Menu, name: NodeName): MenuNode {
  const node = menu.get(name)
  if (node === undefined) throw new Error(`the menu has no place ${name}`)
  return node
}

export const isEffect = (destination: Destination): destination is Effect =>
  typeof destination === 'object'

/** Creates the effect of a payment that uses these values of the draft. */
export function createPaymentEffect(
  kind: PaymentKind,
  ...names: ('recipient' | 'amountWei' | 'reference')[]
): Effect {
  return {
    name: kind,
    outcome: (draft) => ({
      kind,
      ...Object.fromEntries(names.map((name) => [name, requireAnswer(draft[name])])),
    }),
  }
}

/** Returns a value that an earlier question asked for. @throws {Error} no question did */
export function requireAnswer<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a place of the menu is reached without its answers')
  return value
}
