/** Lists the basic alphabet of GSM 03.38 (3GPP TS 23.038, section 6.2.1), one septet each. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

/** Lists the extension (section 6.2.1.1), two septets each. */
const extension = '\f^{}\\[~]|€'

const septetsOfCharacter: ReadonlyMap<string, number> = new Map([
  ...[...basic].map((character) => [character, 1] as const),
  ...[...extension].map((character) => [character, 2] as const),
])

const replacements: ReadonlyMap<string, string> = new Map([
  ...[...'‘’‚´`ʼ'].map((quote) => [quote, "'"] as const),
  ...[...'“”„«»'].map((quote) => [quote, '"'] as const),
  ...[...'‐‑‒–—−'].map((dash) => [dash, '-'] as const),
  ...[...'\t\u00a0\u2009\u202f'].map((space) => [space, ' '] as const),
  ['…', '...'],
])

/** Limits a screen's septets: several networks show 160, the standard allows 182. */
export const screenSeptets = 160

/** Counts the septets of a text, the characters of which are in the alphabet. */
export function countSeptets(text: string): number {
  let septets = 0
  for (const character of text) septets += septetsOfCharacter.get(character) ?? 1
  return septets
}

/** Replaces characters outside GSM 03.38, since one such makes a network send UCS-2. */
export function toGsmAlphabet(text: string): string {
  return [...text]
    .map((character) => {
      const simpler = character.normalize('NFD').replaceAll(/\p{M}/gu, '')
      const forms = [character, replacements.get(character), simpler]
      return forms.find((form) => form !== undefined && isWritable(form)) ?? '?'
    })
    .join('')
}

function isWritable(text: string): boolean {
  const characters = [...text]
  return characters.length > 0 && characters.every((character) => septetsOfCharacter.has(character))
}
