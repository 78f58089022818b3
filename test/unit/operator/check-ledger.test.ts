import { expect, test } from 'vitest'
import { poolRules } from '../../../src/chain/chains.ts'
import { runObservedRound } from '../../../src/operator/chain-state/check-ledger.ts'
import { addReport, type ObservationReport } from '../../../src/relay/ledger/observations.ts'
import { conditionWith, now } from './condition.ts'

const amounts = { liquidityWei: '9', issuableWei: '9', principalWei: '1', owedWei: '1' }
const pool = { ...amounts, balancesWei: '1' }

/** Runs a round that reads nothing by itself, and returns what is recorded after it. */
async function observe(lastMinedAt: number, ageMs: number) {
  const contracts = { state: 'ready', at: now - ageMs } as const
  const { vitals, terms } = conditionWith({ lastMinedAt }, { contracts })
  const reports: ObservationReport[] = []
  const relayer = {
    ...terms,
    ledger: {
      readVitals: async () => vitals,
      recordObservations: async (report: ObservationReport) => void reports.push(report),
    },
    clock: { now: () => now, timeout: () => new AbortController().signal },
    log: () => {},
  }
  const readers = { readContracts: async () => ({ state: 'ready', pool }), readToken: undefined }
  await runObservedRound(
    relayer as never,
    readers as never,
    async () => 'idle',
    () => {},
  )
  return reports.at(-1)?.facts.contracts
}

test('the pool is read again after a block that took a transaction, and not before it is due', async () => {
  const ageMs = poolRules.rootstock.readIntervalMs / 2
  expect(await observe(now - ageMs + 1_000, ageMs)).toMatchObject({ pool })
  expect(await observe(now - ageMs - 1_000, ageMs)).toBeUndefined()
})

test('the pool keeps the time at which it was read where a later reading has a state alone', () => {
  const read = (before: object, facts: ObservationReport['facts'], at: number) =>
    addReport(before, { facts, node: undefined, round: undefined }, at)
  const first = read({}, { contracts: { state: 'ready', pool } }, 1_000)
  expect(first.contracts).toMatchObject({ at: 1_000, pool: { ...pool, at: 1_000 } })
  const paused = read(first, { contracts: { state: 'paused' } }, 5_000)
  expect(paused.contracts).toEqual({ state: 'paused', at: 5_000, pool: { ...pool, at: 1_000 } })
  const again = read(paused, { contracts: { state: 'ready', pool } }, 9_000)
  expect(again.contracts?.pool?.at).toBe(9_000)
  const kept = { contracts: { state: 'ready', at: 2_000, pool } }
  const changed = read(kept, { contracts: { state: 'paused' } }, 5_000)
  expect(changed.contracts?.pool?.at).toBe(2_000)
})
