import { type Address, checksumAddress } from 'viem'
import {
  type AccountMemory,
  hasShownFailure,
  listRecipients,
  recordShownFailure,
} from '../account/memory.ts'
import { readWithTime } from '../account/pin.ts'
import type { Seal } from '../account/seal.ts'
import { listWallets } from '../account/wallets.ts'
import type { Rate } from '../loan/local-worth.ts'
import type { Ledger } from '../relay/ledger/steps.ts'
import type { StepKey } from '../relay/ledger/values.ts'
import type { AccountLimits } from '../relay/pay/admission.ts'
import { getProgress } from '../relay/progress.ts'
import { describeFault } from '../runtime/log.ts'
import type { MayDial } from './dial-limiter.ts'
import {
  findKnownRefusal,
  type PlaceScreen,
  type PlannedPayment,
  type SessionView,
} from './known-refusal.ts'
import {
  describePayments,
  describeReceived,
  getReceivedProgress,
  hasFailed,
  maxListedPayments,
} from './menu/entries/activity.ts'
import { getNode, type Intent, isEffect, type MenuContext, requireAnswer } from './menu/node.ts'
import { type Place, writePrompt } from './menu/walk.ts'
import {
  derivePaymentCode,
  findEqualPayment,
  type PaymentRequestOptions,
} from './payment-request.ts'
import type { KnownRecipient } from './recipient.ts'
import { writeLoanRefusal } from './refusal-texts.ts'
import { joinAnswers, type RequestContext } from './request-context.ts'
import type { ScreenFactName, ScreenFacts } from './screen-facts.ts'
import { askScreen, endScreen } from './screens/screen.ts'
import {
  listsStep,
  readRecord,
  readSessionRate,
  recipientsRecord,
  recordIfAbsent,
  type SessionRecord,
  termsRecord,
  walletsRecord,
} from './session-records.ts'

export type PlaceScreenOptions = PaymentRequestOptions & {
  ledger: Pick<
    Ledger,
    | 'listPayments'
    | 'findPayments'
    | 'lookup'
    | 'findKnownRefusal'
    | 'listTakings'
    | 'findWithdrawals'
  >
  /** Counts the blocks down to one whose outcomes are final. */
  confirmations: number
  limits: AccountLimits
  mayDial: MayDial
  rate: () => Promise<Rate | undefined>
  now: () => number
}

type PlaceContext = PlaceScreenOptions & RequestContext & { menuContext: MenuContext }

/**
 * Shows a place in the menu with its facts, or why the payment that follows would be refused.
 * `view` is the session as the ledger knows it, if that was read already.
 */
export async function showPlace(
  context: PlaceContext,
  place: Place,
  answers: readonly string[],
  view?: SessionView,
): Promise<PlaceScreen> {
  const { menuContext, messages } = context
  const { facts: factNames = [], paymentKind } = getNode(menuContext.menu, place.name)
  if (factNames.length === 0 && paymentKind === undefined) {
    return { screen: askScreen(writePrompt(place, menuContext)) }
  }
  const stepKey = await context.deriveStepKey(joinAnswers(answers))
  if (!context.mayDial(stepKey))
    return { screen: endScreen(messages.tooManyDials), reason: 'too_many_dials' }
  const refusal =
    paymentKind &&
    (await findRefusal(context, { kind: paymentKind, stepKey, draft: place.draft, view }))
  if (refusal !== undefined) return refusal
  if (factNames.includes('terms')) return showLoanTerms(context, place, stepKey)
  const facts = await Promise.all(
    factNames.map(async (name) => [name, await readFact(context, name, stepKey, place)]),
  )
  return { screen: askScreen(writePrompt(place, menuContext, Object.fromEntries(facts))) }
}

/** Finds a known refusal. One that cannot be read is skipped, as the payment is judged later. */
async function findRefusal(
  context: PlaceContext,
  payment: PlannedPayment,
): Promise<PlaceScreen | undefined> {
  try {
    return await findKnownRefusal(context, payment)
  } catch (error) {
    context.log({ level: 'warn', event: 'refusal.unread', message: describeFault(error) })
    return undefined
  }
}

/** Replaces facts that cannot be read; without a fact that is not listed no screen is shown. */
const fallbackFacts: Partial<ScreenFacts> = {
  debt: 'unavailable',
  recipients: 'unavailable',
  wallets: 'unavailable',
  registration: 'unavailable',
  activity: 'unavailable',
  failure: 'none',
  pin: { kind: 'open' },
  withdrawal: 'unavailable',
}

