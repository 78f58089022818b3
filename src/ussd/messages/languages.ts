import type { Language } from '../../account/language.ts'
import { demonstration } from './demonstration.ts'
import { english, type Messages } from './en.ts'
import { spanish } from './es.ts'
import { french } from './fr.ts'
import { kiswahili } from './sw.ts'

export const messagesIn: Readonly<Record<Language, Messages>> = {
  en: english,
  sw: kiswahili,
  fr: french,
  es: spanish,
}

/** Returns the words of the chosen language if it is offered, else of the first one. */
export function selectMessages(
  of: { languages: readonly Language[] },
  chosen?: Language,
): Messages {
  const offered = of.languages
  const [first] = offered
  if (chosen !== undefined && offered.includes(chosen)) return messagesIn[chosen]
  return first === undefined ? demonstration : messagesIn[first]
}
