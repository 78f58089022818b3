import {
  type Destination,
  type Draft,
  effects,
  isEffect,
  type List,
  type MenuContext,
  menu,
  type NodeName,
  type Outcome,
  type Question,
} from './menu.ts'
import { backDigit, moreDigit, pagesOf } from './pages.ts'

/** What the text of a session comes to. */
export type MenuResult =
  | { kind: 'ask'; prompt: string }
  | Outcome
  /** Three bad answers to one question. */
  | { kind: 'gave_up' }
  /** So many answers that no question is left open. */
  | { kind: 'too_long' }
  /** Something was typed after the session's last screen. */
  | { kind: 'past_the_end' }

/** Where a session stands. */
export type Place = { name: NodeName; draft: Draft; page: number; why?: string }

/** What an answer leads to: another place, the session's end, or the same question again. */
type Step = { kind: 'go'; place: Place } | { kind: 'end'; outcome: Outcome } | Mistake

type Mistake = { kind: 'mistake'; why: string }

/** Bad answers to one question that end a session. */
const maxMistakes = 3

/** A session that is not over by then never will be. The longest way through the menu takes a fourth of it. */
export const maxAnswers = 40

const menuDigits = '00'

/** The answers in a gateway's `text`: none on the first dial. */
export function answersOf(text: string): string[] {
  return text === '' ? [] : text.split('*')
}

/**
 * Where the answers of a session lead. The same answers always lead to the same place: what depends
 * on the chain is decided elsewhere, so that a later delivery never reads a text another way.
 */
export function walk(answers: readonly string[], context: MenuContext): MenuResult {
  let place: Place = { name: 'main', draft: {}, page: 0 }
  const mistakes = new Map<NodeName, number>()
  for (const [index, typed] of answers.entries()) {
    const isLast = index === answers.length - 1
    const step = stepFrom(place, meant(typed), context)
    switch (step.kind) {
      case 'end':
        return isLast ? step.outcome : { kind: 'past_the_end' }
      case 'go':
        place = step.place
        break
      case 'mistake': {
        const count = (mistakes.get(place.name) ?? 0) + 1
        mistakes.set(place.name, count)
        if (count === maxMistakes) return { kind: isLast ? 'gave_up' : 'past_the_end' }
        place = { ...place, page: 0, why: step.why }
      }
    }
    if (index + 1 === maxAnswers) return { kind: isLast ? 'too_long' : 'past_the_end' }
  }
  return { kind: 'ask', prompt: promptOf(place, context) }
}

/** What was typed, without what ends a dialled code. */
const meant = (typed: string): string => typed.trim().replace(/\s*#$/, '')

function stepFrom(place: Place, typed: string, context: MenuContext): Step {
  const node = menu[place.name]
  const go = (name: NodeName, draft: Draft = place.draft): Step => ({
    kind: 'go',
    place: { name, draft, page: 0 },
  })
  if (typed === menuDigits) return go('main', {})
  if (node.kind === 'list') {
    const turned = turn(place, node, typed, context)
    if (turned !== undefined) return { kind: 'go', place: turned }
  }
  if (typed === backDigit && node.back !== undefined) return go(node.back)
  const given = node.kind === 'list' ? chosen(node, typed, context) : asked(node, typed, context)
  if (given.kind === 'mistake') return given
  const draft = { ...place.draft, ...given.draft }
  return isEffect(given.leads)
    ? { kind: 'end', outcome: effects[given.leads](draft) }
    : go(given.leads, draft)
}

type Given = { kind: 'given'; draft: Draft; leads: Destination } | Mistake

function chosen({ entries }: List, typed: string, { say }: MenuContext): Given {
  const entry = entries.find(({ digit }) => digit === typed)
  return entry === undefined
    ? { kind: 'mistake', why: say.unknownChoice }
    : { kind: 'given', draft: {}, leads: entry.leads }
}

function asked(node: Question, typed: string, context: MenuContext): Given {
  const given = node.answer(typed, context)
  return given.kind === 'given' ? { ...given, leads: node.leads } : given
}

/** Another page of a list that has one. */
function turn(place: Place, node: List, typed: string, context: MenuContext): Place | undefined {
  const last = pagesFrom(place, node, context).length - 1
  if (typed === moreDigit && place.page < last) return { ...place, page: place.page + 1 }
  if (typed === backDigit && place.page > 0) return { ...place, page: place.page - 1 }
  return undefined
}

function pagesFrom({ draft, why }: Place, node: List, context: MenuContext): string[] {
  const { say } = context
  const lines = [
    ...(why === undefined ? [] : [why]),
    ...node.title(context, draft).split('\n'),
    ...node.entries.map(({ digit, label }) => `${digit}. ${say.labels[label]}`),
  ]
  const words = { more: `${moreDigit}. ${say.more}`, back: `${backDigit}. ${say.back}` }
  return pagesOf(lines, words, node.back !== undefined)
}

/** What is shown at a place. */
export function promptOf(place: Place, context: MenuContext): string {
  const node = menu[place.name]
  if (node.kind === 'list') return pagesFrom(place, node, context)[place.page] ?? ''
  const prompt = node.prompt(context, place.draft)
  return place.why === undefined ? prompt : `${context.say.askAgain(place.why)}\n${prompt}`
}
