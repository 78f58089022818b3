import { z } from 'zod'
import type { FaultProxy } from '../../dev/faults/fault-proxy.ts'
import type { Figures } from '../figures.ts'
import type { Payer } from '../payer.ts'

/** What `scripts/bench/served/counting.mjs` counts. */
const counts = z.object({
  objectRequests: z.number(),
  alarms: z.number(),
  alarmsSet: z.number(),
  rowsRead: z.number(),
  rowsWritten: z.number(),
  activeMs: z.number(),
})

type Counts = z.infer<typeof counts>

/** What payments took, each of them on the average, and how often the node was asked for all. */
export type Counted = { each: Counts & { logLines: number }; nodeCalls: number }

/** Counts what a relay that is served `counting` uses while this many payments are made. */
export async function countDuring<Result>(
  { payer, proxy }: { payer: Payer; proxy: FaultProxy },
  payments: number,
  work: () => Promise<Result>,
): Promise<{ result: Result; counted: Counted }> {
  const before = await readCounts(payer)
  const asked = proxy.seen()
  const result = await work()
  const after = await readCounts(payer)
  const each = Object.fromEntries(
    Object.entries(after).map(([name, value]) => [
      name,
      (value - before[name as keyof typeof before]) / payments,
    ]),
  ) as typeof after
  return { result, counted: { each, nodeCalls: proxy.seen() - asked } }
}

async function readCounts({ url, confirmed }: Payer): Promise<Counts & { logLines: number }> {
  const answer = await fetch(`${url}/bench/counts`)
  return { ...counts.parse(await answer.json()), logLines: confirmed.lines() }
}

export function tellBilled({ add, hold }: Figures, how: string, { each }: Counted): void {
  hold(`requests to the ledger, ${how}`, 'each payment', each.objectRequests)
  hold(`rows read, ${how}`, 'each payment', each.rowsRead)
  hold(`rows written, ${how}`, 'each payment', each.rowsWritten)
  hold(`lines of the log, ${how}`, 'each payment', each.logLines)
  add(`alarms that rang, ${how}`, 'each payment', each.alarms)
  add(`time in which the ledger is active, ${how}`, 'ms/payment', each.activeMs)
}

export function tellNodeCalls(
  { hold }: Figures,
  how: string,
  payments: number,
  calls: number,
): void {
  hold(`questions to the node, ${how}`, 'each payment', calls / payments)
}
