import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { bugs } from '../../../scripts/plant-bugs/bugs.ts'
import { type Patch, PatchError, patched } from '../../../scripts/plant-bugs/patch.ts'

const change = (patch: Partial<Patch>): Patch => ({
  ...{ file: 'a.ts', within: 'pay', find: 'send($bytes)', replace: 'keep($bytes)' },
  ...patch,
})

describe('a patch', () => {
  test('finds an expression whatever its format, comments, types and place are', ({ expect }) => {
    const plain = 'function pay(bytes) { if (bytes) return send(bytes) }'
    expect(patched(plain, change({}))).toBe('function pay(bytes) { if (bytes) return keep(bytes) }')
    const dressed = `export const pay = async (all: Bytes[]): Promise<void> => {
      // Here it goes.
      for (const one of all) await (send<Bytes>(
        one.raw, /* as it is */
      ))
    }`
    expect(patched(dressed, change({}))).toContain('await (keep(one.raw))')
  })

  test('finds statements that follow each other', ({ expect }) => {
    const source = `const relay = { async pay() {
      log('begins')
      const sent = await send(1, 2)
      return done
    } }`
    const patch = change({
      find: 'const sent = await $sending; return $what',
      replace: 'return $what',
    })
    expect(patched(source, patch)).toContain("log('begins')\n      return done\n")
  })

  test('has names for any number of arguments, properties and statements', ({ expect }) => {
    const source = 'function pay() { if (a) { one(1, 2); two({ b, c: 3, d }) } }'
    const patch = change({
      find: 'if ($when) { $$first; two({ $$some, d }) }',
      replace: '{ $$first } two({ $$some })',
    })
    expect(patched(source, patch)).toBe('function pay() { { one(1, 2); } two({ b, c: 3 }) }')
  })

  test('has one name for one thing', ({ expect }) => {
    const patch = change({ find: 'same($one, $one)', replace: 'true' })
    expect(patched('function pay() { same(a, a); same(a, b) }', patch)).toBe(
      'function pay() { true; same(a, b) }',
    )
  })

  test('finds a branch without braces', ({ expect }) => {
    const source = 'function pay() { if (isFenced) return 1; return 2 }'
    expect(patched(source, change({ find: 'if (isFenced) return $x', replace: '' }))).toBe(
      'function pay() {  return 2 }',
    )
  })

  test('tells functions of one name apart by those around them', ({ expect }) => {
    const source = `const first = () => { const pay = () => send(1) }
      const second = { tend() { return { pay: () => send(2) } } }`
    expect(() => patched(source, change({}))).toThrow(PatchError)
    expect(patched(source, change({ within: 'second.pay' }))).toBe(
      source.replace('send(2)', 'keep(2)'),
    )
    expect(patched(source, change({ within: 'tend.pay' }))).toContain('keep(2)')
  })

  test('is refused where its place is missing or not the only one', ({ expect }) => {
    expect(() => patched('function pays() { send(1) }', change({}))).toThrow(
      'a.ts, pay: there is no such function',
    )
    expect(() => patched('function pay() { sends(1) }', change({}))).toThrow(
      'a.ts, pay: does not have: send($bytes)',
    )
    expect(() => patched('function pay() { send(1); send(2) }', change({}))).toThrow(
      'a.ts, pay: has 2 times: send($bytes)',
    )
  })
})

describe('each planted bug', () => {
  for (const { name, patches } of bugs) {
    test(`fits the source: ${name}`, ({ expect }) => {
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
