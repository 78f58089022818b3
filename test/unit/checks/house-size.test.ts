import { expect, test } from 'vitest'
import {
  countLines,
  findNamesExportedTwice,
  licenceFaults,
  packagesIn,
  tableFaults,
} from '../../../scripts/checks/house-size.ts'

test('lines are counted with the last one, whether a line break follows it or not', () => {
  expect([countLines('a\nb\n'), countLines('c')]).toEqual([2, 1])
})

test('a name that two files export is found, and one that a file exports as value and type is not', () => {
  const sources = new Map([
    ['a.ts', 'export const state = 1\nexport type state = 1\nexport async function run() {}\n'],
    ['b.ts', 'export type run = () => void\n  export const inner = 1\nconst state = 2\n'],
  ])
  expect(findNamesExportedTwice(sources)).toEqual(['run: a.ts, b.ts'])
})

test('a table of settings names each of them and nothing else', () => {
  const table =
    '| name | | default |\n|---|---|---|\n| `A_B`, `C_D` | var | `E_F` |\n| `E_2` | var | none |\n'
  expect(tableFaults(['A_B', 'C_D', 'E_2'], table)).toEqual([])
  expect(tableFaults(['A_B', 'F_F'], table)).toEqual(['lacks F_F', 'names C_D', 'names E_2'])
})

test('a bundle is made of the packages of which something is left in it', () => {
  const inputs = {
    'src/worker.ts': { bytesInOutput: 9 },
    'node_modules/a/index.js': { bytesInOutput: 1 },
    'node_modules/a/node_modules/@b/c/esm/index.js': { bytesInOutput: 1 },
    'node_modules/d/index.js': { bytesInOutput: 0 },
  }
  const outputs = { 'worker.js': { inputs }, 'worker.js.map': { inputs: {} } }
  expect(packagesIn({ outputs })).toEqual(['node_modules/a', 'node_modules/a/node_modules/@b/c'])
})

test('a table of licences has a row for each package and no other', () => {
  const table = '| package | licence |\n|---|---|\n| `a` | MIT |\n| `@b/c` | ISC |\n'
  const shipped = new Map([['a', 'MIT']])
  expect(licenceFaults(shipped.set('@b/c', 'ISC'), table)).toEqual([])
  expect(licenceFaults(shipped.set('@b/c', 'MPL-2.0'), table)).toEqual([
    'lacks | `@b/c` | MPL-2.0 |',
    'has | `@b/c` | ISC |',
  ])
})