async function readFact<Name extends ScreenFactName>(
  context: PlaceContext,
  fact: Name,
  stepKey: StepKey,
  place: Place,
) {
  try {
    return await factReaders[fact](context, stepKey, place)
  } catch (error) {
    context.log({ level: 'warn', event: 'fact.unread', message: describeFault(error), fact })
    const replacement = fallbackFacts[fact]
    if (replacement === undefined) throw error
    return replacement
  }
}

type FactReaders = {
  readonly [Name in ScreenFactName]: (
    context: PlaceContext,
    stepKey: StepKey,
    place: Place,
  ) => Promise<ScreenFacts[Name]>
}

const factReaders: FactReaders = {
  async debt({ loan, now }, { account }) {
    const debt = await loan.readDebt(account)
    return { ...debt, isOverdue: debt.owedWei > 0n && debt.dueAt * 1_000 < now() }
  },
  async terms({ loan, now }) {
    const terms = await loan.readTerms()
    return { ...terms, dueAt: Math.floor(now() / 1_000) + terms.termSeconds }
  },
  failure: findFailure,
  pin: async ({ pins }, { account }) => (await pins?.readState(account)) ?? { kind: 'open' },
  rate: readSessionRate,
  registration: findRegistration,
  recipients: listKnownRecipients,
  async wallets(context, { account }) {
    const wallets = await readWithTime(context.memory, account, listWallets)
    return recordList(context, walletsRecord, wallets)
  },
  async earlierMinutes(context, stepKey, { name, draft }) {
    const node = getNode(context.menuContext.menu, name)
    const targets = node.kind === 'list' ? node.entries.map(({ target }) => target) : []
    // The only effect of this list is the payment that would be made again.
    const intent = targets.find(isEffect)?.createOutcome(draft) as Intent
    return (await findEqualPayment(context, stepKey, intent)) ?? 'unknown'
  },
  address: async ({ chainId }, { account }) => checksumAddress(account, chainId),
  activity: readActivity,
  async withdrawal({ ledger }, { account }, { draft }) {
    const { code, intentId } = requireAnswer(draft.withdrawal)
    const found = await ledger.findWithdrawals(account, code)
    return found.find((each) => each.intentId === intentId) ?? 'unavailable'
  },
}

async function readActivity(context: PlaceContext, { account }: StepKey) {
  const { ledger, memory, loan, log, chainId, senderSeal } = context
  const [payments, incoming, accountMemory, till, received] = await Promise.all([
    ledger.listPayments(account, maxListedPayments),
    ledger.findPayments(account, maxIncoming),
    memory.read(account),
    context.settings.agents ? readTillDay(context, account) : undefined,
    loan.listReceived(account).catch((error: unknown) => {
      log({ level: 'warn', event: 'received.unread', message: describeFault(error) })
      return 'unavailable' as const
    }),
  ])
  const ownPayments = describePayments(payments, accountMemory, chainId)
  if (received === 'unavailable') return { ownPayments, received, till }
  const senders = await decryptSenders(accountMemory, senderSeal, account)
  const finality = { payments: incoming, confirmations: context.confirmations }
  return { ownPayments, received: describeReceived(received, finality, senders, chainId), till }
}

/** Limits how many payments to an account are compared with what it received. */
const maxIncoming = 100

type BalanceContext = Pick<PlaceScreenOptions, 'ledger' | 'loan' | 'settings' | 'confirmations'>

/** Reads what an account has for good, and what is still arriving; the demonstration adds both. */
export async function readFinalBalance(
  { ledger, loan, settings, confirmations }: BalanceContext,
  account: Address,
): Promise<{ finalWei: bigint; arrivingWei: bigint }> {
  const [balanceWei, payments] = await Promise.all([
    loan.readBalance(account),
    settings.profile === 'demo' ? [] : ledger.findPayments(account, maxIncoming),
  ])
  // A cash-out leaves the service, even to this account's own address.
  const arriving = payments.filter(
    ({ state, kind }) => getProgress(state) === 'arriving' && kind !== 'cashOut',
  )
  if (arriving.length === 0) return { finalWei: balanceWei, arrivingWei: 0n }
  const finality = { payments, confirmations }
  // Read after the balance, so that no transfer of that is missing here.
  const received = await loan.listReceived(account, maxIncoming).then(
    (events) => events.filter((event) => getReceivedProgress(event, finality) === 'arriving'),
    // Without the chain's events, the ledger tells what its rounds have seen in blocks.
    () =>
      arriving
        .filter(({ outcome }) => outcome === 'executed')
        .map(({ spendsWei }) => ({ amountWei: BigInt(spendsWei) })),
  )
  const sumWei = received.reduce((wei, { amountWei }) => wei + amountWei, 0n)
  // A block after the reading of the balance may have more.
  const finalWei = balanceWei > sumWei ? balanceWei - sumWei : 0n
  return { finalWei, arrivingWei: balanceWei - finalWei }
}

