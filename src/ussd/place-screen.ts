import { type Address, checksumAddress, type Hex } from 'viem'
import { hasShownFailure, listRecipients, recordShownFailure } from '../account/memory.ts'
import { listWallets } from '../account/wallets.ts'
import { decodeCall } from '../loan/calls.ts'
import { type Received, readLoanTerms, readReceiveAddress } from '../loan/reader.ts'
import { getProgress } from '../relay/progress.ts'
import { withTimeLimit } from '../runtime/clock.ts'
import { describeFault } from '../runtime/log.ts'
import { findKnownRefusal, type PlaceScreen, type SessionView } from './known-refusal.ts'
import {
  describePayments,
  describeReceived,
  hasFailed,
  matchReceived,
  maxListedPayments,
} from './menu/entries/activity.ts'
import { getNode, type Intent, isEffect, requireAnswer } from './menu/node.ts'
import { type Place, writePrompt } from './menu/prompt.ts'
import { derivePaymentCode, findEqualPayment, resolveAddress } from './payment-request.ts'
import type { KnownRecipient } from './recipient.ts'
import type { ScreenFactName, ScreenFacts } from './screen-facts.ts'
import { askScreen, endScreen } from './screens/screen.ts'
import type { Services } from './services.ts'
import type { FollowedVisit } from './session/reading.ts'
import { decryptSenders, listOffered } from './session/recalls.ts'
import {
  listsStep,
  readRecord,
  readSessionRate,
  recipientsRecord,
  recordIfAbsent,
  type SessionRecord,
  termsRecord,
  walletsRecord,
} from './session/records.ts'
import { isAccountHeld } from './visit.ts'

/**
 * Shows a place in the menu with its facts, or why the payment that follows would be refused.
 * `view` is the session as the ledger knows it, if that was read already.
 */
export async function showPlace(
  visit: FollowedVisit,
  place: Place,
  view?: SessionView,
): Promise<PlaceScreen> {
  const { menuContext, stepKey } = visit
  const { facts: factNames = [], paymentKind } = getNode(menuContext.menu, place.name)
  if (factNames.length === 0 && paymentKind === undefined) {
    return { screen: askScreen(writePrompt(place, menuContext)) }
  }
  if (!visit.services.mayDial(stepKey))
    return { screen: endScreen(visit.messages.tooManyDials), reason: 'too_many_dials' }
  // A refusal that cannot be read is skipped, as the payment is judged later.
  const logUnread = (error: unknown) => {
    visit.services.log({ level: 'warn', event: 'refusal.unread', message: describeFault(error) })
    return undefined
  }
  const refusal =
    paymentKind && (await findKnownRefusal(visit, paymentKind, place.draft, view).catch(logUnread))
  if (refusal !== undefined) return refusal
  const shown = { ...visit, place }
  const reading = factNames.map(async (name) => [name, await readFact(shown, name)] as const)
  const facts = await Promise.all(reading).catch((error) => {
    if (!factNames.includes('terms')) throw error
  })
  // Nobody agrees to terms that were not shown: the session ends.
  if (facts === undefined) return { screen: endScreen(visit.messages.unavailable) }
  return { screen: askScreen(writePrompt(place, menuContext, Object.fromEntries(facts))) }
}

/** Replaces facts that cannot be read; without a fact that is not listed no screen is shown. */
const fallbackFacts: Partial<ScreenFacts> = {
  debt: 'unavailable',
  recipients: 'unavailable',
  wallets: 'unavailable',
  registration: 'unavailable',
  activity: 'unavailable',
  failure: 'none',
  till: 'none',
  pin: { kind: 'open' },
  withdrawal: 'unavailable',
  recipientName: 'none',
  heldNames: 'unavailable',
  recallable: [],
  isRecallSpent: false,
}

/** Is the visit for which a place's facts are read. */
type Shown = FollowedVisit & { place: Place }

async function readFact<Name extends ScreenFactName>(shown: Shown, fact: Name) {
  try {
    return await factReaders[fact](shown)
  } catch (error) {
    shown.services.log({ level: 'warn', event: 'fact.unread', message: describeFault(error), fact })
    const replacement = fallbackFacts[fact]
    if (replacement === undefined) throw error
    return replacement
  }
}

type FactReaders = {
  readonly [Name in ScreenFactName]: (shown: Shown) => Promise<ScreenFacts[Name]>
}

