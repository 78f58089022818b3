import { checksumAddress } from 'viem'
import { spellPhone } from '../../account/phone.ts'
import { isMaskedPin, isPin, type Pins, type PinVerdict, pinMark } from '../../account/pin.ts'
import { createWalletCodes } from '../../account/wallets.ts'
import type { Rate } from '../../loan/local-worth.ts'
import { isPayable } from '../../operator/kept/tills.ts'
import type { Ledger } from '../../relay/ledger/steps.ts'
import type { StepKey } from '../../relay/ledger/values.ts'
import { getProgress } from '../../relay/progress.ts'
import type { NumberedStep, UssdRequest } from '../gateways/gateway.ts'
import { findUnpayable } from '../known-refusal.ts'
import { loan } from '../menu/entries/loan.ts'
import type { LookupRequest, MenuContext } from '../menu/node.ts'
import { recallWords } from '../menu/recall.ts'
import { type AmountVerdict, followAnswers, normalizeAnswer, splitAnswers } from '../menu/walk.ts'
import { selectMessages } from '../messages/languages.ts'
import { toLongAddress, toShortAddress, writeTime } from '../messages/texts.ts'
import { createWorthFormats } from '../screens/amount-formats.ts'
import type { Services } from '../services.ts'
import { hasAccount, joinAnswers, type Visit, withAnswers } from '../visit.ts'
import {
  askedRecord,
  hasAccountRecord,
  listsStep,
  pinVerdictRecord,
  readOrRecord,
  readRecord,
  readSessionRate,
  recallablesRecord,
  recipientsRecord,
  recordIfAbsent,
  type SessionRecord,
  textRecord,
  tillRecord,
  type Unpayable,
  unpayableRecord,
  walletCodeRecord,
  walletsRecord,
  withdrawalRecord,
} from './records.ts'
import { findSessionStart, findStartBehindPin, type SessionStart, setPinOnce } from './start.ts'

/** Names a question's step; until a new PIN is chosen, answers before it have no meaning yet. */
export const nameQuestion = (isBeforePin: boolean, answers: readonly string[]): string =>
  isBeforePin ? `new PIN ${answers.length}` : joinAnswers(answers)

/** Is a visit whose answers were followed through the menu, with what they lead to. */
export type FollowedVisit = Awaited<ReturnType<typeof readSession>>

const formatTextStep = (deliveryNumber: number): string => `text ${deliveryNumber}`

/** Returns all answers of a session; undefined if those of earlier deliveries are not stored. */
export async function readAnswers(
  visit: Visit,
  { text, step }: UssdRequest,
): Promise<string[] | undefined> {
  const newAnswers = splitAnswers(text)
  if (step === undefined || step.isFirst) return newAnswers
  const stepKey = visit.createStepKey(formatTextStep(step.number - 1))
  const sealed = await readRecord(visit.services.ledger, stepKey, textRecord)
  const stored = await openText(visit.services, stepKey, sealed)
  return stored === undefined ? undefined : [...(JSON.parse(stored) as string[]), ...newAnswers]
}

/**
 * Stores the answers up to a numbered delivery. Another text of that number is a `conflict`; of a
 * session that has ended nothing is stored.
 */
export async function storeAnswers(
  visit: Visit,
  { number }: NumberedStep,
  answers: readonly string[],
): Promise<'stored' | 'conflict' | 'session_ended'> {
  const stepKey = visit.createStepKey(formatTextStep(number))
  const text = JSON.stringify(answers)
  const sealed = await visit.services.textSeal.encrypt(text, formatStepKey(stepKey))
  const recorded = await recordIfAbsent(visit.services.ledger, stepKey, textRecord, sealed)
  if (recorded === undefined) return 'session_ended'
  return (await openText(visit.services, stepKey, recorded)) === text ? 'stored' : 'conflict'
}

const formatStepKey = ({ session, input }: StepKey): string => `${session}:${input}`

async function openText(
  { textSeal }: Services,
  stepKey: StepKey,
  sealed: string | undefined,
): Promise<string | undefined> {
  return sealed === undefined ? undefined : textSeal.decrypt(sealed, formatStepKey(stepKey))
}

/**
 * Follows a session's answers through the menu, and looks up what they need: PINs, wallet codes,
 * tills, the exchange rate. Each result is recorded, so that a redelivery gets the same one. With
 * `storesAnswers` a delivery has only the newest answer, so that earlier ones are stored.
 * @throws {Error} a store or a node did not answer
 */