/** Reads the day's totals of an account's till; undefined if the account has no till. */
async function readTillDay(context: PlaceContext, account: Address) {
  const { ledger, keys } = context
  const takings = await ledger.listTakings(account, maxListedPayments)
  if (takings === undefined) return undefined
  const { inWei, outWei, last } = takings
  const lastPayments = await Promise.all(
    last.map(async ({ intentId, ...payment }) => ({
      ...payment,
      code: await derivePaymentCode(keys, intentId),
    })),
  )
  const { finalWei } = await readFinalBalance(context, account)
  return { inWei, outWei, lastPayments, floatWei: finalWei }
}

/** Decrypts the short numbers of senders, without those encrypted under another secret. */
async function decryptSenders(
  { senders }: AccountMemory,
  seal: Seal,
  account: Address,
): Promise<ReadonlyMap<string, string>> {
  const namedSenders = await Promise.all(
    senders.map(async ({ address, sealed }) => {
      return [address.toLowerCase(), await seal.decrypt(sealed, account.toLowerCase())] as const
    }),
  )
  return new Map(namedSenders.flatMap(([address, number]) => (number ? [[address, number]] : [])))
}

/** Lists the recipients that this session offers by a digit. */
async function listKnownRecipients(context: PlaceContext, { account }: StepKey) {
  const recipients = listRecipients(await context.memory.read(account)).map(
    ({ address, to: label, amountWei }): KnownRecipient => ({
      kind: 'known',
      address,
      label,
      ...(amountWei !== undefined && { amountWei: BigInt(amountWei) }),
    }),
  )
  return recordList(context, recipientsRecord, recipients)
}

/** Returns the list that the session showed first, so that a digit keeps its meaning. */
async function recordList<Item>(
  { ledger, deriveStepKey }: PlaceContext,
  record: SessionRecord<Item[]>,
  items: Item[],
): Promise<Item[]> {
  const stepKey = await deriveStepKey(listsStep)
  const recorded =
    items.length === 0
      ? await readRecord(ledger, stepKey, record)
      : await recordIfAbsent(ledger, stepKey, record, items)
  return recorded ?? []
}

/** Finds whether a recipient is registered: it has dialled, or its account has a balance. */
async function findRegistration(
  context: PlaceContext,
  _: StepKey,
  { draft: { recipient } }: Place,
) {
  if (recipient === undefined || recipient.kind === 'address') return 'registered'
  const { address } =
    recipient.kind === 'phone' ? await context.accounts(recipient.phone) : recipient
  const isRegistered =
    (await context.memory.read(address)).hasDialled ||
    (await context.loan.readBalance(address)) > 0n
  return isRegistered ? 'registered' : 'unregistered'
}

/** Tells whether this session reports a failed payment, and records which one it reports. */
async function findFailure({ ledger, memory }: PlaceContext, { session, account }: StepKey) {
  const payments = await ledger.listPayments(account, maxListedPayments)
  const failures = payments.filter(hasFailed).map(({ order }) => order.request.intentId)
  if (failures.length === 0) return 'none'
  const changedMemory = await memory.change(account, (before) =>
    recordShownFailure(before, failures, session),
  )
  return hasShownFailure(changedMemory, failures, session) ? 'unreported' : 'none'
}

/** Shows the terms of a new loan. The caller agrees to those that the session showed first. */
async function showLoanTerms(
  context: PlaceContext,
  place: Place,
  stepKey: StepKey,
): Promise<PlaceScreen> {
  const [debt, terms, rate] = await Promise.all([
    readFact(context, 'debt', stepKey, place),
    readFact(context, 'terms', stepKey, place).catch(() => undefined),
    context.settings.localCurrency === undefined ? ('none' as const) : readSessionRate(context),
  ])
  if (debt === 'unavailable' || terms === undefined) {
    return { screen: endScreen(context.messages.unavailable) }
  }
  const { owedWei } = debt
  if (owedWei > 0n) {
    const reason = 'existing_loan'
    return { screen: endScreen(writeLoanRefusal(context, { reason, owedWei }, 'loan')), reason }
  }
  const recorded = await recordIfAbsent(context.ledger, stepKey, termsRecord, terms)
  // Without a record the session has ended, so that nobody can agree to these terms.
  const facts = { terms: recorded ?? terms, rate }
  return { screen: askScreen(writePrompt(place, context.menuContext, facts)) }
}
