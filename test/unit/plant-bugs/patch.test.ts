import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { bugs } from '../../../scripts/plant-bugs/changes.ts'
import { type Patch, patched } from '../../../scripts/plant-bugs/patch.ts'

const change = (patch: Partial<Patch>): Patch => ({
  file: 'a.ts',
  within: 'pay',
  find: 'send(bytes)',
  replace: 'keep(bytes)',
  ...patch,
})

describe('a patch', () => {
  test('finds what stands in its function, however it is broken into lines', () => {
    const source = `send(bytes)
      export const pay = async () => {
        await send(bytes)
        return   done
      }`
    expect(
      patched(source, change({ find: 'send(bytes) return done', replace: 'keep(bytes)' })),
    ).toBe(source.replace(/send\(bytes\)\s+return {3}done/, 'keep(bytes)'))
  })

  test('is refused where its place is missing or not the only one', () => {
    expect(() => patched('function pays() { send(1) }', change({}))).toThrow(
      'a.ts, pay: there is no such function',
    )
    expect(() => patched('function pay() { sends(1) }', change({}))).toThrow(
      'a.ts, pay: does not have: send(bytes)',
    )
    expect(() => patched('function pay() { send(bytes); send(bytes) }', change({}))).toThrow(
      'a.ts, pay: has 2 times: send(bytes)',
    )
  })
})

describe('each planted bug', () => {
  for (const { name, patches } of bugs) {
    test(`fits the source: ${name}`, () => {
      const sources = new Map<string, string>()
      for (const patch of patches) {
        const source = sources.get(patch.file) ?? readFileSync(patch.file, 'utf8')
        const changed = patched(source, patch)
        expect(changed).not.toBe(source)
        sources.set(patch.file, changed)
      }
      for (const source of sources.values()) {
        expect(() => parseAst(source, { lang: 'ts' })).not.toThrow()
      }
    })
  }
})
