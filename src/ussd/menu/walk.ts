import { isKeptPin, isPin, type PinVerdict, pinMark } from '../../account/pin.ts'
import { plainDigits } from '../../runtime/digits.ts'
import type { Facts } from '../facts.ts'
import { backDigit, moreDigit, splitPages } from '../screens/pages.ts'
import {
  type Entry,
  isEffect,
  type List,
  type MenuContext,
  type MenuNode,
  type MenuQuestion,
  type NodeName,
  nodeAt,
  type SessionDraft,
  type SessionOutcome,
  type UnreadAnswer,
} from './node.ts'

export type MenuResult =
  | { kind: 'ask'; place: Place }
  | SessionOutcome
  /** Asks to check the PIN that was typed as the last of `answerCount` answers. */
  | { kind: 'unjudged'; answerCount: number; pin: string }
  /** Tells that the account's PIN is blocked. */
  | { kind: 'locked'; why: LockedBy }
  | UnreadAnswer
  | { kind: 'gave_up' }
  /** Tells that the session has too many answers. */
  | { kind: 'too_long' }
  | { kind: 'past_the_end' }

/** Holds where a session stands, and why it is asked again. */
export type Place = { name: NodeName; draft: SessionDraft; page: number; why?: string }

export type LockedBy = Exclude<PinVerdict['kind'], 'right' | 'wrong'>

/** Holds what is known of a session besides its answers; it does not change later. */
export type SoFar = {
  start: NodeName
  /** Counts the answers of the first dial, which wait until a PIN is chosen. */
  waiting?: number
  /** Tells that the PIN that these answers chose is set. */
  isPinSet?: boolean
  verdicts: ReadonlyMap<number, PinVerdict>
  /** Maps the PINs of this delivery to what stands for them in later ones. */
  standIns?: ReadonlyMap<string, string> | undefined
}

type Step =
  | { kind: 'go'; place: Place }
  | { kind: 'end'; outcome: SessionOutcome; or: Place | undefined }
  | Extract<MenuResult, { kind: 'unjudged' | 'locked' | 'unread' }>
  | Mistake

type Mistake = { kind: 'mistake'; why: string }

const maxMistakes = 3

/** Limits a session's answers; the longest way through the menu takes a quarter of it. */
export const maxAnswers = 40

const menuDigits = '00'

/** Splits a gateway's `text` into answers, in ASCII's digits whatever they were typed in. */
export function splitAnswers(text: string): string[] {
  return text === '' ? [] : plainDigits(text).replaceAll(pinMark, '').split('*')
}

/** Replace PINs in stored answers. */
const masks = { pin: 'PIN', other: '?' } as const

export type Reached = {
  result: MenuResult
  /** Lists the answers without secret ones, up to the session's end. */
  shown: string[]
  /** Lists the answers that a later delivery continues from, without PINs. */
  kept: string[]
  /** Names the place to continue from if the end becomes a question. */
  or?: Place | undefined
}

