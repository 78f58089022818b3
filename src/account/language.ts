/** Lists the languages of screens (ISO 639-1). Each keeps its place: its digit follows from it. */
export const languages = ['en', 'sw', 'fr', 'es'] as const

export type Language = (typeof languages)[number]
