import { expect, test } from 'vitest'
import { parseUniqueJson } from '../../../src/runtime/json.ts'

test.for([
  '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":3}]}',
  String.raw`{"a:b":"{\"a\":1,\"a\":2}","c":"\\","d":"x:\\\""}`,
  '{"__proto__":1,"constructor":{"__proto__":2}}',
  '[{"a":1},{"a":1}]',
  '"a:b"',
  'null',
  '1e999',
])('a text that names each member once is read as JSON.parse does: %s', (text) => {
  expect(parseUniqueJson(text)).toEqual(JSON.parse(text))
})

test.for([
  '{"a":1,"a":1}',
  '{"a":1,"b":{"c":1,"c":2}}',
  '[{"a":{"b":[{"c":1,"c":1}]}}]',
  String.raw`{"a":1,"\u0061":2}`,
  String.raw`{"a\"":1,"a\u0022":2}`,
  '{"__proto__":1,"__proto__":2}',
  '{"a":{"b":1,"c":2},"a":1}',
  '{"a":1,"a":{"b":1}}',
  '{"a":[],"b":1,"":2,"":3}',
  '{"a":1',
  '',
])('a text that is ambiguous, or not JSON, is not read: %s', (text) => {
  expect(parseUniqueJson(text)).toBeUndefined()
})

test('a long or deep text is read or refused, and never throws', () => {
  const long = 'x'.repeat(2_000_000)
  expect(parseUniqueJson(`{"a":"${long}"}`)).toEqual({ a: long })
  expect(() => parseUniqueJson('['.repeat(500_000) + ']'.repeat(500_000))).not.toThrow()
  expect(() => parseUniqueJson(`{"a":"${'\\\\'.repeat(1_000_000)}"}`)).not.toThrow()
})
