import { openPhases } from '../../../src/relay/ledger/transitions.ts'
import type { RedisServer } from '../redis/redis-server.ts'

/** Rows per phase, because a queue of thousands is read again and again. */
const shown = 5

/** Reads the first unsettled rows of the ledger directly from the database. */
export async function openRows(server: RedisServer, base: string, address: string) {
  const rowOf = async (name: string) => {
    const row = (await server.call('GET', `${base}:row:${name}`)) as string | null
    return row === null ? undefined : JSON.parse(row.slice(row.indexOf(' ')))
  }
  const lists = openPhases.map((phase) => `${base}:list:payments.phase:${phase}`)
  const listed = await Promise.all(lists.map((list) => server.call('ZRANGE', list, 0, shown - 1)))
  const payments = await Promise.all((listed.flat() as string[]).map(rowOf))
  const relayer = await rowOf(`relayers:${address}`)
  return [
    ...payments.map(({ state, nonce }) => ({ what: 'payment', state, nonce })),
    ...(relayer?.open ?? []).map(([nonce]: number[]) => ({ what: 'nonce', nonce })),
  ]
}

/** Damages the ledger's rows in the database; resolves to a function that restores them. */
export async function tearRows(server: RedisServer, base: string): Promise<() => Promise<void>> {
  const names = (await server.call('KEYS', `${base}:row:*`)) as string[]
  const whole = await Promise.all(
    names.map(async (row) => [row, (await server.call('GET', row)) as string] as const),
  )
  for (const [row] of whole) await server.call('SET', row, 'torn')
  return async () => {
    for (const [row, text] of whole) await server.call('SET', row, text)
  }
}
