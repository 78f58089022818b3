import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { z } from 'zod'
import { projectRoot } from '../../../scripts/contracts/forge.ts'
import { executeGas, innerGas } from '../../../src/relay/relayer.ts'

const snapshot = z.object({ relayed: z.record(z.string(), z.record(z.string(), z.number())) })

test.for(['rootstock', 'ethereum'])(
  'in the prices of %s a request is signed and sent with gas to spare',
  (network, { expect }) => {
    const text = readFileSync(`${projectRoot}snapshots/${network}.json`, 'utf8')
    const rows = Object.values(snapshot.parse(JSON.parse(text)).relayed)
    const least = rows.flatMap((row) => row['least gas to sign'] ?? [])
    expect(least.length).toBeGreaterThan(5)
    expect(Math.max(...least)).toBeLessThan((innerGas * 3) / 4)
    // Whatever its call uses: what the transaction takes besides is what is left when the call is taken off.
    const besides = rows.flatMap((row) => {
      const [alone, call] = [row['of 1'], row['least gas to sign']]
      return alone === undefined || call === undefined ? [] : [alone - call]
    })
    expect(Math.max(...besides)).toBeLessThan((executeGas * 3) / 4)
  },
)
