import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { bugs, equivalent, type Patch, patched } from '../../../scripts/plant-bugs/changes.ts'
import { drawMutations, isEquivalent, mutationsOf } from '../../../scripts/plant-bugs/mutations.ts'

const patch: Patch = {
  file: 'a.ts',
  find: ['send(bytes)', 'return done'],
  replace: ['keep(bytes)'],
}

test('a patch finds its place, however that is broken into lines', () => {
  const source = `send(bytes)
    export const pay = async () => {
      await send(bytes)
      return   done
    }`
  expect(patched(source, patch)).toBe(
    source.replace(/send\(bytes\)\s+return {3}done/, 'keep(bytes)'),
  )
})

test.for([
  ['missing', 'send(bits) return done', 0],
  ['not the only one', 'send(bytes) return done; send(bytes) return done', 2],
] as const)('a patch is refused where its place is %s', ([, source, times]) => {
  expect(() => patched(source, patch)).toThrow(`a.ts has ${times} times: send(bytes)\nreturn done`)
})

test.for(bugs)('each planted bug fits the source: $name', ({ patches }) => {
  const sources = new Map<string, string>()
  for (const patch of patches) {
    const source = sources.get(patch.file) ?? readFileSync(patch.file, 'utf8')
    sources.set(patch.file, patched(source, patch))
    expect(sources.get(patch.file)).not.toBe(source)
  }
  for (const source of sources.values()) {
    expect(() => parseAst(source, { lang: 'ts' })).not.toThrow()
  }
})

test('mutations are drawn from the files of ledger and round as they are', async () => {
  expect(await drawMutations(1, 5)).toHaveLength(5)
})

test.for(equivalent)(
  'a mutation that nothing can notice fits the source: $file, $within, $was, $words',
  ({ file, within, was, words }) => {
    const fitting = mutationsOf(file, readFileSync(file, 'utf8')).filter(
      (one) => one.within === within && one.was === was && one.words === words,
    )
    expect(fitting).not.toEqual([])
    expect(fitting.every(isEquivalent)).toBe(true)
  },
)
