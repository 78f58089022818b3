/**
 * The languages that screens are written in, by their codes (ISO 639-1). Each keeps its place: the digit
 * that stands for it follows from it.
 */
export const languages = ['en', 'sw', 'fr', 'es'] as const

export type Language = (typeof languages)[number]
