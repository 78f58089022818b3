import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { root } from '../../../scripts/stack/folder.ts'
import { poolRules } from '../../../src/chain/chains.ts'
import { loanCalls } from '../../../src/loan/kinds.ts'
import { depositGas } from '../../../src/relay/claim-deposit.ts'
import { executeGas, followingGas, maxUsedGas, sumGas } from '../../../src/relay/relayer.ts'

type Measured = Exclude<keyof typeof loanCalls, 'deposit'>

/** The rows of the snapshots that say what a call takes. */
const rowNames: Record<Measured, RegExp> = {
  ...{ transfer: /transfer to/, loan: /loan/, repayment: /^repay/, cashOut: /withdraw/ },
}
const figures = z.record(z.string(), z.record(z.string(), z.number()))
const snapshot = z.object({ relayed: figures, direct: figures })

function readSnapshot(network: string) {
  const text = readFileSync(`${root}/snapshots/${network}.json`, 'utf8')
  return snapshot.parse(JSON.parse(text))
}

test('the gas that each payment is counted with is enough for every payment on Rootstock', () => {
  const alone = Object.values(readSnapshot('rootstock').relayed).flatMap((row) => row['of 1'] ?? [])
  expect(Math.max(...alone)).toBeLessThanOrEqual(maxUsedGas)
})

test.for(['rootstock', 'ethereum'])('by the prices of %s requests have spare gas', (network) => {
  const { relayed, direct } = readSnapshot(network)
  expect(direct['deposit, first']?.gas).toBeLessThan((depositGas * 3) / 4)
  const rows = Object.values(relayed)
  const least = rows.flatMap((row) => row['least gas to sign'] ?? [])
  expect(least.length).toBeGreaterThan(5)
  // A deposit of tokens is measured as a transaction of its own, which takes more.
  const { deposit, ...others } = loanCalls
  expect((direct['tokens: sweepInlet, first']?.gas ?? Number.NaN) * 1.15).toBeLessThan(deposit.gas)
  for (const [call, { gas }] of Object.entries(others)) {
    const most = Object.entries(relayed).flatMap(([row, columns]) =>
      rowNames[call as Measured].test(row) ? (columns['least gas to sign'] ?? []) : [],
    )
    expect(Math.max(...most) * 1.2, call).toBeLessThanOrEqual(gas)
  }
  // Whatever its call uses: what the transaction takes besides is what is left when the call is
  // taken off.
  for (const requests of [1, 5, 10, 20]) {
    const besides = rows.flatMap((row) => {
      const [each, call] = [row[`of ${requests}`], row['least gas to sign']]
      return each === undefined || call === undefined ? [] : [requests * (each - call)]
    })
    const given = executeGas + (requests - 1) * followingGas
    expect(Math.max(...besides), `of ${requests}`).toBeLessThan((given * 3) / 4)
  }
})

const callsIn = (row: string) =>
  (Object.keys(rowNames) as (keyof typeof rowNames)[]).filter((call) => rowNames[call].test(row))

/** The gas that must be left for a request and those after it, as RelayForwarder.sol says. */
const gasNeeded = (gas: number, following: number) =>
  45_000 + Math.ceil((gas * 64) / 63) + following * 35_000

test.for(['rootstock', 'ethereum'])(
  'by the prices of %s no request is skipped, even if each call uses its gas limit',
  (network) => {
    const { relayed } = readSnapshot(network)
    for (const [row, columns] of Object.entries(relayed)) {
      const least = columns['least gas to sign']
      if (least === undefined) continue
      const calls = callsIn(row)
      expect(calls.length, row).toBe(1)
      const gas = Math.max(...calls.map((call) => loanCalls[call].gas))
      for (const requests of [1, 5, 10, 20]) {
        const each = columns[`of ${requests}`]
        if (each === undefined) continue
        const limit = sumGas(Array.from({ length: requests }, () => ({ gas })))
        const used = requests * (each - least)
        for (let before = 0; before < requests; before++) {
          const left = limit - used - before * gas
          expect(left, `${row}, ${before} of ${requests}`).toBeGreaterThan(
            gasNeeded(gas, requests - before - 1),
          )
        }
      }
    }
  },
)

test('by their gas limits a block of 6.8 M holds 110 first intents, and 150 with reused marks', () => {
  const { maxInBatch, maxInFlight } = poolRules.rootstock
  const held = (row: string) => {
    // Of ten: of twelve each takes less.
    const used = maxInBatch * (readSnapshot('rootstock').relayed[row]?.['of 10'] ?? Number.NaN)
    const limit = sumGas(Array.from({ length: maxInBatch }, () => loanCalls.transfer))
    // RSKj takes a transaction whose limit fits into what the ones before it have left.
    return maxInBatch * Math.min(maxInFlight, Math.floor(1 + (6_800_000 - limit) / used))
  }
  expect(held('transfer to a known account, first intent')).toBeGreaterThanOrEqual(110)
  expect(held('transfer to a known account')).toBeGreaterThanOrEqual(150)
})

test('a node accepts the largest batch of the most expensive calls: its limit fits a block', () => {
  const { maxInBatch } = poolRules.rootstock
  const gas = Math.max(...Object.values(loanCalls).map((call) => call.gas))
  const limit = sumGas(Array.from({ length: maxInBatch }, () => ({ gas })))
  // RSKj refuses a transaction above it; it took 62 transfers, whose limit is 6.776 M.
  expect(limit).toBeLessThanOrEqual(6_800_000)
})
