import { describe, test } from 'vitest'
import { watchClaims } from '../../../scripts/dev/simulator/relay/claims.ts'
import { openSqlite } from '../../../scripts/dev/sqlite.ts'
import { type Acceptance, type Claiming, ledgerRules } from '../../../src/relay/ledger/port.ts'
import { createSqlLedger, type SqlLedger } from '../../../src/relay/ledger/stores/sqlite.ts'

const rules = { ...ledgerRules, maxInFlight: 4, watchBlocks: 50, meansMs: 100_000 }
const [alice, bob] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`] as const

const claiming = (session: string, account: `0x${string}`, token = session): Claiming => ({
  ...{ session, account, input: 'i', steps: 3, token, seen: 0 },
  ...{ chainNonce: 0, poolNonce: 0 },
})

const acceptance = (session: string, from: `0x${string}`, token = session): Acceptance => ({
  ...{ session, token, seen: 0, screen: { kind: 'end', lines: [] }, transaction: undefined },
  order: {
    request: {
      ...{ from, to: bob, intentId: `0x${session.charCodeAt(0).toString(16).repeat(32)}` },
      ...{ gas: 1, deadline: 4_000_000_000, data: '0x', signature: '0x' },
    },
    ...{ kind: 'transfer', spendsWei: 1n },
  },
})

/** A watched ledger, in which some methods are others than they should be. */
function open(change: (ledger: SqlLedger) => Partial<SqlLedger> = () => ({})) {
  const found: string[] = []
  const clock = { now: 1_700_000_000_000 }
  const now = () => clock.now
  const right = createSqlLedger(openSqlite(), { rules, relayer: '0x9', now })
  const ledger = watchClaims({
    ...{ ledger: { ...right, ...change(right) }, leaseMs: rules.leaseMs, now },
    ...{ isWhole: () => true, found: (words) => found.push(words) },
  })
  return { ledger, found, clock }
}

describe('what the simulator sees of claims', () => {
  test('is nothing where the ledger keeps its promises', ({ expect }) => {
    const { ledger, found, clock } = open()
    ledger.claim(claiming('a', alice))
    ledger.claim(claiming('a', alice))
    ledger.claim(claiming('b', alice))
    ledger.claim(claiming('c', bob))
    ledger.lookup({ session: 'd', input: 'i', account: alice })
    clock.now += rules.leaseMs + 1
    ledger.claim(claiming('e', alice))
    expect(found).toEqual([])
  })

  test('tells of an account that is claimed twice', ({ expect }) => {
    const { ledger, found } = open(({ claim }) => ({
      claim: (one) => claim({ ...one, seen: undefined }),
    }))
    ledger.claim(claiming('a', alice))
    ledger.claim(claiming('b', alice))
    expect(found).toEqual(['b is claimed while another session of the account is'])
  })

  test('tells of an account that is said not to be busy', ({ expect }) => {
    const { ledger, found } = open(({ lookup }) => ({
      lookup: (one) => ({ ...lookup(one), busy: false }) as ReturnType<SqlLedger['lookup']>,
    }))
    ledger.claim(claiming('a', alice))
    ledger.lookup({ session: 'b', input: 'i', account: alice })
    expect(found).toEqual([`${alice} is said to be busy: false`])
  })

  test('tells of a nonce that two claims get, and of one that comes back as another', ({
    expect,
  }) => {
    let nonce = 0
    const { ledger, found } = open(() => ({
      claim: () => ({ kind: 'claimed', slot: { nonce, priorGasPriceWei: undefined } }),
    }))
    ledger.claim(claiming('a', alice))
    ledger.claim(claiming('b', bob))
    nonce = 7
    ledger.claim(claiming('a', alice))
    expect(found).toEqual(['nonce 0 is claimed twice', 'the claim of nonce 0 comes back with 7'])
  })

  test('tells of a nonce that was given back and goes to no claim', ({ expect }) => {
    const { ledger, found, clock } = open(({ claim }) => ({
      claim: (one) => {
        const answer = claim(one)
        const isLate = one.session === 'b'
        return isLate
          ? { kind: 'claimed', slot: { nonce: 5, priorGasPriceWei: undefined } }
          : answer
      },
    }))
    ledger.claim(claiming('a', alice))
    clock.now += rules.leaseMs + 1
    ledger.claim(claiming('b', bob))
    expect(found).toEqual(['a claim gets nonce 5, and 0 was given back'])
  })

  test('tells of a record after its lease, also where the claim came again', ({ expect }) => {
    const { ledger, found, clock } = open(() => ({
      claim: () => ({ kind: 'claimed', slot: undefined }),
      record: () => ({ kind: 'recorded' }),
    }))
    ledger.claim(claiming('a', alice))
    ledger.claim(claiming('b', bob))
    clock.now += rules.leaseMs + 1
    ledger.claim(claiming('b', bob))
    ledger.record(acceptance('a', alice))
    ledger.record(acceptance('b', bob))
    expect(found).toEqual(['a is recorded after its lease'])
  })

  test('tells of a record on a view that the account has outgrown', ({ expect }) => {
    const { ledger, found } = open(({ record }) => ({
      record: (one) => record({ ...one, seen: undefined }),
    }))
    ledger.claim(claiming('a', alice))
    ledger.adopt({
      ...{ ...claiming('b', alice), ...acceptance('b', alice) },
      ...{ screen: { kind: 'end', lines: [] } },
      execution: {
        ...{ outcome: 'executed', reason: '', hash: '0x1' },
        block: { number: 1, hash: '0x1' },
      },
    })
    ledger.record(acceptance('a', alice))
    ledger.record(acceptance('a', alice))
    expect(found).toEqual(['a is recorded on an older view of its account'])
  })
})
