import { isMaskedPin, isPin, type PinVerdict, pinMark } from '../../account/pin.ts'
import { toPlainDigits } from '../../runtime/digits.ts'
import type { Messages } from '../messages/en.ts'
import { backDigit, moreDigit } from '../screens/pages.ts'
import {
  acceptAnswer,
  type Entry,
  getNode,
  isEffect,
  isPaymentKind,
  type LookupRequest,
  type MenuContext,
  type MenuList,
  type MenuNode,
  type MenuQuestion,
  type Mistake,
  type NodeName,
  type SessionDraft,
  type SessionOutcome,
  wholeAmount,
} from './node.ts'
import { type Place, pickFacts, writePages } from './prompt.ts'

export type MenuResult =
  | { kind: 'ask'; place: Place }
  | SessionOutcome
  /** Asks for a check of the PIN that was typed as the last of `answerCount` answers. */
  | { kind: 'pin_unchecked'; answerCount: number; pin: string }
  /** Asks whether a question was asked again after the last of `answerCount` answers. */
  | { kind: 'asked_unchecked'; answerCount: number }
  /** Asks whether the amount of the last of `answerCount` answers can be paid at `place`. */
  | { kind: 'amount_unchecked'; answerCount: number; place: Place }
  /** Tells that the account's PIN cannot be used, or chosen. */
  | { kind: 'locked'; reason: LockReason }
  | LookupRequest
  /** Tells that the caller made the last mistake that one place allows. */
  | { kind: 'gave_up' }
  /** Tells that the session has too many answers. */
  | { kind: 'too_long' }
  /** Tells that answers follow the one that ended the session. */
  | { kind: 'past_the_end' }

/** Says whether an amount can be paid; `all` is meant where a debt is less by its rounding. */
export type AmountVerdict = { kind: 'possible' | 'all' } | Mistake

export type LockReason = Exclude<PinVerdict['kind'], 'right' | 'wrong'> | 'held'

/** Supplies what is recorded about a session, so that a redelivery gets the same result. */
export type SessionFacts = {
  start: NodeName
  /** Holds the answers of a cut session that this one takes up where it starts. */
  draft?: SessionDraft | undefined
  /** Counts the answers of the first dial that are applied after a PIN has been chosen. */
  deferredAnswerCount?: number
  /** Tells that a PIN may be among the answers. */
  hasPins?: boolean
  /** Tells where the session goes on once the PIN that it chose is set; undefined until then. */
  behindPin?: { start: NodeName; draft?: SessionDraft | undefined } | undefined
  /** Maps the number of answers up to a PIN to the verdict on that PIN. */
  verdicts: ReadonlyMap<number, PinVerdict>
  /** Maps the number of answers up to a payment or mistake to whether that was asked again. */
  askedAgain?: ReadonlyMap<number, boolean>
  /** Maps the number of answers up to an amount to its verdict; undefined if none is asked for. */
  amountVerdicts?: ReadonlyMap<number, AmountVerdict>
  /** Maps the PINs of this delivery to the texts that replace them in stored answers. */
  pinReplacements?: ReadonlyMap<string, string> | undefined
}

type StepResult =
  | { kind: 'go'; place: Place }
  | { kind: 'end'; outcome: SessionOutcome; repeatPlace: Place | undefined }
  | Extract<
      MenuResult,
      { kind: 'pin_unchecked' | 'asked_unchecked' | 'amount_unchecked' | 'locked' | 'lookup' }
    >
  | { kind: 'past_the_end' }
  | Mistake

const maxMistakes = 3

/** Limits the answers of a session to four times the longest path through the menu. */
export const maxAnswers = 40

const mainMenuDigits = '00'

/** Splits a gateway's `text` into answers, with their digits converted to ASCII. */
export function splitAnswers(text: string): string[] {
  return text === '' ? [] : toPlainDigits(text).replaceAll(pinMark, '').split('*')
}

/** Lists what replaces secret answers in logs and in the names of steps. */
const masks = { pin: 'PIN', other: '?' } as const

