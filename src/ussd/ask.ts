import { type Address, checksumAddress } from 'viem'
import { type AccountMemory, recipientsIn, wasTold, withTold } from '../account/memory.ts'
import type { Seal } from '../account/seal.ts'
import type { PaymentKind } from '../loan/kinds.ts'
import type { Rate } from '../loan/local-worth.ts'
import type { Ledger, Question, Taking } from '../relay/ledger/port.ts'
import type { AccountLimits } from '../relay/pay/admission.ts'
import { describeFault } from '../runtime/log.ts'
import { type Asked, joinAnswers } from './asked.ts'
import type { MayDial } from './dial-rate.ts'
import type { FactName, Facts } from './facts.ts'
import { knownRefusal, type PlaceScreen } from './known-refusal.ts'
import { hasFailed, listActivity, listReceived, shownPayments } from './menu/activity.ts'
import { type Intent, isEffect, type MenuContext, nodeAt } from './menu/node.ts'
import { type Place, writePrompt } from './menu/walk.ts'
import { codeOf, equalMinutes, type PayingOptions } from './paying.ts'
import type { KnownRecipient } from './recipient.ts'
import { loanRefusalText } from './refused.ts'
import { end, goOn } from './screens/screen.ts'
import {
  keepShown,
  listsStep,
  rateIn,
  type ShownFact,
  shownAt,
  shownRecipients,
  shownTerms,
  shownWallets,
} from './shown.ts'

export type AskOptions = PayingOptions & {
  ledger: Pick<Ledger, 'listPayments' | 'lookup' | 'knownRefusal' | 'listTakings'>
  limits: AccountLimits
  mayDial: MayDial
  rate: () => Promise<Rate | undefined>
  now: () => number
}

type Asking = AskOptions & Asked & { context: MenuContext }

/** Shows a menu place with its facts; terms to agree to are shown in full or not at all. */
export async function askAt(
  of: Asking,
  place: Place,
  answers: readonly string[],
): Promise<PlaceScreen> {
  const { context, say } = of
  const { facts: wanted = [], leadsToPay } = nodeAt(context.menu, place.name)
  const ask = (facts?: Partial<Facts>) => ({ screen: goOn(writePrompt(place, context, facts)) })
  if (wanted.length === 0 && leadsToPay === undefined) return ask()
  const question = await of.question(joinAnswers(answers))
  if (!of.mayDial(question)) return { screen: end(say.tooManyDials) }
  const refused = leadsToPay && (await refusalAt(of, leadsToPay, place, question))
  if (refused !== undefined) return refused
  if (wanted.includes('terms')) return askForLoan(of, place, question)
  const found = await Promise.all(
    wanted.map(async (fact) => [fact, await read(of, fact, question, place)]),
  )
  return ask(Object.fromEntries(found))
}

/** Says why a payment would be refused; what cannot be read now is judged with the payment. */
async function refusalAt(of: Asking, kind: PaymentKind, { draft }: Place, question: Question) {
  try {
    return await knownRefusal(of, { kind, question, draft })
  } catch (error) {
    of.log({ level: 'warn', event: 'refusal.unread', message: describeFault(error) })
    return undefined
  }
}

/** Marks the facts whose absence a screen can show; without any other fact there is no screen. */
const unread: Partial<Facts> = {
  debt: 'unread',
  recipients: 'unread',
  wallets: 'unread',
  registration: 'unread',
  activity: 'unread',
  failure: 'none',
  pin: { kind: 'open' },
}

async function read<Name extends FactName>(of: Asking, fact: Name, asked: Question, place: Place) {
  try {
    return await readers[fact](of, asked, place)
  } catch (error) {
    of.log({ level: 'warn', event: 'fact.unread', message: describeFault(error), fact })
    const instead = unread[fact]
    if (instead === undefined) throw error
    return instead
  }
}

type Readers = {
  readonly [Name in FactName]: (of: Asking, asked: Question, place: Place) => Promise<Facts[Name]>
}

