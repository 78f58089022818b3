import type { Language } from '../../account/language.ts'
import { demonstration } from './demonstration.ts'
import { english } from './en.ts'
import { spanish } from './es.ts'
import { french } from './fr.ts'
import { kiswahili } from './sw.ts'
import type { Messages } from './texts.ts'

/** What screens say in each language. */
export const messagesIn: Readonly<Record<Language, Messages>> = {
  en: english,
  sw: kiswahili,
  fr: french,
  es: spanish,
}

/**
 * The words of a caller who chose a language, or none: of that one while it is offered, else of the first that is.
 * The demonstration offers none.
 */
export function wordsFor(
  { languages: offered }: { languages: readonly Language[] },
  chosen: Language | undefined,
): Messages {
  const [first] = offered
  if (chosen !== undefined && offered.includes(chosen)) return messagesIn[chosen]
  return first === undefined ? demonstration : messagesIn[first]
}
