import { existsSync, readFileSync } from 'node:fs'
import { test } from 'vitest'

const table = readFileSync(new URL('../../conformance/node.md', import.meta.url), 'utf8')
const rows = table.split('\n').filter((line) => /^\|(?! ?-)/.test(line))
// Where a row names no file of its own.
const usual = 'chain/node/methods'

function textOf(file: string): string {
  return readFileSync(new URL(`../../${file}.test.ts`, import.meta.url), 'utf8')
}

test('every file that the table of conformance names is a file of tests', ({ expect }) => {
  const files = rows.flatMap(
    (row) => row.match(/(?<=`)(?:unit|chain|workerd)\/[\w/-]+(?=`)/g) ?? [],
  )
  expect(files.length).toBeGreaterThan(50)
  for (const file of files) {
    expect(existsSync(new URL(`../../${file}.test.ts`, import.meta.url)), file).toBe(true)
  }
})

test('every test that the table of conformance names is there', ({ expect }) => {
  let named = 0
  for (const row of rows) {
    const files = row.match(/(?<=`)(?:unit|chain|workerd)\/[\w/-]+(?=`)/g) ?? []
    const texts = [...files, usual].map(textOf)
    for (const [, name = ''] of row.matchAll(/"([^"]+)"/g)) {
      named += 1
      const words = name.replace(/^… | ?…$/g, '')
      expect(
        texts.some((text) => text.includes(words)),
        `${name} in ${row}`,
      ).toBe(true)
    }
  }
  expect(named).toBeGreaterThan(50)
})
