import { expect, test } from 'vitest'
import {
  countLongComments,
  countLongLines,
  findNamesExportedTwice,
  licenceFaults,
  packagesIn,
  tableFaults,
} from '../../../scripts/checks/house-size.ts'

test('a name that two files export is found, and one that a file exports as value and type is not', () => {
  const sources = new Map([
    ['a.ts', 'export const state = 1\nexport type state = 1\nexport async function run() {}\n'],
    ['b.ts', 'export type run = () => void\n  export const inner = 1\nconst state = 2\n'],
  ])
  expect(findNamesExportedTwice(sources)).toEqual(['run: a.ts, b.ts'])
})

test('a line of Markdown is long beyond 100 characters, unless it is of a table or in a fence', () => {
  const [just, long] = ['x'.repeat(100), 'x'.repeat(101)]
  const text = [just, long, `- ${just}`, `| ${long} |`, '  ```sh', long, '  ```', just].join('\n')
  expect(countLongLines(new Map([['a.md', text]]))).toBe(2)
})

test('a line of comment is long beyond 100 characters, and a line of code is not counted', () => {
  const [just, long] = ['x'.repeat(97), 'x'.repeat(98)]
  const text = [`// ${just}`, `// ${long}`, `  * ${just}`, `const ${long}`, `/// ${just}`].join(
    '\n',
  )
  expect(countLongComments(new Map([['a.ts', text]]))).toBe(3)
})

test('a table names each setting, and each package with its licence, and nothing else', () => {
  const table = '| name | default |\n|---|---|\n| `A_B`, `C_D` | `E_F` |\n| `E_2` | none |\n'
  expect(tableFaults(['A_B', 'F_F'], table)).toEqual(['lacks F_F', 'names C_D', 'names E_2'])
  const licences = '| package | licence |\n|---|---|\n| `a` | MIT |\n| `@b/c` | ISC |\n'
  const shipped = new Map([
    ['a', 'MIT'],
    ['@b/c', 'MPL-2.0'],
  ])
  expect(licenceFaults(shipped, licences)).toEqual([
    'lacks | `@b/c` | MPL-2.0 |',
    'has | `@b/c` | ISC |',
  ])
})

test("a bundle's packages are found below the root, whichever copy of the repository built it", () => {
  const files = ['src/a.ts', 'node_modules/a/b.js', '../../main/node_modules/@b/c/d/e.js']
  const nested = 'node_modules/a/node_modules/f/g.js'
  const unused = ['node_modules/h/i.js', { bytesInOutput: 0 }]
  const used = [...files, nested].map((file) => [file, { bytesInOutput: 1 }])
  const inputs = Object.fromEntries([...used, unused])
  expect(packagesIn({ outputs: { 'worker.js': { inputs } } })).toEqual([
    'node_modules/@b/c',
    'node_modules/a',
    'node_modules/a/node_modules/f',
  ])
})
