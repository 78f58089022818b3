import type { Address } from 'viem'
import type { ZodMiniType } from 'zod/mini'
import type { Language } from '../../account/language.ts'
import type { PhoneNumber } from '../../account/phone.ts'
import type { LoanCall, LoanTerms } from '../../loan/calls.ts'
import type { PaymentKind } from '../../loan/kinds.ts'
import type { LoanReader } from '../../loan/reader.ts'
import type { ContractCall } from '../../relay/pay/delivery.ts'
import type { FactName, Facts } from '../facts.ts'
import type { Messages } from '../messages/texts.ts'
import type { KnownRecipient, Recipient, RecipientRules } from '../recipient.ts'

/** What was answered so far in this session. */
export type SessionDraft = {
  recipient?: Recipient
  /** `all`: all that there is, or is owed. */
  amountWei?: bigint | 'all'
  /** One that is about to be set. */
  pin?: string
}

/** A payment that a caller wants: a session has at most one. It has what its kind asks for, and nothing else. */
export type Intent = { kind: PaymentKind } & Pick<SessionDraft, 'recipient' | 'amountWei'>

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
  /** What callers may choose from; the first is where none is chosen. The demonstration has none. */
  languages: readonly Language[]
  /** What entries have variables of their own for, by these: {@link MenuPart.variable}. */
  own: Readonly<Record<string, string>>
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

/** A place in the menu: a list to choose from, or a question to answer in one's own words. */
export type MenuNode = List | MenuQuestion

/** What is shown of a place, by what is read for it. */
export type Words<Known = Facts> = (
  context: MenuContext,
  draft: SessionDraft,
  facts: Known,
) => string

/** A few words that are the same at each place. */
export type Label = (say: Messages) => string

export type List<Known = Facts> = {
  kind: 'list'
  title: Words<Known>
  /** What stands instead of the title below why a PIN is asked for again, where a PIN confirms it. */
  again?: Words<Known>
  entries: readonly Entry<Known>[]
  /** Where a bare `0` leads. */
  back?: NodeName
  /** What the line of `0` says, where it is not the usual word. */
  backLabel?: Label
  /** What is read to show it: {@link knowing}. */
  facts?: readonly FactName[]
}

/** One line of a list. Digit and label stand here together, and nowhere else. */
export type Entry<Known = Facts> = {
  digit: string
  label: Label
  /** What choosing it answers besides. */
  answers?: SessionDraft
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

/** A place is named in the file of its entry; {@link nodeAt} finds it. */
export type NodeName = string

/** What ends a session, made of what was answered before. */
export type Effect = { name: string; outcome: (draft: SessionDraft) => SessionOutcome }

export type Destination = NodeName | Effect

export type Menu = ReadonlyMap<NodeName, MenuNode>

/** One thing that a service offers: its line in the main menu, the places that it leads to, and what they say. */
export type MenuPart = {
  /** Its digit in the main menu, which never depends on anything. */
  digit: string
  /** Undefined: the settings leave it out. */
  leads: (settings: MenuSettings) => Destination | undefined
  /** Stands behind its label in a lender's menu, by what is read for it. */
  note?: NonNullable<Entry['note']>
  facts?: readonly FactName[]
  places: (settings: MenuSettings) => Readonly<Record<NodeName, MenuNode>>
  words: (say: Messages) => { label: string }
  /** What an operator has to say for it, with an example. */
  variable?: { name: string; schema: ZodMiniType<string>; example: string }
}

/** What is said of every kind of payment. Amounts come formatted, with their currency; so do recipients and hashes. */
export type PaymentWords = {
  label: string
  /** Asks for the PIN that confirms it. */
  enterPin: string
  submitted: (amount: string, to: string, tx: string) => string
  /** What was submitted has failed. */
  failed: string
  /** Money that moved, or was to. */
  line: (amount: string, to: string) => string
  /** It came into an account, in a message to a phone; without it a message has the line. */
  credited?: (amount: string, to: string) => string
}

/** A kind of payment, with all that depends on it from the menu to the messages. */
export type PaymentPart = Omit<MenuPart, 'words'> & {
  words: (say: Messages) => PaymentWords
  /** The call of the loan contract that it is. */
  order: (parts: OrderParts, intent: Intent, account: Address) => Promise<Ordered>
}

/** What an order is made by. */
export type OrderParts = {
  loan: Pick<LoanReader, 'balance' | 'lendable' | 'withdrawable'>
  /** What a transfer has to be at least. */
  leastTransferWei: bigint
  /** What a loan is: as it was shown to the caller, or as it is. */
  terms: () => Promise<LoanTerms>
  addressOf: (recipient: Recipient) => Promise<Address>
  /** What screens and messages show of a recipient once a payment goes there. */
  shortOf: (recipient: Recipient) => string
}

/** What a payment calls, what that takes, and what its screen and its messages say of it. */
export type Ordered = Pick<ContractCall, 'spendsWei' | 'shared'> & {
  call: LoanCall
  amountWei: bigint | 'all'
  /** Empty: it goes to nobody else. */
  to: string
}

/** A place that goes by what is read for it: it has what it names, and nothing else. */
export function knowing<Name extends FactName>(
  facts: readonly Name[],
  place: List<Pick<Facts, Name>>,
): List
export function knowing<Name extends FactName>(
  facts: readonly Name[],
  place: MenuQuestion<Pick<Facts, Name>>,
): MenuQuestion
export function knowing(facts: readonly FactName[], place: MenuNode): MenuNode {
  return { ...place, facts }
}

/** @throws {Error} the menu has no such place */
export function nodeAt(menu: Menu, name: NodeName): MenuNode {
  const node = menu.get(name)
  if (node === undefined) throw new Error(`the menu has no place ${name}`)
  return node
}

export const isEffect = (destination: Destination): destination is Effect =>
  typeof destination === 'object'

/** Ends a session with a payment of a kind, by what was answered for it. */
export function pays(kind: PaymentKind, ...answers: ('recipient' | 'amountWei')[]): Effect {
  return {
    name: kind,
    outcome: (draft) => ({
      kind,
      ...Object.fromEntries(answers.map((name) => [name, answered(draft[name])])),
    }),
  }
}

/**
 * What the way to a place has asked for, or what was read for it.
 *
 * @throws {Error} it is not there
 */
export function answered<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a place of the menu is reached without its answers')
  return value
}
