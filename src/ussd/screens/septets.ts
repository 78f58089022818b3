/** Lists the basic alphabet of GSM 03.38 (3GPP TS 23.038, section 6.2.1): one septet each. */
export const basicAlphabet =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

/** Lists its extension (section 6.2.1.1): two septets a character. */
export const extendedAlphabet = '\f^{}\\[~]|€'

const alphabet: ReadonlySet<string> = new Set(basicAlphabet + extendedAlphabet)

const replacements: ReadonlyMap<string, string> = new Map([
  ...[...'‘’‚´`ʼ'].map((quote) => [quote, "'"] as const),
  ...[...'“”„«»'].map((quote) => [quote, '"'] as const),
  ...[...'‐‑‒–—−'].map((dash) => [dash, '-'] as const),
  ...[...'\t\u00a0\u2009\u202f'].map((space) => [space, ' '] as const),
  ['…', '...'],
])

/** Limits a screen. The standard allows 182 septets, but several networks show only 160. */
export const maxSeptets = 160

/** Counts the septets of a text in the alphabet, each of whose characters is one UTF-16 unit. */
export function countSeptets(text: string): number {
  return text.length + (text.match(/[\f^{}\\[~\]|€]/g)?.length ?? 0)
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
      return forms.find((form) => form && [...form].every((each) => alphabet.has(each))) ?? '?'
    })
    .join('')
}
