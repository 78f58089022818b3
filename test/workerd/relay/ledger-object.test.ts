import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { poolRules } from '../../../src/chain/chains.ts'
import { ledgerRules } from '../../../src/relay/ledger/port.ts'
import { createObjectLedger, type LedgerStub } from '../../../src/relay/ledger/stores/object.ts'
import { isOfPrevious } from '../../../src/relay/ledger/versions/previous.ts'
import { ledgerSuites } from '../../ports/ledger-store.suite.ts'
import { willCause } from '../../support/runtime-words.ts'

const { maxInFlight, watchBlocks, meansMs } = poolRules.rootstock
const yearMs = 365 * 24 * 60 * 60 * 1000
let objects = 0

beforeEach(() => {
  // Alarms are set by this clock and rung by the real one: none rings between a test's steps.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + yearMs })
})
afterEach(() => {
  vi.useRealTimers()
})

const create = async () => {
  objects += 1
  const stub = env.LEDGER.getByName(`suite ${objects}`) as unknown as LedgerStub
  return {
    ledger: createObjectLedger(() => stub),
    rules: { ...ledgerRules, maxInFlight, watchBlocks, meansMs },
    pass: (ms: number) => vi.setSystemTime(Date.now() + ms),
  }
}

ledgerSuites('a Durable Object', create)

describe('what an object shows', () => {
  const stubOf = (name: string) => env.LEDGER.getByName(name) as unknown as LedgerStub

  test('is set back only where the platform has a history of it, and says so', async ({
    expect,
  }) => {
    const stub = stubOf('set back')
    for (const to of [{ time: Date.now() }, { bookmark: 'of before' }]) {
      expect(await stub.setBack(to)).toMatchObject({
        ...{ kind: 'refused', reason: expect.stringContaining('point-in-time recovery') },
      })
    }
    expect((await stub.home()).isBegun).toBe(false)
  })
  const account = '0x1111111111111111111111111111111111111111' as const
  const question = { session: 's', input: 'i', account }

  test('is known by what it does not implement, where its version is another one', async ({
    expect,
    task,
  }) => {
    willCause(task, 'unknown_method')
    const stub = stubOf('methods') as unknown as { later(): Promise<unknown> }
    const error = await stub.later().catch((fault: unknown) => fault)
    expect(isOfPrevious(error)).toBe(true)
  })

  test('is also what a Worker of the version before calls', async ({ expect }) => {
    const stub = stubOf('of before')
    const refusing = { ...question, steps: 1, token: 't', reply: 'END No.\nNothing was sent.' }
    expect(await stub.run('refuse', refusing)).toEqual({ kind: 'refused' })
    expect(await stub.run('lookup', question)).toEqual({
      ...{ kind: 'answered', reply: refusing.reply },
    })
    expect(await createObjectLedger(() => stub).lookup(question)).toEqual({
      kind: 'answered',
      screen: { kind: 'end', lines: ['No.', 'Nothing was sent.'] },
    })
  })
})