const readers: Readers = {
  async debt({ loan, now }, { account }) {
    const debt = await loan.debt(account)
    return { ...debt, isOverdue: debt.owedWei > 0n && debt.dueAt * 1_000 < now() }
  },
  async terms({ loan, now }) {
    const terms = await loan.terms()
    return { ...terms, dueAt: Math.floor(now() / 1_000) + terms.termSeconds }
  },
  failure: findFailure,
  pin: async ({ pins }, { account }) => (await pins?.state(account)) ?? { kind: 'open' },
  rate: rateIn,
  registration: findRegistration,
  recipients: listRecipients,
  wallets: async (of, { account }) =>
    listedAs(of, shownWallets, (await of.memory.read(account)).wallets),
  async earlierMinutes(of, question, { name, draft }) {
    const node = nodeAt(of.context.menu, name)
    const effects = node.kind === 'list' ? node.entries.map(({ leads }) => leads) : []
    const intent = effects.find(isEffect)?.outcome(draft) as Intent
    return (await equalMinutes(of, question, intent)) ?? 0
  },
  address: async ({ chainId }, { account }) => checksumAddress(account, chainId),
  async activity(of, { account }) {
    const { ledger, memory, loan, log, chainId, senderSeal } = of
    const [payments, kept, till, received] = await Promise.all([
      ledger.listPayments(account, shownPayments),
      memory.read(account),
      of.settings.agents ? tillDayOf(of, account) : undefined,
      loan.received(account).catch((error: unknown) => {
        log({ level: 'warn', event: 'received.unread', message: describeFault(error) })
        return 'unread' as const
      }),
    ])
    const own = listActivity(payments, kept, chainId)
    if (received === 'unread') return { own, received, till }
    const senders = await openSenders(kept, senderSeal, account)
    return { own, received: listReceived(received, senders, chainId), till }
  },
}

/** Reads the day's totals of an account with a till; undefined without a till. */
async function tillDayOf({ ledger, loan, keys }: Asking, account: Address) {
  const takings = await ledger.listTakings(account, shownPayments)
  if (takings === undefined) return undefined
  const took = async ({ intentId, ...taking }: Taking) => ({
    ...taking,
    code: await codeOf(keys, intentId),
  })
  const last = await Promise.all(takings.last.map(took))
  return { ...takings, last, floatWei: await loan.balance(account) }
}

/** Decrypts the short numbers of senders; leaves out those sealed under another secret. */
async function openSenders({ senders }: AccountMemory, seal: Seal, account: Address) {
  const named = await Promise.all(
    senders.map(async ({ address, sealed }) => {
      return [address.toLowerCase(), await seal.open(sealed, account.toLowerCase())] as const
    }),
  )
  return new Map(named.flatMap(([address, who]) => (who ? [[address, who] as const] : [])))
}

/** Lists the recipients that this session offers by a digit. */
async function listRecipients(of: Asking, { account }: Question) {
  const offered = recipientsIn(await of.memory.read(account)).map(
    ({ address, to: label, amountWei }): KnownRecipient => ({
      ...{ kind: 'known', address, label },
      ...(amountWei !== undefined && { amountWei: BigInt(amountWei) }),
    }),
  )
  return listedAs(of, shownRecipients, offered)
}

/** Returns what a list's digits mean in this session: the list that was shown first. */
async function listedAs<Item>(
  { ledger, question }: Asking,
  list: ShownFact<Item[]>,
  offered: Item[],
): Promise<Item[]> {
  const session = await question(listsStep)
  const kept =
    offered.length === 0
      ? await shownAt(ledger, session, list)
      : await keepShown(ledger, session, list, offered)
  return kept ?? []
}

/** Calls a number unregistered only if it never dialled and has nothing on the chain. */
async function findRegistration(of: Asking, _: Question, { draft: { recipient } }: Place) {
  if (recipient === undefined || recipient.kind === 'address') return 'registered'
  const { address } = recipient.kind === 'phone' ? await of.accounts(recipient.phone) : recipient
  const isKnown =
    (await of.memory.read(address)).hasDialled || (await of.loan.balance(address)) > 0n
  return isKnown ? 'registered' : 'unregistered'
}

/** Returns the newest failure that no session has reported; a redelivery reports it again. */
async function findFailure({ ledger, memory }: Asking, { session, account }: Question) {
  const payments = await ledger.listPayments(account, shownPayments)
  const failures = payments.filter(hasFailed).map(({ order }) => order.request.intentId)
  if (failures.length === 0) return 'none'
  const kept = await memory.change(account, (before) => withTold(before, failures, session))
  return wasTold(kept, failures, session) ? 'untold' : 'none'
}

/** Shows the terms of a new loan; the caller agrees to what is shown first. */
async function askForLoan(of: Asking, place: Place, question: Question): Promise<PlaceScreen> {
  const [debt, terms] = await Promise.all([
    read(of, 'debt', question, place),
    read(of, 'terms', question, place).catch(() => undefined),
  ])
  if (debt === 'unread' || terms === undefined) return { screen: end(of.say.unavailable) }
  const { owedWei } = debt
  if (owedWei > 0n) {
    const reason = 'existing_loan'
    return { screen: end(loanRefusalText(of, { reason, owedWei }, 'loan')), reason }
  }
  const kept = await keepShown(of.ledger, question, shownTerms, terms)
  // The session is decided and pays nothing, so these terms bind nobody.
  return { screen: goOn(writePrompt(place, of.context, { terms: kept ?? terms })) }
}
