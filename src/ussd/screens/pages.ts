import { countSeptets, maxSeptets } from './septets.ts'

/** Turns to the next page; no entry has these digits. */
export const moreDigit = '98'
/** Turns to the page before, or from the first page to the question before. */
export const backDigit = '0'

export type PageWords = { more: string; back: string }

/** Splits lines into as few pages as possible; with `hasBack` the first page offers `0`. */
export function splitPages(lines: readonly string[], words: PageWords, hasBack: boolean): string[] {
  const singlePage = [...lines, ...(hasBack ? [words.back] : [])].join('\n')
  if (countSeptets(singlePage) <= maxSeptets) return [singlePage]
  const maxPageSeptets = maxSeptets - countSeptets(`\n${words.more}\n${words.back}`)
  const pages: string[] = []
  for (const line of lines.flatMap((each) => splitLine(each, maxPageSeptets))) {
    const last = pages.at(-1)
    const joined = last === undefined ? line : `${last}\n${line}`
    if (last === undefined || countSeptets(joined) > maxPageSeptets) pages.push(line)
    else pages[pages.length - 1] = joined
  }
  return pages.map((page, index) => {
    const more = index < pages.length - 1 ? [words.more] : []
    const back = hasBack || index > 0 ? [words.back] : []
    return [page, ...more, ...back].join('\n')
  })
}

/** Splits a line between words, because a page cannot hold a longer line. */
function splitLine(line: string, maxPageSeptets: number): string[] {
  const parts: string[] = []
  for (const word of line.split(' ')) {
    const last = parts.at(-1)
    const joined = last === undefined ? word : `${last} ${word}`
    if (last === undefined || countSeptets(joined) > maxPageSeptets) parts.push(word)
    else parts[parts.length - 1] = joined
  }
  return parts
}
