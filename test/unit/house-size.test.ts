import { describe, test } from 'vitest'
import { parseAst } from 'vitest/node'
import {
  functionSizes,
  licenceFaults,
  linesOf,
  packagesIn,
  tableFaults,
} from '../../scripts/checks/house-size.ts'

const longestOf = (source: string) =>
  functionSizes(new Map([['a.ts', source]]), (text) => parseAst(text, { lang: 'ts' }))[0]

test('lines are counted with the last one, whether a line break follows it or not', ({
  expect,
}) => {
  expect(linesOf(['a\nb\n', 'c'])).toBe(3)
})

describe('the longest function', () => {
  test('is named by what it is given to', ({ expect }) => {
    const source =
      'const one = () => 1\n\nexport const two = {\n  three: (a: string) => {\n    a\n  },\n}\n'
    expect(longestOf(source)).toEqual({ name: 'three', file: 'a.ts', line: 4, lines: 3 })
  })

  test('does not count the lines of those that it makes', ({ expect }) => {
    const made = 'function made() {\n  1\n  2\n  3\n}'
    const source = `function makes() {\n${made}\nreturn made\n}\n`
    expect(longestOf(source)).toEqual({ name: 'made', file: 'a.ts', line: 2, lines: 5 })
  })

  test('is nowhere in a file without one', ({ expect }) => {
    expect(longestOf('export type A = 1\n')).toBeUndefined()
  })
})

test('a table of settings names each of them and nothing else', ({ expect }) => {
  const table =
    '| name | | default |\n|---|---|---|\n| `A_B`, `C_D` | var | `E_F` |\n| `E_2` | var | none |\n'
  expect(tableFaults(['A_B', 'C_D', 'E_2'], table)).toEqual([])
  expect(tableFaults(['A_B', 'F_F'], table)).toEqual(['lacks F_F', 'names C_D', 'names E_2'])
})

test('a bundle is made of the packages of which something is left in it', ({ expect }) => {
  const inputs = {
    'src/worker.ts': { bytesInOutput: 9 },
    'node_modules/a/index.js': { bytesInOutput: 1 },
    'node_modules/a/node_modules/@b/c/esm/index.js': { bytesInOutput: 1 },
    'node_modules/d/index.js': { bytesInOutput: 0 },
  }
  expect(
    packagesIn({ outputs: { 'worker.js': { inputs }, 'worker.js.map': { inputs: {} } } }),
  ).toEqual(['node_modules/a', 'node_modules/a/node_modules/@b/c'])
})

test('a table of licences has a row for each package and no other', ({ expect }) => {
  const table = '| package | licence |\n|---|---|\n| `a` | MIT |\n| `@b/c` | ISC |\n'
  const shipped = (c: string) =>
    new Map([
      ...([
        ['a', 'MIT'],
        ['@b/c', c],
      ] as const),
    ])
  expect(licenceFaults(shipped('ISC'), table)).toEqual([])
  expect(licenceFaults(shipped('MPL-2.0'), table)).toEqual([
    'lacks | `@b/c` | MPL-2.0 |',
    'has | `@b/c` | ISC |',
  ])
})
