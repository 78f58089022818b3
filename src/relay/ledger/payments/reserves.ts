import * as z from 'zod/mini'
import type { Draft, StepContext } from '../draft.ts'
import type { Lendable, Shares } from '../port.ts'
import type { Row } from '../rows.ts'
import { isUnsettled, phaseNames } from '../transitions.ts'
import { noLimit } from './account-totals.ts'

const amount = z.pipe(
  z.string(),
  z.transform((value) => BigInt(value)),
)
const shares = { poolWei: amount, capWei: amount, outWei: amount }

/** Parses what payments reserve of common resources, until the chain is seen to include it. */
const reserved = z.object({
  open: z.object(shares),
  blocks: z.array(z.object({ ...shares, number: z.int() })),
})

type Reserved = z.infer<typeof reserved>

type Taken = { [Name in keyof Shares]-?: bigint }

const rowName = 'reserved'
const nothing: Taken = { poolWei: 0n, capWei: 0n, outWei: 0n }

/** Limits the age of settled payments that a lagging node may not know yet. */
export const recentMs = 10 * 60 * 1000

/** Limits for how many blocks reserves are kept: no view of the chain is older. */
const keptBlocks = 200

const addShares = (a: Taken, { poolWei, capWei, outWei = 0n }: Shares): Taken => ({
  poolWei: a.poolWei + poolWei,
  capWei: a.capWei + capWei,
  outWei: a.outWei + outWei,
})
const subtractShares = (a: Taken, { poolWei, capWei, outWei = 0n }: Shares): Taken =>
  addShares(a, { poolWei: -poolWei, capWei: -capWei, outWei: -outWei })

function findReserved(rows: Draft): Reserved | undefined {
  const row = rows.row('meta', rowName)
  return row && reserved.parse(JSON.parse(row.value))
}

function save(rows: Draft, value: Reserved): void {
  const words = (_: string, part: unknown) => (typeof part === 'bigint' ? `${part}` : part)
  rows.put('meta', { name: rowName, value: JSON.stringify(value, words) })
}

/** Returns what a payment takes, and the block that includes it, if any. */
function findShare(
  row: Row<'payments'> | undefined,
): (Shares & { at: number | 'open' }) | undefined {
  if (row === undefined || row.reserves_pool === null || row.reserves_cap === null) return undefined
  const shares = {
    ...{ poolWei: BigInt(row.reserves_pool), capWei: BigInt(row.reserves_cap) },
    outWei: BigInt(row.reserves_out ?? 0),
  }
  if (isUnsettled(row.state)) return { ...shares, at: 'open' }
  if (row.outcome !== 'executed' || row.block_number === null) return undefined
  return { ...shares, at: row.block_number }
}

function applyShare(
  { open, blocks }: Reserved,
  part: Shares & { at: number | 'open' },
  add: typeof addShares,
): Reserved {
  if (part.at === 'open') return { open: add(open, part), blocks }
  const number = part.at
  const block = blocks.find((one) => one.number === number) ?? { ...nothing, number }
  const otherBlocks = blocks.filter((one) => one !== block)
  return { open, blocks: [...otherBlocks, { ...add(block, part), number }] }
}

/** Updates the reserves after a payment changed; {@link readReserved} restores a lost row. */
export function noteReserved(
  rows: Draft,
  before: Row<'payments'> | undefined,
  after: Row<'payments'> | undefined,
): void {
  const [shareBefore, shareAfter] = [findShare(before), findShare(after)]
  const total = shareBefore?.at === shareAfter?.at ? undefined : findReserved(rows)
  if (total === undefined) return
  const remaining =
    shareBefore === undefined ? total : applyShare(total, shareBefore, subtractShares)
  const { open, blocks } =
    shareAfter === undefined ? remaining : applyShare(remaining, shareAfter, addShares)
  const oldest = Math.max(...blocks.map(({ number }) => number)) - keptBlocks
  const recentBlocks = blocks.filter(
    ({ number, poolWei, capWei, outWei }) => number > oldest && poolWei + capWei + outWei > 0n,
  )
  save(rows, { open, blocks: recentBlocks })
}

/** Saves a lost total before anything is added to it. */
export function keepReserved(rows: Draft): void {
  if (findReserved(rows) === undefined) save(rows, readReserved(rows))
}

/** Returns the reserves, counted again if the row is lost. */
function readReserved(rows: Draft): Reserved {
  const row = findReserved(rows)
  if (row !== undefined) return row
  return phaseNames
    .flatMap((group) =>
      rows.list({
        ...({ table: 'payments', list: 'phase', group, limit: noLimit } as const),
        totalRow: ['meta', rowName],
        ...(group === 'settled' ? { from: rows.now - recentMs } : {}),
      }),
    )
    .reduce<Reserved>(
      (sum, payment) => {
        const part = findShare(payment)
        return part === undefined ? sum : applyShare(sum, part, addShares)
      },
      { open: nothing, blocks: [] },
    )
}

/** Tells whether a block had less than this payment and all unseen reserves take. */
export function isShort(
  { rows }: StepContext,
  own: Shares,
  lendable: Lendable | undefined,
): boolean {
  if (lendable === undefined) return false
  const { open, blocks } = readReserved(rows)
  const laterBlocks = blocks.filter(({ number }) => number > lendable.block)
  const shares = addShares(nothing, own)
  const total = [open, ...laterBlocks].reduce<Taken>(addShares, shares)
  const available = addShares(nothing, lendable)
  const names = ['poolWei', 'capWei', 'outWei'] as const
  return names.some((name) => shares[name] > 0n && total[name] > available[name])
}