const factReaders: FactReaders = {
  async debt(shown) {
    const { loan, now } = shown.services
    const debt = await loan.readDebt(shown.account.address)
    if (debt.owedWei === 0n) return { ...debt, isOverdue: false, rate: 'none' }
    const isOverdue = debt.dueAt * 1_000 < now()
    return { ...debt, isOverdue, rate: await readSessionRate(shown) }
  },
  /** Reads the terms of a new loan. The caller agrees to those that the session showed first. */
  async terms({ services: { loan, ledger, now, settings }, account, stepKey, place: { draft } }) {
    const askedWei = (settings.choosesLoan && draft.amountWei) || 'all'
    const read = await readLoanTerms(loan, account.address, askedWei)
    const terms = { ...read, dueAt: Math.floor(now() / 1_000) + read.termSeconds }
    // Without a record the session has ended, so that nobody can agree to these terms.
    return (await recordIfAbsent(ledger, stepKey, termsRecord, terms)) ?? terms
  },
  loanLimit: async ({ services: { loan }, account }) =>
    (await readLoanTerms(loan, account.address, 'all')).principalWei,
  failure: findFailure,
  async till({ services: { ledger, settings }, stepKey }) {
    const view = settings.agents ? await ledger.lookup(stepKey) : undefined
    return view?.kind === 'undecided' && view.isAgent ? 'own' : 'none'
  },
  async pin(shown) {
    const { services, account, place } = shown
    const state = (await services.pins?.readState(account.address)) ?? { kind: 'open' }
    if (state.hours === undefined && place.name !== 'forgotten') return state
    return (await isAccountHeld(shown)) ? { kind: state.kind, isHeld: true } : state
  },
  rate: readSessionRate,
  registration: findRegistration,
  recipientName: lookUpName,
  heldNames: ({ services: { names }, account }) => names.read(account.address),
  recallable: (shown) => listOffered(shown, shown.place.name === 'wrongNumber'),
  async isRecallSpent({ services: { ledger, settings }, account: { address: sender } }) {
    const found = await ledger.listRecallable({ sender, ...settings.recalls })
    return found.some(({ from }) => from !== undefined)
  },
  recipients: listKnownRecipients,
  async wallets(shown) {
    const { now, ...stored } = await shown.services.memory.read(shown.account.address)
    return recordList(shown, walletsRecord, listWallets(stored, now))
  },
  async earlier(shown) {
    const { name, draft } = shown.place
    const node = getNode(shown.menuContext.menu, name)
    const targets = node.kind === 'list' ? node.entries.map(({ target }) => target) : []
    // The only effect of this list is the payment that would be made again.
    const intent = { ...draft, kind: targets.find(isEffect)?.name } as Intent
    return (await findEqualPayment(shown, intent)) ?? 'unknown'
  },
  address: async ({ services: { chainId, loan, unit }, account }) =>
    checksumAddress(await readReceiveAddress(loan, unit, account.address), chainId),
  activity: readActivity,
  async withdrawal({ services, account, place }) {
    const { code, intentId } = requireAnswer(place.draft.withdrawal)
    const found = await services.ledger.findWithdrawals(account.address, code)
    return found.find((each) => each.intentId === intentId) ?? 'unavailable'
  },
}

async function readActivity({ services, account: { address: account } }: Shown) {
  const { ledger, memory, loan, log, chainId, senderSeal, settings, confirmations } = services
  const [payments, heldFor, incoming, accountMemory, till, received] = await Promise.all([
    ledger.listPayments(account, maxListedPayments),
    ledger.listHeldFor(account, maxListedPayments),
    ledger.findPayments(account, maxIncoming),
    memory.read(account),
    settings.agents ? readTillDay(services, account) : undefined,
    loan.listReceived(account).catch((error: unknown) => {
      log({ level: 'warn', event: 'received.unread', message: describeFault(error) })
      return 'unavailable' as const
    }),
  ])
  const ownPayments = describePayments(payments, accountMemory, chainId, heldFor)
  const senders = await decryptSenders(accountMemory, senderSeal, account)
  const finality = { payments: incoming, confirmations }
  const describe = (events: readonly Received[]) =>
    describeReceived(events, finality, senders, chainId)
  if (received === 'unavailable') {
    return { ownPayments: [...ownPayments, ...describe([])], received, till }
  }
  return { ownPayments, received: describe(received), till }
}

/** Limits how many payments to an account are compared with what it received. */
const maxIncoming = 100

