import type { At, Draft } from '../draft.ts'
import type { BlockId, FollowedBlock, Means, Turn, Work } from '../port.ts'

/**
 * What rounds have seen of the chain: rows of `meta`, which a ledger may lose without losing a payment.
 * Counts and the balance are of one key: they are gone with it, as is what does not name its key.
 */
type OfKey = { relayer?: string }

const isOf = ({ relayer }: At, noted: OfKey): boolean => noted.relayer === relayer

/** The head that was seen last, and what was followed up to it. */
export function trailOf(at: At): Pick<Work, 'head' | 'trail'> {
  const known = at.rows.row('meta', 'head')
  if (known === undefined) return { head: undefined, trail: [] }
  // A restore notes the head alone.
  type Noted = OfKey & BlockId & { count?: number; below?: FollowedBlock[] }
  const noted = JSON.parse(known.value) as Noted
  const { number, hash, count, below = [] } = noted
  const isFollowed = count !== undefined && isOf(at, noted)
  return { head: { number, hash }, trail: isFollowed ? [{ number, hash, count }, ...below] : [] }
}

export function saveTrail({ rows, relayer }: At, [head, ...below]: readonly FollowedBlock[]): void {
  rows.put('meta', { name: 'head', value: JSON.stringify({ ...head, below, relayer }) })
}

/** The head without what was followed up to it. */
export function saveHead(rows: Draft, { number, hash }: { number: number; hash: string }): void {
  rows.put('meta', { name: 'head', value: JSON.stringify({ number, hash }) })
}

type NotedMeans = OfKey &
  Partial<Record<keyof Means, [value: string, at: number]>> & {
    asked?: Turn
  }

/** What of it is asked for in turn. */
const turns: readonly Turn[] = ['gasPriceWei', 'balanceWei', 'toldCount']

/** What was read lately enough to go by, and whose turn it is to be asked for. */
export function meansOf(at: At): Pick<Work, 'means' | 'nextMeans'> {
  const { rows, rules } = at
  const known = notedMeans(at)
  const freshOf = (name: keyof Means) => {
    const [value, readAt] = known[name] ?? []
    return readAt !== undefined && rows.now - readAt < rules.meansMs ? value : undefined
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

export function saveMeans(at: At, means: Means, asked: Turn | undefined): void {
  const { rows, relayer } = at
  const told = Object.entries(means).map(([name, value]) => [name, [`${value}`, rows.now]])
  const read = { ...notedMeans(at), ...Object.fromEntries(told), ...(asked && { asked }) }
  rows.put('meta', { name: 'means', value: JSON.stringify({ ...read, relayer }) })
}

function notedMeans(at: At): NotedMeans {
  const row = at.rows.row('meta', 'means')
  const noted: NotedMeans = row === undefined ? {} : JSON.parse(row.value)
  return isOf(at, noted) ? noted : {}
}