export async function readSession(
  visit: Visit,
  answers: readonly string[],
  storesAnswers: boolean,
) {
  const { pins, ledger, settings } = visit.services
  const { createStepKey } = visit
  // In the demonstration late answers pay too.
  const holdsQuestions = settings.profile !== 'demo'
  const verdicts = new Map<number, PinVerdict>()
  const askedAgain = new Map<number, boolean>()
  const amountVerdicts = new Map<number, AmountVerdict>()
  const isPlain = pins === undefined && settings.profile === 'demo'
  const sessionStart: Awaited<ReturnType<typeof findSessionStart>> = isPlain
    ? { start: 'main' }
    : await findSessionStart(visit, answers.length)
  // A redelivery is in the language that the session began in, also once it has chosen another.
  const isUnspoken = typeof sessionStart === 'object' && sessionStart.start === 'firstLanguage'
  const begun = isUnspoken ? { ...visit, messages: selectMessages(settings) } : visit
  const menuContext = createMenuContext(begun)
  let context: MenuContext = { ...menuContext, accountExists: new Map() }
  if (typeof sessionStart !== 'object') {
    // The phone may be another person's now: nothing is shown, and no answer is stored.
    const result = { kind: 'locked', reason: sessionStart } as const
    const nothing = { authorizedBy: undefined, repeatPlace: undefined, latePlace: undefined }
    const reading = { result, storedAnswers: [], ...nothing, hasAnswersBeforePin: false }
    return { ...withAnswers(visit, []), ...reading, menuContext }
  }
  // A PIN was introduced during the session: its answers wait until the caller has chosen one.
  const hasAnswersBeforePin = sessionStart.deferredAnswerCount !== undefined
  const pinReplacements =
    pins && storesAnswers ? createPinReplacements(pins, visit, answers) : undefined
  let behindPin: SessionStart | undefined
  let authorizedBy: string | undefined
  // Walks the menu again after each lookup and PIN check, until nothing is missing.
  for (;;) {
    const facts = {
      ...sessionStart,
      hasPins: pins !== undefined,
      verdicts,
      behindPin,
      pinReplacements,
      ...(holdsQuestions && { askedAgain, amountVerdicts }),
    }
    const { result, maskedAnswers, ...walk } = followAnswers(answers, context, facts)
    const spoken = { ...menuContext, messages: walk.messages }
    const reading = { ...walk, menuContext: spoken, authorizedBy, hasAnswersBeforePin }
    if (result.kind === 'lookup') {
      context = { ...context, ...(await lookUp(visit, result, context)) }
    } else if (result.kind === 'pin_unchecked') {
      if (pins === undefined) throw new Error('the menu asks for a PIN, but PINs are off')
      const stepKey = createStepKey(joinAnswers(maskedAnswers.slice(0, result.answerCount)))
      const verdict = await checkPinOnce(ledger, pins, stepKey, result.pin)
      verdicts.set(result.answerCount, verdict)
      if (verdict.kind === 'right') authorizedBy = formatStepKey(stepKey)
    } else if (result.kind === 'asked_unchecked') {
      const answered = maskedAnswers.slice(0, result.answerCount)
      const stepKey = createStepKey(nameQuestion(hasAnswersBeforePin, answered))
      const asked = await readRecord(ledger, stepKey, askedRecord)
      askedAgain.set(result.answerCount, asked !== undefined)
    } else if (result.kind === 'amount_unchecked') {
      const stepKey = createStepKey(joinAnswers(maskedAnswers.slice(0, result.answerCount)))
      // Of answers dialled at once, the next one is no amount, but a PIN: the payment is judged.
      const isLast = result.answerCount === answers.length
      const fault = await readOrRecord(ledger, stepKey, unpayableRecord, async () =>
        isLast ? await findUnpayable(visit, stepKey, result.place) : 'none',
      )
      const rate = await readSessionRate(visit)
      amountVerdicts.set(result.answerCount, writeVerdict(spoken, fault, rate))
    } else if (result.kind === 'choosePin' && behindPin === undefined) {
      if (!(await setPinOnce(visit, result.pin, result.language)))
        return { ...withAnswers(visit, maskedAnswers), ...reading, result }
      behindPin = await findStartBehindPin(visit, hasAnswersBeforePin)
    } else {
      const followed = withAnswers(visit, pins === undefined ? answers : maskedAnswers)
      // Its id has come back. From another start its answers would mean what no screen showed.
      const over = [sessionStart, behindPin].find((each) => each?.isOver)
      const isOver =
        over !== undefined &&
        'place' in result &&
        (over.isOfNewCaller || result.place.name === over.start)
      return { ...followed, ...reading, result: isOver ? pastTheEnd : result }
    }
  }
}

/** Creates what the menu knows of a visit before anything is looked up. */
function createMenuContext(visit: Visit): MenuContext {
  const { chainId, settings, minTransferWei, menu } = visit.services
  const { showAmount, showExactAmount, showOwed, unit } = visit.services
  const { messages, phone } = visit
  return {
    chainId,
    caller: phone,
    ownAccount: settings.profile === 'demo' ? undefined : visit.account.address,
    messages,
    speak: (language) => selectMessages(settings, language),
    menu,
    showAmount,
    showExactAmount,
    showOwed,
    unit,
    rate: settings.localCurrency === undefined ? 'none' : undefined,
    hasLanguages: settings.languages.length > 1,
    knownRecipients: settings.profile === 'demo' ? [] : undefined,
    wallets: undefined,
    reserved: [visit.services.forwarder.address, visit.services.loanAddress],
    describeRecipient: (recipient) => {
      if (recipient.kind === 'phone') return spellPhone(recipient.phone)
      if (recipient.kind !== 'address') return recipient.label
      const address = checksumAddress(recipient.address, chainId)
      const { name } = recipient
      return name ? `${name} ${toShortAddress(address)}` : toLongAddress(address)
    },
    minTransferWei,
  }
}

