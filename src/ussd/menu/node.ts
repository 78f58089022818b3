import type { Address } from 'viem'
import type { Language } from '../../account/language.ts'
import type { PhoneNumber } from '../../account/phone.ts'
import type { TakenCode, Wallet } from '../../account/wallets.ts'
import type { LoanCall, LoanTerms } from '../../loan/calls.ts'
import type { PaymentKind } from '../../loan/kinds.ts'
import type { Rate } from '../../loan/local-worth.ts'
import type { LoanReader } from '../../loan/reader.ts'
import type { Till } from '../../relay/ledger/port.ts'
import type { ContractCall } from '../../relay/pay/delivery.ts'
import type { FactName, Facts } from '../facts.ts'
import type { Messages } from '../messages/en.ts'
import type { KnownRecipient, Recipient, RecipientRules } from '../recipient.ts'

export type SessionDraft = {
  recipient?: Recipient
  /** Holds the amount; `all` is the whole balance or debt. */
  amountWei?: bigint | 'all'
  pin?: string
  /** Holds the reference of a bill. */
  reference?: string | undefined
}

/** Holds the payment that a caller wants; a session has at most one. */
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
  /** Chooses the screens; `demo` follows the demonstration byte for byte. */
  profile: 'demo' | 'lender'
  /** Tells whether transfers and loans are confirmed first. */
  confirms: boolean
  /** Asks for a PIN before money moves; `strict` also before anything of the account is shown. */
  pin: 'off' | 'on' | 'strict'
  /** Lists the languages to choose from, the default first; none in the demonstration. */
  languages: readonly Language[]
  helpNumber?: string | undefined
  /** Names the local currency of typed amounts; used while the rate is fresh. */
  localCurrency?: string | undefined
  /** Turns on agents who hand out cash, and bills paid by number. */
  agents?: boolean
}

export type MenuContext = RecipientRules & {
  menu: Menu
  /** Tells that a redelivery may be in another language, with other page breaks. */
  hasLanguages: boolean
  /** Lists the recipients that digits stand for; undefined before they are read. */
  known: readonly KnownRecipient[] | undefined
  wallets: readonly Wallet[] | undefined
  /** Maps typed wallet codes to their results. */
  codes?: ReadonlyMap<string, TakenCode>
  /** Holds the session's rate; `none`: amounts are in the chain's currency. */
  rate: Rate | 'none' | undefined
  /** Maps typed till numbers to their tills; null for an unknown number. */
  tills?: ReadonlyMap<string, Till | null>
  say: Messages
  currency: string
  showAmount: (wei: bigint) => string
  describeRecipient: (recipient: Recipient) => string
  /** Holds the smallest transfer, and its text for screens. */
  least: { wei: bigint; text: string }
}

export type MenuNode = List | MenuQuestion

export type Words = (context: MenuContext, draft: SessionDraft, facts: Facts) => string

export type Label = (say: Messages) => string

export type List = {
  kind: 'list'
  title: Words
  /** Replaces the title when the list is shown again after a mistake. */
  again?: Words
  entries: readonly Entry[]
  back?: NodeName
  backLabel?: Label
  offers?: Offers
  /** Names the facts that it shows. */
  facts?: readonly FactName[]
  /** Names the payment that it leads to, so that a known refusal is shown here. */
  leadsToPay?: PaymentKind
}

/** Adds entries that depend on facts, below a list's fixed ones. */
export type Offers = {
  lines: (context: MenuContext, facts: Facts) => readonly string[]
  /** Returns what an answer means; undefined if none of the entries has it. */
  answer: (typed: string, context: MenuContext) => Given | undefined
  leads: NodeName
}

/** Describes one line of a list: its digit and its label. */
export type Entry = {
  digit: string
  label: Label
  answers?: SessionDraft
  leads: Destination
  /** Names the question that is asked instead if the ledger knows of an equal payment. */
  orAsks?: NodeName
  note?: (context: MenuContext, facts: Facts) => string | undefined
}