/** Reads what an account has for good, and what is still arriving; the demonstration adds both. */
export async function readFinalBalance(
  { ledger, loan, settings, confirmations }: Services,
  account: Address,
): Promise<{ finalWei: bigint; arrivingWei: bigint; heldWei: bigint }> {
  const isDemo = settings.profile === 'demo'
  const [totalWei, payments, held] = await Promise.all([
    loan.readBalance(account),
    isDemo ? [] : ledger.findPayments(account, maxIncoming),
    isDemo ? [] : ledger.listRecalled(account),
  ])
  const sumHeldWei = held.reduce((sum, { wei }) => sum + wei, 0n)
  const balanceWei = totalWei > sumHeldWei ? totalWei - sumHeldWei : 0n
  const heldWei = totalWei - balanceWei
  // A cash-out leaves the service, even to this account's own address.
  const arriving = payments.filter(
    (payment) => getProgress(payment) === 'arriving' && payment.kind !== 'cashOut',
  )
  if (arriving.length === 0) return { finalWei: balanceWei, arrivingWei: 0n, heldWei }
  const finality = { payments, confirmations }
  // Read after the balance, so that no transfer of that is missing here.
  const received = await loan.listReceived(account, maxIncoming).then(
    (events) =>
      matchReceived(events, finality)
        .filter(({ progress }) => progress === 'arriving')
        .map(({ event }) => event),
    // Without the chain's events, the ledger tells what its rounds have seen in blocks.
    () =>
      arriving
        .filter(({ outcome }) => outcome === 'executed')
        .map(({ spendsWei }) => ({ amountWei: BigInt(spendsWei) })),
  )
  // What is held back of a payment that arrives is not said to arrive too.
  const isArriving = (intentId: Hex) => arriving.some((each) => each.intentId === intentId)
  const sumWei = [
    ...received.map(({ amountWei }) => amountWei),
    ...held.filter(({ intentId }) => isArriving(intentId)).map(({ wei }) => -wei),
  ].reduce((sum, wei) => sum + wei, 0n)
  // A block after the reading of the balance may have more.
  const finalWei = balanceWei > sumWei ? balanceWei - sumWei : 0n
  return { finalWei, arrivingWei: balanceWei - finalWei, heldWei }
}

/** Reads the day's totals of an account's till; undefined if the account has no till. */
async function readTillDay(services: Services, account: Address) {
  const { ledger, keys, settings } = services
  const takings = await ledger.listTakings(account, maxListedPayments, settings.timeZone)
  if (takings === undefined) return undefined
  const { last, ...sums } = takings
  const lastPayments = last.map(({ intentId, ...payment }) => ({
    ...payment,
    code: payment.hidesCode ? '' : derivePaymentCode(keys, intentId),
  }))
  const { finalWei } = await readFinalBalance(services, account)
  return { ...sums, lastPayments, floatWei: finalWei }
}

/** Lists the recipients that this session offers by a digit. */
async function listKnownRecipients(shown: Shown) {
  const recipients = listRecipients(await shown.services.memory.read(shown.account.address)).map(
    ({ address, to: label, amountWei, local }): KnownRecipient => ({
      kind: 'known',
      address,
      label,
      ...(amountWei !== undefined && { amountWei: BigInt(amountWei), local }),
    }),
  )
  return recordList(shown, recipientsRecord, recipients)
}

/** Returns the list that the session showed first, so that a digit keeps its meaning. */
async function recordList<Item>(
  { services: { ledger }, createStepKey }: Shown,
  record: SessionRecord<Item[]>,
  items: Item[],
): Promise<Item[]> {
  const stepKey = createStepKey(listsStep)
  const recorded =
    items.length === 0
      ? await readRecord(ledger, stepKey, record)
      : await recordIfAbsent(ledger, stepKey, record, items)
  return recorded ?? []
}

/** Limits how long the last question waits for a name, which a payment can do without. */
const nameWithinMs = 2_000

/** Looks up the name of a recipient whose number was typed or saved. */
async function lookUpName(shown: Shown) {
  const { services, account, session, place } = shown
  const { names, ledger } = services
  const { recipient } = place.draft
  if (recipient === undefined || recipient.kind === 'address') return 'none'
  const of = await resolveAddress(shown, recipient)
  const caller = account.address
  const found = names.lookUp({ of, caller, session }, async () => {
    const payments = await ledger.listPayments(caller, maxIncoming)
    return payments.flatMap((payment) => {
      const call = decodeCall(payment.order.request.data)
      if (call === undefined || !('to' in call) || hasFailed(payment)) return []
      return [{ to: call.to, at: payment.acceptedAt }]
    })
  })
  return (await withTimeLimit(services, nameWithinMs, found, () => undefined)) ?? 'none'
}

/** Finds whether a recipient is registered: it has dialled, or its account has a balance. */
async function findRegistration(shown: Shown) {
  const { services } = shown
  const { recipient } = shown.place.draft
  if (recipient === undefined || recipient.kind === 'address') return 'registered'
  const address = await resolveAddress(shown, recipient)
  const isRegistered =
    (await services.memory.read(address)).hasDialled ||
    (await services.loan.readBalance(address)) > 0n
  return isRegistered ? 'registered' : 'unregistered'
}

/** Tells whether this session reports a failed payment, and records which one it reports. */
async function findFailure({
  services: { ledger, memory },
  session,
  account: { address: account },
}: Shown) {
  const payments = await ledger.listPayments(account, maxListedPayments)
  const failures = payments.filter(hasFailed).map(({ order }) => order.request.intentId)
  if (failures.length === 0) return 'none'
  const changedMemory = await memory.change(account, (before) =>
    recordShownFailure(before, failures, session),
  )
  return hasShownFailure(changedMemory, failures, session) ? 'unreported' : 'none'
}
