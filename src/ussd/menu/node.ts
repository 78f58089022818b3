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
  /** Is `all` that there is, or is owed. */
  amountWei?: bigint | 'all'
  pin?: string
  /** Says what a bill is paid for. */
  reference?: string | undefined
}

/** Is a payment that a caller wants, with what its kind asks for; a session has at most one. */
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
  /** Keeps to the letter of the demonstration as `demo`. */
  profile: 'demo' | 'lender'
  /** Says whether a transfer and a loan are shown, and agreed to, before they are made. */
  confirms: boolean
  /** Asks for a PIN before money moves; `strict` also before anything of the account is shown. */
  pin: 'off' | 'on' | 'strict'
  /** Lists what callers may choose from, the usual one first. The demonstration has none. */
  languages: readonly Language[]
  helpNumber?: string | undefined
  /** Names the currency in which amounts are typed while a fresh rate tells what they come to. */
  localCurrency?: string | undefined
  /** Serves agents, who hand out cash, and bills that are paid by number. */
  agents?: boolean
}

export type MenuContext = RecipientRules & {
  menu: Menu
  /** Warns that another delivery of the text may be shown in another language, on other pages. */
  hasLanguages: boolean
  /** Lists whom digits stand for in this session; undefined before it was read. */
  known: readonly KnownRecipient[] | undefined
  wallets: readonly Wallet[] | undefined
  /** Says what became of codes of wallets that were typed. */
  codes?: ReadonlyMap<string, TakenCode>
  /** Is the session's rate; `none`: amounts are the chain's own. Undefined before it was read. */
  rate: Rate | 'none' | undefined
  /** Says whose numbers of tills are that were typed; null: nobody's. */
  tills?: ReadonlyMap<string, Till | null>
  say: Messages
  currency: string
  showAmount: (wei: bigint) => string
  describeRecipient: (recipient: Recipient) => string
  /** Is what a transfer has to be at least, also as screens show it. */
  least: { wei: bigint; text: string }
}

export type MenuNode = List | MenuQuestion

export type Words = (context: MenuContext, draft: SessionDraft, facts: Facts) => string

export type Label = (say: Messages) => string

export type List = {
  kind: 'list'
  title: Words
  /** Stands instead of the title below why it is shown again. */
  again?: Words
  entries: readonly Entry[]
  back?: NodeName
  backLabel?: Label
  offers?: Offers
  /** Names what is read to show it: it has no other facts. */
  facts?: readonly FactName[]
  /** Names the payment that it leads to: what is known to refuse that is told here. */
  leadsToPay?: PaymentKind
}

/** Adds lines below a list's entries that follow from what was read, with their digits. */
export type Offers = {
  lines: (context: MenuContext, facts: Facts) => readonly string[]
  /** Is undefined for what none of them means. */
  answer: (typed: string, context: MenuContext) => Given | undefined
  leads: NodeName
}

/** Is one line of a list. Digit and label stand here together, and nowhere else. */
export type Entry = {
  digit: string
  label: Label
  answers?: SessionDraft
  leads: Destination
  /** Is asked instead where the ledger knows something that the caller should. */
  orAsks?: NodeName
  note?: (context: MenuContext, facts: Facts) => string | undefined
}

export type MenuQuestion = {
  kind: 'question'
  prompt: Words
  /** Stands below why it is asked again, where that is another prompt. */
  again?: Words
  answer: (typed: string, context: MenuContext, draft: SessionDraft) => Given
  /** Marks a PIN: no digest is made of it, and no row or log has it. */
  secret?: 'own' | 'new'
  orAsks?: NodeName
  facts?: readonly FactName[]
  leadsToPay?: PaymentKind
  /** Lists all that an answer may lead to; the first one where `next` does not choose. */
  leads: readonly [Destination, ...Destination[]]
  next?: (draft: SessionDraft) => Destination
  back?: NodeName
}

/** Asks to read first what a list, a code or an amount says, or whether a number has an account. */
export type UnreadAnswer = { kind: 'unread' } & (
  | { of: 'recipients' | 'wallets' | 'rate' }
  | { of: 'phone'; phone: PhoneNumber }
  | { of: 'code'; code: string }
  | { of: 'till'; till: string }
)

/** Adds to the draft, or says why it is refused. */
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

/** Is one thing that a service offers: its line in the main menu, its places and its words. */
export type MenuPart = {
  digit: string
  /** Is undefined where the settings leave it out. */
  leads: (settings: MenuSettings) => Destination | undefined
  /** Stands behind its label in a lender's menu. */
  note?: NonNullable<Entry['note']>
  facts?: readonly FactName[]
  /** Stands below the main menu's entries. */
  offers?: (settings: MenuSettings) => Offers | undefined
  places: (settings: MenuSettings) => Readonly<Record<NodeName, MenuNode>>
  words: (say: Messages) => { label: string }
}

/** Words every kind of payment. Amounts, recipients and hashes come formatted. */
export type PaymentWords = {
  label: string
  enterPin: string
  /** Shows a code, which who gets the money sees too, where cash or goods are handed out for it. */
  submitted: (amount: string, to: string, tx: string, code: string) => string
  failed: string
  line: (amount: string, to: string) => string
  /** Says in a message that it came into an account; without it a message has the line. */
  credited?: (amount: string, to: string) => string
}

export type PaymentPart = Omit<MenuPart, 'words'> & {
  words: (say: Messages) => PaymentWords
  order: (parts: OrderParts, intent: Intent, account: Address) => Promise<Ordered>
}

export type OrderParts = {
  loan: Pick<LoanReader, 'balance' | 'lendable' | 'withdrawable'>
  leastTransferWei: bigint
  /** Gives a loan's terms: as they were shown to the caller, or as they are. */
  terms: () => Promise<LoanTerms>
  findAddress: (recipient: Recipient) => Promise<Address>
  describeAddress: (recipient: Recipient) => string
}

/** What a payment calls, what that takes, and what its screen and its messages say of it. */
export type Ordered = Pick<ContractCall, 'spendsWei' | 'shared' | 'till'> & {
  call: LoanCall
  amountWei: bigint | 'all'
  /** Empty: it goes to nobody else. */
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

/** Gives what the way to a place has asked for. @throws {Error} it is not there */
export function answered<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a place of the menu is reached without its answers')
  return value
}
