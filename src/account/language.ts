/** Lists the languages of screens (ISO 639-1). The order fixes each one's menu digit. */
export const languages = ['en', 'sw', 'fr', 'es'] as const

export type Language = (typeof languages)[number]
