/** The basic alphabet of GSM 03.38 (3GPP TS 23.038, section 6.2.1), without its escape: a septet each. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

/** Its extension (section 6.2.1.1): an escape and a septet each. */
const extension = '\f^{}\\[~]|€'

const septetsOfCharacter: ReadonlyMap<string, number> = new Map([
  ...[...basic].map((character) => [character, 1] as const),
  ...[...extension].map((character) => [character, 2] as const),
])

/** What stands for characters that have no simpler form of their own. */
const replacements: ReadonlyMap<string, string> = new Map([
  ...[...'‘’‚´`ʼ'].map((quote) => [quote, "'"] as const),
  ...[...'“”„«»'].map((quote) => [quote, '"'] as const),
  ...[...'‐‑‒–—−'].map((dash) => [dash, '-'] as const),
  ...[...'\t\u00a0\u2009\u202f'].map((space) => [space, ' '] as const),
  ['…', '...'],
])

/** What a screen holds: 182 septets at best, and 160 on several networks. */
export const screenSeptets = 160

/** What a text takes on a screen, in septets. Its characters are all in the alphabet: see {@link inAlphabet}. */
export function septetsOf(text: string): number {
  let septets = 0
  for (const character of text) septets += septetsOfCharacter.get(character) ?? 1
  return septets
}

/**
 * A text in the letters of GSM 03.38: one character outside of it makes a network send all of a screen in
 * UCS-2, which holds less than half. An accent that the alphabet lacks is left out, and what has no other
 * form is a question mark.
 */
export function inAlphabet(text: string): string {
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
