import { describe, type ExpectStatic, test } from 'vitest'
import { createHomedLedger } from '../../../../src/relay/ledger/home.ts'
import { type Ledger, ledgerRules } from '../../../../src/relay/ledger/port.ts'
import { previousLedger } from '../../../../src/relay/ledger/versions/previous.ts'
import { createMemoryLedger } from '../../../ports/ledger-memory.ts'

const rules = { ...ledgerRules, maxInFlight: 4, watchBlocks: 50, meansMs: 100_000 }
const account = '0x1111111111111111111111111111111111111111' as const
const identity = { chainId: 31, fingerprints: { KEY: 'k' } }
const refusing = (session: string) => ({
  ...{ session, account, input: 'i', steps: 3, token: 't' },
  screen: { kind: 'end' as const, lines: [session] },
})

/** Ledgers by their names, and how often each was called. */
function openStore() {
  const ledgers = new Map<string, Ledger>()
  return {
    ledgers,
    at: (name: string) => {
      const known = ledgers.get(name)
      if (known !== undefined) return known
      const { ledger } = createMemoryLedger({ rules, relayer: '0x9', now: () => 1 })
      ledgers.set(name, ledger)
      return ledger
    },
  }
}

const names = (key: string) => ({ name: '31', former: `31:${key}` })

async function knows(ledger: Ledger, session: string, expect: ExpectStatic): Promise<void> {
  const { input } = refusing(session)
  expect(await ledger.lookup({ session, input, account })).toMatchObject({ kind: 'answered' })
}

describe("a deployment's ledger", () => {
  test('is one, whichever key pays', async ({ expect }) => {
    const { at } = openStore()
    const first = createHomedLedger(at, names('0xaa'))
    await first.ledger.identify(identity)
    await first.ledger.refuse(refusing('s'))
    const moved = createHomedLedger(at, names('0xbb'))
    expect([await first.home(), await moved.home()]).toEqual(['31', '31'])
    await knows(moved.ledger, 's', expect)
  })

  test('stays where the version before has begun it, under another key, too', async ({
    expect,
  }) => {
    const { at } = openStore()
    await at('31:0xaa').identify(identity)
    await at('31:0xaa').refuse(refusing('s'))
    await knows(createHomedLedger(at, names('0xaa')).ledger, 's', expect)
    const moved = createHomedLedger(at, names('0xbb'))
    expect(await moved.home()).toBe('31:0xaa')
    await knows(moved.ledger, 's', expect)
  })

  test('is the one of whichever process was first', async ({ expect }) => {
    const { at } = openStore()
    const gate = Promise.withResolvers<void>()
    const slow = createHomedLedger((name) => {
      const there = at(name)
      return {
        ...there,
        async home(wanted) {
          const answer = await there.home(wanted)
          if (name === '31' && wanted === undefined) await gate.promise
          return answer
        },
      }
    }, names('0xaa'))
    const waiting = slow.home()
    expect(await createHomedLedger(at, names('0xaa')).home()).toBe('31')
    // A process of the version before begins one when it is too late.
    await at('31:0xaa').identify(identity)
    gate.resolve()
    expect(await waiting).toBe('31')
  })

  test('is asked for again where that failed', async ({ expect }) => {
    const { at } = openStore()
    let isDown = true
    const { ledger, home } = createHomedLedger((name) => {
      const there = at(name)
      return { ...there, home: (wanted) => (isDown ? Promise.reject('down') : there.home(wanted)) }
    }, names('0xaa'))
    await expect(ledger.identify(identity)).rejects.toBe('down')
    isDown = false
    expect(await ledger.identify(identity)).toEqual({ kind: 'same' })
    expect(await home()).toBe('31')
  })

  test('is where the version before has it, as long as its objects answer', async ({ expect }) => {
    const old = previousLedger(() => ({ run: () => Promise.reject('not asked') }))
    expect(await createHomedLedger(() => old, names('0xaa')).home()).toBe('31:0xaa')
  })
})
