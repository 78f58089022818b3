import type { ScreenFacts } from '../screen-facts.ts'
import { backDigit, moreDigit, splitPages } from '../screens/pages.ts'
import { countSeptets, maxSeptets } from '../screens/septets.ts'
import {
  getNode,
  type MenuContext,
  type MenuList,
  type MenuNode,
  type MenuQuestion,
  type NodeName,
  type SessionDraft,
  type WriteText,
} from './node.ts'

/** Locates a session in the menu; `mistake` tells the caller why the place is shown again. */
export type Place = { name: NodeName; draft: SessionDraft; page: number; mistake?: string }

/** Writes the pages of a list. */
export function writePages(
  { draft, mistake }: Place,
  list: MenuList,
  context: MenuContext,
  facts: ScreenFacts,
): string[] {
  const { messages } = context
  const shown = list.entries.filter(({ isShown }) => isShown?.(facts) ?? true)
  const entryLines = shown.map(({ digit, label, note }) => {
    const noteText = note?.(context, facts)
    return `${digit}. ${label(messages)}${noteText === undefined ? '' : ` (${noteText})`}`
  })
  const choices = [...entryLines, ...(list.dynamicEntries?.writeLines(context, facts) ?? [])]
  const backLabel = list.backLabel?.(messages) ?? messages.back
  const words = { more: `${moreDigit}. ${messages.more}`, back: `${backDigit}. ${backLabel}` }
  const split = (writeTitle: WriteText, mistakeLines: readonly string[]) => {
    const titleLines = writeTitle(context, draft, facts).split('\n').filter(Boolean)
    const headLines = list.entriesFirst ? titleLines.splice(0, 1) : titleLines.splice(0)
    const lines = [...mistakeLines, ...headLines, ...choices, ...titleLines]
    const lastCount = list.entriesLast ? choices.length : 0
    return splitPages(lines, words, list.back !== undefined, lastCount)
  }
  const full = split(list.title, [])
  const brief = list.briefTitle && full.length > 1 ? split(list.briefTitle, []) : full
  const pages = brief.length < full.length ? brief : full
  if (mistake === undefined) return pages
  const retryPages = split(list.retryText ?? list.title, [mistake])
  // The text of a mistake is left out if it would move a choice to another page.
  const keepsChoicesInPlace = pages.every((page, index) => {
    const retryLines = retryPages[index]?.split('\n') ?? []
    const shownChoices = page.split('\n').filter((line) => choices.includes(line))
    return shownChoices.every((choice) => retryLines.includes(choice))
  })
  return keepsChoicesInPlace ? retryPages : pages
}

/** Picks the facts that a node names. @throws {Error} one is missing */
export function pickFacts({ facts = [] }: MenuNode, readFacts: Partial<ScreenFacts>): ScreenFacts {
  const missing = facts.find((name) => readFacts[name] === undefined)
  if (missing !== undefined) throw new Error(`a screen is shown without its ${missing}`)
  return Object.fromEntries(facts.map((name) => [name, readFacts[name]])) as ScreenFacts
}

/** Writes the screen of a place; a page beyond the last shows the last page. */
export function writePrompt(
  place: Place,
  context: MenuContext,
  readFacts: Partial<ScreenFacts> = {},
): string {
  const node = getNode(context.menu, place.name)
  const facts = pickFacts(node, readFacts)
  if (node.kind === 'list') {
    const pages = writePages(place, node, context, facts)
    return pages[Math.min(place.page, pages.length - 1)] ?? ''
  }
  const whole = writeQuestion(place, node, context, facts)
  if (countSeptets(whole) <= maxSeptets) return whole
  const { mistake } = place
  // Without room a mistake is its first line.
  const [line = ''] = (mistake ?? '').replace(` ${context.messages.pin.forgot}`, '').split('\n')
  const brief = mistake === undefined ? place : { ...place, mistake: line }
  const text = writeQuestion(brief, node, context, facts)
  if (node.secret === undefined || countSeptets(text) <= maxSeptets) return text
  // Without room, the question for a PIN leaves out what the amount is in local money.
  const draft = { ...place.draft, agreed: undefined }
  return writeQuestion({ ...brief, draft }, node, context, { ...facts, rate: 'none' })
}

function writeQuestion(
  { draft, mistake }: Place,
  node: MenuQuestion,
  context: MenuContext,
  facts: ScreenFacts,
): string {
  if (mistake === undefined) return node.prompt(context, draft, facts)
  const prompt = (node.retryText ?? node.prompt)(context, draft, facts)
  const { unknownChoice, askAgain } = context.messages
  // A PIN prompt shows its purpose and has no room for more; one that asks already does so once.
  const isComplete = node.secret !== undefined || mistake === unknownChoice
  const mistakeLine = isComplete ? mistake : askAgain(mistake)
  return `${mistakeLine}\n${prompt}`
}
