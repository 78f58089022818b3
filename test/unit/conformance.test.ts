import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { profiles, settings } from '../../src/compose/environment.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const tables = globSync('test/conformance/*.md', { cwd: root }).sort()
const readText = (file: string) => readFileSync(join(root, file), 'utf8')

/** Holds a row with its table's heading, whose files count for each row. */
type Row = { text: string; heading: string }

/** The rows of every table in a document, without headings and rules. */
function rowsOf(document: string): Row[] {
  const rows: Row[] = []
  let heading: string | undefined
  for (const line of document.split('\n')) {
    if (!line.startsWith('|')) heading = undefined
    else if (heading === undefined) heading = line
    else if (!/^\| ?-/.test(line)) rows.push({ text: line, heading })
  }
  return rows
}

/** Lists the test files and folders (also `/*`) that a text names in backticks. */
function placesIn(text: string): string[] {
  const place =
    /`(?:test\/)?((?:unit|chain|workerd|deno|ports|suites|contracts)\/[^`\s]+?)(?:\.ts)?`/g
  return [...text.matchAll(place)].map(([, name = '']) => name)
}

/** The files that hold the tests of a place; none where the place does not exist. */
function filesOf(place: string): string[] {
  const exact = ['.test.ts', '.ts'].map((ending) => `test/${place}${ending}`)
  const files = exact.filter((file) => existsSync(join(root, file)))
  if (files.length > 0) return files
  const folder = place.replace(/\/\*$/, '')
  const inside = place.startsWith('contracts/')
    ? `${folder}/**/*.t.sol`
    : `test/${folder}/**/*.test.ts`
  return globSync(inside, { cwd: root })
}

/** Reads the names of a file's tests and groups, with `…` for what is filled in as they run. */
function titlesOf(file: string): string[] {
  const source = readText(file)
  if (file.endsWith('.sol'))
    return [...source.matchAll(/function ((?:test|invariant)_\w+)/g)].map(([, name = '']) => name)
  const suites = [...source.matchAll(/['"](\.[^'"]+\.(?:suite|test)\.ts)['"]/g)]
  const titles =
    /(?:\b(?:test|always|describe|plays)(?:\.\w+)*|[\])>])\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g
  return [
    ...suites.flatMap(([, suite = '']) => titlesOf(join(dirname(file), suite))),
    ...[...source.matchAll(titles)].map(([, , title = '']) =>
      title.replaceAll(/\\(.)/g, '$1').replaceAll(/%[sdij]|\$\{[^}]*\}|\$\w+/g, '…'),
    ),
  ]
}

/** Lists the tests that a row names, outside its first column with the promise. */
function namesIn({ text }: Row): string[] {
  const columns = text.split(/(?<!\\)\|/).slice(2)
  return [...columns.join('|').matchAll(/"([^"]+)"/g)].map(([, name = '']) => name)
}

/** Tells whether a name matches a test's title; `…` stands for any words in either. */
function isNamed(title: string, name: string): boolean {
  const [one, other] = [title, name].map((text) => text.replaceAll(/ *… */g, '…'))
  return fits(one ?? '', other ?? '')
}

function fits(one: string, other: string): boolean {
  if (one === '' && other === '') return true
  if (one.startsWith('…')) {
    return fits(one.slice(1), other) || (other !== '' && fits(one, other.slice(1)))
  }
  if (other.startsWith('…')) return fits(other, one)
  return one !== '' && one[0] === other[0] && fits(one.slice(1), other.slice(1))
}

/** Lists the names that are no test's title in the files that a text names. */
function missingIn(places: string, names: readonly string[]): string[] {
  const titles = placesIn(places).flatMap(filesOf).flatMap(titlesOf)
  return names.filter((name) => !titles.some((title) => isNamed(title, name)))
}

const texts = tables.map((table) => [basename(table), readText(table)] as const)

describe.for(texts)('the table %s', ([, document]) => {
  const rows = rowsOf(document)

  test('names files that hold tests', () => {
    expect(tables.length).toBeGreaterThan(3)
    const places = placesIn(document)
    expect(places.length).toBeGreaterThan(10)
    expect(places.filter((place) => filesOf(place).length === 0)).toEqual([])
  })

  test('names tests that are in the files of their row', () => {
    expect(rows.flatMap(namesIn).length).toBeGreaterThan(10)
    const missing = rows.flatMap((row) => missingIn(row.heading + row.text, namesIn(row)))
    expect(missing).toEqual([])
  })
})

describe.for(['STORAGE.md', 'SECURITY.md', 'docs/deploying-to-deno.md'])('%s', (document) => {
  const text = readText(document).replaceAll(/\s+/g, ' ')

  test('names files that hold tests, and tests that are in them', () => {
    const places = placesIn(text)
    expect(places.length).toBeGreaterThan(3)
    expect(places.filter((place) => filesOf(place).length === 0)).toEqual([])
    // A place, and after a colon the names of its tests.
    const named = [...text.matchAll(/(`[^`\s]+`): ("[^"]+"(?:, "[^"]+")*)/g)]
    expect(named.length).toBeGreaterThan(1)
    const missing = named.flatMap(([, place = '', names = '']) =>
      missingIn(place, names.match(/(?<=")[^",][^"]*(?=")/g) ?? []),
    )
    expect(missing).toEqual([])
  })
})

