import { isMaskedPin, isPin, type PinVerdict, pinMark } from '../../account/pin.ts'
import { toPlainDigits } from '../../runtime/digits.ts'
import type { Messages } from '../messages/en.ts'
import { backDigit, moreDigit } from '../screens/pages.ts'
import {
  acceptAnswer,
  type Entry,
  getNode,
  isEffect,
  isIntent,
  type MenuContext,
  type MenuList,
  type MenuNode,
  type MenuQuestion,
  type Mistake,
  type NodeName,
  need,
  type SessionDraft,
  type SessionOutcome,
  type Walking,
  wholeAmount,
} from './node.ts'
import { type Place, pickFacts, writePages } from './prompt.ts'

export type MenuResult =
  | { kind: 'ask'; place: Place }
  | SessionOutcome
  /** Tells that the account's PIN cannot be used, or chosen. */
  | { kind: 'locked'; reason: LockReason }
  /** Tells that the caller made the last mistake that one place allows. */
  | { kind: 'gave_up' }
  /** Tells that the session has too many answers. */
  | { kind: 'too_long' }
  /** Tells that answers follow the one that ended the session. */
  | { kind: 'past_the_end' }

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
  /** Maps the PINs of this delivery to the texts that replace them in stored answers. */
  pinReplacements?: ReadonlyMap<string, string> | undefined
}

type StepResult =
  | { kind: 'go'; place: Place }
  | { kind: 'end'; outcome: SessionOutcome; repeatPlace: Place | undefined }
  | Extract<MenuResult, { kind: 'locked' | 'past_the_end' }>
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
export function* followAnswers(
  answers: readonly string[],
  context: MenuContext,
  session: SessionFacts,
): Walking<WalkResult> {
  const maskedAnswers: string[] = answers.map(() => masks.other)
  const storedAnswers = [...maskedAnswers]
  const walked = { maskedAnswers, storedAnswers, messages: context.messages }
  const mistakes = new Map<NodeName, number>()
  let { start, draft } = session
  let place: Place = { name: start, draft: draft ?? {}, page: 0 }
  const { deferredAnswerCount = 0, hasPins = false } = session
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
    const spoken = { ...context, messages: walked.messages }
    maskedAnswers[index] = mayBeNewPin ? masks.other : maskSecret(typed, node)
    const facts = { ...session, start, draft, answered: maskedAnswers.slice(0, index + 1) }
    const applied = yield* applyAnswer(place, answer, spoken, facts)
    // What is no answer may be a PIN that was typed for a question behind this one.
    const mayBePin = hasPins && applied.kind === 'mistake' && !getSecret(node) && isPin(answer)
    if (mayBePin) maskedAnswers[index] = masks.other
    const delivered = maskedAnswers.slice(0, deliveredCount)
    const step = isLast ? applied : yield* judgeFollowed(applied, node, spoken, facts, delivered)
    storedAnswers[index] =
      findPinReplacement(answer, node, step, session) ?? maskedAnswers[index] ?? masks.other
    switch (step.kind) {
      case 'end':
        if (step.outcome.kind === 'choosePin') {
          const behind = yield* need('behindPin', step.outcome)
          if (behind === undefined) return { result: step.outcome, ...walked }
          start = behind.start
          draft = behind.draft
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
function* judgeFollowed(
  step: StepResult,
  node: MenuNode,
  { messages }: MenuContext,
  { hasPins, deferredAnswerCount = 0, answered }: StepFacts,
  delivered: readonly string[],
): Walking<StepResult> {
  const isPayment = step.kind === 'end' && isIntent(step.outcome)
  const isMistake = step.kind === 'mistake' && hasPins && !getSecret(node)
  if (!(isMistake || (isPayment && deferredAnswerCount === 0))) return step
  const wasAsked = yield* need('isAskedAgain', delivered)
  if (wasAsked === undefined) return step
  const isAsked = wasAsked && answered.length >= deferredAnswerCount
  if (isMistake) return isAsked ? step : { kind: 'past_the_end' }
  return isAsked ? { kind: 'mistake', text: messages.notSentYet } : step
}

/** Makes a mistake of an amount that cannot be paid, before anything else is asked. */
function* judgeAmount(
  place: Place,
  node: MenuNode,
  { menu, messages }: MenuContext,
  { answered }: StepFacts,
): Walking<StepResult> {
  const step = { kind: 'go', place } as const
  const { paymentKind } = getNode(menu, place.name)
  if (!node.asksAmount || paymentKind === undefined) return step
  const verdict = yield* need('amount', answered, paymentKind, place.draft, messages)
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

/** Has the answers up to this one, with a mask in the place of each secret. */
type StepFacts = SessionFacts & { answered: readonly string[] }

function* applyAnswer(
  place: Place,
  answer: string,
  context: MenuContext,
  facts: StepFacts,
): Walking<StepResult> {
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
    const verdict = yield* need('pin', facts.answered, answer)
    if (verdict.kind !== 'right') return describePinFailure(verdict, context)
  }
  const applied =
    node.kind === 'list'
      ? yield* applyListChoice(place, node, answer, context)
      : yield* applyQuestionAnswer(place, node, answer, context, facts)
  if (applied.kind !== 'accepted') return applied
  const { draft, target, repeatQuestion } = applied
  if (!isEffect(target)) return yield* judgeAmount(createPlace(target, draft), node, context, facts)
  const repeatPlace = repeatQuestion === undefined ? undefined : createPlace(repeatQuestion, draft)
  return { kind: 'end', outcome: { ...draft, kind: target.name }, repeatPlace }
}

function describePinFailure(
  verdict: Exclude<PinVerdict, { kind: 'right' }>,
  { messages }: MenuContext,
): StepResult {
  if (verdict.kind !== 'wrong') return { kind: 'locked', reason: verdict.kind }
  const { wrong, forgot } = messages.pin
  // The demonstration has no entry for that.
  const hint = messages.wording === 'demo' ? '' : ` ${forgot}`
  return { kind: 'mistake', text: `${wrong(verdict.left)}${hint}` }
}

type AppliedAnswer =
  | ({ kind: 'accepted'; draft: SessionDraft } & Pick<Entry, 'target' | 'repeatQuestion'>)
  | Mistake

function* applyListChoice(
  place: Place,
  { entries, dynamicEntries }: MenuList,
  answer: string,
  context: MenuContext,
): Walking<AppliedAnswer> {
  const entry = entries.find(({ digit }) => digit === answer)
  const chosen: Pick<Entry, 'target' | 'repeatQuestion'> | undefined = entry ?? dynamicEntries
  if (chosen === undefined) return { kind: 'mistake', text: context.messages.unknownChoice }
  const applied =
    entry === undefined && dynamicEntries
      ? yield* dynamicEntries.parseAnswer(answer, context)
      : acceptAnswer({ ...entry?.draft })
  if (applied.kind !== 'accepted') return applied
  const { target, repeatQuestion } = chosen
  return { kind: 'accepted', draft: { ...place.draft, ...applied.draft }, target, repeatQuestion }
}

function* applyQuestionAnswer(
  place: Place,
  node: MenuQuestion,
  answer: string,
  context: MenuContext,
  { pinReplacements }: SessionFacts,
): Walking<AppliedAnswer> {
  const { pin } = place.draft
  // The PIN of an earlier delivery is known only by its replacement.
  const isSamePin = pin !== undefined && pinReplacements?.get(answer) === pin
  const draftBefore = isSamePin ? { ...place.draft, pin: answer } : place.draft
  const parsed = node.parseAnswer(answer, context, draftBefore)
  const applied = 'kind' in parsed ? parsed : yield* parsed
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
