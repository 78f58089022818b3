import { checksumAddress } from 'viem'
import { type PhoneNumber, spellPhone } from '../../account/phone.ts'
import { isMaskedPin, isPin, type Pins, type PinVerdict, pinMark } from '../../account/pin.ts'
import { createWalletCodes } from '../../account/wallets.ts'
import { isPayable } from '../../operator/kept/tills.ts'
import type { Ledger } from '../../relay/ledger/steps.ts'
import type { StepKey } from '../../relay/ledger/values.ts'
import { getProgress } from '../../relay/progress.ts'
import type { NumberedStep, UssdRequest } from '../gateways/gateway.ts'
import { judgeAmount } from '../known-refusal.ts'
import {
  type AmountVerdict,
  type Lookups,
  type MenuContext,
  requireAnswer,
  type SessionDraft,
  type Walking,
} from '../menu/node.ts'
import { followAnswers, normalizeAnswer, splitAnswers } from '../menu/walk.ts'
import { selectMessages } from '../messages/languages.ts'
import { toLongAddress, toShortAddress } from '../messages/texts.ts'
import type { Services } from '../services.ts'
import { hasAccount, joinAnswers, type Visit, withAnswers } from '../visit.ts'
import {
  amountRecord,
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
  const { pins, settings } = visit.services
  const isPlain = pins === undefined && settings.profile === 'demo'
  const sessionStart: Awaited<ReturnType<typeof findSessionStart>> = isPlain
    ? { start: 'main' }
    : await findSessionStart(visit, answers.length)
  // A redelivery is in the language that the session began in, also once it has chosen another.
  const isUnspoken = typeof sessionStart === 'object' && sessionStart.start === 'firstLanguage'
  const begun = isUnspoken ? { ...visit, messages: selectMessages(settings) } : visit
  const menuContext = createMenuContext(begun)
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
  const lookups = {
    ...createLookups(visit, answers.length),
    async pin(answered: readonly string[], typed: string) {
      if (pins === undefined) throw new Error('the menu asks for a PIN, but PINs are off')
      const stepKey = visit.createStepKey(joinAnswers(answered))
      const verdict = await checkPinOnce(visit.services.ledger, pins, stepKey, typed)
      if (verdict.kind === 'right') authorizedBy = formatStepKey(stepKey)
      return verdict
    },
    async isAskedAgain(answered: readonly string[]) {
      // In the demonstration late answers pay too.
      if (settings.profile === 'demo') return undefined
      const stepKey = visit.createStepKey(nameQuestion(hasAnswersBeforePin, answered))
      return (await readRecord(visit.services.ledger, stepKey, askedRecord)) !== undefined
    },
    async behindPin({ pin, language }: SessionDraft) {
      if (!(await setPinOnce(visit, requireAnswer(pin), language))) return undefined
      behindPin = await findStartBehindPin(visit, hasAnswersBeforePin)
      return behindPin
    },
  }
  const facts = { ...sessionStart, hasPins: pins !== undefined, pinReplacements }
  const { result, maskedAnswers, ...walk } = await answerWalk(
    followAnswers(answers, menuContext, facts),
    lookups,
  )
  const followed = withAnswers(visit, pins === undefined ? answers : maskedAnswers)
  // Its id has come back. From another start its answers would mean what no screen showed.
  const over = [sessionStart, behindPin].find((each) => each?.isOver)
  const isOver =
    over !== undefined &&
    'place' in result &&
    (over.isOfNewCaller || result.place.name === over.start)
  return {
    ...followed,
    ...walk,
    menuContext: { ...menuContext, messages: walk.messages },
    authorizedBy,
    hasAnswersBeforePin,
    result: isOver ? pastTheEnd : result,
  }
}

/** Answers what a walk asks, until it ends. */
async function answerWalk<Result>(
  walk: Walking<Result>,
  lookups: { [Name in keyof Lookups]: (...args: Parameters<Lookups[Name]>) => unknown },
): Promise<Result> {
  let step = walk.next()
  while (!step.done) {
    const { name, args } = step.value
    step = walk.next(await (lookups[name] as (...args: unknown[]) => unknown)(...args))
  }
  return step.value
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
    hasLanguages: settings.languages.length > 1,
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

/** Creates what looks up what answers mean; the first delivery's result holds for the session. */
function createLookups(visit: Visit, answerCount: number) {
  const { services, createStepKey, account } = visit
  const { ledger, settings } = services
  const findOnce = <Value>(
    name: string,
    record: SessionRecord<Value>,
    find: () => Promise<Value>,
  ): Promise<Value> => readOrRecord(ledger, createStepKey(name), record, find)
  // A session that has shown no list gets an empty one, so that a digit selects nothing.
  const readList = async <Item>(step: string, record: SessionRecord<Item[]>): Promise<Item[]> =>
    (await recordIfAbsent(ledger, createStepKey(step), record, [])) ?? []
  let rate: ReturnType<typeof readSessionRate> | undefined
  return {
    rate() {
      rate ??= readSessionRate(visit)
      return rate
    },
    recipients: () => (settings.profile === 'demo' ? [] : readList(listsStep, recipientsRecord)),
    wallets: () => readList(listsStep, walletsRecord),
    recallable: () => readList(recallablesRecord.name, recallablesRecord),
    hasAccount: (phone: PhoneNumber) =>
      findOnce(`number ${phone}`, hasAccountRecord, () => hasAccount(visit, phone)),
    walletCode: (code: string) =>
      findOnce(`wallet code ${code}`, walletCodeRecord, () =>
        createWalletCodes(services).find(code, account.address),
      ),
    till: (till: string) =>
      findOnce(`till ${till}`, tillRecord, async () => (await ledger.findTill(till)) ?? null),
    withdrawal: (code: string) =>
      findOnce(`withdrawal ${code}`, withdrawalRecord, async () => {
        const found = await ledger.findWithdrawals(account.address, code)
        // One that was paid out, or failed, hides no other of the same code.
        const payable = found.findLast(isPayable)
        const arriving = found.find((each) => getProgress(each) === 'arriving')
        const { intentId } = payable ?? arriving ?? found[0] ?? {}
        return intentId === undefined ? null : { intentId, isPayable: payable !== undefined }
      }),
    async amount(...[answered, ...asked]: Parameters<Lookups['amount']>): Promise<AmountVerdict> {
      if (settings.profile === 'demo') return possible
      const stepKey = createStepKey(joinAnswers(answered))
      // Of answers dialled at once, the next one is no amount, but a PIN: the payment is judged.
      const isLast = answered.length === answerCount
      return readOrRecord<AmountVerdict>(ledger, stepKey, amountRecord, async () =>
        isLast ? await judgeAmount(visit, stepKey, ...asked) : possible,
      )
    },
  }
}

const possible = { kind: 'possible' } as const

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
