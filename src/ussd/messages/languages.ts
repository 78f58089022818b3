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

/** Returns the messages of the chosen language if it is offered, else of the default one. */
export function selectMessages(
  { languages }: { languages: readonly Language[] },
  chosenLanguage?: Language,
): Messages {
  const [first] = languages
  if (chosenLanguage !== undefined && languages.includes(chosenLanguage))
    return messagesIn[chosenLanguage]
  return first === undefined ? demonstration : messagesIn[first]
}
