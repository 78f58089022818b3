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

const plus = (a: Taken, { poolWei, capWei, outWei = 0n }: Shares): Taken => ({
  poolWei: a.poolWei + poolWei,
  capWei: a.capWei + capWei,
  outWei: a.outWei + outWei,
})
const minus = (a: Taken, { poolWei, capWei, outWei = 0n }: Shares): Taken =>
  plus(a, { poolWei: -poolWei, capWei: -capWei, outWei: -outWei })

function known(rows: Draft): Reserved | undefined {
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
  const taken = {
    ...{ poolWei: BigInt(row.reserves_pool), capWei: BigInt(row.reserves_cap) },
    outWei: BigInt(row.reserves_out ?? 0),
  }
  if (isUnsettled(row.state)) return { ...taken, at: 'open' }
  if (row.outcome !== 'executed' || row.block_number === null) return undefined
  return { ...taken, at: row.block_number }
}

function added(
  { open, blocks }: Reserved,
  part: Shares & { at: number | 'open' },
  add: typeof plus,
): Reserved {
  if (part.at === 'open') return { open: add(open, part), blocks }
  const number = part.at
  const block = blocks.find((one) => one.number === number) ?? { ...nothing, number }
  const others = blocks.filter((one) => one !== block)
  return { open, blocks: [...others, { ...add(block, part), number }] }
}

/** Updates the reserves after a payment changed; a lost row is counted when it is read. */
export function noteReserved(
  rows: Draft,
  before: Row<'payments'> | undefined,
  after: Row<'payments'> | undefined,
): void {
  const [was, is] = [findShare(before), findShare(after)]
  const all = was?.at === is?.at ? undefined : known(rows)
  if (all === undefined) return
  const without = was === undefined ? all : added(all, was, minus)
  const { open, blocks } = is === undefined ? without : added(without, is, plus)
  const oldest = Math.max(...blocks.map(({ number }) => number)) - keptBlocks
  const kept = blocks.filter(
    ({ number, poolWei, capWei, outWei }) => number > oldest && poolWei + capWei + outWei > 0n,
  )
  save(rows, { open, blocks: kept })
}

/** Saves a lost total before anything is added to it. */
export function keepReserved(rows: Draft): void {
  if (known(rows) === undefined) save(rows, readReserved(rows))
}

/** Returns the reserves, counted again if the row is lost. */
function readReserved(rows: Draft): Reserved {
  const row = known(rows)
  if (row !== undefined) return row
  return phaseNames
    .flatMap((group) =>
      rows.list({
        ...({ table: 'payments', list: 'phase', group, limit: noLimit } as const),
        unless: ['meta', rowName],
        ...(group === 'settled' ? { from: rows.now - recentMs } : {}),
      }),
    )
    .reduce<Reserved>(
      (sum, payment) => {
        const part = findShare(payment)
        return part === undefined ? sum : added(sum, part, plus)
      },
      { open: nothing, blocks: [] },
    )
}

/** Tells whether a block had less than this payment and all unseen reserves take. */
export function isShort({ rows }: StepContext, own: Shares, there: Lendable | undefined): boolean {
  if (there === undefined) return false
  const { open, blocks } = readReserved(rows)
  const later = blocks.filter(({ number }) => number > there.block)
  const taken = plus(nothing, own)
  const all = [open, ...later].reduce<Taken>(plus, taken)
  const held = plus(nothing, there)
  const names = ['poolWei', 'capWei', 'outWei'] as const
  return names.some((name) => taken[name] > 0n && all[name] > held[name])
}
