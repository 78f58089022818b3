import type { Draft, StepContext } from '../draft.ts'
import { type MetaValue, readMeta, saveMeta } from '../meta.ts'
import type { Row } from '../rows.ts'
import { isOutcomeUnknown } from '../transitions.ts'
import type { ReservedAmounts } from '../values.ts'

/** Gives what was left at a block, at least of the amounts that the payment takes. */
export type Lendable = ReservedAmounts & { block: number }

/** Holds the sums that payments reserve of common limits: of open payments, and of each block. */
type ReserveTotals = MetaValue<'reserved'>

type Amounts = { [Name in keyof ReservedAmounts]-?: bigint }
type BlockReserves = ReservedAmounts & { block: number | 'open' }

const rowName = 'reserved'
const noAmounts: Amounts = { poolWei: 0n, capWei: 0n, outWei: 0n }

/** Sets for how long a node may not know yet that a payment was settled. */
export const recentSettlementMs = 10 * 60 * 1000

/** Limits for how many blocks reserves are kept: no view of the chain is older. */
const maxReserveBlocks = 200

const addAmounts = (a: Amounts, { poolWei, capWei, outWei = 0n }: ReservedAmounts): Amounts => ({
  poolWei: a.poolWei + poolWei,
  capWei: a.capWei + capWei,
  outWei: a.outWei + outWei,
})

const readTotals = (rows: Draft): ReserveTotals =>
  readMeta(rows, rowName) ?? { open: noAmounts, blocks: [] }

/** Returns what a payment reserves, times `sign`, and the block that holds it, if any. */
function getReserves(row: Row<'payments'> | undefined, sign: 1n | -1n): BlockReserves | undefined {
  if (row === undefined || row.reserves_pool === null || row.reserves_cap === null) return undefined
  const amounts = {
    poolWei: sign * BigInt(row.reserves_pool),
    capWei: sign * BigInt(row.reserves_cap),
    outWei: sign * BigInt(row.reserves_out ?? 0),
  }
  if (isOutcomeUnknown(row.state)) return { ...amounts, block: 'open' }
  if (row.outcome !== 'executed' || row.block_number === null) return undefined
  return { ...amounts, block: row.block_number }
}

function addReserves(totals: ReserveTotals, reserves: BlockReserves | undefined): ReserveTotals {
  if (reserves === undefined) return totals
  const { open, blocks } = totals
  const { block: number } = reserves
  if (number === 'open') return { open: addAmounts(open, reserves), blocks }
  const block = blocks.find((other) => other.number === number) ?? { ...noAmounts, number }
  const otherBlocks = blocks.filter((other) => other !== block)
  return { open, blocks: [...otherBlocks, { ...addAmounts(block, reserves), number }] }
}

export function updateReserves(
  rows: Draft,
  before: Row<'payments'> | undefined,
  after: Row<'payments'> | undefined,
): void {
  const [freed, reserved] = [getReserves(before, -1n), getReserves(after, 1n)]
  if (freed?.block === reserved?.block) return
  const { open, blocks } = [freed, reserved].reduce(addReserves, readTotals(rows))
  const oldest = Math.max(...blocks.map(({ number }) => number)) - maxReserveBlocks
  const recentBlocks = blocks.filter(
    ({ number, poolWei, capWei, outWei }) => number > oldest && poolWei + capWei + outWei > 0n,
  )
  saveMeta(rows, rowName, { open, blocks: recentBlocks })
}

/** Tells whether this payment and the reserves after a block exceed what the block left. */
export function exceedsLendable(
  { rows }: StepContext,
  reserves: ReservedAmounts,
  lendable: Lendable | undefined,
): boolean {
  if (lendable === undefined) return false
  const { open, blocks } = readTotals(rows)
  const laterBlocks = blocks.filter(({ number }) => number > lendable.block)
  const amounts = addAmounts(noAmounts, reserves)
  const total = [open, ...laterBlocks].reduce<Amounts>(addAmounts, amounts)
  const available = addAmounts(noAmounts, lendable)
  const names = ['poolWei', 'capWei', 'outWei'] as const
  return names.some((name) => amounts[name] > 0n && total[name] > available[name])
}