export type WalkResult = {
  result: MenuResult
  /** Lists the answers up to the session's end, with a mask in the place of each secret. */
  maskedAnswers: string[]
  /** Lists the answers to store for the next delivery, with replacements for PINs. */
  storedAnswers: string[]
  /** Are those of the language that a new caller chose on the way, else the given ones. */
  messages: Messages
  /** Locates the question that is asked first if the caller has made an equal payment. */
  repeatPlace?: Place | undefined
  /** Locates the question that is asked again if its answer, a payment, came too late. */
  latePlace?: Place | undefined
}

/** Follows a session's answers through the menu. Reads no store, so that redeliveries agree. */
export function followAnswers(
  answers: readonly string[],
  context: MenuContext,
  session: SessionFacts,
): WalkResult {
  const maskedAnswers: string[] = answers.map(() => masks.other)
  const storedAnswers = [...maskedAnswers]
  const walked = { maskedAnswers, storedAnswers, messages: context.messages }
  const mistakes = new Map<NodeName, number>()
  let { start, draft } = session
  let place: Place = { name: start, draft: draft ?? {}, page: 0 }
  const { deferredAnswerCount = 0, behindPin, hasPins = false } = session
  const indexes = [...answers.keys()]
  const deferred = indexes.slice(0, deferredAnswerCount)
  let remaining = indexes.slice(deferredAnswerCount)
  let deliveredCount = 0
  for (let count = 1; remaining.length > 0; count++) {
    const [index = 0, ...following] = remaining
    remaining = following
    const typed = answers[index] ?? ''
    const answer = normalizeAnswer(typed)
    const isLast = following.length === 0
    const node = getNode(context.menu, place.name)
    const stopWith = (result: MenuResult) => ({
      result: isLast ? result : ({ kind: 'past_the_end' } as const),
      ...walked,
    })
    // A gateway that lost the first delivery sends the new PIN among the deferred answers.
    const mayBeNewPin = index < deferredAnswerCount && isPin(answer)
    deliveredCount = Math.max(deliveredCount, index + 1)
    const facts = { ...session, start, draft, answerCount: index + 1, deliveredCount }
    const spoken = { ...context, messages: walked.messages }
    const applied = judgeAmount(applyAnswer(place, answer, spoken, facts), node, spoken, facts)
    const step = isLast ? applied : judgeFollowed(applied, node, spoken, facts)
    // What is no answer may be a PIN that was typed for a question behind this one.
    const mayBePin = hasPins && applied.kind === 'mistake' && !getSecret(node) && isPin(answer)
    const maskedAnswer = mayBeNewPin || mayBePin ? masks.other : maskSecret(typed, node)
    maskedAnswers[index] = maskedAnswer
    storedAnswers[index] = findPinReplacement(answer, node, step, session) ?? maskedAnswer
    switch (step.kind) {
      case 'end':
        if (step.outcome.kind === 'choosePin') {
          if (behindPin === undefined) return { result: step.outcome, ...walked }
          start = behindPin.start
          draft = behindPin.draft
          place = { name: start, draft: { ...draft, isPinSet: true }, page: 0 }
          remaining = [...deferred, ...following]
          break
        }
        if (isLast) {
          const latePlace = { ...place, page: 0, mistake: spoken.messages.notSentYet }
          const ended = { result: step.outcome, ...walked, repeatPlace: step.repeatPlace }
          return deferredAnswerCount > 0 ? ended : { ...ended, latePlace }
        }
        if (step.repeatPlace === undefined) return stopWith(step.outcome)
        place = step.repeatPlace
        break
      case 'pin_unchecked':
      case 'asked_unchecked':
      case 'amount_unchecked':
      case 'lookup':
        return { result: step, ...walked }
      case 'locked':
      case 'past_the_end':
        return stopWith(step)
      case 'go':
        place = step.place
        if (place.draft.language) walked.messages = context.speak(place.draft.language)
        break
      case 'mistake': {
        const mistakeCount = (mistakes.get(place.name) ?? 0) + 1
        mistakes.set(place.name, mistakeCount)
        // Who gives up where a cut session is taken up would lose it without being told.
        const takesUp = draft !== undefined && place.name === start
        if (mistakeCount === maxMistakes && !takesUp) return stopWith({ kind: 'gave_up' })
        place = { ...place, page: 0, mistake: step.text }
      }
    }
    if (count === maxAnswers) return stopWith({ kind: 'too_long' })
  }
  return { result: { kind: 'ask', place }, ...walked }
}

