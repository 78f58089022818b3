import { expect, test } from 'vitest'
import { assertNothingUncaught } from '../../scripts/dev/relays/log-line.ts'
import { unexpected } from '../support/runtime-words.ts'

const aborted = 'exception = jsg.Error: Application called abortAllDurableObjects().'

test('what a test causes on purpose is expected while it runs and for a moment after it', () => {
  const spans = [{ from: 10_000, to: 20_000, causes: ['aborted_objects'] as const }]
  const at = (ms: number) => unexpected([{ at: ms, text: aborted }], spans).length
  expect([8_999, 9_000, 20_000, 50_000, 50_001].map(at)).toEqual([1, 0, 0, 0, 1])
})

test('nothing else is expected, and nothing without a declaration', () => {
  const spans = [{ from: 0, to: 10, causes: ['aborted_objects'] as const }]
  const outcry = {
    at: 5,
    text: 'uncaught exception; source = Uncaught (in promise); stack = Error: no',
  }
  expect(unexpected([outcry], spans)).toEqual([outcry])
  expect(unexpected([{ at: 5, text: aborted }], [])).toHaveLength(1)
})

test('an uncaught error ends a test, except lost connections and broken protocol frames', () => {
  expect(() =>
    assertNothingUncaught(['a line', 'uncaught: Error: Network connection lost.']),
  ).not.toThrow()
  const words = 'WebSocket protocol error; protocolError.statusCode = 1002'
  const ofWorkerd = `Uncaught exception: kj/compat/http.c++:6214: failed: remote.jsg.Error: ${words}`
  expect(() => assertNothingUncaught([ofWorkerd])).not.toThrow()
  expect(() => assertNothingUncaught([`uncaught: Error: ${words}`])).toThrow(words)
  expect(() => assertNothingUncaught(['uncaught: TypeError: no'])).toThrow('TypeError: no')
  expect(() => assertNothingUncaught(['error: Uncaught (in promise) Error: no'])).toThrow(
    'Error: no',
  )
})
