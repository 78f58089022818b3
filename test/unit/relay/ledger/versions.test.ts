import { describe, test } from 'vitest'
import { ledgerRules } from '../../../../src/relay/ledger/port.ts'
import {
  callByPrevious,
  isOfPrevious,
  previousLedger,
  screenOf,
} from '../../../../src/relay/ledger/versions/previous.ts'
import { createMemoryLedger } from '../../../ports/ledger-memory.ts'

const rules = { ...ledgerRules, maxInFlight: 4, watchBlocks: 50, meansMs: 100_000 }
const account = '0x1111111111111111111111111111111111111111' as const
const question = { session: 's', input: 'i', account }
const refusing = { ...question, steps: 3, token: 't' }
const reply = 'END No money.\nNothing was sent.'
const screen = { kind: 'end', lines: ['No money.', 'Nothing was sent.'] } as const

const open = () => createMemoryLedger({ rules, relayer: '0x9', now: () => 1 }).ledger

describe('versions side by side', () => {
  test('a Worker of the version before gets and gives the bytes of screens', async ({ expect }) => {
    const ledger = open()
    expect(await callByPrevious(ledger, 'lookup', [question])).toMatchObject({ kind: 'undecided' })
    const refused = await callByPrevious(ledger, 'refuse', [{ ...refusing, reply }])
    expect(refused).toEqual({ kind: 'refused' })
    expect(await callByPrevious(ledger, 'lookup', [question])).toEqual({ kind: 'answered', reply })
    expect(await ledger.lookup(question)).toEqual({ kind: 'answered', screen })
  })

  test('a Worker of the version before shows what was submitted, whatever came of it', async ({
    expect,
  }) => {
    const ledger = open()
    const lookup = async () => ({ kind: 'failed' as const, screen })
    expect(await callByPrevious({ ...ledger, lookup }, 'lookup', [question])).toEqual({
      ...{ kind: 'answered', reply },
    })
  })

  test('a Worker of this version speaks to an object of the version before in its words', async ({
    expect,
  }) => {
    const asked: unknown[] = []
    const ledger = previousLedger(() => ({
      async run(method, ...args) {
        asked.push([method, ...args])
        return method === 'lookup' ? { kind: 'answered', reply } : { kind: 'refused' }
      },
    }))
    expect(await ledger.refuse({ ...refusing, screen })).toEqual({ kind: 'refused' })
    expect(await ledger.lookup(question)).toEqual({ kind: 'answered', screen })
    expect(asked).toEqual([
      ['refuse', { ...refusing, reply }],
      ['lookup', question],
    ])
  })

  test('an object of the version before is known by what it does not implement', ({ expect }) => {
    const said = 'The RPC receiver does not implement the method "lookup".'
    expect(isOfPrevious(new TypeError(said))).toBe(true)
    expect(isOfPrevious(new TypeError('The RPC receiver does not implement "lookup".'))).toBe(true)
    expect(isOfPrevious(new Error('Network connection lost.'))).toBe(false)
  })

  test.for(['CON Who?\n1. Me\n2. You', 'END Bye.', 'END '])(
    '%j is a screen',
    (bytes, { expect }) => {
      const { kind, lines } = screenOf(bytes)
      expect(`${kind === 'ask' ? 'CON' : 'END'} ${lines.join('\n')}`).toBe(bytes)
    },
  )
})
