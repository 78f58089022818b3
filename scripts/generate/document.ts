/** Replaces the text between the marks of this name. @throws {Error} the marks are missing */
export function replacePart(document: string, name: string, text: string): string {
  const marks = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`] as const
  const [begin, end] = marks.map((mark) => document.indexOf(mark)) as [number, number]
  if (begin < 0 || end < begin) throw new Error(`the document has no ${marks.join(' … ')}`)
  return `${document.slice(0, begin + marks[0].length)}\n\n${text}\n${document.slice(end)}`
}