export type MenuQuestion = {
  kind: 'question'
  prompt: Words
  /** Replaces the prompt when it is asked again after a mistake. */
  again?: Words
  answer: (typed: string, context: MenuContext, draft: SessionDraft) => Given
  /** Marks a PIN: no digest is made of it, and no row or log has it. */
  secret?: 'own' | 'new'
  orAsks?: NodeName
  facts?: readonly FactName[]
  leadsToPay?: PaymentKind
  /** Lists all destinations of an answer; the first one unless `next` chooses. */
  leads: readonly [Destination, ...Destination[]]
  next?: (draft: SessionDraft) => Destination
  back?: NodeName
}

/** Asks the caller of `follow` to read something first: a list, a code, a rate or an account. */
export type UnreadAnswer = { kind: 'unread' } & (
  | { of: 'recipients' | 'wallets' | 'rate' }
  | { of: 'phone'; phone: PhoneNumber }
  | { of: 'code'; code: string }
  | { of: 'till'; till: string }
)

/** Holds what an answer adds to the draft, or why it is refused. */
export type Given =
  | { kind: 'given'; draft: SessionDraft }
  | { kind: 'mistake'; why: string }
  | UnreadAnswer

export const given = (draft: SessionDraft): Given => ({ kind: 'given', draft })
export const mistake = (why: string): Given => ({ kind: 'mistake', why })

export type NodeName = string

export type Effect = { name: string; outcome: (draft: SessionDraft) => SessionOutcome }

export type Destination = NodeName | Effect

export type Menu = ReadonlyMap<NodeName, MenuNode>

/** Describes one part of the menu: its line in the main menu, its places and its words. */
export type MenuPart = {
  digit: string
  /** Returns where the line leads; undefined if the settings leave it out. */
  leads: (settings: MenuSettings) => Destination | undefined
  /** Adds a note behind the label in a lender's menu. */
  note?: NonNullable<Entry['note']>
  facts?: readonly FactName[]
  /** Adds lines below the main menu's entries. */
  offers?: (settings: MenuSettings) => Offers | undefined
  places: (settings: MenuSettings) => Readonly<Record<NodeName, MenuNode>>
  words: (say: Messages) => { label: string }
}

/** Words one kind of payment; amounts, recipients and hashes come formatted. */
export type PaymentWords = {
  label: string
  enterPin: string
  /** Words the submitted screen; `code` is the one that the agent sees too. */
  submitted: (amount: string, to: string, tx: string, code: string) => string
  failed: string
  line: (amount: string, to: string) => string
  /** Words the recipient's message; without it the activity line is used. */
  credited?: (amount: string, to: string) => string
}

export type PaymentPart = Omit<MenuPart, 'words'> & {
  words: (say: Messages) => PaymentWords
  order: (parts: OrderParts, intent: Intent, account: Address) => Promise<Ordered>
}

export type OrderParts = {
  loan: Pick<LoanReader, 'balance' | 'lendable' | 'withdrawable'>
  leastTransferWei: bigint
  /** Returns a loan's terms: as shown to the caller, or the current ones. */
  terms: () => Promise<LoanTerms>
  findAddress: (recipient: Recipient) => Promise<Address>
  describeAddress: (recipient: Recipient) => string
}

/** Holds a payment's call and cost, and what its screen and messages say. */
export type Ordered = Pick<ContractCall, 'spendsWei' | 'shared' | 'till'> & {
  call: LoanCall
  amountWei: bigint | 'all'
  /** Names the recipient; empty if there is none. */
  to: string
}

export function nodeAt(menu: Menu, name: NodeName): MenuNode {
  const node = menu.get(name)
  if (node === undefined) throw new Error(`the menu has no place ${name}`)
  return node
}

export const isEffect = (destination: Destination): destination is Effect =>
  typeof destination === 'object'

export function pays(
  kind: PaymentKind,
  ...answers: ('recipient' | 'amountWei' | 'reference')[]
): Effect {
  return {
    name: kind,
    outcome: (draft) => ({
      kind,
      ...Object.fromEntries(answers.map((name) => [name, answered(draft[name])])),
    }),
  }
}

/** Returns a value that the way to this place must have asked for. @throws {Error} it is missing */
export function answered<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a place of the menu is reached without its answers')
  return value
}
