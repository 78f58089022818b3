import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type ExportAnswer, exportAnswer } from '../../src/operator/schemas/kept.ts'
import { parseJson } from '../../src/runtime/json.ts'
import { StackError } from '../stack/report.ts'
import type { OperatorClient } from './operator-client.ts'

/** Writes what only operators know for its owner's eyes, a page a line. */
export async function writeExport({ ask }: OperatorClient, file: string): Promise<number> {
  const pages: ExportAnswer[] = []
  for (let query: string | undefined = ''; query !== undefined; ) {
    const page: ExportAnswer = await ask(`/operator/export${query}`, exportAnswer)
    pages.push(page)
    query = page.next === null ? undefined : `?part=${page.next.part}&from=${page.next.from}`
  }
  const lines = pages.map((page) => `${JSON.stringify(page)}\n`)
  writeFileSync(`${file}.part`, lines.join(''), { mode: 0o600 })
  renameSync(`${file}.part`, file)
  return pages.flatMap(({ audit, holds, tills, aliases }) => [audit, holds, tills, aliases].flat())
    .length
}

/** Imports a whole file. @throws {StackError} it is no whole export, or does not fit */
export async function importFile({ act }: OperatorClient, file: string) {
  const pages = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap((line) => exportAnswer.safeParse(parseJson(line)).data ?? { next: undefined })
  if (
    pages.some(
      ({ next }, index) => next === undefined || (next === null) !== (index === pages.length - 1),
    )
  )
    throw new StackError(`${file} is no whole export. Nothing was changed.`)
  const sum: { added: number; refused: string[] } = { added: 0, refused: [] }
  for (const page of pages) {
    const { added, refused } = await act('import', page, 'Run the same again: it goes on with it.')
    sum.added += added
    sum.refused.push(...refused)
  }
  return sum
}
