import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { bugs, equivalent, root } from '../../../scripts/plant-bugs/changes.ts'
import { drawMutations, isEquivalent, mutationsOf } from '../../../scripts/plant-bugs/mutations.ts'
import { type Patch, patched } from '../../../scripts/plant-bugs/patch.ts'

const change = (patch: Partial<Patch>): Patch => ({
  file: 'a.ts',
  within: 'pay',
  find: 'send(bytes)',
  replace: 'keep(bytes)',
  ...patch,
})

test('a patch finds what stands in its function, however it is broken into lines', () => {
  const source = `send(bytes)
    export const pay = async () => {
      await send(bytes)
      return   done
    }`
  const found = change({ find: 'send(bytes) return done', replace: 'keep(bytes)' })
  expect(patched(source, found)).toBe(
    source.replace(/send\(bytes\)\s+return {3}done/, 'keep(bytes)'),
  )
})

test.for([
  ['missing', 'function pays() { send(1) }', 'there is no such function'],
  ['missing in it', 'function pay() { sends(1) }', 'does not have: send(bytes)'],
  ['not the only one', 'function pay() { send(bytes); send(bytes) }', 'has 2 times: send(bytes)'],
] as const)('a patch is refused where its place is %s', ([, source, fault]) => {
  expect(() => patched(source, change({}))).toThrow(`a.ts, pay: ${fault}`)
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
  expect(await drawMutations(root, 1, 5)).toHaveLength(5)
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
