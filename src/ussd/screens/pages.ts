import { countSeptets, maxSeptets } from './septets.ts'

/** Turns to the next page; no entry has these digits. */
export const moreDigit = '98'
/** Turns to the page before, or from the first page to the question before. */
export const backDigit = '0'

export type PageWords = { more: string; back: string }

/**
 * Splits lines into as few pages as possible; with `hasBack` the first page offers `0`, of a single
 * page above the last `lastCount` lines.
 */
export function splitPages(
  lines: readonly string[],
  words: PageWords,
  hasBack: boolean,
  lastCount = 0,
): string[] {
  const backLines = hasBack ? [words.back] : []
  const singlePage = lines.toSpliced(lines.length - lastCount, 0, ...backLines).join('\n')
  if (countSeptets(singlePage) <= maxSeptets) return [singlePage]
  const maxPageSeptets = maxSeptets - countSeptets(`\n${words.more}\n${words.back}`)
  // A page cannot hold a longer line, so such a line is split between words.
  const fittingLines = lines.flatMap((line) => joinFitting(line.split(' '), ' ', maxPageSeptets))
  const pages = joinFitting(fittingLines, '\n', maxPageSeptets)
  return pages.map((page, index) => {
    const more = index < pages.length - 1 ? [words.more] : []
    const back = hasBack || index > 0 ? [words.back] : []
    return [page, ...more, ...back].join('\n')
  })
}

/** Joins texts into as few texts as possible, each of at most `limit` septets. */
function joinFitting(texts: readonly string[], separator: string, limit: number): string[] {
  const joinedTexts: string[] = []
  let septets = limit
  for (const text of texts) {
    const more = countSeptets(text)
    const last = joinedTexts.at(-1)
    const isFitting = septets + separator.length + more <= limit
    if (last !== undefined && isFitting) {
      joinedTexts[joinedTexts.length - 1] = `${last}${separator}${text}`
      septets += separator.length + more
    } else {
      joinedTexts.push(text)
      septets = more
    }
  }
  return joinedTexts
}
