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

/**
 * Returns the messages of the chosen language if it is offered, else of the default one; they tell
 * times in the service's time zone.
 */
export function selectMessages(
  { languages, timeZone }: { languages: readonly Language[]; timeZone?: string | undefined },
  chosenLanguage?: Language,
): Messages {
  const [first] = languages
  const isOffered = chosenLanguage !== undefined && languages.includes(chosenLanguage)
  const language = isOffered ? chosenLanguage : first
  const messages = language === undefined ? demonstration : messagesIn[language]
  return { ...messages, date: (time, hasClock) => messages.date(time, hasClock, timeZone) }
}
