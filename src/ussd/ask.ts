import type { Address } from 'viem'
import { showAddress } from '../account/address.ts'
import type { CallerAccounts } from '../account/keys.ts'
import { hasDialled, type Memory, recipientsIn, tellsOf, withTold } from '../account/memory.ts'
import type { LoanReader } from '../loan/reader.ts'
import type { Ledger, Question } from '../relay/ledger/port.ts'
import { faultOf, type Log } from '../runtime/log.ts'
import type { FactName, Facts, LoanTerms } from './facts.ts'
import { activityOf, lastFailure, receivedOf, shownPayments } from './menu/activity.ts'
import type { MenuContext } from './menu/nodes.ts'
import { type Place, promptOf } from './menu/walk.ts'
import type { KnownRecipient } from './recipient.ts'
import { refusedText } from './refused.ts'
import { end, goOn, type Screen } from './screens/screen.ts'
import { keepShown, recipientsStep, shownAt, shownRecipients, shownTerms } from './shown.ts'

export type AskOptions = {
  context: MenuContext
  loan: Pick<LoanReader, 'balance' | 'debt' | 'terms' | 'received'>
  accounts: CallerAccounts
  /** What an amount is worth. Undefined: nothing is said of it. */
  worthOf: (wei: bigint) => Promise<string | undefined>
  ledger: Pick<Ledger, 'payments' | 'show' | 'shown'>
  memory: Memory
  /** Names the session of a delivery, and what was typed in it or another step, by keyed digests. */
  question: (account: Address, step?: string) => Promise<Question>
  account: () => Promise<Address>
  /** Whether an account may ask the chain once more at this time. */
  mayDial: (account: Address) => boolean
  /** Unix time in ms. */
  now: () => number
  log: Log
}

/**
 * The screen of a place, with what is read for it. A menu is shown without what could not be read; what a
 * caller agrees to is not, which ends the session.
 */
export async function askAt(parts: AskOptions, place: Place): Promise<Screen> {
  const { context } = parts
  const node = context.menu[place.name]
  const wanted = node.facts ?? []
  if (wanted.length === 0) return goOn(promptOf(place, context))
  const account = await parts.account()
  const mayDial = parts.mayDial(account)
  if (wanted.includes('terms')) {
    return mayDial ? askForLoan(parts, place, account) : end(context.say.tooManyDials)
  }
  const found = mayDial
    ? await Promise.all(wanted.map((fact) => read(parts, fact, account, place)))
    : []
  return goOn(promptOf(place, context, Object.assign({}, ...found)))
}

/** A fact, or nothing where it cannot be read now. */
async function read(
  parts: AskOptions,
  fact: FactName,
  account: Address,
  place: Place,
): Promise<Facts> {
  try {
    return await readers[fact](parts, account, place)
  } catch (error) {
    parts.log({ level: 'warn', event: 'fact.unread', message: faultOf(error), fact })
    return {}
  }
}

type Reader = (parts: AskOptions, account: Address, place: Place) => Promise<Facts>

const readers: Readonly<Record<FactName, Reader>> = {
  debt: async ({ loan }, account) => ({ debt: await loan.debt(account) }),
  terms: async (parts) => ({ terms: await termsOf(parts) }),
  failure: failureOf,
  worth: async ({ worthOf }, _, { draft: { amountWei } }) => {
    const worth = typeof amountWei === 'bigint' ? await worthOf(amountWei) : undefined
    return worth === undefined ? {} : { worth }
  },
  registration: registrationOf,
  recipients: recipientsOf,
  address: async ({ context }, account) => ({ address: showAddress(account, context.chainId) }),
  async activity({ ledger, memory, loan, log, context: { chainId } }, account) {
    const [payments, kept, received] = await Promise.all([
      ledger.payments(account, shownPayments),
      memory.read(account),
      loan.received(account).catch((error: unknown) => {
        log({ level: 'warn', event: 'received.unread', message: faultOf(error) })
        return undefined
      }),
    ])
    const own = activityOf(payments, kept, chainId)
    return { activity: { own, received: received && receivedOf(received, chainId) } }
  },
}

/** Whom a session may send to by a digit. What it shows first is what its digits mean. */
async function recipientsOf(
  { memory, ledger, question }: AskOptions,
  account: Address,
): Promise<Facts> {
  const session = await question(account, recipientsStep)
  const offered = recipientsIn(await memory.read(account)).map(
    ({ address, to }): KnownRecipient => ({ kind: 'known', address, label: to }),
  )
  const kept =
    offered.length === 0
      ? await shownAt(ledger, session, shownRecipients)
      : await keepShown(ledger, session, shownRecipients, offered)
  return { recipients: kept ?? [] }
}

/** A number is called unregistered only where it is known: it never dialled, and the chain has nothing of it. */
async function registrationOf(
  { memory, accounts, loan }: AskOptions,
  _: Address,
  { draft: { recipient } }: Place,
): Promise<Facts> {
  if (recipient === undefined || recipient.kind === 'address') return {}
  const { address } = recipient.kind === 'known' ? recipient : await accounts(recipient.phone)
  const isKnown = hasDialled(await memory.read(address)) || (await loan.balance(address)) > 0n
  return isKnown ? {} : { isUnregistered: true }
}

/** The first session that can tells of a failure; the same again says the same again. */
async function failureOf(parts: AskOptions, account: Address): Promise<Facts> {
  const { ledger, memory } = parts
  const failure = lastFailure(await ledger.payments(account, 1))
  if (failure === undefined) return {}
  const { intentId } = failure.order.request
  const { session } = await parts.question(account)
  const kept = await memory.change(account, (before) => withTold(before, intentId, session))
  return tellsOf(kept, intentId, session) ? { hasFailed: true } : {}
}

async function termsOf({ loan, now }: AskOptions): Promise<LoanTerms> {
  const { principalWei, termSeconds } = await loan.terms()
  return { principalWei, dueAt: Math.floor(now() / 1_000) + termSeconds }
}

/** What is owed from when a loan is taken, where none is. What is shown first is shown again, and is what is agreed to. */
async function askForLoan(parts: AskOptions, place: Place, account: Address): Promise<Screen> {
  const { context } = parts
  const [{ debt }, { terms }] = await Promise.all([
    read(parts, 'debt', account, place),
    read(parts, 'terms', account, place),
  ])
  if (debt === undefined || terms === undefined) return end(context.say.unavailable)
  if (debt.owedWei > 0n) {
    const refusal = { reason: 'existing_loan', owedWei: debt.owedWei } as const
    return end(refusedText(context.say.refused, refusal, context.amountOf, 'loan'))
  }
  const question = await parts.question(account)
  const kept = await keepShown(parts.ledger, question, shownTerms, terms)
  // A session that is decided pays nothing any more: what it is shown of a loan binds nobody.
  return goOn(promptOf(place, context, { terms: kept ?? terms }))
}
