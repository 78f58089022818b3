import type { Language } from '../../account/language.ts'
import { english } from './en.ts'
import { spanish } from './es.ts'
import { french } from './fr.ts'
import { kiswahili } from './sw.ts'
import type { Messages } from './texts.ts'

/** What screens say in each language. */
export const messagesIn: Readonly<Record<Language, Messages>> = {
  ...{ en: english, sw: kiswahili, fr: french, es: spanish },
}