/** Follows a session's answers without asking the chain, so that redeliveries agree. */
export function follow(answers: readonly string[], context: MenuContext, known: SoFar): Reached {
  const shown: string[] = answers.map(() => masks.other)
  const kept = [...shown]
  const without = { shown, kept }
  const mistakes = new Map<NodeName, number>()
  let place: Place = { name: known.start, draft: {}, page: 0 }
  const { waiting = 0, isPinSet = false } = known
  const order = [...answers.keys()].slice(waiting)
  for (const [position, index] of order.entries()) {
    const typed = answers[index] ?? ''
    const isLast = position === order.length - 1
    const node = nodeAt(context.menu, place.name)
    const stop = (result: MenuResult) => ({
      result: isLast ? result : ({ kind: 'past_the_end' } as const),
      ...without,
    })
    // If the first delivery was lost, the first answers may be a new PIN.
    const isMasked = index < waiting && isPin(meant(typed))
    shown[index] = isMasked ? masks.other : withoutSecret(typed, node)
    const step = stepFrom(place, meant(typed), context, { ...known, answerCount: index + 1 })
    kept[index] = findStandIn(meant(typed), node, step, known) ?? shown[index] ?? masks.other
    switch (step.kind) {
      case 'end':
        if (waiting > 0 && step.outcome.kind === 'choosePin') {
          if (!isPinSet) return { result: step.outcome, ...without }
          place = { name: 'main', draft: {}, page: 0 }
          order.splice(position + 1, 0, ...Array(waiting).keys())
          break
        }
        if (isLast) return { result: step.outcome, ...without, or: step.or }
        if (step.or === undefined) return stop(step.outcome)
        place = step.or
        break
      case 'unjudged':
      case 'unread':
        return { result: step, ...without }
      case 'locked':
        return stop(step)
      case 'go':
        place = step.place
        break
      case 'mistake': {
        const count = (mistakes.get(place.name) ?? 0) + 1
        mistakes.set(place.name, count)
        if (count === maxMistakes) return stop({ kind: 'gave_up' })
        place = { ...place, page: 0, why: step.why }
      }
    }
    if (position + 1 === maxAnswers) return stop({ kind: 'too_long' })
  }
  return { result: { kind: 'ask', place }, ...without }
}

function withoutSecret(typed: string, node: MenuNode): string {
  const answer = meant(typed)
  const isSecret = node.kind === 'question' && node.secret !== undefined
  if (!isSecret || answer === backDigit || answer === menuDigits) return typed
  return isPin(answer) || isKeptPin(answer) ? masks.pin : masks.other
}

/**
 * Returns what stands for a PIN; undefined for another answer. A new one that was taken is told by
 * it.
 */
function findStandIn(answer: string, node: MenuNode, step: Step, { standIns }: SoFar) {
  const secret = node.kind === 'question' ? node.secret : undefined
  if (secret === undefined || !isPin(answer)) return isKeptPin(answer) ? answer : undefined
  return secret === 'own' || step.kind === 'mistake' ? pinMark : standIns?.get(answer)
}