const pastTheEnd = { kind: 'past_the_end' } as const

function writeVerdict(context: MenuContext, fault: Unpayable, rate: Rate | 'none'): AmountVerdict {
  if (fault === 'none') return { kind: 'possible' }
  if (fault === 'all') return { kind: 'all' }
  const { messages } = context
  const { inShort } = createWorthFormats(context, rate)
  if (fault.reason === 'repayment_too_large')
    return { kind: 'mistake', text: messages.lowDebt(inShort.showOwed(fault.owedWei)) }
  if (fault.reason === 'loan_limit')
    return { kind: 'mistake', text: loan.words(messages).most(inShort.show(fault.mostWei)) }
  const { balanceWei, held } = fault
  const { untilLine } = recallWords(messages)
  const heldLine = held && untilLine(inShort.show(held.wei), writeTime(messages, held.until))
  const lines = [messages.lowBalance(inShort.show(balanceWei)), heldLine]
  return { kind: 'mistake', text: lines.filter(Boolean).join('\n') }
}

/** Returns the verdict on a PIN; only the first delivery of the PIN counts as a try. */
async function checkPinOnce(
  ledger: Ledger,
  pins: Pins,
  stepKey: StepKey,
  pin: string,
): Promise<PinVerdict> {
  const name = formatStepKey(stepKey)
  const verdict = isMaskedPin(pin)
    ? await readRecord(ledger, stepKey, pinVerdictRecord)
    : await readOrRecord(ledger, stepKey, pinVerdictRecord, () =>
        pins.verify(stepKey.account, pin, name),
      )
  if (verdict === undefined) throw new Error('the verdict on a PIN is lost')
  return verdict
}

/** Looks up what an answer means; the first delivery's result holds for the whole session. */
async function lookUp(
  visit: Visit,
  request: LookupRequest,
  context: MenuContext,
): Promise<Partial<MenuContext>> {
  const { services, createStepKey, account } = visit
  const { ledger } = services
  const findOnce = <Value>(
    name: string,
    record: SessionRecord<Value>,
    find: () => Promise<Value>,
  ): Promise<Value> => readOrRecord(ledger, createStepKey(name), record, find)
  // A session that has shown no list gets an empty one, so that a digit selects nothing.
  const readList = async <Item>(step: string, record: SessionRecord<Item[]>): Promise<Item[]> =>
    (await recordIfAbsent(ledger, createStepKey(step), record, [])) ?? []
  switch (request.subject) {
    case 'rate':
      return { rate: await readSessionRate(visit) }
    case 'phone': {
      const { phone } = request
      const find = () => hasAccount(visit, phone)
      const exists = await findOnce(`number ${phone}`, hasAccountRecord, find)
      return { accountExists: new Map(context.accountExists).set(phone, exists) }
    }
    case 'code': {
      const { code } = request
      const find = () => createWalletCodes(services).find(code, account.address)
      const codeResult = await findOnce(`wallet code ${code}`, walletCodeRecord, find)
      return { walletCodes: new Map(context.walletCodes).set(code, codeResult) }
    }
    case 'till': {
      const find = async () => (await ledger.findTill(request.till)) ?? null
      const till = await findOnce(`till ${request.till}`, tillRecord, find)
      return { tills: new Map(context.tills).set(request.till, till) }
    }
    case 'withdrawal': {
      const { code } = request
      const withdrawal = await findOnce(`withdrawal ${code}`, withdrawalRecord, async () => {
        const found = await ledger.findWithdrawals(account.address, code)
        // One that was paid out, or failed, hides no other of the same code.
        const payable = found.findLast(isPayable)
        const arriving = found.find((each) => getProgress(each) === 'arriving')
        const { intentId } = payable ?? arriving ?? found[0] ?? {}
        return intentId === undefined ? null : { intentId, isPayable: payable !== undefined }
      })
      return { withdrawals: new Map(context.withdrawals).set(code, withdrawal) }
    }
    case 'recallable':
      return { recallable: await readList(recallablesRecord.name, recallablesRecord) }
    case 'recipients':
      return { knownRecipients: await readList(listsStep, recipientsRecord) }
    case 'wallets':
      return { wallets: await readList(listsStep, walletsRecord) }
  }
}

/** Maps each PIN of a delivery to the keyed digest that replaces the PIN in storage. */
function createPinReplacements(
  pins: Pins,
  { account, session }: Visit,
  answers: readonly string[],
): ReadonlyMap<string, string> {
  const typedPins = answers.map(normalizeAnswer).filter(isPin)
  return new Map(
    typedPins.map((pin) => [pin, pinMark + pins.hashPin(account.address, session, pin)]),
  )
}