test('each promise names where it is tested, or why it is none', () => {
  const rows = rowsOf(readText('test/conformance/promises.md'))
  const untested = rows.filter(
    ({ text }) => !text.startsWith('| no promise: ') && placesIn(text).length === 0,
  )
  expect(untested).toEqual([])
})

test('the table of attacks names files of tests that are there', () => {
  const files =
    readText('contracts/test/attacks/README.md').match(/(?<=`)[\w./]+\.t\.sol(?=`)/g) ?? []
  expect(files.length).toBeGreaterThan(20)
  const found = (name: string) => globSync(`contracts/test/**/${basename(name)}`, { cwd: root })
  expect(files.filter((file) => found(file).length === 0)).toEqual([])
})

/** Names a heading as a link does. */
const toAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\d _-]/gu, '')
    .replaceAll(' ', '-')

test('documents link to files that are there, and to headings that they have', () => {
  const documents = globSync('{*,{docs,contracts,test}/**/*}.md', { cwd: root })
  const missing = documents.flatMap((document) => {
    const links = [...readText(document).matchAll(/\]\((?!http)([^)#\s]*)#?([^)\s]*)\)/g)]
    return links.flatMap(([, path = '', anchor = '']) => {
      const file = path === '' ? document : join(dirname(document), path)
      if (!existsSync(join(root, file))) return [`${document}: ${path}`]
      if (anchor === '' || !file.endsWith('.md')) return []
      const headings = [...readText(file).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text)
      return headings.map(toAnchor).includes(anchor) ? [] : [`${document}: ${path}#${anchor}`]
    })
  })
  expect(missing).toEqual([])
})

test('documents name scripts that are there', () => {
  const documents = globSync('{*,{docs,contracts,test}/**/*}.md', { cwd: root })
  const missing = documents.flatMap((document) => {
    const files = readText(document).match(/(?<=npx node )scripts\/[\w./-]+/g) ?? []
    const gone = files.filter((file) => !existsSync(join(root, file)))
    return gone.map((name) => `${document}: ${name}`)
  })
  expect(missing).toEqual([])
})

test('the table of settings has each that a profile sets, and nothing else', () => {
  const document = readText('test/conformance/ussd.md')
  const [, table = ''] = document.split("## The product's settings")
  const rows = rowsOf(table.split('\n## ')[0] ?? '').map(({ text }) => text.split('|')[1] ?? '')
  const named = rows.flatMap((column) => column.match(/[A-Z][A-Z_]+/g) ?? [])
  expect(named).toEqual(expect.arrayContaining(Object.keys(profiles.lender)))
  expect(named.filter((name) => !settings.includes(name))).toEqual([])
})
