import { describe, expect, test } from 'vitest'
import { describeFault } from '../../../src/runtime/log.ts'

describe('what a log holds of a fault', () => {
  test('are the names and first lines down to the first cause', () => {
    const cause = new TypeError('fetch failed\nwith the values at hand')
    expect(describeFault(new Error('no answer', { cause }))).toBe(
      'Error: no answer < TypeError: fetch failed',
    )
  })

  test.for([
    ['for https://node.example/v1/planted?key=planted', 'for <address>'],
    [
      'for wss://user:planted@node.example:8545/planted (10.0.0.7:8545): closed',
      'for <address> (<address>): closed',
    ],
    ['rediss://default:planted@db.example', '<address>'],
    ['connect ECONNREFUSED [2001:db8::1]:443', 'connect ECONNREFUSED <address>'],
    ["'https://node.example/planted' is no JSON", "'<address>' is no JSON"],
  ] as const)('holds no address: %s', ([message, shown]) => {
    expect(describeFault(new Error(message))).toBe(`Error: ${shown}`)
  })

  test('keeps words that only look like an address', () => {
    const message = 'item [3] of version 9.0.3 came at 12:30'
    expect(describeFault(new Error(message))).toBe(`Error: ${message}`)
  })

  test("contains no part of an address that is cut at the log's limit", () => {
    const error = new Error(`${'x'.repeat(180)} https://node.example/planted-planted-planted`)
    expect(describeFault(error)).not.toContain('node.example')
  })

  test('names a thrown value that is no error', () => {
    expect(describeFault('https://node.example/planted')).toBe('a non-Error value was thrown')
  })
})
