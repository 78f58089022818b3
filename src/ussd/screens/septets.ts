/** Lists the basic alphabet of GSM 03.38 (3GPP TS 23.038, section 6.2.1): one septet each. */
export const basicAlphabet =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

/** Lists its extension (section 6.2.1.1): two septets a character. */
export const extendedAlphabet = '\f^{}\\[~]|€'

const septetsByCharacter: ReadonlyMap<string, number> = new Map([
  ...[...basicAlphabet].map((character) => [character, 1] as const),
  ...[...extendedAlphabet].map((character) => [character, 2] as const),
])

const replacements: ReadonlyMap<string, string> = new Map([
  ...[...'‘’‚´`ʼ'].map((quote) => [quote, "'"] as const),
  ...[...'“”„«»'].map((quote) => [quote, '"'] as const),
  ...[...'‐‑‒–—−'].map((dash) => [dash, '-'] as const),
  ...[...'\t\u00a0\u2009\u202f'].map((space) => [space, ' '] as const),
  ['…', '...'],
])

/** Limits a screen. The standard allows 182 septets, but several networks show only 160. */
export const maxSeptets = 160

/** Counts the septets of a text in the alphabet. */
export function countSeptets(text: string): number {
  let septets = 0
  for (const character of text) septets += septetsByCharacter.get(character) ?? 1
  return septets
}

/**
 * Replaces characters outside GSM 03.38, because one of them makes a network send UCS-2, of which a
 * screen holds fewer characters.
 */
export function toGsmAlphabet(text: string): string {
  return [...text]
    .map((character) => {
      const withoutAccents = character.normalize('NFD').replaceAll(/\p{M}/gu, '')
      const forms = [character, replacements.get(character), withoutAccents]
      return forms.find((form) => form !== undefined && isInAlphabet(form)) ?? '?'
    })
    .join('')
}

function isInAlphabet(text: string): boolean {
  const characters = [...text]
  return characters.length > 0 && characters.every((character) => septetsByCharacter.has(character))
}
