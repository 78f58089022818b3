import type { At, Draft } from '../draft.ts'
import type { BlockId, FollowedBlock, Means, Turn, Work } from '../port.ts'

/** What rounds have seen of the chain: rows of `meta`, which a ledger may lose without losing a payment. */

/** The head that was seen last, and what was followed up to it. */
export function trailOf(rows: Draft): Pick<Work, 'head' | 'trail'> {
  const known = rows.row('meta', 'head')
  if (known === undefined) return { head: undefined, trail: [] }
  // A version before this one noted the head alone.
  type Noted = BlockId & { count?: number; below?: FollowedBlock[] }
  const { number, hash, count, below = [] } = JSON.parse(known.value) as Noted
  const head = { number, hash }
  return { head, trail: count === undefined ? [] : [{ ...head, count }, ...below] }
}

export function saveTrail(rows: Draft, [head, ...below]: readonly FollowedBlock[]): void {
  rows.put('meta', { name: 'head', value: JSON.stringify({ ...head, below }) })
}

/** The head without what was followed up to it. */
export function saveHead(rows: Draft, { number, hash }: { number: number; hash: string }): void {
  rows.put('meta', { name: 'head', value: JSON.stringify({ number, hash }) })
}

type NotedMeans = Partial<Record<keyof Means, [value: string, at: number]>> & {
  asked?: Turn
}

/** What of it is asked for in turn. */
const turns: readonly Turn[] = ['gasPriceWei', 'balanceWei', 'toldCount']

/** What was read lately enough to go by, and whose turn it is to be asked for. */
export function meansOf({ rows, rules }: At): Pick<Work, 'means' | 'nextMeans'> {
  const known = notedMeans(rows)
  const freshOf = (name: keyof Means) => {
    const [value, at] = known[name] ?? []
    return at !== undefined && rows.now - at < rules.meansMs ? value : undefined
  }
  const [toldCount] = known.toldCount ?? []
  const [count, gasPriceWei, balanceWei] = (['count', 'gasPriceWei', 'balanceWei'] as const).map(
    freshOf,
  )
  const means: Means = {
    ...(count !== undefined && { count: Number(count) }),
    // Told again every few rounds: until then it is the last that is known.
    ...(toldCount !== undefined && { toldCount: Number(toldCount) }),
    ...(gasPriceWei !== undefined && { gasPriceWei: BigInt(gasPriceWei) }),
    ...(balanceWei !== undefined && { balanceWei: BigInt(balanceWei) }),
  }
  const last = known.asked === undefined ? -1 : turns.indexOf(known.asked)
  return { means, nextMeans: turns[(last + 1) % turns.length] ?? 'toldCount' }
}

export function saveMeans(rows: Draft, means: Means, asked: Turn | undefined): void {
  const told = Object.entries(means).map(([name, value]) => [name, [`${value}`, rows.now]])
  const noted = { ...notedMeans(rows), ...Object.fromEntries(told), ...(asked && { asked }) }
  rows.put('meta', { name: 'means', value: JSON.stringify(noted) })
}

function notedMeans(rows: Draft): NotedMeans {
  const row = rows.row('meta', 'means')
  return row === undefined ? {} : JSON.parse(row.value)
}
