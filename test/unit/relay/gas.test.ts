import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { projectRoot } from '../../../scripts/contracts/forge.ts'
import { loanCalls } from '../../../src/loan/kinds.ts'
import { depositGas } from '../../../src/relay/claim-deposit.ts'
import { executeGas, followingGas, mostUsedGas } from '../../../src/relay/relayer.ts'

/** The rows of the snapshots that say what a call takes. */
const rowNames: Record<keyof typeof loanCalls, RegExp> = {
  transfer: /^transfer to/,
  loan: /loan/,
  repayment: /^repay/,
  cashOut: /^withdraw/,
}
const figures = z.record(z.string(), z.record(z.string(), z.number()))
const snapshot = z.object({ relayed: figures, direct: figures })

function readSnapshot(network: string) {
  const text = readFileSync(`${projectRoot}snapshots/${network}.json`, 'utf8')
  return snapshot.parse(JSON.parse(text))
}

test("money for gas is said to last for no more payments than Rootstock's prices allow", () => {
  const alone = Object.values(readSnapshot('rootstock').relayed).flatMap((row) => row['of 1'] ?? [])
  expect(Math.max(...alone)).toBeLessThanOrEqual(mostUsedGas)
})

test.for(['rootstock', 'ethereum'])('by the prices of %s requests have gas to spare', (network) => {
  const { relayed, direct } = readSnapshot(network)
  expect(direct['deposit, first']?.gas).toBeLessThan((depositGas * 3) / 4)
  const rows = Object.values(relayed)
  const least = rows.flatMap((row) => row['least gas to sign'] ?? [])
  expect(least.length).toBeGreaterThan(5)
  for (const [call, { gas }] of Object.entries(loanCalls)) {
    const most = Object.entries(relayed).flatMap(([row, columns]) =>
      rowNames[call as keyof typeof loanCalls].test(row)
        ? (columns['least gas to sign'] ?? [])
        : [],
    )
    expect(Math.max(...most) * 1.2, call).toBeLessThanOrEqual(gas)
  }
  // Whatever its call uses: what the transaction takes besides is what is left when the call is taken off.
  for (const requests of [1, 5, 10, 20]) {
    const besides = rows.flatMap((row) => {
      const [each, call] = [row[`of ${requests}`], row['least gas to sign']]
      return each === undefined || call === undefined ? [] : [requests * (each - call)]
    })
    const given = executeGas + (requests - 1) * followingGas
    expect(Math.max(...besides), `of ${requests}`).toBeLessThan((given * 3) / 4)
  }
})
