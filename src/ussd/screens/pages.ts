import { countSeptets, screenSeptets } from './septets.ts'

/** Turns to the next page; no list uses it as a digit. */
export const moreDigit = '98'
/** Turns back a page; on the first page, to the question before. */
export const backDigit = '0'

export type PageWords = { more: string; back: string }

/** Splits lines into as few pages as possible; `hasBack`: `0` works on the first page too. */
export function splitPages(lines: readonly string[], words: PageWords, hasBack: boolean): string[] {
  const only = [...lines, ...(hasBack ? [words.back] : [])].join('\n')
  if (countSeptets(only) <= screenSeptets) return [only]
  const room = screenSeptets - countSeptets(`\n${words.more}\n${words.back}`)
  const pages: string[] = []
  for (const line of lines.flatMap((whole) => splitLine(whole, room))) {
    const last = pages.at(-1)
    const joined = last === undefined ? line : `${last}\n${line}`
    if (last === undefined || countSeptets(joined) > room) pages.push(line)
    else pages[pages.length - 1] = joined
  }
  return pages.map((page, index) => {
    const more = index < pages.length - 1 ? [words.more] : []
    const back = hasBack || index > 0 ? [words.back] : []
    return [page, ...more, ...back].join('\n')
  })
}

function splitLine(line: string, most: number): string[] {
  const parts: string[] = []
  for (const word of line.split(' ')) {
    const last = parts.at(-1)
    const joined = last === undefined ? word : `${last} ${word}`
    if (last === undefined || countSeptets(joined) > most) parts.push(word)
    else parts[parts.length - 1] = joined
  }
  return parts
}