/**
 * Makes a mistake of a payment that was not made, because the answer came too late. Nothing reads
 * what was typed behind a mistake before a screen told of that: it may be the PIN.
 */
function judgeFollowed(
  step: StepResult,
  node: MenuNode,
  { messages }: MenuContext,
  { hasPins, askedAgain, deferredAnswerCount = 0, answerCount, deliveredCount }: StepFacts,
): StepResult {
  const isPayment = step.kind === 'end' && isPaymentKind(step.outcome.kind)
  const isMistake = step.kind === 'mistake' && hasPins && !getSecret(node)
  if (askedAgain === undefined || !(isMistake || (isPayment && deferredAnswerCount === 0)))
    return step
  const isAsked = answerCount >= deferredAnswerCount && askedAgain.get(deliveredCount)
  if (isAsked === undefined) return { kind: 'asked_unchecked', answerCount: deliveredCount }
  if (isMistake) return isAsked ? step : { kind: 'past_the_end' }
  return isAsked ? { kind: 'mistake', text: messages.notSentYet } : step
}

/** Makes a mistake of an amount that cannot be paid, before anything else is asked. */
function judgeAmount(
  step: StepResult,
  node: MenuNode,
  { menu }: MenuContext,
  { amountVerdicts, answerCount }: StepFacts,
): StepResult {
  if (step.kind !== 'go' || !node.asksAmount || amountVerdicts === undefined) return step
  const { place } = step
  if (place.name === node.back || getNode(menu, place.name).paymentKind === undefined) return step
  const verdict = amountVerdicts.get(answerCount)
  if (verdict === undefined) return { kind: 'amount_unchecked', answerCount, place }
  if (verdict.kind === 'mistake') return verdict
  if (verdict.kind === 'possible') return step
  const draft = { ...place.draft, ...wholeAmount }
  const target = node.kind === 'question' ? node.selectTarget?.(draft) : undefined
  const name = typeof target === 'string' ? target : place.name
  return { kind: 'go', place: { ...place, name, draft } }
}

const getSecret = (node: MenuNode) => (node.kind === 'question' ? node.secret : undefined)

function maskSecret(typed: string, node: MenuNode): string {
  const answer = normalizeAnswer(typed)
  if (node.kind === 'list' || answer === backDigit || answer === mainMenuDigits) return typed
  if (node.shorten !== undefined) return node.shorten(answer) ?? masks.other
  if (node.secret === undefined) return typed
  return isPin(answer) || isMaskedPin(answer) ? masks.pin : masks.other
}

/** Returns the text to store in the place of a PIN; undefined if the answer is no PIN. */
function findPinReplacement(
  answer: string,
  node: MenuNode,
  step: StepResult,
  { pinReplacements }: SessionFacts,
): string | undefined {
  const secret = getSecret(node)
  if (secret === undefined || !isPin(answer)) return isMaskedPin(answer) ? answer : undefined
  // Only an accepted new PIN needs its digest, because it is compared with the next answer.
  return secret === 'currentPin' || step.kind === 'mistake' ? pinMark : pinReplacements?.get(answer)
}