/** Returns an answer without what phones add to it. */
export const meant = (typed: string): string => typed.trim().replace(/\s*#$/, '')

type At = SoFar & { answerCount: number }

function stepFrom(place: Place, typed: string, context: MenuContext, known: At): Step {
  const node = nodeAt(context.menu, place.name)
  const at = (name: NodeName, draft = place.draft): Place => ({ name, draft, page: 0 })
  if (typed === menuDigits) return { kind: 'go', place: at(known.start, {}) }
  if (node.kind === 'list') {
    const turned = turn(place, node, typed, context)
    if (turned !== undefined) return { kind: 'go', place: turned }
  }
  if (typed === backDigit && node.back !== undefined) return { kind: 'go', place: at(node.back) }
  const isPinTyped = isPin(typed) || isKeptPin(typed)
  if (node.kind === 'question' && node.secret === 'own' && isPinTyped) {
    const refused = judged(typed, context, known)
    if (refused !== undefined) return refused
  }
  const given =
    node.kind === 'list'
      ? chosen(place, node, typed, context)
      : asked(place, node, typed, context, known)
  if (given.kind !== 'given') return given
  const { draft, leads, or } = given
  return isEffect(leads)
    ? { kind: 'end', outcome: leads.outcome(draft), or: or === undefined ? or : at(or, draft) }
    : { kind: 'go', place: at(leads, draft) }
}

function judged(
  pin: string,
  { say }: MenuContext,
  { verdicts, answerCount }: At,
): Step | undefined {
  const verdict = verdicts.get(answerCount)
  if (verdict === undefined) return { kind: 'unjudged', answerCount, pin }
  if (verdict.kind === 'right') return undefined
  if (verdict.kind === 'wrong') return { kind: 'mistake', why: say.pin.wrong(verdict.left) }
  return { kind: 'locked', why: verdict.kind }
}

type Given =
  | { kind: 'given'; draft: SessionDraft; leads: Entry['leads']; or?: NodeName | undefined }
  | UnreadAnswer
  | Mistake

function chosen(place: Place, list: List, typed: string, context: MenuContext): Given {
  const { entries, offers } = list
  const { say } = context
  const entry = entries.find(({ digit }) => digit === typed)
  const offered = entry === undefined ? offers?.answer(typed, context) : undefined
  if (offered?.kind === 'given') {
    return {
      ...offered,
      leads: offers?.leads ?? place.name,
      draft: { ...place.draft, ...offered.draft },
    }
  }
  if (offered !== undefined) return offered
  if (entry === undefined) return { kind: 'mistake', why: say.unknownChoice }
  const { answers, leads, orAsks: or } = entry
  return { kind: 'given', draft: { ...place.draft, ...answers }, leads, or }
}

function asked(
  place: Place,
  node: MenuQuestion,
  typed: string,
  context: MenuContext,
  { standIns }: SoFar,
): Given {
  const { pin } = place.draft
  // An earlier delivery's PIN is compared by its stand-in.
  const isSame = pin !== undefined && standIns?.get(typed) === pin
  const before = isSame ? { ...place.draft, pin: typed } : place.draft
  const given = node.answer(typed, context, before)
  if (given.kind !== 'given') return given
  const draft = { ...before, ...given.draft }
  const leads = node.next?.(draft) ?? node.leads[0]
  if (!node.leads.includes(leads)) throw new Error(`${place.name} leads to what it does not name`)
  return { kind: 'given', draft, leads, or: node.orAsks }
}

/** Turns a page; the number of pages may depend on facts and language. */
function turn(place: Place, node: List, typed: string, context: MenuContext): Place | undefined {
  if (typed === backDigit && place.page > 0) return { ...place, page: place.page - 1 }
  if (typed !== moreDigit) return undefined
  const hasMore =
    (node.facts ?? []).length > 0 ||
    context.hasLanguages ||
    place.page + 1 < pagesFrom(place, node, context, factsFor(node, {})).length
  return hasMore ? { ...place, page: place.page + 1 } : undefined
}

function pagesFrom({ draft, why }: Place, node: List, context: MenuContext, facts: Facts) {
  const { more, back } = context.say
  const title = why === undefined ? node.title : (node.again ?? node.title)
  const lines = [
    ...(why === undefined ? [] : [why]),
    ...title(context, draft, facts)
      .split('\n')
      .filter((line) => line !== ''),
    ...node.entries.map(({ digit, label, note }) => {
      const said = note?.(context, facts)
      return `${digit}. ${label(context.say)}${said === undefined ? '' : ` (${said})`}`
    }),
    ...(node.offers?.lines(context, facts) ?? []),
  ]
  const backWord = node.backLabel?.(context.say) ?? back
  const words = { more: `${moreDigit}. ${more}`, back: `${backDigit}. ${backWord}` }
  return splitPages(lines, words, node.back !== undefined)
}

function factsFor({ facts = [] }: MenuNode, read: Partial<Facts>): Facts {
  const missing = facts.find((name) => read[name] === undefined)
  if (missing !== undefined) throw new Error(`a screen is shown without its ${missing}`)
  return Object.fromEntries(facts.map((name) => [name, read[name]])) as Facts
}

/** Writes a place's screen from its facts; a page beyond the last shows the last. */
export function writePrompt(place: Place, context: MenuContext, read: Partial<Facts> = {}): string {
  const node = nodeAt(context.menu, place.name)
  const facts = factsFor(node, read)
  if (node.kind === 'list') {
    const pages = pagesFrom(place, node, context, facts)
    return pages[Math.min(place.page, pages.length - 1)] ?? ''
  }
  const words = place.why === undefined ? node.prompt : (node.again ?? node.prompt)
  const prompt = words(context, place.draft, facts)
  if (place.why === undefined) return prompt
  // A PIN prompt shows its purpose and has no room for more.
  const why = node.secret === undefined ? context.say.askAgain(place.why) : place.why
  return `${why}\n${prompt}`
}