/** Removes the spaces around an answer and the `#` that phones add. */
export const normalizeAnswer = (typed: string): string => typed.trim().replace(/\s*#$/, '')

type StepFacts = SessionFacts & { answerCount: number; deliveredCount: number }

function applyAnswer(
  place: Place,
  answer: string,
  context: MenuContext,
  facts: StepFacts,
): StepResult {
  const node = getNode(context.menu, place.name)
  const createPlace = (name: NodeName, draft = place.draft): Place => ({ name, draft, page: 0 })
  if (answer === mainMenuDigits) {
    return { kind: 'go', place: createPlace(facts.draft ? 'main' : facts.start, {}) }
  }
  if (node.kind === 'list') {
    const turnedPlace = turnPage(place, node, answer, context)
    if (turnedPlace !== undefined) return { kind: 'go', place: turnedPlace }
  }
  if (answer === backDigit && node.back !== undefined) {
    // What was typed for one thing is no answer to another.
    const draft = node.back === 'main' ? {} : place.draft
    return { kind: 'go', place: createPlace(node.back, draft) }
  }
  const isPinTyped = isPin(answer) || isMaskedPin(answer)
  if (node.kind === 'question' && node.secret === 'currentPin' && isPinTyped) {
    const failure = checkPin(answer, context, facts)
    if (failure !== undefined) return failure
  }
  const applied =
    node.kind === 'list'
      ? applyListChoice(place, node, answer, context)
      : applyQuestionAnswer(place, node, answer, context, facts)
  if (applied.kind !== 'accepted') return applied
  const { draft, target, repeatQuestion } = applied
  if (!isEffect(target)) return { kind: 'go', place: createPlace(target, draft) }
  const repeatPlace = repeatQuestion === undefined ? undefined : createPlace(repeatQuestion, draft)
  return { kind: 'end', outcome: target.createOutcome(draft), repeatPlace }
}

/** Returns undefined for a correct PIN, else why the walk stops or asks again. */
function checkPin(
  pin: string,
  { messages }: MenuContext,
  { verdicts, answerCount }: StepFacts,
): StepResult | undefined {
  const verdict = verdicts.get(answerCount)
  if (verdict === undefined) return { kind: 'pin_unchecked', answerCount, pin }
  if (verdict.kind === 'right') return undefined
  if (verdict.kind === 'wrong') {
    const { wrong, forgot } = messages.pin
    // The demonstration has no entry for that.
    const hint = messages.wording === 'demo' ? '' : ` ${forgot}`
    return { kind: 'mistake', text: `${wrong(verdict.left)}${hint}` }
  }
  return { kind: 'locked', reason: verdict.kind }
}

type AppliedAnswer =
  | ({ kind: 'accepted'; draft: SessionDraft } & Pick<Entry, 'target' | 'repeatQuestion'>)
  | LookupRequest
  | Mistake

function applyListChoice(
  place: Place,
  { entries, dynamicEntries }: MenuList,
  answer: string,
  context: MenuContext,
): AppliedAnswer {
  const entry = entries.find(({ digit }) => digit === answer)
  const applied = entry
    ? acceptAnswer({ ...entry.draft })
    : dynamicEntries?.parseAnswer(answer, context)
  const chosen: Pick<Entry, 'target' | 'repeatQuestion'> | undefined = entry ?? dynamicEntries
  if (chosen === undefined || applied === undefined)
    return { kind: 'mistake', text: context.messages.unknownChoice }
  if (applied.kind !== 'accepted') return applied
  const { target, repeatQuestion } = chosen
  return { kind: 'accepted', draft: { ...place.draft, ...applied.draft }, target, repeatQuestion }
}

function applyQuestionAnswer(
  place: Place,
  node: MenuQuestion,
  answer: string,
  context: MenuContext,
  { pinReplacements }: SessionFacts,
): AppliedAnswer {
  const { pin } = place.draft
  // The PIN of an earlier delivery is known only by its replacement.
  const isSamePin = pin !== undefined && pinReplacements?.get(answer) === pin
  const draftBefore = isSamePin ? { ...place.draft, pin: answer } : place.draft
  const applied = node.parseAnswer(answer, context, draftBefore)
  if (applied.kind !== 'accepted') return applied
  const draft = { ...draftBefore, ...applied.draft }
  const target = node.selectTarget?.(draft) ?? node.targets[0]
  if (!node.targets.includes(target)) {
    throw new Error(`${place.name} leads to a node that it does not list`)
  }
  return { kind: 'accepted', draft, target, repeatQuestion: node.repeatQuestion }
}

/** Turns a page; returns undefined if the answer turns none or there is no such page. */
function turnPage(
  place: Place,
  list: MenuList,
  answer: string,
  context: MenuContext,
): Place | undefined {
  if (answer === backDigit && place.page > 0) return { ...place, page: place.page - 1 }
  if (answer !== moreDigit) return undefined
  // Facts and language change the number of pages, so a page beyond the last is accepted.
  const hasMore =
    (list.facts ?? []).length > 0 ||
    context.hasLanguages ||
    place.page + 1 < writePages(place, list, context, pickFacts(list, {})).length
  return hasMore ? { ...place, page: place.page + 1 } : undefined
}
